"""What only the operating system can do with a file or a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ZEROES: Final = bytes(1024 * 1024)


def sync_folder(folder: Path) -> None:
    """Force a folder's list of files to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def clear_from(descriptor: int, position: int, size: int) -> None:
    """Make a file of `size` bytes zero from `position` on.

    Its size never changes: cut off and grown again it would look damaged to whoever opens it in between.
    """
    for start, end in _used_spans(descriptor, position, size):
        for at in range(start, end, len(_ZEROES)):
            zeroes = memoryview(_ZEROES)[: end - at]
            if os.pread(descriptor, len(zeroes), at) != zeroes:
                os.pwrite(descriptor, zeroes, at)


def _used_spans(descriptor: int, position: int, size: int) -> Iterator[tuple[int, int]]:
    """The parts of a file that take room on the disk; between them nothing was ever written."""
    while position < size:
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
        except OSError:  # ENXIO: nothing but room up to the end
            return
        position = min(os.lseek(descriptor, start, os.SEEK_HOLE), size)
        yield start, position
