"""Where the parts of a store lie, as under Java's storePathRootDir."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from rocketpy.store.disk import sync_folder
from rocketpy.store.errors import StoreLocked

_LONGEST_NAME: Final = 255


def is_folder_name(topic: str) -> bool:
    """Whether a topic can have a folder, and so a queue."""
    try:
        encoded = topic.encode()
    except UnicodeEncodeError:
        return False
    return len(encoded) <= _LONGEST_NAME and topic not in ("", ".", "..") and not {"/", "\0"} & {*topic}


class StorePaths:
    """Paths under a store's root; all None in memory."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self.commit_log = root / "commitlog" if root else None
        self.consume_queue = root / "consumequeue" if root else None
        self.batch_consume_queue = root / "batchconsumequeue" if root else None
        self.index = root / "index" if root else None
        self.checkpoint = root / "checkpoint" if root else None
        self.config = root / "config" if root else None
        self._abort = root / "abort" if root else None
        self._locks: list[int] = []

    @property
    def was_aborted(self) -> bool:
        """Whether the last process to use the store died over it."""
        return self._abort is not None and self._abort.exists()

    def mark_running(self) -> None:
        """Leave the file that a clean stop takes away; it is on the disk before any message is."""
        if self._abort is not None:
            self._abort.write_text(str(os.getpid()))
            sync_folder(self._abort.parent)

    def mark_stopped(self) -> None:
        """Take the abort file away: the store was stopped in order."""
        if self._abort is not None:
            self._abort.unlink(missing_ok=True)

    def lock(self) -> None:
        """Keep others out, in this process and in other ones, the Java broker among them."""
        if self.root is None:
            return
        self.root.mkdir(parents=True, exist_ok=True)
        try:
            # A record lock does not bind its own process, and closing any descriptor of its file gives it
            # up: so the folder is locked first, in the way that binds everyone who uses this module.
            self._locks.append(os.open(self.root, os.O_RDONLY))
            fcntl.flock(self._locks[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
            # FileChannel.tryLock(0, 1) is a POSIX record lock on the first byte.
            self._locks.append(os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644))
            fcntl.lockf(self._locks[-1], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
        except BlockingIOError:
            self.unlock()
            raise StoreLocked(f"{self.root}: this store is open already; stop who has it first") from None
        os.write(self._locks[-1], b"lock")

    def unlock(self) -> None:
        """Let others in again."""
        while self._locks:
            os.close(self._locks.pop())
