"""One preallocated file (or as much anonymous memory), appended to at its end and read through views."""

from __future__ import annotations

import mmap
import os
from pathlib import Path


class Segment:
    """`size` bytes that begin at `base` of their log.

    Views stay valid for as long as anyone holds them, even after `delete`: the mapping goes when the last
    view does.
    """

    __slots__ = ("_fd", "_map", "base", "path", "size", "view")

    def __init__(self, base: int, size: int, path: Path | None) -> None:
        self.base = base
        self.size = size
        self.path = path
        self._fd = -1
        if path is not None:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            if os.fstat(self._fd).st_size < size:
                os.ftruncate(self._fd, size)
        self._map = mmap.mmap(self._fd, size)
        self.view = memoryview(self._map)

    @property
    def end(self) -> int:
        """The first offset after this segment."""
        return self.base + self.size

    @property
    def modified(self) -> float:
        """When the file was last written to; 0 in memory."""
        return self.path.stat().st_mtime if self.path is not None else 0.0

    def sync(self) -> None:
        """Force everything written so far to the disk. May be called from another thread."""
        if self._fd >= 0:
            # The kernel writes mapped pages back too, and unlike msync here other threads run meanwhile.
            os.fdatasync(self._fd) if hasattr(os, "fdatasync") else os.fsync(self._fd)

    def discard_from(self, position: int) -> None:
        """Make everything from `position` on zero again, as in a new file."""
        if self._fd >= 0:
            os.ftruncate(self._fd, position)
            os.ftruncate(self._fd, self.size)
        else:
            self.view[position:] = bytes(self.size - position)

    def close(self) -> None:
        """Let go of the file; views that others hold keep the mapping alive."""
        self.view = memoryview(b"")
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def delete(self) -> None:
        """Remove the file."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)
