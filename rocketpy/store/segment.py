"""One preallocated file (or as much anonymous memory), appended to at its end and read through views."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rocketpy.store.disk import clear_from, sync_folder


class Segment:
    """`size` bytes that begin at `base` of their log.

    Views stay valid for as long as anyone holds them, even after `delete`: the mapping goes when the last
    view does.
    """

    __slots__ = ("_is_listed", "base", "path", "size", "view")

    def __init__(self, base: int, size: int, path: Path | None) -> None:
        self.base = base
        self.size = size
        self.path = path
        if path is None:
            self._is_listed = True
            self.view = memoryview(mmap.mmap(-1, size))
        else:
            self._is_listed = path.exists()
            with _opened(path, os.O_RDWR | os.O_CREAT) as descriptor:
                if os.fstat(descriptor).st_size < size:
                    os.ftruncate(descriptor, size)
                self.view = memoryview(mmap.mmap(descriptor, size))

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
        if self.path is None:
            return
        # The kernel writes mapped pages back too, and unlike msync here other threads run meanwhile. A
        # descriptor of its own cannot be closed under way, when the file is deleted.
        try:
            with _opened(self.path, os.O_RDWR) as descriptor:
                os.fdatasync(descriptor) if hasattr(os, "fdatasync") else os.fsync(descriptor)
        except FileNotFoundError:
            return  # deleted meanwhile
        if not self._is_listed:
            sync_folder(self.path.parent)
            self._is_listed = True

    def discard_from(self, position: int) -> None:
        """Make everything from `position` on zero again, as in a new file."""
        if self.path is None:
            self.view[position:] = bytes(self.size - position)
        else:
            with _opened(self.path, os.O_RDWR) as descriptor:
                clear_from(descriptor, position, self.size)

    def close(self) -> None:
        """Let go of the file; views that others hold keep the mapping alive."""
        self.view = memoryview(b"")

    def delete(self) -> None:
        """Remove the file."""
        self.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
