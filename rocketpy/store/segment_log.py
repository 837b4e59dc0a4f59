"""Segments named by their start offset, one behind the other."""

from __future__ import annotations

from pathlib import Path

from rocketpy.store.errors import StoreCorrupt
from rocketpy.store.segment import Segment


class SegmentLog:
    """A log of fixed-size segments: roll, find, truncate, delete."""

    def __init__(self, folder: Path | None, segment_size: int) -> None:
        self.folder = folder
        self.segment_size = segment_size
        self.segments: list[Segment] = []

    def load(self) -> None:
        """Open the segments that are there; they must be whole and without gaps."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        files = sorted(path for path in self.folder.iterdir() if path.name.isdecimal())
        if files and files[-1].stat().st_size == 0:
            files.pop().unlink()  # MappedFileQueue.checkSelf: created, but the process died before using it
        for path in files:
            self.segments.append(self._open(path))

    def _open(self, path: Path) -> Segment:
        size, base = path.stat().st_size, int(path.name)
        if size != self.segment_size:
            raise StoreCorrupt(
                f"{path}: {size} bytes, but the store is set to files of {self.segment_size}; set "
                "mappedFileSizeCommitLog to what wrote it; or, if the file was cut short, grow it again "
                f"(truncate -s {self.segment_size} FILE), and what is whole in it will be found"
            )
        if self.segments and base != self.segments[-1].end:
            raise StoreCorrupt(f"{path}: the file before it ends at {self.segments[-1].end}; one is missing")
        return Segment(base, size, path)

    @property
    def min_offset(self) -> int:
        """Where the oldest segment begins."""
        return self.segments[0].base if self.segments else 0

    def roll(self, base: int) -> Segment:
        """Begin the segment that starts at `base`."""
        path = self.folder / f"{base:020d}" if self.folder is not None else None
        segment = Segment(base, self.segment_size, path)
        self.segments.append(segment)
        return segment

    def find(self, offset: int) -> Segment | None:
        """The segment that holds `offset`."""
        if not self.segments:
            return None
        index = (offset - self.segments[0].base) // self.segment_size
        return self.segments[index] if 0 <= index < len(self.segments) else None

    def truncate(self, offset: int) -> None:
        """Forget everything from `offset` on: whole segments are deleted, the rest of one is zeroed."""
        while self.segments and self.segments[-1].base > offset:
            self.segments.pop().delete()
        if self.segments and self.segments[-1].base <= offset < self.segments[-1].end:
            self.segments[-1].discard_from(offset - self.segments[-1].base)

    def delete_first(self) -> Segment:
        """Delete the oldest segment."""
        segment = self.segments.pop(0)
        segment.delete()
        return segment

    def close(self) -> None:
        """Let go of all files."""
        for segment in self.segments:
            segment.close()
        self.segments.clear()
