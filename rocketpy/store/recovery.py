"""Opening a store that was stopped in order, or one whose process died.

CommitLog.recoverNormally and recoverAbnormally: find a file to start from, walk its records and those of all
later files, dispatch what queues and index do not have, and cut everything off behind the last whole record.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from rocketpy.store.checkpoint import Checkpoint
from rocketpy.store.commit_log import CommitLog
from rocketpy.store.config import StoreConfig
from rocketpy.store.dispatch import Dispatcher
from rocketpy.store.key_index import KeyIndex
from rocketpy.store.queues import ConsumeQueues
from rocketpy.store.record_scan import Dispatch, SegmentScan
from rocketpy.store.segment import Segment

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recovered:
    """What an opening found."""

    clean: bool
    scanned_from: int
    records: int
    end: int
    cut_off: int


def recover(
    config: StoreConfig,
    log: CommitLog,
    queues: ConsumeQueues,
    index: KeyIndex | None,
    dispatcher: Dispatcher,
    checkpoint: Checkpoint,
    *,
    clean: bool,
) -> Recovered:
    """Bring log, queues and index into agreement; the log decides."""
    if not log.segments:
        queues.delete_all()
        if index is not None:
            index.delete_all()
        return Recovered(clean, 0, 0, 0, 0)
    start = _start_offset(config, log, queues, index, checkpoint, clean=clean)
    known = min(queues.max_physical, index.end_physical if index is not None else queues.max_physical)
    records = 0
    last: Dispatch | None = None
    for last in log.scan(start, check_crc=config.check_crc_on_recover):
        records += 1
        if not clean or last.physical >= known:
            dispatcher.dispatch(last)
    end = log.max_offset
    dropped = log.segments[-1].end - end
    queues.truncate(end)
    log.truncate(end)
    log.flushed = end
    queues.correct_min_offsets(log.min_offset)
    found = Recovered(clean, start, records, end, dropped)
    logger.info("store opened: %s", found)
    return found


def _start_offset(
    config: StoreConfig,
    log: CommitLog,
    queues: ConsumeQueues,
    index: KeyIndex | None,
    checkpoint: Checkpoint,
    *,
    clean: bool,
) -> int:
    """The newest file from which on everything that may be missing is found again."""
    tries = config.commit_log_recover_max_num
    if len(queues) == 0 or (index is not None and not index.files):
        return log.segments[0].base  # nothing derived is left (or never was): rebuild it from the whole log
    for segment in reversed(log.segments):
        tries -= 1
        first = _first_record(config, segment)
        if first is not None and (tries <= 0 or _is_safe(first, queues, checkpoint, clean=clean)):
            return segment.base
    return log.segments[0].base


def _first_record(config: StoreConfig, segment: Segment) -> Dispatch | None:
    walk = SegmentScan(segment.view, segment.base, check_crc=config.check_crc_on_recover)
    return next(iter(walk), None)


def _is_safe(first: Dispatch, queues: ConsumeQueues, checkpoint: Checkpoint, *, clean: bool) -> bool:
    """ConsumeQueueStore.isMappedFileMatchedRecover."""
    if clean:
        return first.physical <= queues.max_physical
    if checkpoint.consume_queue_physical <= 0:  # written by a version that did not keep it
        return first.store_timestamp <= checkpoint.consume_queue_timestamp
    return first.physical <= checkpoint.consume_queue_physical
