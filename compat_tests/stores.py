"""Stores as both sides see them: their file sizes, and everything in them as comparable rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from compat_tests.java.cluster import NameServer
from compat_tests.java.driver import JavaDriver
from compat_tests.java.server import Setting
from compat_tests.java.versions import Version
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.javaisms import string_hash
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.pulled import iter_pulled
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.config import StoreConfig
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from rocketpy.store.reader import StoreReader
from rocketpy.store.verify import verify

Row = dict[str, Any]
# Topic, queue id, queue offset.
Place = tuple[str, int, int]
Queue = tuple[str, int]

EVER: Final = (0, 2**62)
TAG: Final = "TagA"


@dataclass(frozen=True)
class FileSizes:
    """How big a store's files are; both sides must be told the same."""

    commit_log: int
    queue_entries: int
    index_slots: int
    index_entries: int

    def for_java(self) -> dict[str, Setting]:
        """Properties of a Java broker."""
        return {
            "mappedFileSizeCommitLog": self.commit_log,
            "mappedFileSizeConsumeQueue": self.queue_entries * 20,
            "maxHashSlotNum": self.index_slots,
            "maxIndexNum": self.index_entries,
        }

    def for_us(self, path: Path) -> StoreConfig:
        """Settings of our store."""
        return StoreConfig(
            path=path,
            commit_log_file_size=self.commit_log,
            consume_queue_file_entries=self.queue_entries,
            index_slots=self.index_slots,
            index_entries=self.index_entries,
        )


# A few thousand messages fill several files of each kind.
SMALL_FILES: Final = FileSizes(256 * 1024, 200, 500, 2000)
# What a broker is installed with, but for the commit log.
USUAL_FILES: Final = FileSizes(16 * 1024 * 1024, 300_000, 5_000_000, 20_000_000)
# After a crash Java drops an index file that was full but not yet in the checkpoint; this one is never full.
ONE_INDEX_FILE: Final = FileSizes(256 * 1024, 200, 5_000_000, 20_000_000)


# A broker that asks what became of a transaction stores its half again; it does so when it stops, too.
NO_CHECKS: Final[dict[str, Setting]] = {"transactionTimeOut": 3_600_000}


@dataclass
class Contents:
    """All messages of a store, by place; bounds of the queues, and which of their offsets have the tag."""

    messages: dict[Place, Row] = field(default_factory=dict)
    bounds: dict[Queue, tuple[int, int]] = field(default_factory=dict)
    tagged: dict[Queue, list[int]] = field(default_factory=dict)

    def only(self, topics: Iterable[str]) -> Contents:
        """The part that belongs to some topics."""
        wanted = set(topics)
        return Contents(
            {place: row for place, row in self.messages.items() if place[0] in wanted},
            {queue: bounds for queue, bounds in self.bounds.items() if queue[0] in wanted},
            {queue: offsets for queue, offsets in self.tagged.items() if queue[0] in wanted},
        )

    @property
    def topics(self) -> set[str]:
        return {topic for topic, _ in self.bounds}


def read_with_java(
    driver: JavaDriver, name_server: NameServer, topics: Iterable[str], version: Version
) -> Contents:
    """What a Java consumer reads. Queues that never had a message are left out."""
    contents = Contents()
    for row in rows(driver("ReadStore", name_server.address, TAG, *topics, version=version)):
        if row.pop("kind") == "queue":
            if row["max"]:
                queue = row["topic"], row["queueId"]
                contents.bounds[queue] = row["min"], row["max"]
                contents.tagged[queue] = row["tagged"]
        else:
            row["sysFlag"] &= ~MessageSysFlag.COMPRESSED_FLAG
            contents.messages[row["topic"], row["queueId"], row["queueOffset"]] = row
    return contents


def rows(lines: Iterable[str]) -> list[Row]:
    """What a driver printed."""
    return [json.loads(line) for line in lines]


def our_contents(store: MessageStore) -> Contents:
    """What our store gives out, read queue by queue as a consumer would."""
    contents = Contents()
    wanted_tag = string_hash(TAG)
    for queue in store.queues:
        if not queue.max_offset:
            continue
        name = queue.topic, queue.queue_id
        contents.bounds[name] = queue.min_offset, queue.max_offset
        tagged = contents.tagged[name] = []
        for row in fetch_all(store, *name):
            contents.messages[row["topic"], row["queueId"], row["queueOffset"]] = row
        offset = queue.min_offset
        while offset < queue.max_offset:
            found = store.fetch(*name, offset, wants_tag=lambda code: code == wanted_tag)
            tagged += [decode_record(view).queue_offset for view in split(found.views)]
            offset = found.next_offset
    return contents


