"""The files of one consume queue: entries of a fixed size, files named by their start in bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

from rocketpy.store.errors import StoreCorrupt
from rocketpy.store.open_files import OpenFiles


class QueueFiles:
    """A row of preallocated files without gaps that reads as one long file."""

    __slots__ = ("_files", "_folder", "bases", "file_size")

    def __init__(self, folder: Path, file_size: int, files: OpenFiles) -> None:
        self._folder = str(folder)
        self.file_size = file_size
        # Start of each file, oldest first.
        self.bases: list[int] = []
        self._files = files

    def load(self) -> bool:
        """Find the files that are there; False if one is missing, and those behind it were dropped."""
        whole = True
        for path in sorted(path for path in Path(self._folder).iterdir() if path.name.isdecimal()):
            size, base = path.stat().st_size, int(path.name)
            if size == 0:
                path.unlink()  # created, but the process died before using it
            elif size != self.file_size:
                raise StoreCorrupt(
                    f"{path}: {size} bytes, but the store is set to files of {self.file_size}; set "
                    "mappedFileSizeConsumeQueue to what wrote it, or delete `consumequeue`: it can be rebuilt"
                )
            elif self.bases and base != self.bases[-1] + self.file_size:
                path.unlink()
                whole = False
            else:
                self.bases.append(base)
        return whole

    @property
    def end(self) -> int:
        """Where the last file ends."""
        return self.bases[-1] + self.file_size if self.bases else 0

    def read(self, position: int, length: int) -> bytes:
        """Up to `length` bytes; fewer at the end of the last file, none outside the files."""
        if not self.bases or position < self.bases[0]:
            return b""
        length = min(length, self.end - position)
        pieces = []
        while length > 0:
            base = position - position % self.file_size
            wanted = min(length, base + self.file_size - position)
            pieces.append(self._files.read(self._path(base), position - base, wanted))
            position, length = position + wanted, length - wanted
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, position: int, data: memoryview) -> set[str]:
        """Put `data` at `position`, making files as needed; gives the files touched."""
        touched = set()
        while data:
            base = position - position % self.file_size
            path = self._path(base)
            if base >= self.end:
                self._files.create(path, self.file_size)
                self.bases.append(base)
            taken = min(len(data), base + self.file_size - position)
            self._files.write(path, position - base, data[:taken])
            touched.add(path)
            data, position = data[taken:], position + taken
        return touched

    def clear_from(self, position: int) -> None:
        """Zero everything from `position` on, and delete the files that lie wholly behind it.

        The oldest file stays even when nothing in it is left: its name says where the queue goes on.
        """
        while len(self.bases) > 1 and self.bases[-1] >= position:
            self._delete(self.bases.pop())
        if self.bases and self.end > position:
            base = self.bases[-1]
            self._files.clear_from(self._path(base), position - base, self.file_size)

    def delete_before(self, position: int) -> int:
        """Delete the files that end at or before `position`, but never the last one; gives how many."""
        deleted = 0
        while len(self.bases) > 1 and self.bases[1] <= position:
            self._delete(self.bases.pop(0))
            deleted += 1
        return deleted

    def delete_all(self) -> None:
        """Remove the queue's files and its folder."""
        while self.bases:
            self._delete(self.bases.pop())
        shutil.rmtree(self._folder, ignore_errors=True)

    def _delete(self, base: int) -> None:
        self._files.delete(self._path(base))

    def _path(self, base: int) -> str:
        return f"{self._folder}/{base:020d}"
