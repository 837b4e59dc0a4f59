"""The commit log: every message of the broker, one record behind the other."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Final

from rocketmq_protocol.message_record import BLANK_MAGIC
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.record_scan import Dispatch, ScanEnd, SegmentScan
from rocketpy.store.segment import Segment
from rocketpy.store.segment_log import SegmentLog

logger = logging.getLogger(__name__)

_BLANK: Final = Struct(">ii")
_LONG: Final = Struct(">q")
_SYS_FLAG_LOW_BYTE: Final = 39
_STORE_TIMESTAMP: Final = 56
_WIDER_V6_HOST: Final = 12


class CommitLog:
    """Appends records and lends them out again; `max_offset` is where the next one goes."""

    def __init__(self, folder: Path | None, file_size: int) -> None:
        self._log = SegmentLog(folder, file_size)
        self.max_offset = 0
        self.flushed = 0
        self._last: Segment | None = None

    def load(self) -> None:
        """Open the files; `recover` finds the end."""
        self._log.load()
        self._last = self._log.segments[-1] if self._log.segments else None

    @property
    def min_offset(self) -> int:
        """Where the oldest record begins."""
        return self._log.min_offset

    @property
    def segments(self) -> list[Segment]:
        """The files, oldest first."""
        return self._log.segments

    def reserve(self, size: int) -> int:
        """The offset a record of `size` bytes will get; rolls to a new file if it does not fit this one.

        CommitLog.doAppend: 8 bytes are always left for the filler that ends a file.
        """
        last = self._last
        if last is None:
            last = self._last = self._log.roll(self.max_offset - self.max_offset % self._log.segment_size)
        left = last.end - self.max_offset
        if size + _BLANK.size > left:
            if left >= _BLANK.size:
                _BLANK.pack_into(last.view, self.max_offset - last.base, left, BLANK_MAGIC)
            self.max_offset = last.end
            self._last = self._log.roll(last.end)
        return self.max_offset

    def append(self, records: bytes) -> None:
        """Write records at the offset that `reserve` gave: all of them, even if the process dies over it.

        Size and magic of the first one come last; without them nothing is there for a reader.
        """
        last = self._last
        assert last is not None
        view, start = last.view, self.max_offset - last.base
        middle, end = start + _BLANK.size, start + len(records)
        view[middle:end] = records[_BLANK.size :]
        view[start:middle] = records[: _BLANK.size]
        self.max_offset = last.base + end

    def read(self, offset: int, size: int) -> memoryview | None:
        """Lend `size` bytes from `offset` on; None where there are none (any more)."""
        if not self._log.min_offset <= offset <= self.max_offset - size:
            return None
        view = self.lend(offset, size)
        return view if len(view) == size else None

    def lend(self, offset: int, size: int) -> memoryview:
        """Lend bytes that are known to be in the log and in one file."""
        segments = self._log.segments
        index, position = divmod(offset - segments[0].base, self._log.segment_size)
        return segments[index].view[position : position + size]

    def record(self, offset: int) -> memoryview | None:
        """Lend the whole record that begins at `offset`."""
        size = self.read(offset, 4)
        return self.read(offset, int.from_bytes(size, "big")) if size is not None else None

    def next_file(self, offset: int) -> int:
        """Where the file after the one that holds `offset` begins."""
        return offset - offset % self._log.segment_size + self._log.segment_size

    def store_timestamp(self, offset: int) -> int:
        """When the record at `offset` was stored; -1 where there is none."""
        head = self.read(offset, _STORE_TIMESTAMP + _WIDER_V6_HOST + _LONG.size)
        if head is None:
            return -1
        wider = _WIDER_V6_HOST if head[_SYS_FLAG_LOW_BYTE] & MessageSysFlag.BORNHOST_V6_FLAG else 0
        timestamp: int = _LONG.unpack_from(head, _STORE_TIMESTAMP + wider)[0]
        return timestamp

    def scan(self, start: int, *, check_crc: bool) -> Iterator[Dispatch]:
        """Whole records from `start` on; sets `max_offset` behind the last one before a broken one."""
        position = start
        for segment in self._log.segments:
            if segment.end <= start:
                continue
            walk = SegmentScan(segment.view, segment.base, position - segment.base, check_crc=check_crc)
            yield from walk
            position = segment.base + walk.position
            if walk.end is ScanEnd.BROKEN or segment is self._log.segments[-1]:
                break
            position = segment.end
        self.max_offset = position

    def walk(self, start: int, end: int) -> Iterator[Dispatch]:
        """Records between two offsets; a broken one hides the rest of its file, but not later files."""
        for segment in self._log.segments:
            if segment.end <= start or segment.base >= end:
                continue
            walk = SegmentScan(segment.view, segment.base, max(start - segment.base, 0), check_crc=False)
            for record in walk:
                if record.physical >= end:
                    return
                yield record
            if walk.end is ScanEnd.BROKEN and segment is not self._log.segments[-1]:
                logger.error("%s: no record at %d; the rest is left out", segment.path, walk.position)

    def truncate(self, offset: int) -> None:
        """Forget everything from `offset` on."""
        self._log.truncate(offset)
        self._last = self._log.segments[-1] if self._log.segments else None
        self.max_offset = offset
        self.flushed = min(self.flushed, offset)

    def flush(self) -> int:
        """Force what was written to the disk; gives the offset up to which it is safe.

        May run in another thread than the appends: what comes meanwhile is simply not counted.
        """
        target = self.max_offset
        for segment in list(self._log.segments):
            if segment.end > self.flushed and segment.base < target:
                segment.sync()
        self.flushed = max(self.flushed, target)
        return target

    def delete_first(self) -> Segment:
        """Delete the oldest file."""
        return self._log.delete_first()

    def close(self) -> None:
        """Let go of all files."""
        self._last = None
        self._log.close()
