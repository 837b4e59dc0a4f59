"""File descriptors shared by many files that are rarely used: a cap with reuse."""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path


class OpenFiles:
    """Reads and writes files by path and keeps the most recently used of them open."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: OrderedDict[Path, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def create(self, path: Path, size: int) -> None:
        """Make a file of `size` zero bytes; the disk gives room only where something is written."""
        path.parent.mkdir(parents=True, exist_ok=True)
        os.ftruncate(self._descriptor(path), size)

    def read(self, path: Path, position: int, length: int) -> bytes:
        """Up to `length` bytes from `position` on."""
        return os.pread(self._descriptor(path), length, position)

    def write(self, path: Path, position: int, data: bytes | bytearray | memoryview) -> None:
        """Put `data` at `position`."""
        descriptor = self._descriptor(path)
        while data:
            written = os.pwrite(descriptor, data, position)
            data, position = memoryview(data)[written:], position + written

    def sync(self, path: Path) -> None:
        """Force what was written to the disk."""
        os.fsync(self._descriptor(path))

    def forget(self, path: Path) -> None:
        """Close a file that is about to go."""
        if (descriptor := self._open.pop(path, None)) is not None:
            os.close(descriptor)

    def close(self) -> None:
        """Close all."""
        while self._open:
            os.close(self._open.popitem()[1])

    def _descriptor(self, path: Path) -> int:
        descriptor = self._open.get(path)
        if descriptor is not None:
            self._open.move_to_end(path)
            return descriptor
        if len(self._open) >= self._limit:
            os.close(self._open.popitem(last=False)[1])
        descriptor = self._open[path] = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        return descriptor
