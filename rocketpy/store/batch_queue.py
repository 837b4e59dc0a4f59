"""The batch consume queue: where the batches of one topic queue lie (topics with `queue.type=BatchCQ`).

A batch is one record that holds many messages, and takes as many offsets of its queue. An entry has 46 bytes
(`layouts` draws it). Batches are few, so all entries stay in memory and are appended to their files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Final, NamedTuple

from rocketpy.store.open_files import OpenFiles
from rocketpy.store.queue_files import QueueFiles

# commit log offset, size, tag hash, store time, first offset, number of messages, compacted offset, unused
_ENTRY: Final = Struct(">qiqqqhii")
ENTRY_SIZE: Final = _ENTRY.size
_NOT_COMPACTED: Final = -1


class Batch(NamedTuple):
    """One record and the offsets it takes."""

    physical: int
    size: int
    tags_code: int
    store_timestamp: int
    first_offset: int
    messages: int

    @property
    def end_offset(self) -> int:
        """The offset after its last message."""
        return self.first_offset + self.messages


def batches_of(data: bytes) -> Iterator[Batch]:
    """The batches of a file, up to the first entry that is none."""
    for entry in _ENTRY.iter_unpack(data[: len(data) // ENTRY_SIZE * ENTRY_SIZE]):
        batch = Batch(*entry[:6])
        if batch.size <= 0 or batch.messages <= 0:
            return
        yield batch


class BatchQueue:
    """Batches of one queue, in order of their offsets. Without `files` they are in memory only."""

    def __init__(self, topic: str, queue_id: int, files: QueueFiles | None) -> None:
        self.topic = topic
        self.queue_id = queue_id
        self._files = files
        self._batches: list[Batch] = []
        self._first_row = 0  # rows before it are gone
        self._written = 0  # rows that are in the files

    @property
    def min_offset(self) -> int:
        """Offset of the oldest message kept."""
        return self._batches[0].first_offset if self._batches else 0

    @property
    def max_offset(self) -> int:
        """The offset that the next message gets."""
        return self._batches[-1].end_offset if self._batches else 0

    @property
    def max_physical(self) -> int:
        """End of the last batch in the commit log."""
        return self._batches[-1].physical + self._batches[-1].size if self._batches else -1

    def append(self, batch: Batch) -> None:
        """Take a batch; one that is there already is left alone."""
        if batch.physical >= self.max_physical and batch.first_offset >= self.max_offset:
            self._batches.append(batch)

    def batches(self, offset: int) -> Iterator[Batch]:
        """The batches from the one on that holds `offset`."""
        low, high = 0, len(self._batches)
        while low < high:
            middle = (low + high) // 2
            if self._batches[middle].end_offset <= offset:
                low = middle + 1
            else:
                high = middle
        for row in range(low, len(self._batches)):
            yield self._batches[row]

    def flush(self) -> None:
        """Write new entries to their files (no fsync)."""
        unwritten = self._batches[self._written - self._first_row :]
        if self._files is not None and unwritten:
            data = b"".join(_ENTRY.pack(*batch, _NOT_COMPACTED, 0) for batch in unwritten)
            self._files.write(self._written * ENTRY_SIZE, memoryview(data))
        self._written += len(unwritten)

    def recover(self) -> None:
        """Read the files up to the first entry that is none."""
        assert self._files is not None
        self._files.load()
        if not self._files.bases:
            return
        self._first_row = self._files.bases[0] // ENTRY_SIZE
        data = self._files.read(self._files.bases[0], self._files.end - self._files.bases[0])
        for batch in batches_of(data):
            if batch.physical < self.max_physical:
                break
            self._batches.append(batch)
        self._written = self._first_row + len(self._batches)
        self._files.clear_from(self._written * ENTRY_SIZE)

    def truncate(self, physical: int) -> None:
        """Drop the batches at or behind this commit log offset."""
        while self._batches and self._batches[-1].physical >= physical:
            self._batches.pop()
        end = self._first_row + len(self._batches)
        if self._written > end:
            self._written = end
            if self._files is not None:
                self._files.clear_from(end * ENTRY_SIZE)

    def correct_min_offset(self, min_physical: int) -> None:
        """Forget the batches whose records are gone."""
        gone = 0
        while gone < len(self._batches) and self._batches[gone].physical < min_physical:
            gone += 1
        if gone:
            self.flush()
            del self._batches[:gone]
            self._first_row += gone

    def delete_expired_files(self) -> int:
        """Delete the files that hold only batches that are gone; gives how many."""
        return self._files.delete_before(self._first_row * ENTRY_SIZE) if self._files is not None else 0

    def delete(self) -> None:
        """Remove the queue and its files."""
        if self._files is not None:
            self._files.delete_all()


class BatchQueues:
    """Batch consume queues by topic and queue id."""

    def __init__(self, folder: Path | None, entries_a_file: int, max_open_files: int) -> None:
        self._folder = folder
        self._file_size = entries_a_file * ENTRY_SIZE
        self._files = OpenFiles(max_open_files)
        self._queues: dict[tuple[str, int], BatchQueue] = {}

    def load(self) -> None:
        """Find the queues on disk."""
        if self._folder is not None and self._folder.exists():
            for folder in sorted(self._folder.glob("*/*")):
                if folder.is_dir() and folder.name.isdecimal():
                    self.get_or_create(folder.parent.name, int(folder.name)).recover()

    def __iter__(self) -> Iterator[BatchQueue]:
        return iter(list(self._queues.values()))

    def get(self, topic: str, queue_id: int) -> BatchQueue | None:
        """The queue, if it has ever had a batch."""
        return self._queues.get((topic, queue_id))

    def get_or_create(self, topic: str, queue_id: int) -> BatchQueue:
        """The queue, begun if need be."""
        queue = self._queues.get((topic, queue_id))
        if queue is None:
            files = None
            if self._folder is not None:
                files = QueueFiles(self._folder / topic / str(queue_id), self._file_size, self._files)
            queue = self._queues[topic, queue_id] = BatchQueue(topic, queue_id, files)
        return queue

    @property
    def max_physical(self) -> int:
        """End of the last batch that any queue knows."""
        return max((queue.max_physical for queue in self._queues.values()), default=-1)

    def flush(self, *, sync: bool) -> None:
        """Write new entries to the files, and with `sync` force them to the disk."""
        for queue in self._queues.values():
            queue.flush()
        if sync:
            self._files.sync()

    def delete_topic(self, topic: str) -> int:
        """Remove a topic's queues; gives how many there were."""
        gone = [key for key in self._queues if key[0] == topic]
        for key in gone:
            self._queues.pop(key).delete()
        return len(gone)

    def close(self) -> None:
        """Let go of all files."""
        self._files.close()
        self._queues.clear()
