"""A Java broker fills a directory and stops; our store opens it and has everything."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from compat_tests.java.cluster import Broker, NameServer
from compat_tests.java.driver import JavaDriver
from compat_tests.java.versions import CURRENT, OLD, Version
from compat_tests.store_writer import GROUP, HALF_TOPIC, OP_TOPIC, QUEUES, RETRY_TOPIC, SCHEDULE_TOPIC
from compat_tests.stores import (
    NO_CHECKS,
    SMALL_FILES,
    Contents,
    Row,
    assert_same,
    ids_by_key,
    our_contents,
    problems,
    read_with_java,
    rows,
)
from rocketmq_protocol.message_id import parse_offset_message_id
from rocketmq_protocol.pulled import iter_pulled
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.message_store import MessageStore

PLAIN_MESSAGES: Final = 2000
DEAD_LETTERS: Final = f"%DLQ%{GROUP}"
WHEEL_TOPIC: Final = "rmq_sys_wheel_timer"
# Acknowledged at the place where a consumer finds them.
AT_ONCE: Final = {"plain", "batch", "big"}
# Acknowledged with the place where they wait.
HIDDEN: Final = {"delayed", "waiting", "timed", "COMMIT_MESSAGE", "ROLLBACK_MESSAGE", "UNKNOW"}


@dataclass(frozen=True)
class Filled:
    """A directory that Java filled and left, and our store over it."""

    version: Version
    acknowledged: list[Row]
    java: Contents
    problems: list[str]
    store: MessageStore
    ours: Contents

    def of_kind(self, *kinds: str) -> list[Row]:
        found = [row for row in self.acknowledged if row["kind"] in kinds]
        assert found
        return found

    def at(self, offset_msg_id: str) -> Row:
        """The message our store has at a place in the log, as Java sees messages."""
        record = self.store.lookup(parse_offset_message_id(offset_msg_id).offset)
        assert record is not None
        [message] = iter_pulled(record)
        return self.ours.messages[message.topic, message.queue_id, message.queue_offset]


@pytest.fixture(scope="module", params=[CURRENT, OLD])
def filled(request: pytest.FixtureRequest, java_directory: Path, java_driver: JavaDriver) -> Iterator[Filled]:
    version: Version = request.param
    directory = Path(tempfile.mkdtemp(dir=java_directory))
    topics = [*QUEUES, RETRY_TOPIC, DEAD_LETTERS, SCHEDULE_TOPIC]
    # 4.9 lets nobody pull the halves of transactions.
    topics += [HALF_TOPIC, OP_TOPIC, WHEEL_TOPIC] if version == CURRENT else []
    config = SMALL_FILES.for_java() | NO_CHECKS
    with (
        NameServer(directory / "namesrv", version=version) as name_server,
        Broker(directory / "broker", name_server.address, version=version, config=config) as broker,
    ):
        arguments = (name_server.address, broker.address, "all", str(PLAIN_MESSAGES))
        acknowledged = rows(java_driver("FillStore", *arguments, version=version))
        java = read_with_java(java_driver, name_server, topics, version)
        broker.stop()
    found = problems(broker.store)
    with MessageStore(SMALL_FILES.for_us(broker.store)) as store:
        yield Filled(version, acknowledged, java, found, store, our_contents(store))


def test_java_left_several_files_of_each_kind(filled: Filled) -> None:
    root = filled.store.paths.root
    assert root is not None
    for pattern in ("commitlog/*", "consumequeue/Plain/0/*", "index/*"):
        assert len(list(root.glob(pattern))) > 1
    assert filled.store.recovered is not None
    assert filled.store.recovered.clean


def test_our_checker_finds_nothing_wrong(filled: Filled) -> None:
    assert filled.problems == []


def test_every_acknowledged_message_is_where_java_said(filled: Filled) -> None:
    for sent in filled.of_kind(*AT_ONCE):
        stored = filled.at(sent["offsetMsgId"])
        assert stored == filled.ours.messages[sent["topic"], sent["queueId"], sent["queueOffset"]]
        assert stored["properties"].get("KEYS") == sent["keys"]
        assert stored["properties"].get("TAGS") == sent["tags"]
        assert {name: stored[name] for name in ("msgId", "flag", "sha256")} == {
            name: sent[name] for name in ("msgId", "flag", "sha256")
        }


def test_every_message_and_every_queue_reads_as_a_java_consumer_reads_it(filled: Filled) -> None:
    # A broker may write decisions about transactions until it stops.
    settled = filled.java.topics - {OP_TOPIC}
    assert_same(filled.ours.only(settled), filled.java.only(settled))
    decisions = filled.java.only({OP_TOPIC}).messages
    assert decisions == {place: filled.ours.messages[place] for place in decisions}
    assert filled.ours.topics - settled <= {OP_TOPIC, HALF_TOPIC}
    assert len(filled.java.messages) > PLAIN_MESSAGES * 3 // 2


def test_messages_are_found_by_unique_key(filled: Filled) -> None:
    for sent in filled.of_kind(*AT_ONCE):
        assert ids_by_key(filled.store, sent["topic"], sent["msgId"]) == [sent["offsetMsgId"]]


def test_messages_are_found_by_each_of_their_keys(filled: Filled) -> None:
    wanted: dict[tuple[str, str], list[str]] = {}
    for (topic, _, _), stored in filled.ours.messages.items():
        for key in stored["properties"].get("KEYS", "").split():
            wanted.setdefault((topic, key), []).append(stored["offsetMsgId"])
    for (topic, key), ids in wanted.items():
        assert ids_by_key(filled.store, topic, key) == sorted(ids)
    assert any(len(ids) > 5 for ids in wanted.values())


def test_messages_sent_oneway_are_found_by_unique_key(filled: Filled) -> None:
    for sent in filled.of_kind("oneway"):
        [offset_id] = ids_by_key(filled.store, sent["topic"], sent["msgId"])
        assert filled.at(offset_id)["sha256"] == sent["sha256"]


def test_messages_that_wait_lie_in_their_system_topics(filled: Filled) -> None:
    wheel = WHEEL_TOPIC if filled.version == CURRENT else "Timed"
    places = {"delayed": SCHEDULE_TOPIC, "waiting": SCHEDULE_TOPIC, "timed": wheel}
    for sent in filled.of_kind(*HIDDEN):
        [offset_id] = ids_by_key(filled.store, places.get(sent["kind"], HALF_TOPIC), sent["msgId"])
        # The half of a transaction is acknowledged without it.
        assert sent["offsetMsgId"] in (offset_id, None)
        stored = filled.at(offset_id)
        assert stored["properties"].get("REAL_TOPIC", stored["topic"]) == sent["topic"]
        assert (stored["msgId"], stored["sha256"]) == (sent["msgId"], sent["sha256"])


@pytest.mark.parametrize(
    ("kind", "arrived"),
    [("delayed", 1), ("waiting", 0), ("COMMIT_MESSAGE", 1), ("ROLLBACK_MESSAGE", 0), ("UNKNOW", 0)],
)
def test_what_was_due_or_committed_and_nothing_else_has_arrived(
    filled: Filled, kind: str, arrived: int
) -> None:
    for sent in filled.of_kind(kind):
        found = [filled.at(one) for one in ids_by_key(filled.store, sent["topic"], sent["msgId"])]
        assert [message["sha256"] for message in found] == [sent["sha256"]] * arrived


def test_messages_sent_back_are_retried_or_dead(filled: Filled) -> None:
    returned = sorted(sent["sha256"] for sent in filled.of_kind("returned"))
    for topic in (RETRY_TOPIC, DEAD_LETTERS):
        stored = filled.ours.only({topic}).messages.values()
        assert sorted(message["sha256"] for message in stored) == returned
        assert {message["reconsumeTimes"] for message in stored} == {1}


def test_config_files_give_topics_groups_and_offsets(filled: Filled) -> None:
    files = ConfigFiles(filled.store.paths.config)
    topics, groups = files.topics.load(), files.groups.load()
    offsets, deliveries = files.offsets.load(), files.delay_offsets.load()
    assert topics is not None
    assert groups is not None
    assert offsets is not None
    assert deliveries is not None
    queues = {name: topics.topic_config_table[name].write_queue_nums for name in QUEUES}
    assert queues == QUEUES
    assert groups.subscription_group_table[GROUP].retry_max_times == 7
    consumed = {row["queueId"]: row["offset"] for row in filled.of_kind("consumed")}
    assert offsets.offset_table[f"Plain@{GROUP}"] == consumed
    assert deliveries.offset_table[1] == filled.store.max_offset(SCHEDULE_TOPIC, 0)
