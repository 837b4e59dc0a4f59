"""Inner batches: one record, many messages, as many queue offsets."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rocketmq_protocol import Message
from rocketmq_protocol.layouts import LAYOUTS
from rocketmq_protocol.message_batch import encode_batch
from rocketmq_protocol.pulled import iter_pulled
from rocketpy.store.append import Appended, NewMessage
from rocketpy.store.config import StoreConfig
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from rocketpy.store.reader import StoreReader
from rocketpy.store.verify import verify
from tests.store.golden import small_files


@pytest.fixture(params=["files", "memory"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> StoreConfig:
    return small_files(tmp_path / "store" if request.param == "files" else None)


@pytest.fixture
def store(config: StoreConfig) -> Iterator[MessageStore]:
    with MessageStore(config) as opened:
        yield opened


def append_batch(store: MessageStore, *bodies: bytes, tags: bytes = b"TagA") -> Appended:
    batch = encode_batch([Message("Batches", body) for body in bodies])
    message = NewMessage(topic="Batches", queue_id=0, body=batch, properties=b"TAGS\x01%b\x02" % tags)
    return store.append_inner_batch(message, len(bodies))


def bodies_from(store: MessageStore, offset: int) -> list[tuple[int, bytes]]:
    found = store.fetch("Batches", 0, offset)
    return [(message.queue_offset, message.body) for view in found.views for message in iter_pulled(view)]


def test_a_batch_takes_as_many_offsets_as_it_has_messages(store: MessageStore) -> None:
    first = append_batch(store, b"a", b"b", b"c")
    second = append_batch(store, b"d", b"e")
    assert (first.queue_offset, second.queue_offset) == (0, 3)
    assert store.max_offset("Batches", 0) == 5
    assert bodies_from(store, 0) == [(0, b"a"), (1, b"b"), (2, b"c"), (3, b"d"), (4, b"e")]


def test_a_fetch_from_inside_a_batch_gives_the_whole_batch(store: MessageStore) -> None:
    append_batch(store, b"a", b"b", b"c")
    append_batch(store, b"d")
    assert bodies_from(store, 2)[0] == (0, b"a")
    assert bodies_from(store, 3) == [(3, b"d")]
    assert store.fetch("Batches", 0, 4).status is FetchStatus.OFFSET_OVERFLOW_ONE


def test_a_fetch_stops_before_the_batch_that_is_too_much(store: MessageStore) -> None:
    for _ in range(3):
        append_batch(store, *[b"x"] * 20)
    found = store.fetch("Batches", 0, 0)
    assert (found.count, found.next_offset) == (20, 20)


def test_tags_choose_whole_batches(store: MessageStore) -> None:
    append_batch(store, b"a", tags=b"TagA")
    append_batch(store, b"b", tags=b"TagB")
    wanted = store.batch_queues.get("Batches", 0)
    assert wanted is not None
    code = next(wanted.batches(1)).tags_code
    found = store.fetch("Batches", 0, 0, wants_tag=lambda tags_code: tags_code == code)
    assert [message.body for view in found.views for message in iter_pulled(view)] == [b"b"]


@pytest.mark.parametrize("crashed", [False, True])
def test_batches_are_there_after_a_restart(tmp_path: Path, crashed: bool) -> None:
    config = small_files(tmp_path / "store")
    store = MessageStore(config)
    store.open()
    for number in range(100):
        append_batch(store, b"%d" % number, b"again")
    if crashed:
        store.log.flush()
        assert config.path is not None
        shutil.copytree(config.path, tmp_path / "crashed")
        config = replace(config, path=tmp_path / "crashed")
    store.close()
    with MessageStore(config) as again:
        assert again.max_offset("Batches", 0) == 200
        assert bodies_from(again, 198) == [(198, b"99"), (199, b"again")]
        append_batch(again, b"more")
        assert bodies_from(again, 200) == [(200, b"more")]
    assert config.path is not None
    assert verify(StoreReader(config.path)).problems == []


def test_entries_lie_in_their_file_as_java_lays_them(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with MessageStore(small_files(path)) as store:
        appended = append_batch(store, b"a", b"b")
    data = (path / "batchconsumequeue" / "Batches" / "0" / f"{0:020d}").read_bytes()
    entry = LAYOUTS["BATCH_CONSUME_QUEUE_ENTRY"].parse(data)
    assert (entry.physical_offset, entry.size, entry.base_offset, entry.batch_size) == (
        appended.offset,
        appended.size,
        0,
        2,
    )
