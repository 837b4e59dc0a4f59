"""Reading a queue from an offset on, with the limits and answers of DefaultMessageStore.getMessage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from rocketpy.store.batch_queue import BatchQueue
from rocketpy.store.commit_log import CommitLog
from rocketpy.store.config import StoreConfig
from rocketpy.store.consume_queue import BLANK_SIZE, ENTRY_SIZE, ConsumeQueue


class FetchStatus(Enum):
    """What a fetch found, under the names of Java's GetMessageStatus."""

    FOUND = "messages"
    NO_MATCHED_MESSAGE = "messages, but none that the filter wants"
    MESSAGE_WAS_REMOVING = "entries whose messages are gone"
    OFFSET_OVERFLOW_BADLY = "an offset beyond the end"
    OFFSET_OVERFLOW_ONE = "the end of the queue"
    OFFSET_TOO_SMALL = "an offset before the beginning"
    NO_MATCHED_LOGIC_QUEUE = "no such queue"
    NO_MESSAGE_IN_QUEUE = "an empty queue"


@dataclass(slots=True)
class Fetched:
    """Views of stored records, in order; neighbours in the log share one view."""

    status: FetchStatus
    next_offset: int
    min_offset: int
    max_offset: int
    views: list[memoryview] = field(default_factory=list)
    count: int = 0
    size: int = 0


# What a fetch may take beside its own limits (DefaultMessageStore.MAX_PULL_MSG_SIZE).
MAX_PULL_BYTES: Final = 128 * 1024 * 1024

TagFilter = Callable[[int], bool]
RecordFilter = Callable[[memoryview], bool]


def bounds_answer(queue: ConsumeQueue | BatchQueue, offset: int) -> Fetched | None:
    """The answer to an offset outside the queue; None inside."""
    low, high = queue.min_offset, queue.max_offset
    if high == 0:
        return Fetched(FetchStatus.NO_MESSAGE_IN_QUEUE, 0, low, high)
    if offset < low:
        return Fetched(FetchStatus.OFFSET_TOO_SMALL, low, low, high)
    if offset == high:
        return Fetched(FetchStatus.OFFSET_OVERFLOW_ONE, offset, low, high)
    if offset > high:
        return Fetched(FetchStatus.OFFSET_OVERFLOW_BADLY, high, low, high)
    return None


def fetch(
    log: CommitLog,
    queue: ConsumeQueue,
    offset: int,
    max_count: int,
    max_bytes: int,
    config: StoreConfig,
    wants_tag: TagFilter | None = None,
    wants_record: RecordFilter | None = None,
) -> Fetched:
    """Up to `max_count` records from `offset` on that the filters want; one at least, whatever its size."""
    answer = bounds_answer(queue, offset)
    if answer is not None:
        return answer
    found = Fetched(FetchStatus.NO_MATCHED_MESSAGE, offset, queue.min_offset, queue.max_offset)
    # How many entries may be looked at for one answer, matching or not.
    look = max(config.max_filter_bytes // ENTRY_SIZE, max_count)
    max_count = max(min(max_count, config.max_transfer_count), 1)
    byte_limit = min(max(max_bytes, 100), MAX_PULL_BYTES, config.max_transfer_bytes)
    if wants_tag is None and wants_record is None:
        look = min(look, max_count)
    run_start = run_end = -1  # neighbouring records, lent as one view
    count, total = 0, 0
    for queue_offset, physical, size in _wanted(
        found, log, queue.entries(offset, look), wants_tag, wants_record
    ):
        if count and total + size > byte_limit:
            found.next_offset = queue_offset
            break
        if physical != run_end:
            if count:
                found.views.append(log.lend(run_start, run_end - run_start))
            run_start = physical
        run_end = physical + size
        count += 1
        total += size
        if count == max_count:
            break
    if count:
        found.views.append(log.lend(run_start, run_end - run_start))
        found.status = FetchStatus.FOUND
    found.count, found.size = count, total
    return found


def fetch_batches(
    log: CommitLog,
    queue: BatchQueue,
    offset: int,
    max_count: int,
    config: StoreConfig,
    wants_tag: TagFilter | None = None,
) -> Fetched:
    """Whole batches from the one on that holds `offset`, up to `max_count` messages; one batch at least."""
    answer = bounds_answer(queue, offset)
    if answer is not None:
        return answer
    found = Fetched(FetchStatus.NO_MATCHED_MESSAGE, offset, queue.min_offset, queue.max_offset)
    max_count = min(max_count, config.max_transfer_count)
    for batch in queue.batches(offset):
        full = found.count + batch.messages > max_count or found.size + batch.size > config.max_transfer_bytes
        if found.count and full:
            break
        found.next_offset = batch.end_offset
        record = log.read(batch.physical, batch.size)
        if record is not None and (wants_tag is None or wants_tag(batch.tags_code)):
            found.views.append(record)
            found.count += batch.messages
            found.size += batch.size
            found.status = FetchStatus.FOUND
    return found


def _wanted(
    found: Fetched,
    log: CommitLog,
    entries: Iterator[tuple[int, int, int]],
    wants_tag: TagFilter | None,
    wants_record: RecordFilter | None,
) -> Iterator[tuple[int, int, int]]:
    """Queue offset, commit log offset and size of the messages that are there and wanted.

    Moves `found` on past every entry looked at.
    """
    low, high = log.min_offset, log.max_offset
    next_file = -1  # after a message that is gone: where the next file begins
    for queue_offset, (physical, size, tags_code) in enumerate(entries, found.next_offset):
        found.next_offset = queue_offset + 1
        if physical < next_file or (wants_tag is not None and not wants_tag(tags_code)):
            continue
        if not low <= physical <= high - size:
            found.status = FetchStatus.MESSAGE_WAS_REMOVING
            if size != BLANK_SIZE:
                next_file = log.next_file(physical)
        elif wants_record is None or wants_record(log.lend(physical, size)):
            yield queue_offset, physical, size
