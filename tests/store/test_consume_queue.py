"""One consume queue and many: entries, blanks, files, beginnings and ends."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from rocketpy.store.consume_queue import BLANK_ENTRY, ENTRY, ENTRY_SIZE, ConsumeQueue
from rocketpy.store.message_store import MessageStore
from rocketpy.store.open_files import OpenFiles
from rocketpy.store.queue_files import QueueFiles
from rocketpy.store.queues import ConsumeQueues
from tests.store.golden import small_files
from tests.store.samples import message

SIZE = 100
ENTRIES_A_FILE = 10


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "T" / "0"


@pytest.fixture(params=["files", "memory"])
def queue(request: pytest.FixtureRequest, folder: Path) -> ConsumeQueue:
    return ConsumeQueue("T", 0, queue_files(folder) if request.param == "files" else None)


def queue_files(folder: Path) -> QueueFiles:
    return QueueFiles(folder, ENTRIES_A_FILE * ENTRY_SIZE, OpenFiles(8))


def reloaded(folder: Path, safe_physical: int | None = None) -> ConsumeQueue:
    queue = ConsumeQueue("T", 0, queue_files(folder))
    assert queue.recover(safe_physical)
    return queue


def fill(queue: ConsumeQueue, start: int, end: int) -> None:
    """The message at queue offset n lies at n * SIZE of the log and has tag code n."""
    for number in range(start, end):
        queue.append(number, number * SIZE, SIZE, number)


def entries(queue: ConsumeQueue) -> list[tuple[int, int, int]]:
    return list(queue.entries(queue.min_offset, queue.max_offset - queue.min_offset))


def expected(start: int, end: int) -> list[tuple[int, int, int]]:
    return [(number * SIZE, SIZE, number) for number in range(start, end)]


def test_entries_come_back_before_and_after_they_are_written(queue: ConsumeQueue) -> None:
    fill(queue, 0, 25)
    assert entries(queue) == expected(0, 25)
    queue.flush()
    fill(queue, 25, 35)
    queue.flush()
    queue.flush()  # idle: nothing is kept in memory
    fill(queue, 35, 47)
    assert entries(queue) == expected(0, 47)
    assert list(queue.entries(18, 30)) == expected(18, 47)
    assert list(queue.entries(8, 4)) == expected(8, 12)
    assert (queue.entry(46), queue.entry(47), queue.entry(-1)) == (expected(46, 47)[0], None, None)


def test_an_entry_that_is_there_is_not_taken_again(queue: ConsumeQueue) -> None:
    fill(queue, 0, 12)
    fill(queue, 0, 12)
    fill(queue, 5, 20)
    assert entries(queue) == expected(0, 20)


def test_a_queue_that_begins_later_has_blanks_before_its_first_entry(folder: Path) -> None:
    queue = ConsumeQueue("T", 0, queue_files(folder))
    fill(queue, 34, 45)
    assert (queue.min_offset, queue.max_offset) == (34, 45)
    queue.flush()
    first = folder / f"{30 * ENTRY_SIZE:020d}"
    assert sorted(folder.iterdir())[0] == first
    assert first.read_bytes()[: 5 * ENTRY_SIZE] == BLANK_ENTRY * 4 + ENTRY.pack(34 * SIZE, SIZE, 34)
    again = reloaded(folder)
    again.correct_min_offset(0)
    assert (again.min_offset, again.max_offset, again.max_physical) == (34, 45, 45 * SIZE)
    assert entries(again) == expected(34, 45)


def test_missing_entries_are_left_blank_and_later_ones_keep_their_offsets(queue: ConsumeQueue) -> None:
    fill(queue, 0, 5)
    fill(queue, 8, 12)
    assert entries(queue) == expected(0, 5) + [(0, 0x7FFFFFFF, 0)] * 3 + expected(8, 12)
    queue.correct_min_offset(3 * SIZE)
    assert queue.min_offset == 3
    queue.correct_min_offset(6 * SIZE)
    assert queue.min_offset == 8


def test_an_offset_too_far_ahead_for_the_log_is_not_taken(queue: ConsumeQueue) -> None:
    fill(queue, 0, 5)
    queue.append(2**50, 5 * SIZE, SIZE, 0)
    queue.append(-3, 5 * SIZE, SIZE, 0)
    assert entries(queue) == expected(0, 5)


def test_offset_zero_again_begins_the_queue_anew(queue: ConsumeQueue) -> None:
    fill(queue, 0, 25)
    queue.flush()
    queue.append(0, 7000, SIZE, 1)
    queue.append(1, 7100, SIZE, 2)
    assert (queue.min_offset, entries(queue)) == (0, [(7000, SIZE, 1), (7100, SIZE, 2)])


@pytest.mark.parametrize("is_flushed", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 9, 10, 11, 24, 25])
def test_a_queue_is_cut_where_the_log_is(queue: ConsumeQueue, cut: int, is_flushed: bool) -> None:
    fill(queue, 0, 25)
    if is_flushed:
        queue.flush()
    queue.truncate(cut * SIZE)
    assert entries(queue) == expected(0, cut)
    assert queue.max_physical == (cut * SIZE if cut else -1)
    fill(queue, cut, 30)
    assert entries(queue) == expected(0, 30)


def test_a_cut_is_on_the_disk_too(folder: Path) -> None:
    queue = ConsumeQueue("T", 0, queue_files(folder))
    fill(queue, 0, 25)
    queue.flush()
    queue.truncate(7 * SIZE)
    assert entries(reloaded(folder)) == expected(0, 7)
    assert [path.name for path in folder.iterdir()] == [f"{0:020d}"]


def test_the_beginning_moves_past_messages_that_are_gone(queue: ConsumeQueue) -> None:
    fill(queue, 0, 25)
    queue.flush()
    for gone in (0, 3, 10, 24, 25):
        queue.correct_min_offset(gone * SIZE)
        assert queue.min_offset == gone
    assert queue.max_offset == 25  # an empty queue goes on where it was
    queue.correct_min_offset(99 * SIZE)
    fill(queue, 25, 26)
    assert entries(queue) == expected(25, 26)


def test_files_before_the_beginning_go_but_never_the_last(folder: Path) -> None:
    queue = ConsumeQueue("T", 0, queue_files(folder))
    fill(queue, 0, 25)
    queue.flush()
    queue.correct_min_offset(19 * SIZE)
    assert queue.delete_expired_files() == 1
    queue.correct_min_offset(25 * SIZE)
    assert queue.delete_expired_files() == 1
    assert [path.name for path in folder.iterdir()] == [f"{20 * ENTRY_SIZE:020d}"]
    again = reloaded(folder)
    again.correct_min_offset(25 * SIZE)
    assert (again.min_offset, again.max_offset) == (25, 25)


def test_in_memory_entries_before_the_beginning_go() -> None:
    queue = ConsumeQueue("T", 0, None)
    fill(queue, 0, 25)
    queue.correct_min_offset(19 * SIZE)
    queue.delete_expired_files()
    assert entries(queue) == expected(19, 25)
    assert queue.read(0, 5) == b""


@pytest.mark.parametrize("count", [1, 9, 10, 11, 20, 64, 65, 399])
@pytest.mark.parametrize("safe_physical", [None, 0, 350, 10**9])
def test_the_end_is_found_again(folder: Path, count: int, safe_physical: int | None) -> None:
    queue = ConsumeQueue("T", 0, queue_files(folder))
    fill(queue, 0, count)
    queue.flush()
    again = reloaded(folder, safe_physical)
    assert (again.max_offset, again.max_physical) == (count, count * SIZE)
    assert entries(again) == expected(0, count)


def test_a_queue_lets_go_of_memory_when_it_is_idle(folder: Path) -> None:
    queue = ConsumeQueue("T", 0, queue_files(folder))
    fill(queue, 0, 5000)
    queue.flush()
    held = len(queue._tail)
    assert 0 < held < 5000 * ENTRY_SIZE  # readers at the tail are served from memory
    queue.flush()
    assert len(queue._tail) == 0
    assert entries(queue) == expected(0, 5000)


# Many queues


def test_few_new_entries_are_written_only_when_it_must_be(tmp_path: Path) -> None:
    queues = ConsumeQueues(tmp_path / "consumequeue", 1000, 8)
    fill(queues.get_or_create("Busy", 0), 0, 500)
    fill(queues.get_or_create("Calm", 0), 0, 5)
    queues.flush(sync=False)
    assert [queue.unflushed for queue in queues] == [0, 5]
    queues.flush(sync=True)
    assert [queue.unflushed for queue in queues] == [0, 0]
    queues.close()


def test_everything_written_is_forced_to_the_disk_by_the_next_thorough_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    queues = ConsumeQueues(tmp_path / "consumequeue", 1000, 8)
    fill(queues.get_or_create("Busy", 0), 0, 500)
    queues.flush(sync=False)
    assert synced == []
    queues.flush(sync=True)
    assert len(synced) == 1
    queues.flush(sync=True)
    assert len(synced) == 1
    queues.close()


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_many_queues_keep_few_files_open(tmp_path: Path, count: int) -> None:
    config = replace(small_files(tmp_path / "store"), max_open_files=64)
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir())) if descriptors.exists() else 0
    with MessageStore(config) as store:
        for number in range(2 * count):
            store.append(message(b"%d" % number, f"Topic{number % count // 4}", number % 4))
        assert len(store.queues) == count
        store.flush(thorough=True)
        store.flush(thorough=True)
        assert store.queues.open_files == config.max_open_files
        if descriptors.exists():
            # Beside the cap: the files of log and index, and the locks.
            others = len(store.log.segments) + len(store.index.files if store.index else ()) + 2
            assert len(list(descriptors.iterdir())) <= before + config.max_open_files + others
        for number in range(0, count, 7):
            assert store.fetch(f"Topic{number // 4}", number % 4, 0).count == 2
        assert store.queues.open_files == config.max_open_files
    with MessageStore(config) as store:
        assert len(store.queues) == count
        assert store.queues.open_files <= config.max_open_files
        assert store.fetch(f"Topic{count // 4 - 1}", 3, 0).count == 2
