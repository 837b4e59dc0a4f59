"""The key index: finds messages by topic and key, by unique key, and by tag."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from rocketmq_protocol.hashing import index_hash
from rocketpy.store.index_file import IndexFile

_FOREVER: Final = 2**62


class KeyIndex:
    """Index files, named by the time of their making, oldest first."""

    def __init__(self, folder: Path | None, slots: int, entries: int) -> None:
        self._folder = folder
        self._slots = slots
        self._entries = entries
        self._files: list[IndexFile] = []

    def load(self, doubtful_from: int | None, safe_timestamp: int) -> None:
        """Open the files.

        After a crash, messages from `doubtful_from` on are to be indexed anew, and files are mended that may
        not have reached the disk as a whole.
        """
        if self._folder is None or not self._folder.exists():
            return
        for path in sorted(path for path in self._folder.iterdir() if path.name.isdecimal()):
            found = IndexFile(path, self._slots, self._entries)
            if doubtful_from is not None and not self._is_fit(found, doubtful_from, safe_timestamp):
                found.delete()
            else:
                self._files.append(found)

    @staticmethod
    def _is_fit(file: IndexFile, doubtful_from: int, safe_timestamp: int) -> bool:
        """Mend a file if need be; False if nothing of it is left."""
        if file.begin_physical >= doubtful_from:
            return False
        if not file.is_full or file.end_timestamp > safe_timestamp:
            file.mend()
        return file.count > 0

    @property
    def files(self) -> list[IndexFile]:
        """The files, oldest first."""
        return self._files

    @property
    def end_physical(self) -> int:
        """Offset of the last message that was indexed."""
        return self._files[-1].end_physical if self._files else -1

    def put(self, hashes: list[int], physical: int, store_timestamp: int) -> None:
        """Index one message under all its keys; one that is there already is left alone."""
        file = self._files[-1] if self._files else self._roll(store_timestamp)
        if physical <= file.end_physical:
            if physical < file.end_physical:
                return
            hashes = [key_hash for key_hash in hashes if not self._has(key_hash, physical)]
        while len(hashes) > (fitted := file.put(hashes, physical, store_timestamp)):
            hashes = hashes[fitted:]
            file = self._roll(store_timestamp)

    def _has(self, key_hash: int, physical: int) -> bool:
        """Whether the message indexed last has this key already; its keys may lie in two files."""
        return any(physical == next(file.find(key_hash, 0, _FOREVER), -1) for file in self._files[-2:])

    def _roll(self, store_timestamp: int) -> IndexFile:
        file = IndexFile(self._new_path(store_timestamp), self._slots, self._entries)
        if self._files:
            file.continue_from(self._files[-1])
        self._files.append(file)
        return file

    def _new_path(self, store_timestamp: int) -> Path | None:
        """A name as Java gives it: local time down to the millisecond, later than all others."""
        if self._folder is None:
            return None
        self._folder.mkdir(parents=True, exist_ok=True)
        moment = datetime.fromtimestamp(store_timestamp / 1000)
        name = f"{moment:%Y%m%d%H%M%S}{store_timestamp % 1000:03d}"
        if self._files and (last := self._files[-1].path) is not None and name <= last.name:
            name = str(int(last.name) + 1)  # in the same millisecond, or the clock went back
        return self._folder / name

    def find(self, key: str, begin: int, end: int) -> Iterator[int]:
        """Commit log offsets that may belong to an index key, newest first."""
        hashed = index_hash(key)
        for file in reversed(self._files):
            if file.overlaps(begin, end):
                yield from file.find(hashed, begin, end)
            if file.begin_timestamp < begin:
                return

    @property
    def last_update(self) -> tuple[int, int]:
        """Store time and offset of the last message indexed."""
        return (self._files[-1].end_timestamp, self._files[-1].end_physical) if self._files else (0, 0)

    def delete_expired_files(self, min_physical: int) -> int:
        """Delete the files all of whose messages are gone, but never the last one; gives how many."""
        deleted = 0
        while len(self._files) > 1 and self._files[0].end_physical < min_physical:
            self._files.pop(0).delete()
            deleted += 1
        return deleted

    def truncate(self, physical: int) -> None:
        """Forget the messages at or behind a commit log offset."""
        while self._files and self._files[-1].begin_physical >= physical:
            self._files.pop().delete()
        for file in self._files[-1:]:
            file.truncate(physical)

    def drop_from(self, file: IndexFile) -> None:
        """Delete a file and all behind it, to be built anew."""
        while self._files[-1] is not file:
            self._files.pop().delete()
        self._files.pop().delete()

    def flush(self) -> None:
        """Force everything to the disk."""
        for file in self._files:
            file.flush()

    def delete_all(self) -> None:
        """Drop every file, to be rebuilt."""
        while self._files:
            self._files.pop().delete()

    def close(self) -> None:
        """Let go of all files."""
        for file in self._files:
            file.close()
        self._files.clear()
