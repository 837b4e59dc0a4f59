"""Where the parts of a store lie, as under Java's storePathRootDir."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from rocketpy.store.errors import StoreLocked


class StorePaths:
    """Paths under a store's root; all None in memory."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self.commit_log = root / "commitlog" if root else None
        self.consume_queue = root / "consumequeue" if root else None
        self.index = root / "index" if root else None
        self.checkpoint = root / "checkpoint" if root else None
        self.config = root / "config" if root else None
        self._abort = root / "abort" if root else None
        self._lock_fd = -1

    @property
    def was_aborted(self) -> bool:
        """Whether the last process to use the store died over it."""
        return self._abort is not None and self._abort.exists()

    def mark_running(self) -> None:
        """Leave the file that a clean stop takes away."""
        if self._abort is not None:
            self._abort.write_text(str(os.getpid()))

    def mark_stopped(self) -> None:
        """Take the abort file away: the store was stopped in order."""
        if self._abort is not None:
            self._abort.unlink(missing_ok=True)

    def lock(self) -> None:
        """Keep other processes out; Java's broker takes the same lock on the same file."""
        if self.root is None:
            return
        self.root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            # FileChannel.tryLock(0, 1) is a POSIX record lock on the first byte.
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
        except OSError:
            os.close(descriptor)
            raise StoreLocked(f"{self.root}: another process has this store open; stop it first") from None
        os.write(descriptor, b"lock")
        self._lock_fd = descriptor

    def unlock(self) -> None:
        """Let others in again."""
        if self._lock_fd >= 0:
            os.close(self._lock_fd)
            self._lock_fd = -1
