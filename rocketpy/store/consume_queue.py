"""The consume queue: where in the commit log each message of one topic queue lies.

An entry has 20 bytes: commit log offset, record size, tag hash (`layouts` draws it). New entries gather in
memory and go to the files in runs; what a crash keeps from them is dispatched from the commit log again.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import Final

from rocketmq_protocol.message_record import SMALLEST_RECORD
from rocketpy.store.queue_files import QueueFiles

ENTRY: Final = Struct(">qiq")
ENTRY_SIZE: Final = ENTRY.size
# ConsumeQueue.fillPreBlank: what stands before the first entry of a queue that does not begin at 0.
BLANK_SIZE: Final = 0x7FFFFFFF
BLANK_ENTRY: Final = ENTRY.pack(0, BLANK_SIZE, 0)
# Entries kept in memory behind the ones that are on disk, for readers at the tail.
_KEPT: Final = 2048
# Entries read at a time where many may have to be looked at.
_STRIDE: Final = 4096

_pack: Final = ENTRY.pack


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
        # End of the last message in the commit log.
        self.max_physical = -1
        self._tail = bytearray()
        self._tail_start = 0
        self._written = 0
        self._flush_seen = 0

    def append(self, queue_offset: int, physical: int, size: int, tags_code: int) -> None:
        """Take the entry of a message; one that is there already is left alone."""
        if (queue_offset != self.max_offset or physical < self.max_physical) and not self._make_room(
            queue_offset, physical
        ):
            return
        self._tail += _pack(physical, size, tags_code)
        self.max_offset = queue_offset + 1
        self.max_physical = physical + size

    def _make_room(self, queue_offset: int, physical: int) -> bool:
        """Get ready for an entry that does not follow the last one; False if it has no place."""
        if physical < self.max_physical:
            return False  # there already
        if queue_offset == 0:
            self._begin_anew(0)  # the topic was deleted and then made again
            return True
        missing = queue_offset - self.max_offset
        if missing < 0 or missing * SMALLEST_RECORD > physical - self.max_physical:
            return False  # no room in the log for so many messages: this offset is damaged
        if self.max_offset == 0:
            # A queue whose older messages are gone begins in the middle of a file.
            entries_a_file = self._files.file_size // ENTRY_SIZE if self._files is not None else 1
            missing = queue_offset % entries_a_file
            self._begin_anew(queue_offset - missing)
            self.min_offset = queue_offset
        self._tail += BLANK_ENTRY * missing
        return True

    def _begin_anew(self, queue_offset: int) -> None:
        if self._files is not None:
            self._files.delete_all()
        self.min_offset = queue_offset
        self._end_at(queue_offset)

    def _end_at(self, queue_offset: int) -> None:
        """Everything before this offset is in the files, and nothing comes after it."""
        self.max_offset = self._tail_start = self._written = self._flush_seen = queue_offset
        self._tail.clear()

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

    @property
    def unflushed(self) -> int:
        """Entries that are in memory only."""
        return self.max_offset - self._written

    def flush(self) -> None:
        """Write new entries to their files (no fsync).

        A queue that got nothing since the last flush lets go of its memory.
        """
        idle = self._flush_seen == self.max_offset
        self._flush_seen = self.max_offset
        if self._files is None:
            return
        if self._written < self.max_offset:
            with memoryview(self._tail) as tail, tail[self._in_tail(self._written) :] as unwritten:
                self._files.write(self._written * ENTRY_SIZE, unwritten)
            self._written = self.max_offset
        surplus = len(self._tail) // ENTRY_SIZE - (0 if idle else _KEPT)
        if surplus > 0:
            del self._tail[: surplus * ENTRY_SIZE]
            self._tail_start += surplus

    def _in_tail(self, queue_offset: int) -> int:
        return (queue_offset - self._tail_start) * ENTRY_SIZE

    def recover(self, safe_physical: int | None) -> bool:
        """Find the files and the end of what they hold; False if entries are missing.

        `safe_physical` after a crash: messages before it are known to have their entries on the disk.
        """
        files = self._files
        if files is None:
            return True
        is_whole = files.load()
        if not files.bases:
            return is_whole
        self.min_offset = files.bases[0] // ENTRY_SIZE
        end, rest = self._find_end(files, self._first_doubtful(files, safe_physical) // ENTRY_SIZE)
        if rest != bytes(len(rest)) or files.bases[-1] > end * ENTRY_SIZE:
            is_whole = False  # a hole, and entries behind it
        if not is_whole or safe_physical is not None:
            files.clear_from(end * ENTRY_SIZE)
        self._end_at(end)
        self._note_last_message()
        return is_whole

    @staticmethod
    def _first_doubtful(files: QueueFiles, safe_physical: int | None) -> int:
        """Where to begin to look for the end."""
        if safe_physical is None:
            # ConsumeQueue.recover: older files than the last three are taken as whole.
            return files.bases[max(len(files.bases) - 3, 0)]
        for base in reversed(files.bases):
            physical, size, _ = ENTRY.unpack(files.read(base, ENTRY_SIZE))
            if size > 0 and physical < safe_physical:
                return base
        return files.bases[0]

    @staticmethod
    def _find_end(files: QueueFiles, start: int) -> tuple[int, bytes]:
        """The end of the row of good entries from `start` on, and what was read behind it."""
        end, stride = start, 64
        while data := files.read(end * ENTRY_SIZE, stride * ENTRY_SIZE):
            for number, (physical, size, _) in enumerate(ENTRY.iter_unpack(data)):
                if physical < 0 or size <= 0:
                    return end + number, data[number * ENTRY_SIZE :]
            end += len(data) // ENTRY_SIZE
            stride = min(stride * 4, _STRIDE)
        return end, b""

    def truncate(self, physical: int) -> None:
        """Drop the entries of messages at or behind this commit log offset."""
        if self.max_physical <= physical:
            return
        end = self._first_at_or_after(physical, self.min_offset)
        if self._files is not None:
            self.flush()
            self._files.clear_from(end * ENTRY_SIZE)
            self._end_at(end)
        else:
            del self._tail[self._in_tail(end) :]
            self.max_offset = end
        self._note_last_message()

    def _note_last_message(self) -> None:
        self.max_physical = -1
        end, stride = self.max_offset, 1
        while end > self.min_offset and self.max_physical < 0:
            start = max(end - stride, self.min_offset)
            for physical, size, _ in self.entries(start, end - start):
                if size != BLANK_SIZE:
                    self.max_physical = physical + size
            end, stride = start, _STRIDE

    def correct_min_offset(self, min_physical: int) -> None:
        """Move the queue's beginning past entries whose messages are gone."""
        first = self.entry(self.min_offset)
        if first is not None and (first[0] < min_physical or first[1] == BLANK_SIZE):
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
        """The first message from `low` on that lies at or behind `physical`; the end if none does."""
        high = self.max_offset
        while low < high:
            middle = (low + high) // 2
            found = self._message_from(middle, high)
            if found is not None and found[1] < physical:
                low = found[0] + 1
            else:
                high = middle
        found = self._message_from(low, self.max_offset)
        return found[0] if found is not None else self.max_offset

    def _message_from(self, start: int, end: int) -> tuple[int, int] | None:
        """Queue offset and commit log offset of the first entry that is no blank one."""
        stride = 1
        while start < end:
            for physical, size, _ in self.entries(start, min(stride, end - start)):
                if size != BLANK_SIZE:
                    return start, physical
                start += 1
            stride = _STRIDE
        return None
