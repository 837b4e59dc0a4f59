"""Reading a queue: which offset, limit and filter gives what, as DefaultMessageStore.getMessage has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rocketmq_protocol.hashing import tag_hash
from rocketmq_protocol.headers import BoundaryType
from rocketmq_protocol.message_record import decode_record
from rocketpy.store.config import StoreConfig
from rocketpy.store.fetch import Fetched, FetchStatus
from rocketpy.store.message_store import MessageStore
from tests.store.conftest import Clock
from tests.store.samples import fill, message, numbered

LOWER, UPPER = BoundaryType.LOWER, BoundaryType.UPPER


def bodies(found: Fetched) -> list[bytes]:
    listed = []
    for view in found.views:
        position = 0
        while position < len(view):
            record = decode_record(view, position)
            listed.append(record.body)
            position += record.store_size
    return listed


def put(store: MessageStore, count: int, tags: str = "") -> None:
    """Messages 0, 1, ... of queue 0, with the letters of `tags` as their tags in turn."""
    for number in range(count):
        properties = b"TAGS\x01%s\x02" % tags[number % len(tags)].encode() if tags else b""
        store.append(message(b"%d" % number, properties=properties))


# Where one stands


def test_an_unknown_queue(store: MessageStore) -> None:
    assert store.fetch("T", 0, 5) == Fetched(FetchStatus.NO_MATCHED_LOGIC_QUEUE, 0, 0, 0)


def test_a_queue_that_never_had_a_message(store: MessageStore) -> None:
    store.queues.get_or_create("T", 0)
    assert store.fetch("T", 0, 5) == Fetched(FetchStatus.NO_MESSAGE_IN_QUEUE, 0, 0, 0)


def test_the_end_of_a_queue(store: MessageStore) -> None:
    put(store, 3)
    assert store.fetch("T", 0, 3) == Fetched(FetchStatus.OFFSET_OVERFLOW_ONE, 3, 0, 3)


def test_far_beyond_the_end(store: MessageStore) -> None:
    put(store, 3)
    assert store.fetch("T", 0, 4) == Fetched(FetchStatus.OFFSET_OVERFLOW_BADLY, 3, 0, 3)


def test_before_the_beginning(store: MessageStore) -> None:
    fill(store, 500, topics=1)
    store.log.delete_first()
    store.queues.correct_min_offsets(store.log.min_offset)
    low, high = store.min_offset("Topic0", 0), store.max_offset("Topic0", 0)
    assert low > 0
    assert store.fetch("Topic0", 0, low - 1) == Fetched(FetchStatus.OFFSET_TOO_SMALL, low, low, high)
    assert bodies(store.fetch("Topic0", 0, low, 1)) == [numbered(2 * low)]


def test_inside_a_queue(store: MessageStore) -> None:
    put(store, 5)
    found = store.fetch("T", 0, 1, 3)
    assert (found.status, found.count) == (FetchStatus.FOUND, 3)
    assert (found.next_offset, found.min_offset, found.max_offset) == (4, 0, 5)
    assert bodies(found) == [b"1", b"2", b"3"]
    assert found.size == sum(len(view) for view in found.views)


def test_messages_that_are_gone_before_the_queue_knows(store: MessageStore) -> None:
    fill(store, 500, topics=1)
    store.log.delete_first()
    gone = store.fetch("Topic0", 0, 0)
    assert gone.status is FetchStatus.MESSAGE_WAS_REMOVING
    assert gone.count == 0
    assert gone.next_offset > 0
    offset = 0
    while (found := store.fetch("Topic0", 0, offset)).status is FetchStatus.MESSAGE_WAS_REMOVING:
        offset = found.next_offset
    store.queues.correct_min_offsets(store.log.min_offset)
    assert bodies(found)[0] == numbered(2 * store.min_offset("Topic0", 0))


# How much


def test_neighbours_in_the_log_come_as_one_view(store: MessageStore) -> None:
    put(store, 3)
    store.append(message(b"stranger", "Other"))
    put(store, 2)
    assert [
        len(list(bodies(Fetched(FetchStatus.FOUND, 0, 0, 0, [view]))))
        for view in store.fetch("T", 0, 0).views
    ] == [3, 2]


def test_no_more_than_asked_for_and_no_more_than_allowed(small_config: StoreConfig) -> None:
    with MessageStore(replace(small_config, max_transfer_count=4)) as store:
        put(store, 10)
        assert store.fetch("T", 0, 0, 3).count == 3
        assert store.fetch("T", 0, 0, 9).count == 4


def test_one_message_is_given_whatever_is_asked_for(store: MessageStore) -> None:
    """isTheBatchFull is asked only once something was found."""
    put(store, 3)
    assert bodies(store.fetch("T", 0, 1, 0)) == [b"1"]


def test_no_more_bytes_than_asked_for_but_one_message_at_least(store: MessageStore) -> None:
    for number in range(5):
        store.append(message(bytes(1000) + b"%d" % number))
    size = store.fetch("T", 0, 0, 1).size
    assert store.fetch("T", 0, 0, 32, 3 * size).count == 3
    assert store.fetch("T", 0, 0, 32, 3 * size - 1).count == 2
    assert store.fetch("T", 0, 0, 32, 1).count == 1
    assert store.fetch("T", 0, 0, 32, 3 * size - 1).next_offset == 2


def test_no_more_bytes_than_the_store_allows(small_config: StoreConfig) -> None:
    with MessageStore(replace(small_config, max_transfer_bytes=2500)) as store:
        for _ in range(5):
            store.append(message(bytes(1000)))
        assert store.fetch("T", 0, 0).count == 2


def test_reading_on_gives_every_message_once_across_files_and_flushes(store: MessageStore) -> None:
    fill(store, 300, topics=1)
    store.flush(thorough=True)
    fill(store, 300, first=300, topics=1)
    store.flush(thorough=True)
    store.flush(thorough=True)  # an idle queue keeps nothing in memory
    fill(store, 100, first=600, topics=1)
    offset, listed = 0, []
    while (found := store.fetch("Topic0", 1, offset, 7)).status is FetchStatus.FOUND:
        listed += bodies(found)
        offset = found.next_offset
    assert listed == [numbered(number) for number in range(1, 700, 2)]


# Filters


def wants(tag: str) -> int:
    return tag_hash(tag)


def test_a_tag_filter_skips_strangers(store: MessageStore) -> None:
    put(store, 9, "abc")
    found = store.fetch("T", 0, 0, wants_tag=wants("b").__eq__)
    assert bodies(found) == [b"1", b"4", b"7"]
    assert found.next_offset == 9


def test_nothing_that_the_filter_wants(store: MessageStore) -> None:
    put(store, 9, "abc")
    found = store.fetch("T", 0, 2, wants_tag=wants("z").__eq__)
    assert (found.status, found.count, found.next_offset) == (FetchStatus.NO_MATCHED_MESSAGE, 0, 9)


def test_only_so_many_entries_are_looked_at(small_config: StoreConfig) -> None:
    """maxFilterMessageSize, in bytes of entries."""
    with MessageStore(replace(small_config, max_filter_bytes=20 * 50)) as store:
        put(store, 120, "a")
        found = store.fetch("T", 0, 0, wants_tag=wants("z").__eq__)
        assert (found.status, found.next_offset) == (FetchStatus.NO_MATCHED_MESSAGE, 50)


def test_a_full_answer_goes_on_behind_its_last_message(store: MessageStore) -> None:
    put(store, 20, "ab")
    found = store.fetch("T", 0, 0, 3, wants_tag=wants("b").__eq__)
    assert bodies(found) == [b"1", b"3", b"5"]
    assert found.next_offset == 6


def test_a_record_filter_sees_the_record(store: MessageStore) -> None:
    put(store, 10)
    found = store.fetch("T", 0, 0, wants_record=lambda record: int(decode_record(record).body) % 3 == 0)
    assert bodies(found) == [b"0", b"3", b"6", b"9"]
    assert (found.count, found.next_offset) == (4, 10)


# By time (ConsumeQueue.binarySearchInQueueByTime)


@pytest.fixture
def timed(store: MessageStore, clock: Clock) -> MessageStore:
    """Messages stored at +10, +10, +10, +30, +30, +50."""
    start = clock.now
    for later in (10, 10, 10, 30, 30, 50):
        clock.now = start + later
        store.append(message(b"+%d" % later))
    clock.now = start
    return store


@pytest.mark.parametrize(
    ("later", "lower", "upper"),
    [
        (0, 0, 0),  # before the first
        (10, 0, 2),  # several stored at that very moment
        (20, 3, 2),  # between: the next one, and the one before
        (30, 3, 4),
        (40, 5, 4),
        (50, 5, 5),
        (60, 6, 5),  # after the last: the end, and the last one
    ],
)
def test_offset_by_time(timed: MessageStore, clock: Clock, later: int, lower: int, upper: int) -> None:
    assert timed.offset_by_time("T", 0, clock.now + later) == lower
    assert timed.offset_by_time("T", 0, clock.now + later, LOWER) == lower
    assert timed.offset_by_time("T", 0, clock.now + later, UPPER) == upper


def test_offset_by_time_of_an_unknown_queue_is_zero(store: MessageStore) -> None:
    assert store.offset_by_time("T", 0, 123) == 0
    assert store.offset_by_time("T", 0, 123, UPPER) == 0


def test_offset_by_time_looks_across_queue_files(store: MessageStore, clock: Clock) -> None:
    start = clock.now
    for number in range(100):
        clock.now = start + number * 10
        store.append(message(b"%d" % number))
    store.flush(thorough=True)
    store.flush(thorough=True)
    for number in range(100):
        assert store.offset_by_time("T", 0, start + number * 10) == number
        assert store.offset_by_time("T", 0, start + number * 10, UPPER) == number
        assert store.offset_by_time("T", 0, start + number * 10 - 5) == number
        assert store.offset_by_time("T", 0, start + number * 10 + 5, UPPER) == number


def test_offset_by_time_never_answers_before_the_beginning(store: MessageStore, clock: Clock) -> None:
    start = clock.now
    for number in range(500):
        clock.now = start + number
        store.append(message(numbered(number)))
    store.log.delete_first()
    store.queues.correct_min_offsets(store.log.min_offset)
    low = store.min_offset("T", 0)
    assert low > 0
    for boundary in (LOWER, UPPER):
        assert store.offset_by_time("T", 0, 0, boundary) == low
        assert store.offset_by_time("T", 0, start + low, boundary) == low
