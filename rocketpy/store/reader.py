"""Reading a store directory without touching it: no lock, no recovery, no write; a broker may be running."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_record import decode_record
from rocketpy.store.batch_queue import Batch, batches_of
from rocketpy.store.consume_queue import BLANK_ENTRY, ENTRY, ENTRY_SIZE
from rocketpy.store.errors import StoreError
from rocketpy.store.record_scan import Dispatch, ScanEnd, SegmentScan


class StoreReader:
    """The files of a store, ours or Java's, whatever their size settings."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if not (root / "commitlog").is_dir():
            raise StoreError(f"{root}: not a store: it has no `commitlog` folder")
        self.log_files = _numbered(root / "commitlog")
        self.index_files = _numbered(root / "index")
        # How each file of the log ended, once `records` has walked over it.
        self.ends: dict[Path, tuple[int, ScanEnd]] = {}

    @property
    def log_bytes(self) -> int:
        """Size of all commit log files."""
        return sum(path.stat().st_size for path in self.log_files)

    def records(self, *, check_crc: bool = True) -> Iterator[tuple[Dispatch, memoryview]]:
        """Every whole record of the log, file by file, with its bytes."""
        for path in self.log_files:
            with path.open("rb") as file:
                view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            base = int(path.name)
            walk = SegmentScan(view, base, check_crc=check_crc)
            for found in walk:
                yield found, view[found.physical - base : found.physical - base + found.size]
            self.ends[path] = base + walk.position, walk.end

    def messages(
        self, topic: str | None = None, queue_id: int | None = None, start: int = 0
    ) -> Iterator[MessageExt]:
        """Messages in the order of the log; of one topic, of one queue, from a queue offset on."""
        for found, record in self.records():
            if topic is not None and found.topic != topic:
                continue
            if queue_id is not None and found.queue_id != queue_id:
                continue
            if found.queue_offset >= start:
                yield decode_record(record, errors="replace")

    def queues(self) -> Iterator[tuple[str, int, list[Path]]]:
        """Topic, queue id and files of each consume queue."""
        folder = self.root / "consumequeue"
        for topic in sorted(folder.iterdir()) if folder.is_dir() else ():
            for queue in sorted(topic.iterdir()):
                if queue.is_dir() and queue.name.isdecimal():
                    yield topic.name, int(queue.name), _numbered(queue)

    def batches(self) -> Iterator[tuple[str, int, Batch]]:
        """Topic, queue id and each batch of the batch consume queues."""
        for folder in sorted((self.root / "batchconsumequeue").glob("*/*")):
            for path in _numbered(folder):
                for batch in batches_of(path.read_bytes()):
                    yield folder.parent.name, int(folder.name), batch

    @staticmethod
    def queue_entries(files: list[Path]) -> Iterator[tuple[int, int, int, int]]:
        """Queue offset, commit log offset, size and tag hash of each entry in use."""
        for path in files:
            data = path.read_bytes()
            number = int(path.name) // ENTRY_SIZE
            for physical, size, tags_code in ENTRY.iter_unpack(data[: len(data) // ENTRY_SIZE * ENTRY_SIZE]):
                if size <= 0:
                    return
                if size != _BLANK_SIZE:
                    yield number, physical, size, tags_code
                number += 1


_BLANK_SIZE = ENTRY.unpack(BLANK_ENTRY)[1]


def _numbered(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name.isdecimal() and path.stat().st_size)