def assert_same(ours: Contents, java: Contents) -> None:
    """Both sides see the same."""
    assert_equal(ours.bounds, java.bounds)
    assert_equal(ours.messages, java.messages)
    assert_equal(ours.tagged, java.tagged)


def assert_equal(found: Mapping[Any, object], wanted: Mapping[Any, object]) -> None:
    """Two big tables are equal; if not, a few of the differences are shown, and not all of both."""
    differing = [key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key)]
    shown = "\n".join(f"{key}: {found.get(key)}, not {wanted.get(key)}" for key in differing[:5])
    assert not differing, f"{len(differing)} of {len(wanted)} differ:\n{shown}"


def assert_java_finds_all(
    driver: JavaDriver, name_server: NameServer, contents: Contents, version: Version
) -> None:
    """A Java broker finds every message by its offset id, its unique key, and each of its keys."""
    wanted: dict[tuple[str, str, str], list[str]] = {}
    for (topic, _, _), row in contents.messages.items():
        wanted["id", topic, row["offsetMsgId"]] = [row["offsetMsgId"]]
        if "UNIQ_KEY" in row["properties"]:
            wanted["unique", topic, row["msgId"]] = [row["offsetMsgId"]]
        for key in row["properties"].get("KEYS", "").split():
            wanted.setdefault(("key", topic, key), []).append(row["offsetMsgId"])
    questions = "".join("\t".join(question) + "\n" for question in wanted)
    answers = driver("FindMessages", name_server.address, version=version, stdin=questions)
    found = dict(zip(wanted, map(json.loads, answers), strict=True))
    assert_equal(found, {question: sorted(ids) for question, ids in wanted.items()})


def fetch_all(store: MessageStore, topic: str, queue_id: int) -> list[Row]:
    """Every message of one queue, from its beginning to its end."""
    found_rows: list[Row] = []
    offset = store.min_offset(topic, queue_id)
    while (found := store.fetch(topic, queue_id, offset)).status is FetchStatus.FOUND:
        found_rows += [message_row(message) for view in found.views for message in iter_pulled(view)]
        assert found.next_offset > offset
        offset = found.next_offset
    assert offset == store.max_offset(topic, queue_id)
    return found_rows


def split(views: Iterable[memoryview]) -> Iterable[memoryview]:
    """Single records out of views that hold neighbours together."""
    for view in views:
        while view:
            size = int.from_bytes(view[:4], "big")
            yield view[:size]
            view = view[size:]


def message_row(message: MessageExt) -> Row:
    """A message as StoredMessage.java shows it."""
    return {
        "topic": message.topic,
        "queueId": message.queue_id,
        "queueOffset": message.queue_offset,
        "commitLogOffset": message.commit_log_offset,
        "storeSize": message.store_size,
        "sysFlag": message.sys_flag & ~MessageSysFlag.COMPRESSED_FLAG,
        "flag": message.flag,
        "bodyCrc": message.body_crc,
        "sha256": sha256(message.body).hexdigest(),
        "bornTimestamp": message.born_timestamp,
        "bornHost": host_text(message.born_host),
        "storeTimestamp": message.store_timestamp,
        "storeHost": host_text(message.store_host),
        "reconsumeTimes": message.reconsume_times,
        "preparedTransactionOffset": message.prepared_transaction_offset,
        "msgId": message.msg_id,
        "offsetMsgId": message.offset_msg_id,
        "properties": dict(sorted(message.properties.items())),
    }


def host_text(host: HostAddress) -> str:
    """An address as Java shows it: without leading zeros, but with every group of an IPv6 one."""
    address = ip_address(host.ip)
    if address.version == 6:
        return f"{':'.join(f'{int(group, 16):x}' for group in address.exploded.split(':'))} {host.port}"
    return f"{address} {host.port}"


def ids_by_key(store: MessageStore, topic: str, key: str, count: int = 32) -> list[str]:
    """Offset ids of the messages that our index finds under a key or unique key."""
    found = store.query(topic, key, count, *EVER)
    return sorted(decode_record(record).offset_msg_id for record in found)


def problems(path: Path) -> list[str]:
    """What our checker finds wrong with a directory."""
    return verify(StoreReader(path)).problems
