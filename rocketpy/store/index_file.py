"""One index file: a hash table on disk from key hash to commit log offsets, newest first.

Header, slots, entries, as `layouts` draws them. An entry points at the one before it in its slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import Struct
from typing import Final

from rocketpy.store.errors import StoreCorrupt
from rocketpy.store.segment import Segment

# first and last store time, first and last commit log offset, used slots, number of the next entry
_HEADER: Final = Struct(">qqqqii")
_SLOT: Final = Struct(">i")
# key hash, commit log offset, seconds since the header's first store time, previous entry
_ENTRY: Final = Struct(">iqii")
_INT_MAX: Final = 0x7FFFFFFF

_HEADER_SIZE: Final = _HEADER.size
_SLOT_SIZE: Final = _SLOT.size
_ENTRY_SIZE: Final = _ENTRY.size
_read_slot: Final = _SLOT.unpack_from
_write_slot: Final = _SLOT.pack_into
_write_entry: Final = _ENTRY.pack_into


class IndexFile:
    """A fixed number of slots and entries; entry 0 is never used, so that 0 can mean "none"."""

    def __init__(self, path: Path | None, slots: int, entries: int) -> None:
        self._slots = slots
        self._entries = entries
        self._first_entry = _HEADER_SIZE + slots * _SLOT_SIZE
        size = self._first_entry + entries * _ENTRY_SIZE
        if path is not None and path.exists() and path.stat().st_size != size:
            raise StoreCorrupt(
                f"{path}: {path.stat().st_size} bytes, but {slots} slots and {entries} entries take {size}; "
                "set maxHashSlotNum and maxIndexNum to what wrote it, or delete it: it can be rebuilt"
            )
        self._segment = Segment(0, size, path)
        header: tuple[int, ...] = _HEADER.unpack_from(self._segment.view)
        self.begin_timestamp, self.end_timestamp, self.begin_physical, self.end_physical = header[:4]
        self._used_slots, self._next = header[4], max(header[5], 1)

    @property
    def path(self) -> Path | None:
        """Where the file lies."""
        return self._segment.path

    @property
    def is_full(self) -> bool:
        """Whether no entry fits any more."""
        return self._next >= self._entries

    @property
    def count(self) -> int:
        """Entries in use."""
        return self._next - 1

    def continue_from(self, previous: IndexFile) -> None:
        """Begin where the previous file ended (IndexService.getAndCreateLastIndexFile)."""
        self.begin_timestamp = self.end_timestamp = previous.end_timestamp
        self.begin_physical = self.end_physical = previous.end_physical

    def put(self, key_hashes: Sequence[int], physical: int, store_timestamp: int) -> int:
        """Add the keys of one message; gives how many fitted."""
        view, number = self._segment.view, self._next
        fitting = key_hashes[: self._entries - number]
        if number <= 1 and fitting:
            self.begin_physical = physical
        seconds = 0
        if self.begin_timestamp > 0:
            seconds = min(max((store_timestamp - self.begin_timestamp) // 1000, 0), _INT_MAX)
        elif fitting:
            self.begin_timestamp = store_timestamp
        slots, first_entry = self._slots, self._first_entry
        for key_hash in fitting:
            slot = _HEADER_SIZE + key_hash % slots * _SLOT_SIZE
            (previous,) = _read_slot(view, slot)
            if not 0 < previous <= number:
                previous = 0
                self._used_slots += 1
            _write_entry(view, first_entry + number * _ENTRY_SIZE, key_hash, physical, seconds, previous)
            _write_slot(view, slot, number)
            number += 1
        if fitting:
            self._next = number
            self.end_physical = physical
            self.end_timestamp = store_timestamp
        return len(fitting)

    def overlaps(self, begin: int, end: int) -> bool:
        """Whether any entry may lie in this span of store time."""
        return begin <= self.end_timestamp and end >= self.begin_timestamp

    def find(self, key_hash: int, begin: int, end: int) -> Iterator[int]:
        """Commit log offsets under a hash, newest first; the caller compares the real keys."""
        view = self._segment.view
        number = _SLOT.unpack_from(view, _HEADER_SIZE + key_hash % self._slots * _SLOT_SIZE)[0]
        while 0 < number < self._next:
            entry = self._first_entry + number * _ENTRY_SIZE
            found_hash, physical, seconds, previous = _ENTRY.unpack_from(view, entry)
            if seconds < 0:
                return
            stored = self.begin_timestamp + seconds * 1000
            # Entries hold whole seconds, so a message may be almost one second younger than its entry says.
            if found_hash == key_hash and begin - 1000 < stored <= end:
                yield physical
            if previous >= number or stored < begin - 1000:
                return
            number = previous

    def flush(self) -> None:
        """Write the header and force everything to the disk."""
        self.write_header()
        self._segment.sync()

    def write_header(self) -> None:
        """Bring the header up to date with the entries."""
        _HEADER.pack_into(
            self._segment.view,
            0,
            self.begin_timestamp,
            self.end_timestamp,
            self.begin_physical,
            self.end_physical,
            self._used_slots,
            self._next,
        )

    def close(self) -> None:
        """Let go of the file."""
        self.write_header()
        self._segment.close()

    def delete(self) -> None:
        """Remove the file."""
        self._segment.delete()


def entries_of(path: Path) -> Iterator[tuple[int, int]]:
    """Number and commit log offset of each entry of a file that is only to be looked at."""
    size = path.stat().st_size
    with path.open("rb") as file:
        header = _HEADER.unpack(file.read(_HEADER_SIZE))
        slots = _slots_of(size)
        file.seek(_HEADER_SIZE + slots * _SLOT_SIZE + _ENTRY_SIZE)
        entries = file.read((header[5] - 1) * _ENTRY_SIZE)
    for number, entry in enumerate(_ENTRY.iter_unpack(entries), 1):
        yield number, entry[1]


def _slots_of(size: int) -> int:
    """Java keeps four entries to a slot (5,000,000 and 20,000,000), and so does every setting we know."""
    return (size - _HEADER_SIZE) // (_SLOT_SIZE + 4 * _ENTRY_SIZE)
