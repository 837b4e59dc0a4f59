"""All consume queues of a store."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rocketpy.store.consume_queue import ENTRY_SIZE, ConsumeQueue
from rocketpy.store.open_files import OpenFiles
from rocketpy.store.queue_files import QueueFiles

QueueKey = tuple[str, int]

# Two pages of entries: fewer are not worth a write of their own (flushConsumeQueueLeastPages).
_WORTH_WRITING: Final = 2 * 4096 // ENTRY_SIZE


class ConsumeQueues:
    """Consume queues by topic and queue id; they come into being when first asked for to write."""

    def __init__(self, folder: Path | None, entries_a_file: int, max_open_files: int) -> None:
        self._folder = folder
        self._file_size = entries_a_file * ENTRY_SIZE
        self._files = OpenFiles(max_open_files)
        self._queues: dict[QueueKey, ConsumeQueue] = {}

    def load(self, safe_physical: int | None) -> set[QueueKey]:
        """Find the queues on disk and their ends; gives those that lack entries.

        `safe_physical` after a crash: messages before it are known to have their entries on the disk.
        """
        behind: set[QueueKey] = set()
        if self._folder is None or not self._folder.exists():
            return behind
        for topic in sorted(path for path in self._folder.iterdir() if path.is_dir()):
            for folder in sorted(topic.iterdir()):
                if folder.is_dir() and folder.name.isdecimal():
                    queue = self.get_or_create(topic.name, int(folder.name))
                    if not queue.recover(safe_physical):
                        behind.add((queue.topic, queue.queue_id))
        return behind

    def __iter__(self) -> Iterator[ConsumeQueue]:
        return iter(list(self._queues.values()))

    def __len__(self) -> int:
        return len(self._queues)

    @property
    def open_files(self) -> int:
        """File descriptors in use."""
        return len(self._files)

    def get(self, topic: str, queue_id: int) -> ConsumeQueue | None:
        """The queue, if it has ever had a message."""
        return self._queues.get((topic, queue_id))

    def get_or_create(self, topic: str, queue_id: int) -> ConsumeQueue:
        """The queue, begun if need be."""
        queue = self._queues.get((topic, queue_id))
        if queue is None:
            files = None
            if self._folder is not None:
                files = QueueFiles(self._folder / topic / str(queue_id), self._file_size, self._files)
            queue = self._queues[topic, queue_id] = ConsumeQueue(topic, queue_id, files)
        return queue

    @property
    def max_physical(self) -> int:
        """End of the last message that any queue knows."""
        return max((queue.max_physical for queue in self._queues.values()), default=-1)

    def truncate(self, physical: int) -> None:
        """Drop the entries of messages at or behind a commit log offset."""
        for queue in self._queues.values():
            queue.truncate(physical)

    def correct_min_offsets(self, min_physical: int) -> None:
        """Move all beginnings past messages that are gone."""
        for queue in self._queues.values():
            queue.correct_min_offset(min_physical)

    def delete_expired_files(self) -> int:
        """Delete files behind the queues' beginnings; gives how many."""
        return sum(queue.delete_expired_files() for queue in self._queues.values())

    def flush(self, *, sync: bool) -> None:
        """Write what has gathered to the files; with `sync` write everything and force it to the disk."""
        for queue in self._queues.values():
            if sync or queue.unflushed >= _WORTH_WRITING:
                queue.flush()
        if sync:
            self._files.sync()

    def delete_topic(self, topic: str) -> int:
        """Remove a topic's queues and their files; gives how many there were."""
        gone = [key for key in self._queues if key[0] == topic]
        for key in gone:
            self._queues.pop(key).delete()
        if gone and self._folder is not None:
            shutil.rmtree(self._folder / topic, ignore_errors=True)
        return len(gone)

    def delete_all(self) -> None:
        """Remove every queue, to be rebuilt from the log."""
        for topic in {topic for topic, _ in self._queues}:
            self.delete_topic(topic)

    def close(self) -> None:
        """Let go of all files."""
        self._files.close()
        self._queues.clear()
