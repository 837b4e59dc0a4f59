"""Directories written by the Java broker, stopped or killed: we read what it reads."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.pulled import inflate
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from tests.store.golden import GOLDEN_STORES, expected, unpack

FOREVER = 2**62


@pytest.fixture(params=GOLDEN_STORES)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[MessageStore, dict[str, Any]]]:
    with MessageStore(unpack(request.param, tmp_path)) as store:
        yield store, expected(request.param)


def same_host(ours: HostAddress, java: str) -> bool:
    ip, _, port = java.rpartition(":")
    return ip_address(ours.ip) == ip_address(ip) and ours.port == int(port)


def test_every_queue_has_the_bounds_that_java_gives(golden: tuple[MessageStore, dict[str, Any]]) -> None:
    store, java = golden
    ours = {
        (queue.topic, queue.queue_id): (queue.min_offset, queue.max_offset)
        for queue in store.queues
        if queue.max_offset
    }
    theirs = {
        (topic, int(queue_id)): (bounds["min"], bounds["max"])
        for topic, listed in java["topics"].items()
        for queue_id, bounds in listed["queues"].items()
        if bounds["max"]
    }
    assert ours == theirs
    assert store.log.max_offset == java["commitLogMaxOffset"]


def test_every_message_reads_as_in_java(golden: tuple[MessageStore, dict[str, Any]]) -> None:
    store, java = golden
    for listed in java["messages"]:
        queue = store.queues.get(listed["topic"], listed["queueId"])
        assert queue is not None
        assert queue.entry(listed["queueOffset"]) == (
            listed["physicOffset"],
            listed["size"],
            listed["tagsCode"],
        )
        record = store.lookup(listed["physicOffset"])
        assert record is not None
        assert sha256(record).hexdigest() == listed["frameSha256"]
        message = decode_record(record)
        assert (message.topic, message.queue_id, message.queue_offset) == (
            listed["storedTopic"],
            listed["storedQueueId"],
            listed["storedQueueOffset"],
        )
        assert (message.flag, message.sys_flag, message.reconsume_times) == (
            listed["flag"],
            listed["sysFlag"],
            listed["reconsumeTimes"],
        )
        assert same_host(message.born_host, listed["bornHost"])
        assert same_host(message.store_host, listed["storeHost"])
        assert message.properties == listed["properties"]
        assert message.offset_msg_id == listed["offsetMsgId"]
        assert sha256(message.body).hexdigest() == listed["bodySha256"]
        if message.sys_flag & MessageSysFlag.COMPRESSED_FLAG:
            inflate(message)
        assert sha256(message.body).hexdigest() == listed["plainBodySha256"]
    assert len(java["messages"]) == java["commitLogMessages"]


def test_every_queue_can_be_fetched_from_its_beginning(golden: tuple[MessageStore, dict[str, Any]]) -> None:
    store, java = golden
    fetched = 0
    for queue in store.queues:
        offset = queue.min_offset
        while (found := store.fetch(queue.topic, queue.queue_id, offset)).status is FetchStatus.FOUND:
            fetched += found.count
            offset = found.next_offset
        assert offset == queue.max_offset
    assert fetched == len(java["messages"])


def test_key_queries_find_what_java_finds(golden: tuple[MessageStore, dict[str, Any]]) -> None:
    store, java = golden
    for listed in java["keyQueries"]:
        found = store.query(listed["topic"], listed["key"], 64, 0, FOREVER)
        offsets = sorted(decode_record(record).commit_log_offset for record in found)
        assert offsets == sorted(listed["physicOffsets"])


def test_a_second_opening_finds_the_same(tmp_path: Path) -> None:
    config = unpack("killed-5.5.0", tmp_path)
    with MessageStore(config) as store:
        first = {(queue.topic, queue.queue_id): queue.max_offset for queue in store.queues}
        assert store.recovered is not None
        assert not store.recovered.clean
    with MessageStore(config) as store:
        assert {(queue.topic, queue.queue_id): queue.max_offset for queue in store.queues} == first
        assert store.recovered is not None
        assert store.recovered.clean
