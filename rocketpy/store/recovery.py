"""Opening a store that was stopped in order, or one whose process died.

Only the log is true. Its tail is walked and verified, from the newest file on that is known to be safe, and
everything behind the last whole record is cut off (CommitLog.recoverNormally and recoverAbnormally). Queues
and index follow from the log: what they lack is dispatched again, and what the log does not have goes.

Java leaves it at the tail. Here a queue that lacks older entries is noticed when the tail has a message that
does not follow its last entry; then the log is walked from there on.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import islice
from typing import Final

from rocketpy.store.batch_queue import BatchQueues
from rocketpy.store.checkpoint import Checkpoint
from rocketpy.store.commit_log import CommitLog
from rocketpy.store.config import StoreConfig
from rocketpy.store.dispatch import Dispatcher, has_keys
from rocketpy.store.key_index import KeyIndex
from rocketpy.store.queues import ConsumeQueues, QueueKey
from rocketpy.store.record_scan import Dispatch, SegmentScan
from rocketpy.store.segment import Segment

logger = logging.getLogger(__name__)

# If so many messages have no key at all, the next ones may have none either: the index is not behind.
_LOOK_FOR_KEYS: Final = 1000


@dataclass(frozen=True)
class Recovered:
    """What an opening found."""

    clean: bool
    scanned_from: int
    records: int
    end: int
    cut_off: bool  # something that is no whole record lay behind the end
    rebuilt: bool  # queues or index lacked something from before the tail
    last_timestamp: int


@dataclass(frozen=True)
class Recovery:
    """Brings the parts of a store into agreement after their log was loaded."""

    config: StoreConfig
    log: CommitLog
    queues: ConsumeQueues
    batch_queues: BatchQueues
    index: KeyIndex | None
    dispatcher: Dispatcher
    checkpoint: Checkpoint
    clean: bool

    def run(self) -> Recovered:
        """Find the log's end and bring queues and index there."""
        log, queues, index = self.log, self.queues, self.index
        self.batch_queues.load()
        behind = queues.load(None if self.clean else self.checkpoint.consume_queue_physical)
        start = self._tail_start()
        if index is not None:
            index.load(None if self.clean else start, self.checkpoint.index_timestamp)
        if not log.segments:
            self._drop_derived()
            return Recovered(self.clean, 0, 0, 0, False, False, 0)
        if not self.clean:
            self._truncate_derived(start)
        rebuilt = self._rebuild(start)
        records, last_timestamp = self._scan_tail(start, behind)
        self._catch_up(behind)
        end = log.max_offset
        cut_off = self._has_something_behind(end)
        self._truncate_derived(end)
        log.truncate(end)
        log.flushed = end if self.clean else start
        queues.correct_min_offsets(log.min_offset)
        for batch_queue in self.batch_queues:
            batch_queue.correct_min_offset(log.min_offset)
        rebuilt = rebuilt or bool(behind)
        found = Recovered(self.clean, start, records, end, cut_off, rebuilt, last_timestamp)
        logger.info("store opened: %s", found)
        return found

    def _drop_derived(self) -> None:
        self.queues.delete_all()
        if self.index is not None:
            self.index.delete_all()

    def _truncate_derived(self, physical: int) -> None:
        self.queues.truncate(physical)
        for batch_queue in self.batch_queues:
            batch_queue.truncate(physical)
        if self.index is not None:
            self.index.truncate(physical)

    def _tail_start(self) -> int:
        """The newest file before which all is well."""
        tries = self.config.commit_log_recover_max_num
        for segment in reversed(self.log.segments[1:]):
            tries -= 1
            first = self._first_record(segment)
            if first is not None and (tries <= 0 or self._is_safe(first)):
                return segment.base
        return self.log.min_offset

    def _first_record(self, segment: Segment) -> Dispatch | None:
        walk = SegmentScan(segment.view, segment.base, check_crc=self.config.check_crc_on_recover)
        return next(iter(walk), None)

    def _is_safe(self, first: Dispatch) -> bool:
        """ConsumeQueueStore.isMappedFileMatchedRecover."""
        if self.clean:
            return first.physical <= self.queues.max_physical
        if self.checkpoint.consume_queue_physical <= 0:  # written by a version that did not keep it
            return first.store_timestamp <= self.checkpoint.consume_queue_timestamp
        return first.physical <= self.checkpoint.consume_queue_physical

    def _rebuild(self, tail: int) -> bool:
        """Derive again what is missing from before the tail: all queues, or (a part of) the index."""
        queues_from = tail if len(self.queues) else self.log.min_offset
        index_from = min(self._index_lacks_from(), tail)
        start = min(queues_from, index_from)
        if start < tail:
            logger.warning("deriving queues from %d and index from %d on", queues_from, index_from)
        for record in self.log.walk(start, tail):
            physical = record.physical
            self.dispatcher.dispatch(
                record, to_queue=physical >= queues_from, to_index=physical >= index_from
            )
        return start < tail

    def _index_lacks_from(self) -> int:
        """Where the index ends before its time; files behind a missing one go, to be built anew."""
        if self.index is None:
            return self.log.segments[-1].end
        indexed = -1
        for file in list(self.index.files):
            lacking = self._next_with_keys(indexed)
            if lacking is not None and lacking < file.begin_physical:
                self.index.drop_from(file)
                break
            indexed = max(indexed, file.end_physical)
        if self.index.files and self._next_with_keys(indexed) is None:
            return self.log.segments[-1].end
        return max(indexed, self.log.min_offset)

    def _next_with_keys(self, indexed: int) -> int | None:
        """The first message behind `indexed` that belongs into the index."""
        later = self.log.walk(max(indexed, self.log.min_offset), self.log.segments[-1].end)
        for record in islice(later, _LOOK_FOR_KEYS):
            if record.physical > indexed and has_keys(record):
                return record.physical
        return None

    def _scan_tail(self, start: int, behind: set[QueueKey]) -> tuple[int, int]:
        """Verify and dispatch the tail, noting queues that lack more; gives records and last store time."""
        count, last_timestamp = 0, 0
        dispatch = self.dispatcher.dispatch
        for record in self.log.scan(start, check_crc=self.config.check_crc_on_recover):
            dispatch(record, behind=behind)
            count += 1
            last_timestamp = record.store_timestamp
        return count, last_timestamp

    def _catch_up(self, behind: set[QueueKey]) -> None:
        """Dispatch to the queues that lack entries from where each of them ends."""
        if not behind:
            return
        found = [self.queues.get(*key) for key in behind]
        start = min(queue.max_physical if queue is not None else -1 for queue in found)
        logger.warning("%d queues lack entries; deriving them from %d on", len(behind), start)
        for record in self.log.walk(max(start, self.log.min_offset), self.log.max_offset):
            if (record.topic, record.queue_id) in behind:
                self.dispatcher.dispatch(record, to_index=False)

    def _has_something_behind(self, end: int) -> bool:
        return any(
            any(segment.view[max(end - segment.base, 0) :][:8])
            for segment in self.log.segments
            if segment.end > end
        )
