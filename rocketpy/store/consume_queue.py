"""The consume queue: where in the commit log each message of one topic queue lies.

An entry has 20 bytes: commit log offset, record size, tag hash (`layouts` draws it). New entries gather in
memory and go to the files in runs; what a crash keeps from them is dispatched from the commit log again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Final

from rocketpy.store.queue_files import QueueFiles

ENTRY: Final = Struct(">qiq")
ENTRY_SIZE: Final = ENTRY.size
# ConsumeQueue.fillPreBlank: what stands before the first entry of a queue that does not begin at 0.
_BLANK_SIZE: Final = 0x7FFFFFFF
BLANK_ENTRY: Final = ENTRY.pack(0, _BLANK_SIZE, 0)
# Entries kept in memory behind the ones that are on disk, for readers at the tail.
_KEPT: Final = 2048


class ConsumeQueue:
    """Entries of one queue, numbered from 0 for ever; the oldest go when their messages go.

    Without `files` everything stays in memory.
    """

    __slots__ = (
        "_files",
        "_flush_seen",
        "_tail",
        "_tail_start",
        "_written",
        "max_offset",
        "max_physical",
        "min_offset",
        "queue_id",
        "topic",
    )

    def __init__(self, topic: str, queue_id: int, files: QueueFiles | None) -> None:
        self.topic = topic
        self.queue_id = queue_id
        self._files = files
        self.min_offset = 0
        self.max_offset = 0
        self.max_physical = -1
        self._tail = bytearray()
        self._tail_start = 0
        self._written = 0
        self._flush_seen = 0

    def append(self, queue_offset: int, physical: int, size: int, tags_code: int) -> None:
        """Take the entry of a message; one that is there already is left alone."""
        if queue_offset != self.max_offset and not self._make_room(queue_offset, physical + size):
            return
        self._tail += ENTRY.pack(physical, size, tags_code)
        self.max_offset = queue_offset + 1
        self.max_physical = physical + size

    def _make_room(self, queue_offset: int, physical_end: int) -> bool:
        """Get ready for an entry that does not follow the last one; False if it is there already."""
        if physical_end <= self.max_physical or queue_offset < self.max_offset:
            return False
        if self.max_offset == 0:
            # A queue whose older messages are gone begins in the middle of a file.
            self.min_offset = queue_offset
            entries_a_file = self._files.file_size // ENTRY_SIZE if self._files is not None else 1
            self.max_offset = queue_offset - queue_offset % entries_a_file
            self._tail_start = self._written = self.max_offset
        self._tail += BLANK_ENTRY * (queue_offset - self.max_offset)
        return True

    def read(self, queue_offset: int, count: int) -> bytes | bytearray:
        """The raw bytes of up to `count` entries from `queue_offset` on."""
        count = min(count, self.max_offset - queue_offset)
        if count <= 0 or queue_offset < 0:
            return b""
        behind = queue_offset - self._tail_start
        if behind >= 0:
            return self._tail[behind * ENTRY_SIZE : (behind + count) * ENTRY_SIZE]
        if self._files is None:
            return b""
        from_disk = min(count, self._tail_start - queue_offset)
        data = self._files.read(queue_offset * ENTRY_SIZE, from_disk * ENTRY_SIZE)
        return data + self._tail[: (count - from_disk) * ENTRY_SIZE] if count > from_disk else data

    def entries(self, queue_offset: int, count: int) -> Iterator[tuple[int, int, int]]:
        """Up to `count` entries as (commit log offset, size, tag hash)."""
        return ENTRY.iter_unpack(self.read(queue_offset, count))

    def entry(self, queue_offset: int) -> tuple[int, int, int] | None:
        """One entry, if the queue has it."""
        return next(self.entries(queue_offset, 1), None)

    def flush(self) -> set[Path]:
        """Write new entries to their files (no fsync); gives the files touched.

        A queue that got nothing since the last flush lets go of its memory.
        """
        idle = self._flush_seen == self.max_offset
        self._flush_seen = self.max_offset
        if self._files is None:
            return set()
        touched = set()
        if self._written < self.max_offset:
            unwritten = memoryview(self._tail)[(self._written - self._tail_start) * ENTRY_SIZE :]
            touched = self._files.write(self._written * ENTRY_SIZE, unwritten)
            unwritten.release()
            self._written = self.max_offset
        surplus = len(self._tail) // ENTRY_SIZE - (0 if idle else _KEPT)
        if surplus > 0:
            del self._tail[: surplus * ENTRY_SIZE]
            self._tail_start += surplus
        return touched

    @property
    def unflushed(self) -> int:
        """Entries that are in memory only."""
        return self.max_offset - self._written

    def recover(self) -> None:
        """Find the end of what the files hold."""
        if self._files is None or not self._files.bases:
            return
        entries_a_file = self._files.file_size // ENTRY_SIZE
        # ConsumeQueue.recover: older files than the last three are taken as whole.
        start = self._files.bases[max(len(self._files.bases) - 3, 0)] // ENTRY_SIZE
        self.min_offset = self._files.bases[0] // ENTRY_SIZE
        end, step = start, 256
        while True:
            valid = self._count_valid(end, min(step, entries_a_file))
            end += valid
            if valid < min(step, entries_a_file):
                break
            step *= 4
        self._files.clear_from(end * ENTRY_SIZE)
        self._begin_at(end)

    def _count_valid(self, start: int, count: int) -> int:
        assert self._files is not None
        valid = 0
        for physical, size, _ in ENTRY.iter_unpack(self._files.read(start * ENTRY_SIZE, count * ENTRY_SIZE)):
            if physical < 0 or size <= 0:
                break
            valid += 1
            self.max_physical = physical + size
        return valid

    def _begin_at(self, end: int) -> None:
        self.max_offset = self._tail_start = self._written = self._flush_seen = end
        self._tail.clear()

    def truncate(self, physical: int) -> None:
        """Drop the entries of messages at or behind this commit log offset."""
        end = self._first_at_or_after(physical, self.min_offset)
        if end == self.max_offset:
            return
        if self._files is not None:
            self.flush()
            self._files.clear_from(end * ENTRY_SIZE)
            self._begin_at(end)
        else:
            del self._tail[(end - self._tail_start) * ENTRY_SIZE :]
            self.max_offset = end
        last = self.entry(end - 1) if end > self.min_offset else None
        self.max_physical = last[0] + last[1] if last is not None else -1

    def correct_min_offset(self, min_physical: int) -> None:
        """Move the queue's beginning past entries whose messages are gone."""
        first = self.entry(self.min_offset)
        if first is not None and (first[0] < min_physical or first[1] == _BLANK_SIZE):
            self.min_offset = self._first_at_or_after(min_physical, self.min_offset)

    def delete_expired_files(self) -> int:
        """Delete the files that hold only entries before the beginning; gives how many."""
        if self._files is not None:
            return self._files.delete_before(self.min_offset * ENTRY_SIZE)
        surplus = self.min_offset - self._tail_start
        if surplus > 0:
            del self._tail[: surplus * ENTRY_SIZE]
            self._tail_start += surplus
        return 0

    def delete(self) -> None:
        """Remove the queue and its files."""
        if self._files is not None:
            self._files.delete_all()

    def _first_at_or_after(self, physical: int, low: int) -> int:
        """The first entry from `low` on whose message lies at or behind `physical`; the end if none does."""
        high = self.max_offset
        while low < high:
            middle = (low + high) // 2
            found = self.entry(middle)
            if found is None or found[0] < physical or found[1] == _BLANK_SIZE:
                low = middle + 1
            else:
                high = middle
        return low
