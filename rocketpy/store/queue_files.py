"""The files of one consume queue: entries of a fixed size, files named by their start in bytes."""

from __future__ import annotations

from pathlib import Path

from rocketpy.store.errors import StoreCorrupt
from rocketpy.store.open_files import OpenFiles


class QueueFiles:
    """A row of preallocated files that reads as one long file."""

    __slots__ = ("_bases", "_files", "file_size", "folder")

    def __init__(self, folder: Path, file_size: int, files: OpenFiles) -> None:
        self.folder = folder
        self.file_size = file_size
        self._files = files
        self._bases: list[int] = []

    def load(self) -> None:
        """Find the files that are there."""
        for path in sorted(path for path in self.folder.iterdir() if path.name.isdecimal()):
            size = path.stat().st_size
            if size == 0:
                path.unlink()
            elif size != self.file_size:
                raise StoreCorrupt(
                    f"{path}: {size} bytes, but the store is set to files of {self.file_size}; "
                    "set mappedFileSizeConsumeQueue to what wrote it"
                )
            else:
                self._bases.append(int(path.name))

    @property
    def bases(self) -> list[int]:
        """Start of each file, oldest first."""
        return self._bases

    def read(self, position: int, length: int) -> bytes:
        """Up to `length` bytes; fewer at the end of the last file, none outside the files."""
        pieces = []
        while length > 0:
            base = position - position % self.file_size
            if base not in self._bases:
                break
            wanted = min(length, base + self.file_size - position)
            pieces.append(self._files.read(self._path(base), position - base, wanted))
            position, length = position + wanted, length - wanted
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def write(self, position: int, data: memoryview) -> set[Path]:
        """Put `data` at `position`, making files as needed; gives the files touched."""
        touched = set()
        while data:
            base = position - position % self.file_size
            path = self._path(base)
            if base not in self._bases:
                self._files.create(path, self.file_size)
                self._bases.append(base)
            taken = min(len(data), base + self.file_size - position)
            self._files.write(path, position - base, data[:taken])
            touched.add(path)
            data, position = data[taken:], position + taken
        return touched

    def clear_from(self, position: int) -> None:
        """Zero everything from `position` on, and delete the files that lie wholly behind it.

        The oldest file stays even when nothing in it is left: its name says where the queue goes on.
        """
        for base in [base for base in self._bases[1:] if base >= position]:
            self._delete(base)
        if self._bases and (end := self._bases[-1] + self.file_size) > position:
            self._files.write(self._path(self._bases[-1]), position - self._bases[-1], bytes(end - position))

    def delete_before(self, position: int) -> int:
        """Delete the files that end at or before `position`, but never the last one; gives how many."""
        old = [base for base in self._bases[:-1] if base + self.file_size <= position]
        for base in old:
            self._delete(base)
        return len(old)

    def delete_all(self) -> None:
        """Remove the queue's files and its folder."""
        for base in list(self._bases):
            self._delete(base)
        if self.folder.exists():
            self.folder.rmdir()

    def _delete(self, base: int) -> None:
        path = self._path(base)
        self._files.forget(path)
        path.unlink(missing_ok=True)
        self._bases.remove(base)

    def _path(self, base: int) -> Path:
        return self.folder / f"{base:020d}"
