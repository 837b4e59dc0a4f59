"""A process is killed at random moments while it appends: nothing acknowledged is lost, nothing is half."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rocketmq_protocol.message_record import decode_record, iter_records
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from tests.store import crashing_child
from tests.store.samples import FOREVER, assert_agrees

SECTOR = 512

# Number of the message, by queue and offset.
Numbers = dict[tuple[int, int], int]


def acknowledged(path: Path, seed: int, mode: str, seconds: float) -> tuple[Numbers, int]:
    """Let a child append for a while, kill it; gives what it acknowledged, and how far it had flushed."""
    child_program = str(crashing_child.__file__)
    with subprocess.Popen(
        [sys.executable, child_program, str(path), str(seed), mode], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        first = child.stdout.readline()  # it runs
        time.sleep(seconds)
        child.kill()
        lines = (first + child.stdout.read()).split(b"\n")[:-1]
    flushed = [int(line.split()[1]) for line in lines if line.startswith(b"flushed")]
    stored = [map(int, line.split()) for line in lines if not line.startswith(b"flushed")]
    return {(queue, offset): number for offset, queue, number in stored}, max(flushed)


# What a power failure does


def lose_page_cache(path: Path, flushed: int, dice: random.Random) -> None:
    """Of what was not forced to the disk, some sectors are there and some are as they were before."""
    chance = dice.choice((0.0, 0.1, 0.5, 1.0))
    for file in (path / "commitlog").iterdir():
        kept = max(flushed - int(file.name), 0)
        now = file.read_bytes()
        file.write_bytes(mixed(now, now[:kept] + bytes(len(now))[kept:], chance, dice))
    safe = next(found for suffix in (".safe", ".gone") if (found := path.with_suffix(suffix)).exists())
    shutil.copy(safe / "checkpoint", path / "checkpoint")
    for part in ("consumequeue", "index"):
        for file in (path / part).rglob("*"):
            if file.is_file():
                now, before = file.read_bytes(), safe / file.relative_to(path)
                was = before.read_bytes() if before.exists() else bytes(len(now))
                file.write_bytes(mixed(now, was, chance, dice))


def mixed(now: bytes, before: bytes, chance: float, dice: random.Random) -> bytes:
    """A file some of whose sectors did not reach the disk."""
    if chance == 0 or now == before:
        return now
    return b"".join(
        (before if dice.random() < chance else now)[start : start + SECTOR]
        for start in range(0, len(now), SECTOR)
    )


# What must hold


def found_in(store: MessageStore) -> Numbers:
    """Every message of the store, each checked to its last byte."""
    found: Numbers = {}
    for queue_id in range(3):
        offset = 0
        while (fetched := store.fetch("T", queue_id, offset)).status is FetchStatus.FOUND:
            for view in fetched.views:
                for message in iter_records(view):
                    assert message.queue_offset == offset
                    number, size = int(message.body.split()[0]), len(message.body)
                    assert message.body == crashing_child.body(number, size)
                    assert message.properties["KEYS"] == f"key-{number}"
                    assert set(message.properties["pad"]) <= {"p"}
                    found[queue_id, offset] = number
                    offset += 1
        assert fetched.status in (FetchStatus.OFFSET_OVERFLOW_ONE, FetchStatus.NO_MATCHED_LOGIC_QUEUE)
    return found


def assert_keys_lead_to_messages(store: MessageStore, found: Numbers) -> None:
    for number in sorted(found.values())[:: max(len(found) // 50, 1)] + sorted(found.values())[-3:]:
        bodies = [decode_record(record).body for record in store.query("T", f"key-{number}", 9, 0, FOREVER)]
        assert [body.split()[0] for body in bodies] == [b"%d" % number]


def crash_rounds(tmp_path: Path, mode: str, rounds: int, seed: int) -> None:
    """Kill, open, compare; each round goes on with the same directory."""
    dice = random.Random(seed)
    path = tmp_path / "store"
    known: Numbers = {}
    for number in range(rounds):
        stored, flushed = acknowledged(path, seed * 1000 + number, mode, dice.uniform(0, 0.05))
        known |= stored
        if mode == "sync":
            lose_page_cache(path, flushed, dice)
        if dice.random() < 0.3:
            continue  # the next child finds it as it is, and may be killed as well
        with MessageStore(crashing_child.config(path)) as store:
            assert store.recovered is not None
            assert not store.recovered.clean
            found = found_in(store)
            lost = {key: message for key, message in known.items() if found.get(key) != message}
            assert lost == {}, f"round {number}"
            assert sorted(found.values()) == list(range(len(found)))
            assert_keys_lead_to_messages(store, found)
        assert_agrees(path)


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_killed_process_loses_nothing_it_acknowledged(tmp_path: Path, mode: str) -> None:
    tmp_path.mkdir(exist_ok=True)
    crash_rounds(tmp_path, mode, rounds=10, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_two_hundred_kills(tmp_path: Path, mode: str) -> None:
    for part in range(10):
        (tmp_path / str(part)).mkdir()
        crash_rounds(tmp_path / str(part), mode, rounds=20, seed=part)
