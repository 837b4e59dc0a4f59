"""Our store fills a directory and closes; a Java broker starts on it, has everything, and goes on."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from compat_tests.java.cluster import Broker, NameServer
from compat_tests.java.driver import JavaDriver
from compat_tests.java.mqadmin import MqAdmin
from compat_tests.java.versions import CURRENT, OLD, Version
from compat_tests.store_writer import (
    DELIVERED,
    HALF_TOPIC,
    IDLE_GROUP,
    IDLE_OFFSETS,
    LONG_TOPIC,
    OP_TOPIC,
    QUEUES,
    RETRY_TOPIC,
    SCHEDULE_TOPIC,
    Writer,
    write_config,
)
from compat_tests.stores import (
    NO_CHECKS,
    SMALL_FILES,
    TAG,
    Contents,
    Row,
    assert_java_finds_all,
    assert_same,
    ids_by_key,
    our_contents,
    problems,
    read_with_java,
    rows,
)
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.message_store import MessageStore

PLAIN_MESSAGES: Final = 1500
MORE_MESSAGES: Final = 200


@dataclass(frozen=True)
class Running:
    """A Java broker on a directory that we have filled."""

    written: list[Row]
    ours: Contents
    broker: Broker
    name_server: NameServer
    topics: list[str]

    @property
    def version(self) -> Version:
        return self.broker.version

    def one(self, topic: str) -> Row:
        """A message with keys and a tag, born at an IPv6 host, from the middle of a topic of ours."""
        found = [
            row
            for row in self.ours.only({topic}).messages.values()
            if {"KEYS", "TAGS"} <= row["properties"].keys() and row["bornHost"].startswith("2001:db8:")
        ]
        return found[len(found) // 2]


@pytest.fixture(scope="module", params=[CURRENT, OLD])
def running(request: pytest.FixtureRequest, java_directory: Path) -> Iterator[Running]:
    version: Version = request.param
    directory = Path(tempfile.mkdtemp(dir=java_directory))
    topics = [*QUEUES, RETRY_TOPIC, SCHEDULE_TOPIC]
    # 4.9 lets nobody pull the halves of transactions, and cannot store long topics.
    topics += [HALF_TOPIC, OP_TOPIC, LONG_TOPIC] if version == CURRENT else []
    with NameServer(directory / "namesrv", version=version) as name_server:
        config = SMALL_FILES.for_java() | NO_CHECKS
        broker = Broker(directory / "broker", name_server.address, version=version, config=config)
        with MessageStore(SMALL_FILES.for_us(broker.store)) as store:
            writer = Writer(store, broker.address, version)
            write_config(store, version)
            writer.fill(PLAIN_MESSAGES)
            ours = our_contents(store)
        assert problems(broker.store) == []
        with broker:
            yield Running(writer.rows, ours, broker, name_server, topics)


def test_a_java_consumer_reads_every_message(running: Running, java_driver: JavaDriver) -> None:
    settled = set(running.topics) - {"Delayed"}
    java = read_with_java(java_driver, running.name_server, settled, running.version)
    assert_same(running.ours.only(settled), java)
    for row in running.written:
        if row["topic"] in settled:
            assert row.items() <= java.messages[row["topic"], row["queueId"], row["queueOffset"]].items()
    assert len(java.messages) > PLAIN_MESSAGES * 5 // 4


def test_java_finds_messages_by_id_and_by_key(running: Running, java_driver: JavaDriver) -> None:
    ours = running.ours.only(running.topics)
    assert_java_finds_all(java_driver, running.name_server, ours, running.version)


def printed(text: str) -> dict[str, str]:
    """The `Name:  value` lines of mqadmin."""
    return dict(re.findall(r"^([A-Z][\w ]+):\s+(.*?)\s*$", text, re.MULTILINE))


@pytest.mark.parametrize("command", ["queryMsgById", "queryMsgByUniqueKey", "queryMsgByOffset"])
def test_mqadmin_shows_a_message(running: Running, mqadmin: MqAdmin, command: str) -> None:
    row = running.one("Big")
    topic = () if (command, running.version) == ("queryMsgById", OLD) else ("-t", row["topic"])
    arguments = {
        "queryMsgById": ("-i", row["offsetMsgId"]),
        "queryMsgByUniqueKey": ("-i", row["msgId"]),
        "queryMsgByOffset": ("-b", "broker-a", "-i", str(row["queueId"]), "-o", str(row["queueOffset"])),
    }[command]
    shown = printed(
        mqadmin(running.name_server.address, command, *topic, *arguments, version=running.version).stdout
    )
    assert shown["Topic"] == row["topic"]
    assert shown["Tags"] == f"[{row['properties']['TAGS']}]"
    assert shown["Keys"] == f"[{row['properties']['KEYS']}]"
    assert (shown["Queue ID"], shown["Queue Offset"]) == (str(row["queueId"]), str(row["queueOffset"]))
    assert shown["CommitLog Offset"] == str(row["commitLogOffset"])
    body = Path(shown["Message Body Path"])
    assert sha256(body.read_bytes()).hexdigest() == row["sha256"]
    body.unlink()


def test_mqadmin_finds_messages_by_key(running: Running, mqadmin: MqAdmin) -> None:
    row = running.one("Plain")
    key = row["properties"]["KEYS"].split()[-1]
    shown = mqadmin(
        running.name_server.address, "queryMsgByKey", "-t", "Plain", "-k", key, version=running.version
    ).stdout
    wanted = [
        (other["msgId"], str(other["queueId"]), str(other["queueOffset"]))
        for other in running.ours.only({"Plain"}).messages.values()
        if key in other["properties"].get("KEYS", "").split()
    ]
    assert len(wanted) > 1
    assert sorted(re.findall(r"^([0-9A-F]{32,}) +(\d+) +(\d+)", shown, re.MULTILINE)) == sorted(wanted)


def test_mqadmin_finds_messages_by_tag(running: Running, mqadmin: MqAdmin) -> None:
    if running.version == OLD:
        pytest.skip("4.9 does not index tags")
    arguments = ("-t", "Big", "-k", TAG, "-p", "T", "-m", "64")
    shown = mqadmin(running.name_server.address, "queryMsgByKey", *arguments).stdout
    wanted = {
        row["msgId"]
        for row in running.ours.only({"Big"}).messages.values()
        if row["properties"].get("TAGS") == TAG
    }
    assert len(wanted) > 10
    assert set(re.findall(r"^([0-9A-F]{32,}) ", shown, re.MULTILINE)) == wanted


def test_mqadmin_shows_the_bounds_of_queues(running: Running, mqadmin: MqAdmin) -> None:
    shown = mqadmin(running.name_server.address, "topicStatus", "-t", "Plain", version=running.version).stdout
    lines = re.findall(r"^broker-a +(\d+) +(\d+) +(\d+) ", shown, re.MULTILINE)
    bounds = {("Plain", int(queue)): (int(low), int(high)) for queue, low, high in lines}
    assert bounds == running.ours.only({"Plain"}).bounds


def test_mqadmin_shows_the_offsets_of_a_group(running: Running, mqadmin: MqAdmin) -> None:
    shown = mqadmin(
        running.name_server.address, "consumerProgress", "-g", IDLE_GROUP, version=running.version
    ).stdout
    lines = re.findall(r"^Plain +broker-a +(\d+) +\d+ +(\d+) ", shown, re.MULTILINE)
    assert {int(queue): int(offset) for queue, offset in lines} == IDLE_OFFSETS


def test_java_goes_on_where_we_stopped_and_we_read_it_all(running: Running, java_driver: JavaDriver) -> None:
    version, broker = running.version, running.broker
    arguments = (running.name_server.address, broker.address, "all", str(MORE_MESSAGES))
    acknowledged = rows(java_driver("FillStore", *arguments, version=version))
    java = read_with_java(java_driver, running.name_server, running.topics, version)
    broker.stop()
    assert problems(broker.store) == []
    with MessageStore(SMALL_FILES.for_us(broker.store)) as store:
        assert store.recovered is not None
        assert store.recovered.clean
        ours = our_contents(store)
        settled = set(running.topics) - {OP_TOPIC}
        assert_same(ours.only(settled), java.only(settled))
        for place, row in running.ours.messages.items():
            assert ours.messages[place] == row
        for sent in acknowledged:
            if sent["kind"] in ("plain", "batch", "big"):
                place = sent["topic"], sent["queueId"], sent["queueOffset"]
                assert place not in running.ours.messages
                assert ours.messages[place]["sha256"] == sent["sha256"]
                assert ids_by_key(store, sent["topic"], sent["msgId"]) == [sent["offsetMsgId"]]
        assert_delivered(running, ours)
        assert_config_kept(store)


def assert_delivered(running: Running, ours: Contents) -> None:
    """Java has delivered what was due and not marked as delivered, and nothing twice."""
    hidden = running.ours.only({SCHEDULE_TOPIC}).messages
    due = [row for (_, queue_id, offset), row in hidden.items() if queue_id == 0 and offset >= DELIVERED]
    waiting = {row["msgId"] for row in hidden.values()}
    delivered = [row for row in ours.only({"Delayed"}).messages.values() if row["msgId"] in waiting]
    assert sorted(row["msgId"] for row in delivered) == sorted(row["msgId"] for row in due)


def assert_config_kept(store: MessageStore) -> None:
    """Java has kept the group, its offsets and the topics that only our files knew."""
    files = ConfigFiles(store.paths.config)
    topics, groups, offsets = files.topics.load(), files.groups.load(), files.offsets.load()
    assert topics is not None
    assert groups is not None
    assert offsets is not None
    assert {name: topics.topic_config_table[name].write_queue_nums for name in QUEUES} == QUEUES
    assert groups.subscription_group_table[IDLE_GROUP].retry_max_times == 5
    assert offsets.offset_table[f"Plain@{IDLE_GROUP}"] == IDLE_OFFSETS
