"""One index file: a hash table on disk from key hash to commit log offsets, newest first.

Header, slots, entries, as `layouts` draws them. An entry points at the one before it in its slot.

Slots and header change together, with a flush: entries that a crash leaves behind them do no harm, but a slot
that points behind the header's count has lost its older entries, since Java takes it for empty.
"""

from __future__ import annotations

import sys
from array import array
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
_PAGE: Final = 4096
# Slots kept in memory between two flushes; more than that go to the file, and the header with them.
_MAX_FRESH: Final = 262_144

_HEADER_SIZE: Final = _HEADER.size
_SLOT_SIZE: Final = _SLOT.size
_ENTRY_SIZE: Final = _ENTRY.size
_read_slot: Final = _SLOT.unpack_from
_write_slot: Final = _SLOT.pack_into
_read_entry: Final = _ENTRY.unpack_from
_write_entry: Final = _ENTRY.pack_into


class IndexFile:
    """A fixed number of slots and entries; entry 0 is never used, so that 0 can mean "none"."""

    def __init__(self, path: Path | None, slots: int, entries: int) -> None:
        self._slots = slots
        self._entries = entries
        self._first_entry = _HEADER_SIZE + slots * _SLOT_SIZE
        size = self._first_entry + entries * _ENTRY_SIZE
        found = path.stat().st_size if path is not None and path.exists() else 0
        if found not in (0, size):
            raise StoreCorrupt(
                f"{path}: {found} bytes, but {slots} slots and {entries} entries take {size}; "
                "set maxHashSlotNum and maxIndexNum to what wrote it, or delete it: it can be rebuilt"
            )
        self._segment = Segment(0, size, path)
        header: tuple[int, ...] = _HEADER.unpack_from(self._segment.view)
        self.begin_timestamp, self.end_timestamp, self.begin_physical, self.end_physical = header[:4]
        self._used_slots, self._next = header[4], min(max(header[5], 1), entries)
        # What `_next` was when all before it was forced to the disk, and slots that changed since.
        self._flushed = self._next
        self._fresh: dict[int, int] = {}
        if self.count:  # the header may give the byte behind: see `flush`
            last_entry = self._first_entry + self.count * _ENTRY_SIZE
            self.end_physical = _read_entry(self._segment.view, last_entry)[1]

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
        if self._next > 1 or not key_hashes:
            return self._put(key_hashes, physical, store_timestamp)
        # IndexFile.putKey: the file begins when it has its first entry, and not before.
        self._put(key_hashes[:1], physical, store_timestamp)
        self.begin_physical, self.begin_timestamp = physical, store_timestamp
        return 1 + self._put(key_hashes[1:], physical, store_timestamp)

    def _put(self, key_hashes: Sequence[int], physical: int, store_timestamp: int) -> int:
        number = self._next
        if number + len(key_hashes) > self._entries:
            key_hashes = key_hashes[: self._entries - number]
        seconds = (store_timestamp - self.begin_timestamp) // 1000 if self.begin_timestamp > 0 else 0
        if not 0 <= seconds <= _INT_MAX:
            seconds = _INT_MAX if seconds > 0 else 0
        view, slots, fresh = self._segment.view, self._slots, self._fresh
        place = self._first_entry + number * _ENTRY_SIZE
        for key_hash in key_hashes:
            slot = key_hash % slots
            previous = fresh.get(slot)
            if previous is None:
                (previous,) = _read_slot(view, _HEADER_SIZE + slot * _SLOT_SIZE)
                if not previous:
                    self._used_slots += 1
            _write_entry(view, place, key_hash, physical, seconds, previous)
            fresh[slot] = number
            number += 1
            place += _ENTRY_SIZE
        if key_hashes:
            self._next, self.end_physical, self.end_timestamp = number, physical, store_timestamp
            if len(fresh) > _MAX_FRESH:
                self._write_fresh()
        return len(key_hashes)

    def overlaps(self, begin: int, end: int) -> bool:
        """Whether any entry may lie in this span of store time."""
        return begin <= self.end_timestamp and end >= self.begin_timestamp

    def find(self, key_hash: int, begin: int, end: int) -> Iterator[int]:
        """Commit log offsets under a hash, newest first; the caller compares the real keys."""
        view = self._segment.view
        slot = key_hash % self._slots
        number = self._fresh.get(slot) or _read_slot(view, _HEADER_SIZE + slot * _SLOT_SIZE)[0]
        while 0 < number < self._next:
            found_hash, physical, seconds, previous = _read_entry(
                view, self._first_entry + number * _ENTRY_SIZE
            )
            if seconds < 0:
                return
            stored = self.begin_timestamp + seconds * 1000
            # Entries hold whole seconds, so a message may be almost one second younger than its entry says.
            if found_hash == key_hash and begin - 1000 < stored <= end:
                yield physical
            if previous >= number or stored < begin - 1000:
                return
            number = previous

    def truncate(self, physical: int) -> None:
        """Forget the messages at or behind a commit log offset."""
        if self.count and self.end_physical >= physical:
            self._keep(self._first_at_or_after(physical))

    def mend(self) -> None:
        """After a crash, keep the entries before the first that did not reach the disk.

        The message before it goes too, since half of its last entry may be missing.
        """
        good, last = 0, 0
        for entry in _ENTRY.iter_unpack(self._used_entries()):
            if entry[1] < last or not any(entry):
                break
            good, last = good + 1, entry[1]
        self._next = good + 1
        self._keep(self._first_at_or_after(last))

    def _keep(self, end: int) -> None:
        """Keep the entries before number `end`, and string them anew: their slots may point at later ones."""
        self._next, self._flushed = end, 0
        self._fresh.clear()
        slots = array("i", bytes(self._slots * _SLOT_SIZE))
        first, view = self._first_entry, self._segment.view
        physical, seconds = self.begin_physical, 0
        for number, entry in enumerate(_ENTRY.iter_unpack(self._used_entries()), 1):
            key_hash, physical, seconds, previous = entry
            slot = key_hash % self._slots
            if previous != slots[slot]:
                _write_entry(view, first + number * _ENTRY_SIZE, key_hash, physical, seconds, slots[slot])
            slots[slot] = number
        self.end_physical = physical
        self.end_timestamp = min(self.end_timestamp, self.begin_timestamp + seconds * 1000 + 999)
        self._used_slots = self._slots - slots.count(0)
        self._write_slots(slots)
        self.write_header()

    def _used_entries(self) -> memoryview:
        return self._segment.view[self._first_entry + _ENTRY_SIZE :][: self.count * _ENTRY_SIZE]

    def _first_at_or_after(self, physical: int) -> int:
        """Number of the first entry of a message at or behind a commit log offset."""
        low, high = 1, self._next
        while low < high:
            middle = (low + high) // 2
            if _read_entry(self._segment.view, self._first_entry + middle * _ENTRY_SIZE)[1] < physical:
                low = middle + 1
            else:
                high = middle
        return low

    def _write_slots(self, slots: array[int]) -> None:
        """Write the pages of slots that differ, so that empty ones go on taking no room."""
        if sys.byteorder == "little":
            slots.byteswap()
        new = memoryview(slots).cast("B")
        old = self._segment.view[_HEADER_SIZE : self._first_entry]
        for start in range(0, len(new), _PAGE):
            page = new[start : start + _PAGE]
            if old[start : start + _PAGE] != page:
                old[start : start + _PAGE] = page

    def flush(self) -> None:
        """Bring slots and header up to date and force everything to the disk, if there is anything new."""
        if self._flushed != self._next:
            # A broker that starts after a crash indexes the message at the header's last offset once more
            # (IndexService.buildIndex), so as long as more may come we give the byte behind that.
            self._write_fresh(0 if self.is_full else 1)
            self._segment.sync()
            self._flushed = self._next

    def _write_fresh(self, beyond_last: int = 0) -> None:
        view = self._segment.view
        for slot, number in self._fresh.items():
            _write_slot(view, _HEADER_SIZE + slot * _SLOT_SIZE, number)
        self._fresh.clear()
        self.write_header(beyond_last)

    def write_header(self, beyond_last: int = 0) -> None:
        """Bring the header up to date with the entries."""
        _HEADER.pack_into(
            self._segment.view,
            0,
            self.begin_timestamp,
            self.end_timestamp,
            self.begin_physical,
            self.end_physical + beyond_last,
            self._used_slots,
            self._next,
        )

    def close(self) -> None:
        """Let go of the file."""
        self._write_fresh()
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
