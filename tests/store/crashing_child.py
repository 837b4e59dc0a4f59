"""A process that appends until it is killed, and says on standard output what is safe.

    python crashing_child.py STORE SEED sync|async

Each line is `queue_offset queue_id number`, printed once the message counts as stored: after the flush that
covers it, or at once. Before each flush is acknowledged, `flushed OFFSET` tells how far the log is on disk.
With sync, `STORE.safe` holds queues, index and checkpoint as they were when last forced to the disk.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rocketpy.store.append import NewMessage
from rocketpy.store.config import StoreConfig
from rocketpy.store.message_store import MessageStore

DERIVED = ("consumequeue", "index", "checkpoint")


def config(path: Path) -> StoreConfig:
    """Files so small that a round fills some of them."""
    return StoreConfig(
        path=path,
        commit_log_file_size=1 << 18,
        consume_queue_file_entries=300,
        index_slots=1000,
        index_entries=4000,
    )


def body(number: int, size: int) -> bytes:
    """A body that can be checked by its number alone."""
    return (b"%d " % number).ljust(size, b"x")


def properties(number: int, size: int) -> bytes:
    """Long ones behind short bodies, so that whole sectors of a record may lie behind its body."""
    return b"KEYS\x01key-%d\x02pad\x01%s\x02" % (number, b"p" * (3000 // size))


def keep_safe(path: Path) -> None:
    """Remember what is on the disk for sure; a kill leaves the last copy, or the new one."""
    new, old = path.with_suffix(".new"), path.with_suffix(".safe")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    for name in DERIVED:
        if (path / name).is_dir():
            shutil.copytree(path / name, new / name)
        elif (path / name).exists():
            shutil.copy(path / name, new / name)
    shutil.rmtree(path.with_suffix(".gone"), ignore_errors=True)
    if old.exists():
        old.rename(path.with_suffix(".gone"))
    new.rename(old)


def main(path: Path, seed: str, mode: str) -> None:
    """Append for ever."""
    dice = random.Random(seed)
    store = MessageStore(config(path))
    store.open()
    store.flush(thorough=True)
    if mode == "sync":
        keep_safe(path)
    out = sys.stdout.fileno()
    os.write(out, b"flushed %d\n" % store.log.flushed)
    number = sum(queue.max_offset for queue in store.queues)
    while True:
        lines = []
        for _ in range(dice.randint(1, 20)):
            queue_id, size = dice.randrange(3), dice.choice((3, 20, 200, 3000))
            message = NewMessage(
                topic="T",
                queue_id=queue_id,
                body=body(number, size),
                properties=properties(number, size),
            )
            lines.append(b"%d %d %d\n" % (store.append(message).queue_offset, queue_id, number))
            number += 1
            if mode == "async":
                os.write(out, lines.pop())
        if mode == "sync" or dice.random() < 0.2:
            thorough = dice.random() < 0.1
            flushed = store.flush(thorough=thorough)
            os.write(out, b"flushed %d\n" % flushed + b"".join(lines))
            if mode == "sync" and thorough:
                keep_safe(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:4])
