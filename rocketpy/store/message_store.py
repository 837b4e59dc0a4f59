"""MessageStore: the only door to the files of a broker."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import accumulate
from types import TracebackType
from typing import Final, Self

from rocketmq_protocol.hashing import index_key, tag_index_key
from rocketmq_protocol.headers import BoundaryType
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store import fetch as fetching
from rocketpy.store.append import (
    NOT_FOR_CONSUMERS,
    TRANSACTION_BITS,
    Appended,
    AppendRefused,
    Frame,
    NewMessage,
    PutStatus,
    frame,
    inner_batch_properties,
)
from rocketpy.store.batch_queue import BatchQueues
from rocketpy.store.checkpoint import Checkpoint
from rocketpy.store.commit_log import CommitLog
from rocketpy.store.config import StoreConfig
from rocketpy.store.consume_queue import ConsumeQueue
from rocketpy.store.dispatch import Dispatcher
from rocketpy.store.errors import StoreError
from rocketpy.store.fetch import Fetched, FetchStatus, RecordFilter, TagFilter
from rocketpy.store.key_index import KeyIndex
from rocketpy.store.paths import StorePaths
from rocketpy.store.queues import ConsumeQueues
from rocketpy.store.recovery import Recovered, Recovery

# Messages whose way through the store is not the common one.
_SPECIAL: Final = TRANSACTION_BITS | MessageSysFlag.INNER_BATCH_FLAG


def _now_millis() -> int:
    return time.time_ns() // 1_000_000


class MessageStore:
    """Append, fetch, look up, query; opened with `open` (or `with`), closed with `close`."""

    def __init__(
        self,
        config: StoreConfig,
        *,
        clock: Callable[[], int] = _now_millis,
        on_arrival: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.config = config
        self.paths = StorePaths(config.path)
        self.log = CommitLog(self.paths.commit_log, config.commit_log_file_size)
        self.queues = ConsumeQueues(
            self.paths.consume_queue, config.consume_queue_file_entries, config.max_open_files
        )
        self.batch_queues = BatchQueues(
            self.paths.batch_consume_queue, config.consume_queue_file_entries, config.max_open_files
        )
        self.index = (
            KeyIndex(self.paths.index, config.index_slots, config.index_entries)
            if config.message_index_enable
            else None
        )
        self.checkpoint = Checkpoint()
        self.writable = True
        self.recovered: Recovered | None = None
        self._clock = clock
        self._on_arrival = on_arrival
        self._dispatcher = Dispatcher(self.queues, self.batch_queues, self.index, config.delay_levels)
        self._last_store_timestamp = 0

    def open(self) -> Recovered:
        """Take the store's lock and bring its files into agreement."""
        self.paths.lock()
        try:
            clean = not self.paths.was_aborted
            self.checkpoint = Checkpoint.load(self.paths.checkpoint)
            self.log.load()
            # From here on files are changed: who dies over it must not look as if stopped in order.
            self.paths.mark_running()
            self.recovered = Recovery(
                self.config,
                self.log,
                self.queues,
                self.batch_queues,
                self.index,
                self._dispatcher,
                self.checkpoint,
                clean,
            ).run()
            self._last_store_timestamp = self.recovered.last_timestamp
            if self.recovered.rebuilt or not clean:
                self.flush(thorough=True)
        except BaseException:
            self._close_files()
            self.paths.unlock()
            raise
        return self.recovered

    def close(self) -> None:
        """Flush everything, write the checkpoint, and take the abort file away."""
        self.flush(thorough=True)
        self._close_files()
        self.paths.mark_stopped()
        self.paths.unlock()

    def _close_files(self) -> None:
        self.log.close()
        self.queues.close()
        self.batch_queues.close()
        if self.index is not None:
            self.index.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def append(self, message: NewMessage) -> Appended:
        """Store one message; AppendRefused says why not."""
        framed = self._frame(message)
        self._reserve(framed.size)
        queue = self._queue(message)
        now, physical = self._clock(), self.log.max_offset
        queue_offset = queue.max_offset if queue is not None else 0
        self.log.append(framed.record(physical, queue_offset, now))
        return self._derive(framed, queue, physical, queue_offset, now)

    def append_batch(self, messages: Iterable[NewMessage]) -> list[Appended]:
        """Store messages of one queue together: in one file, with consecutive offsets, all or none."""
        frames = [self._frame(message) for message in messages]
        if len({(framed.message.topic, framed.message.queue_id) for framed in frames}) != 1:
            raise AppendRefused(PutStatus.MESSAGE_ILLEGAL, "a batch holds messages of one queue")
        self._reserve(sum(framed.size for framed in frames))
        queue = self._queue(frames[0].message)
        now, physical, first = self._clock(), self.log.max_offset, queue.max_offset if queue else 0
        places = list(accumulate((framed.size for framed in frames), initial=physical))
        offsets = range(first, first + len(frames))
        self.log.append(
            b"".join(
                framed.record(place, offset, now)
                for framed, place, offset in zip(frames, places, offsets, strict=False)
            )
        )
        return [
            self._derive(framed, queue, place, offset, now)
            for framed, place, offset in zip(frames, places, offsets, strict=False)
        ]

    def append_inner_batch(self, message: NewMessage, count: int) -> Appended:
        """Store a batch of `count` messages as one record, as topics of queue.type=BatchCQ keep them."""
        queue = self.batch_queues.get(message.topic, message.queue_id)
        offset = queue.max_offset if queue is not None else 0
        marked = replace(
            message,
            sys_flag=message.sys_flag | MessageSysFlag.INNER_BATCH_FLAG | MessageSysFlag.NEED_UNWRAP_FLAG,
            properties=message.properties + inner_batch_properties(count, offset),
        )
        framed = self._frame(marked)
        self._reserve(framed.size)
        now, physical = self._clock(), self.log.max_offset
        self.log.append(framed.record(physical, offset, now))
        topic, queue_id = message.topic, message.queue_id
        self._dispatcher.derive_batch(topic, queue_id, physical, framed.size, now, marked.properties)
        if self._on_arrival is not None:
            self._on_arrival(topic, queue_id, offset)
        return self._derive(framed, None, physical, offset, now)

    def _frame(self, message: NewMessage) -> Frame:
        return frame(message, self.config.max_message_size, append_crc=self.config.append_prop_crc)

    def _reserve(self, size: int) -> None:
        """Make sure that `size` bytes fit the log's last file."""
        if not self.writable:
            raise AppendRefused(
                PutStatus.SERVICE_NOT_AVAILABLE, "the disk is full: the store takes no writes now"
            )
        if size + 8 > self.config.commit_log_file_size:
            raise AppendRefused(
                PutStatus.MESSAGE_ILLEGAL,
                f"{size} bytes do not fit a commit log file of {self.config.commit_log_file_size}",
            )
        self.log.reserve(size)

    def _queue(self, message: NewMessage) -> ConsumeQueue | None:
        """The queue of a message; the half of a transaction and its rollback have none."""
        if message.sys_flag & _SPECIAL:
            if message.sys_flag & MessageSysFlag.INNER_BATCH_FLAG:
                raise AppendRefused(PutStatus.MESSAGE_ILLEGAL, "a batch in one record is no single message")
            if message.sys_flag & TRANSACTION_BITS in NOT_FOR_CONSUMERS:
                return None
        return self.queues.get_or_create(message.topic, message.queue_id)

    def _derive(
        self, framed: Frame, queue: ConsumeQueue | None, physical: int, queue_offset: int, now: int
    ) -> Appended:
        """Bring queue and index after the log, and tell of the message."""
        message = framed.message
        topic, properties = message.topic, message.properties
        self._dispatcher.derive(
            queue, topic, queue_offset, physical, framed.size, message.sys_flag, now, properties
        )
        self._last_store_timestamp = now
        if self._on_arrival is not None and queue is not None:
            self._on_arrival(topic, message.queue_id, queue_offset)
        return Appended(physical, framed.size, queue_offset, now)

    # Reading

    def fetch(
        self,
        topic: str,
        queue_id: int,
        offset: int,
        max_count: int = 32,
        max_bytes: int = fetching.MAX_PULL_BYTES,
        wants_tag: TagFilter | None = None,
        wants_record: RecordFilter | None = None,
    ) -> Fetched:
        """Records of one queue from `offset` on, lent as views of the log."""
        queue = self.queues.get(topic, queue_id)
        if queue is None:
            batches = self.batch_queues.get(topic, queue_id)
            if batches is not None:
                return fetching.fetch_batches(self.log, batches, offset, max_count, self.config, wants_tag)
            return Fetched(FetchStatus.NO_MATCHED_LOGIC_QUEUE, 0, 0, 0)
        return fetching.fetch(
            self.log, queue, offset, max_count, max_bytes, self.config, wants_tag, wants_record
        )

    def lookup(self, physical: int) -> memoryview | None:
        """The record at a commit log offset."""
        return self.log.record(physical)

    def query(
        self,
        topic: str,
        key: str,
        max_count: int,
        begin: int,
        end: int,
        *,
        by_tag: bool = False,
    ) -> Iterator[memoryview]:
        """Records of a topic with a key (or unique key, or tag), stored in a span of time, newest first."""
        if self.index is None:
            return
        wanted = tag_index_key(topic, key) if by_tag else index_key(topic, key)
        left = min(max_count, self.config.query_max_num)
        for physical in self.index.find(wanted, begin, end):
            record = self.log.record(physical)
            if record is not None and _carries(record, topic, key, begin, end, by_tag=by_tag):
                yield record
                left -= 1
                if left <= 0:
                    return

    # Offsets

    def min_offset(self, topic: str, queue_id: int) -> int:
        """Where a queue begins; 0 for one that is not there."""
        queue = self.queues.get(topic, queue_id) or self.batch_queues.get(topic, queue_id)
        return queue.min_offset if queue is not None else 0

    def max_offset(self, topic: str, queue_id: int) -> int:
        """Where a queue ends; 0 for one that is not there."""
        queue = self.queues.get(topic, queue_id) or self.batch_queues.get(topic, queue_id)
        return queue.max_offset if queue is not None else 0

    def offset_by_time(
        self, topic: str, queue_id: int, timestamp: int, boundary: BoundaryType = BoundaryType.LOWER
    ) -> int:
        """LOWER: the first message stored at or after a time. UPPER: the last stored at or before it."""
        queue = self.queues.get(topic, queue_id)
        if queue is None:
            return 0
        if boundary is BoundaryType.LOWER:
            return self._first_stored_after(queue, timestamp - 1)
        return max(self._first_stored_after(queue, timestamp) - 1, queue.min_offset)

    def _first_stored_after(self, queue: ConsumeQueue, timestamp: int) -> int:
        low, high = queue.min_offset, queue.max_offset
        while low < high:
            middle = (low + high) // 2
            if self.store_timestamp(queue, middle) <= timestamp:
                low = middle + 1
            else:
                high = middle
        return low

    def store_timestamp(self, queue: ConsumeQueue, offset: int) -> int:
        """When the message at a queue offset was stored; -1 where there is none."""
        entry = queue.entry(offset)
        return self.log.store_timestamp(entry[0]) if entry is not None else -1

    # Keeping

    def flush(self, *, thorough: bool = False) -> int:
        """Force the log to the disk, and with `thorough` queues, index and checkpoint too.

        Gives the commit log offset up to which messages are safe.
        """
        stored, physical = self._last_store_timestamp, self.log.max_offset
        flushed = self.log.flush()
        self.queues.flush(sync=thorough)
        self.batch_queues.flush(sync=thorough)
        if thorough:
            if self.index is not None:
                self.index.flush()
                self.checkpoint.index_timestamp = self.index.last_update[0]
            self.checkpoint.commit_log_timestamp = max(stored, self.checkpoint.commit_log_timestamp)
            self.checkpoint.consume_queue_timestamp = max(stored, self.checkpoint.consume_queue_timestamp)
            self.checkpoint.consume_queue_physical = physical
            self.checkpoint.confirm_offset = physical
            self.checkpoint.save(self.paths.checkpoint)
        return flushed

    def delete_topics(self, topics: Iterable[str]) -> int:
        """Remove topics' queues; their messages go with the log's files. Gives the number of queues."""
        return sum(
            self.queues.delete_topic(topic) + self.batch_queues.delete_topic(topic) for topic in topics
        )


def _carries(record: memoryview, topic: str, key: str, begin: int, end: int, *, by_tag: bool) -> bool:
    """Whether the record really is of that topic, key and time: other keys share its hash."""
    message = decode_record(record, read_body=False, errors="replace")
    if message.topic != topic or not begin <= message.store_timestamp <= end:
        return False
    if by_tag:
        return message.tags == key
    return key == message.unique_id or key in message.keys


__all__ = ["Appended", "MessageStore", "NewMessage", "StoreError"]
