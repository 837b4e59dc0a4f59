"""Our side of FillStore: messages of every kind, as a broker of ours would store them.

Run as a program (arguments: directory, broker address, the four file sizes) it appends plain messages until
it is killed, and prints a row for each once it is stored.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

from compat_tests.java.versions import CURRENT, Version
from compat_tests.stores import TAG, FileSizes, Row
from rocketmq_protocol import properties as names
from rocketmq_protocol.bodies import (
    ConsumerOffsetSerializeWrapper,
    DataVersion,
    DelayOffsetSerializeWrapper,
    SubscriptionGroupConfig,
    SubscriptionGroupWrapper,
    TopicConfig,
    TopicConfigSerializeWrapper,
)
from rocketmq_protocol.compression import CompressionType, compress
from rocketmq_protocol.hosts import host_bytes
from rocketmq_protocol.javaisms import utf8
from rocketmq_protocol.message_id import UniqueIdGenerator, offset_message_id
from rocketmq_protocol.properties import format_properties
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.append import Appended, NewMessage
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.message_store import MessageStore

QUEUES: Final = {"Plain": 4, "Batch": 2, "Big": 3, "Oneway": 1, "Delayed": 2, "Timed": 1, "Transactional": 2}
GROUP: Final = "Shoppers"
# A group that FillStore does not touch, and where it is in each queue of Plain.
IDLE_GROUP: Final = "Idlers"
IDLE_OFFSETS: Final = {0: 10, 1: 11, 2: 12, 3: 13}
# FillStore and we make five messages due after a second; so many of ours count as delivered.
DELIVERED: Final = 2
RETRY_TOPIC: Final = f"%RETRY%{GROUP}"
# More than 127 characters: only 5.x can store it, as a V2 record.
LONG_TOPIC: Final = f"%RETRY%{'L' * 125}"
SCHEDULE_TOPIC: Final = "SCHEDULE_TOPIC_XXXX"
HALF_TOPIC: Final = "RMQ_SYS_TRANS_HALF_TOPIC"
OP_TOPIC: Final = "RMQ_SYS_TRANS_OP_HALF_TOPIC"
# How often the writer that waits to be killed brings queues, index and checkpoint up to date.
FLUSH_EVERY: Final = 703
TAGS: Final = (TAG, "TagB", "标签", None)


def now_millis() -> int:
    return time.time_ns() // 1_000_000


@dataclass
class Writer:
    """Appends to one store, and keeps a row for each message as FillStore prints it."""

    store: MessageStore
    address: str
    version: Version = CURRENT
    rows: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        host, _, port = self.address.rpartition(":")
        self.host = host, int(port)
        self.random = random.Random(20260601)
        self.numbers = count(len(self.rows) + 1)
        self.ids = UniqueIdGenerator(host, os.getpid(), 1, now_millis)

    def message(self, topic: str, size: int, *, queue_id: int | None = None, **more: str) -> NewMessage:
        """A body of that size, now and then a tag, keys and properties, in several alphabets."""
        number = next(self.numbers)
        body = f"grüße 世界 🚀 {number} ".encode() + b"x" * (size // 2)
        body = (body + self.random.randbytes(size))[:size]
        properties = {}
        if tag := TAGS[number // len(TAGS) % len(TAGS)]:
            properties[names.PROPERTY_TAGS] = tag
        if number % 5:
            properties[names.PROPERTY_KEYS] = f"order-{number} заказ-{number // 10}"
        if number % 2 == 0:
            properties["shop"] = f"テスト {number}"
        properties[names.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX] = self.ids.next_id()
        # Every ninth message comes from a client with an IPv6 address.
        born_host = ("2001:db8::7", 4711) if number % 9 == 0 else ("192.0.2.7", 4711)
        return NewMessage(
            topic=topic,
            queue_id=number % QUEUES.get(topic, 1) if queue_id is None else queue_id,
            body=body,
            properties=property_bytes(properties | more),
            flag=number % 7,
            born_timestamp=now_millis(),
            born_host=host_bytes(born_host),
            store_host=host_bytes(self.host),
        )

    def append(self, message: NewMessage, plain_body: bytes | None = None) -> Appended:
        """Store a message and take down what a reader must find."""
        appended = self.store.append(message)
        self._note(message, appended, plain_body or message.body)
        return appended

    def _note(self, message: NewMessage, appended: Appended, plain_body: bytes) -> None:
        self.rows.append(
            {
                "topic": message.topic,
                "queueId": message.queue_id,
                "queueOffset": appended.queue_offset,
                "commitLogOffset": appended.offset,
                "offsetMsgId": offset_message_id(self.host, appended.offset),
                "sha256": sha256(plain_body).hexdigest(),
                "flag": message.flag,
            }
        )

    def fill(self, plain: int) -> None:
        """Messages of all kinds."""
        self.append_plain(plain)
        self.append_batches(plain // 40)
        self.append_big(plain // 10)
        self.append_delayed()
        self.append_transactions(30)
        self.append_retried(plain // 100)

    def append_plain(self, number: int) -> None:
        for _ in range(number):
            self.append(self.message("Plain", self.random.randrange(1, 800)))

    def append_batches(self, number: int) -> None:
        for _ in range(number):
            queue_id = self.random.randrange(QUEUES["Batch"])
            size = self.random.randrange(1, 30)
            batch = [self.message("Batch", 200, queue_id=queue_id) for _ in range(size)]
            for message, appended in zip(batch, self.store.append_batch(batch), strict=True):
                self._note(message, appended, message.body)

    def append_big(self, number: int) -> None:
        """Packed in every way that the release can unpack, or not at all."""
        kinds = [None, *CompressionType] if self.version == CURRENT else [None, CompressionType.ZLIB]
        for turn in range(number):
            message = self.message("Big", self.random.randrange(4097, 40_000))
            plain, kind = message.body, kinds[turn % len(kinds)]
            if kind is not None:
                message.body = compress(plain, kind)
                # Clients before 5.0 leave the kind of packing out.
                message.sys_flag = (
                    kind.sys_flag if self.version == CURRENT else MessageSysFlag.COMPRESSED_FLAG
                )
            self.append(message, plain)

    def append_delayed(self) -> None:
        """Some are due after a second, the others after hours."""
        for level in (1, 1, 1, 1, 1, 17, 18, 18):
            hidden = hidden_in("Delayed", 0) | {names.PROPERTY_DELAY_TIME_LEVEL: str(level)}
            self.append(self.message(SCHEDULE_TOPIC, 200, queue_id=level - 1, **hidden))

    def append_transactions(self, number: int) -> None:
        """A third committed, a third rolled back, a third undecided."""
        for turn in range(number):
            hidden = hidden_in("Transactional", turn % 2) | {
                names.PROPERTY_TRANSACTION_PREPARED: "true",
                names.PROPERTY_PRODUCER_GROUP: "Transactors",
            }
            half = self.message(HALF_TOPIC, 300, queue_id=0, **hidden)
            prepared = self.append(half)
            if turn % 3 == 2:
                continue
            if turn % 3 == 0:
                whole = self.message("Transactional", 300, queue_id=turn % 2)
                whole.sys_flag = MessageSysFlag.TRANSACTION_COMMIT_TYPE
                whole.prepared_offset = prepared.offset
                self.append(whole)
            # 5.x writes a list that ends in a comma, 4.9 one number.
            decided = f"{prepared.queue_offset}{',' if self.version == CURRENT else ''}".encode()
            decision = self.message(OP_TOPIC, 1, queue_id=0)
            decision.body = decided
            decision.properties = property_bytes({names.PROPERTY_TAGS: "d"})
            self.append(decision)

    def append_retried(self, number: int) -> None:
        topics = [RETRY_TOPIC, LONG_TOPIC] if self.version == CURRENT else [RETRY_TOPIC]
        for turn in range(number):
            message = self.message(topics[turn % len(topics)], 100)
            message.reconsume_times = 1 + turn % 3
            self.append(message)


def hidden_in(topic: str, queue_id: int) -> dict[str, str]:
    """Where a message goes in the end that waits in a system topic."""
    return {names.PROPERTY_REAL_TOPIC: topic, names.PROPERTY_REAL_QUEUE_ID: str(queue_id)}


def property_bytes(properties: dict[str, str]) -> bytes:
    return utf8(format_properties(properties))


def write_config(store: MessageStore, version: Version = CURRENT) -> None:
    """The files a broker keeps beside its messages: topics, a group and its offsets, deliveries so far."""
    files = ConfigFiles(store.paths.config)
    data_version = DataVersion(timestamp=now_millis(), counter=1)
    topics = QUEUES | {RETRY_TOPIC: 1, f"%RETRY%{IDLE_GROUP}": 1}
    topics |= {LONG_TOPIC: 1} if version == CURRENT else {}
    table = {
        name: TopicConfig(topic_name=name, read_queue_nums=queues, write_queue_nums=queues)
        for name, queues in topics.items()
    }
    files.topics.save(TopicConfigSerializeWrapper(topic_config_table=table, data_version=data_version))
    groups = {IDLE_GROUP: SubscriptionGroupConfig(group_name=IDLE_GROUP, retry_max_times=5)}
    files.groups.save(SubscriptionGroupWrapper(subscription_group_table=groups, data_version=data_version))
    offsets = {f"Plain@{IDLE_GROUP}": IDLE_OFFSETS}
    files.offsets.save(ConsumerOffsetSerializeWrapper(offset_table=offsets, data_version=data_version))
    files.delay_offsets.save(
        DelayOffsetSerializeWrapper(offset_table={1: DELIVERED}, data_version=data_version)
    )


def append_for_ever(path: Path, address: str, sizes: FileSizes) -> None:
    """Append, acknowledge on stdout, and now and then flush, until something kills us."""
    with MessageStore(sizes.for_us(path)) as store:
        writer = Writer(store, address)
        write_config(store)
        for number in count(1):
            writer.append_plain(1)
            print(json.dumps(writer.rows.pop()), flush=True)
            if number % FLUSH_EVERY == 0:
                store.flush(thorough=True)


if __name__ == "__main__":
    append_for_ever(Path(sys.argv[1]), sys.argv[2], FileSizes(*map(int, sys.argv[3:])))
