"""File descriptors shared by many files that are rarely used: a cap with reuse."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Final

from rocketpy.store.disk import clear_from

_MANY: Final = 128


class OpenFiles:
    """Reads and writes files by path and keeps the most recently used of them open."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: OrderedDict[str, int] = OrderedDict()
        self._unsynced: set[str] = set()

    def __len__(self) -> int:
        return len(self._open)

    def create(self, path: str, size: int) -> None:
        """Make a file of `size` zero bytes; the disk gives room only where something is written."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        os.ftruncate(self._descriptor(path, os.O_RDWR | os.O_CREAT), size)
        self._unsynced.add(path)

    def read(self, path: str, position: int, length: int) -> bytes:
        """Up to `length` bytes from `position` on."""
        return os.pread(self._descriptor(path), length, position)

    def write(self, path: str, position: int, data: memoryview) -> None:
        """Put `data` at `position`."""
        descriptor = self._descriptor(path)
        self._unsynced.add(path)
        while data:
            written = os.pwrite(descriptor, data, position)
            data, position = data[written:], position + written

    def clear_from(self, path: str, position: int, size: int) -> None:
        """Make everything from `position` to the file's end at `size` zero."""
        clear_from(self._descriptor(path), position, size)
        self._unsynced.add(path)

    def sync(self) -> None:
        """Force everything written so far to the disk."""
        if len(self._unsynced) >= _MANY and sys.platform == "linux":
            # One by one, ten thousand small files take ten seconds. Linux waits here until all is written;
            # elsewhere this is only a wish.
            os.sync()
            self._unsynced.clear()
        while self._unsynced:
            os.fsync(self._descriptor(self._unsynced.pop()))

    def delete(self, path: str) -> None:
        """Close a file and remove it."""
        self._unsynced.discard(path)
        if (descriptor := self._open.pop(path, None)) is not None:
            os.close(descriptor)
        Path(path).unlink()

    def close(self) -> None:
        """Close all."""
        while self._open:
            os.close(self._open.popitem()[1])

    def _descriptor(self, path: str, flags: int = os.O_RDWR) -> int:
        descriptor = self._open.get(path)
        if descriptor is not None:
            self._open.move_to_end(path)
            return descriptor
        if len(self._open) >= self._limit:
            os.close(self._open.popitem(last=False)[1])
        descriptor = self._open[path] = os.open(path, flags, 0o644)
        return descriptor
