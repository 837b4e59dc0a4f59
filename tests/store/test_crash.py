"""A process is killed at random moments while it appends: nothing acknowledged is lost, nothing is half."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rocketmq_protocol.message_record import decode_record, iter_records
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from rocketpy.store.reader import StoreReader
from rocketpy.store.verify import verify
from tests.store.golden import small_files

CHILD = Path(__file__).with_name("crashing_child.py")


def acknowledged(path: Path, seed: int, mode: str, seconds: float) -> tuple[list[tuple[int, int, int]], int]:
    """Let a child append for a while, kill it; gives what it acknowledged, and how far it had flushed."""
    with subprocess.Popen(
        [sys.executable, str(CHILD), str(path), str(seed), mode], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        first = child.stdout.readline()  # it runs
        time.sleep(seconds)
        child.kill()
        lines = (first + child.stdout.read()).split(b"\n")[:-1]
    flushed = [int(line.split()[1]) for line in lines if line.startswith(b"flushed")]
    stored = [line.split() for line in lines if not line.startswith(b"flushed")]
    return [(int(offset), int(queue), int(number)) for offset, queue, number in stored], max(
        flushed, default=0
    )


def lose_page_cache(path: Path, flushed: int) -> None:
    """What a power failure may do: everything behind the last flush of the log is zero again."""
    for file in (path / "commitlog").iterdir():
        kept = max(flushed - int(file.name), 0)
        size = file.stat().st_size
        if kept < size:
            data = file.read_bytes()[:kept]
            file.write_bytes(data + bytes(size - kept))


def queue_messages(store: MessageStore, queue_id: int) -> Iterator[tuple[int, bytes]]:
    """Offset and body of every message of a queue."""
    offset = 0
    while (found := store.fetch("T", queue_id, offset)).status is FetchStatus.FOUND:
        for view in found.views:
            for message in iter_records(view):
                yield message.queue_offset, message.body
        offset = found.next_offset


def crash_rounds(tmp_path: Path, mode: str, rounds: int, seed: int) -> None:
    """Kill, open, compare; each round goes on with the same directory."""
    dice = random.Random(seed)
    path = tmp_path / "store"
    config = replace(small_files(path), commit_log_file_size=1 << 18)
    known: dict[tuple[int, int], int] = {}
    for number in range(rounds):
        stored, flushed = acknowledged(path, seed * 1000 + number, mode, dice.uniform(0, 0.05))
        known |= {(queue, offset): message for offset, queue, message in stored}
        if mode == "sync":
            lose_page_cache(path, flushed)
        with MessageStore(config) as store:
            assert store.recovered is not None
            assert not store.recovered.clean
            found = {
                (queue_id, offset): int(body.split()[0])
                for queue_id in range(3)
                for offset, body in queue_messages(store, queue_id)
            }
            lost = {key: message for key, message in known.items() if found.get(key) != message}
            assert lost == {}, f"round {number}"
            for queue_id in range(3):
                offsets = [offset for queue, offset in found if queue == queue_id]
                assert offsets == list(range(len(offsets)))
            if found:
                (record, *_) = store.query("T", f"key-{max(found.values())}", 1, 0, 2**62)
                assert decode_record(record).body.startswith(b"%d " % max(found.values()))
        assert verify(StoreReader(path)).problems == []


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path, mode: str) -> None:
    crash_rounds(tmp_path, mode, rounds=8, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_two_hundred_kills(tmp_path: Path, mode: str) -> None:
    for part in range(10):
        crash_rounds(tmp_path / str(part), mode, rounds=20, seed=part)
