"""A process that appends until it is killed, and says on standard output what is safe.

    python crashing_child.py STORE SEED sync|async

Each line is `queue_offset queue_id number`, printed once the message counts as stored: after the flush that
covers it, or at once. Before each flush is acknowledged, `flushed OFFSET` tells how far the log is on disk.
"""

from __future__ import annotations

import os
import random
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rocketpy.store.append import NewMessage
from rocketpy.store.message_store import MessageStore
from tests.store.golden import small_files


def message(number: int, queue_id: int, size: int) -> NewMessage:
    """A message whose body can be checked by its number alone."""
    body = (b"%d " % number).ljust(size, b"x")
    return NewMessage(topic="T", queue_id=queue_id, body=body, properties=b"KEYS\x01key-%d\x02" % number)


def main(path: str, seed: str, mode: str) -> None:
    """Append for ever."""
    dice = random.Random(seed)
    store = MessageStore(replace(small_files(Path(path)), commit_log_file_size=1 << 18))
    store.open()
    out = sys.stdout.fileno()
    number = sum(queue.max_offset for queue in store.queues)
    while True:
        lines = []
        for _ in range(dice.randint(1, 20)):
            queue_id = dice.randrange(3)
            appended = store.append(message(number, queue_id, dice.choice((20, 200, 3000))))
            lines.append(b"%d %d %d\n" % (appended.queue_offset, queue_id, number))
            number += 1
            if mode == "async":
                os.write(out, lines.pop())
        if mode == "sync" or dice.random() < 0.2:
            flushed = store.flush(thorough=dice.random() < 0.1)
            os.write(out, b"flushed %d\n" % flushed + b"".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:4])
