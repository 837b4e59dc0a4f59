"""Checking that log, queues and index of a store agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from rocketpy.store.append import NOT_FOR_CONSUMERS, TRANSACTION_BITS
from rocketpy.store.index_file import entries_of
from rocketpy.store.reader import StoreReader
from rocketpy.store.record_scan import Dispatch, ScanEnd

_SHOWN: Final = 20


@dataclass
class Report:
    """What a walk over a store found; `problems` is empty when all is well."""

    records: int = 0
    bytes: int = 0
    log_end: int = 0
    was_aborted: bool = False
    queues: int = 0
    queue_entries: int = 0
    index_entries: int = 0
    topics: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    problem_count: int = 0

    def note(self, problem: str) -> None:
        """Count a problem, and keep its text if there are not many yet."""
        self.problem_count += 1
        if len(self.problems) < _SHOWN:
            self.problems.append(problem)


def verify(reader: StoreReader, on_progress: Callable[[int], None] = lambda size: None) -> Report:
    """Walk the log, checking CRCs; then hold queues and index against it."""
    report = Report(was_aborted=(reader.root / "abort").exists())
    log: dict[int, Dispatch] = {}
    for found, _ in reader.records():
        log[found.physical] = found
        report.records += 1
        report.bytes += found.size
        report.topics[found.topic] += 1
        on_progress(found.size)
    _check_ends(reader, report)
    _check_queues(reader, log, report)
    _check_index(reader, log, report)
    return report


def _check_ends(reader: StoreReader, report: Report) -> None:
    """Files follow each other, and only the last one may end in something else than its filler."""
    for before, after in pairwise(reader.log_files):
        if int(before.name) + before.stat().st_size != int(after.name):
            report.note(f"commit log: a file is missing between {before.name} and {after.name}")
        position, end = reader.ends[before]
        if end is ScanEnd.BROKEN and _holds_records(reader, after.name):
            report.note(f"commit log: bytes at {position} are no whole record, but later files hold records")
    ends = [position for path, (position, _) in reader.ends.items() if _holds_records(reader, path.name)]
    report.log_end = max(ends, default=0)


def _holds_records(reader: StoreReader, name: str) -> bool:
    return any(position > int(name) for path, (position, _) in reader.ends.items() if path.name == name)


def _check_queues(reader: StoreReader, log: dict[int, Dispatch], report: Report) -> None:
    """Every entry points at its message, and every message has its entry."""
    start = int(reader.log_files[0].name) if reader.log_files else 0
    seen: set[int] = set()
    for topic, queue_id, files in reader.queues():
        report.queues += 1
        for offset, physical, size, _ in reader.queue_entries(files):
            report.queue_entries += 1
            if physical < start:
                continue  # its message is gone, and the entry goes with its file
            record = log.get(physical)
            if record is None:
                report.note(f"queue {topic}/{queue_id}, offset {offset}: no record at {physical} of the log")
            elif (record.topic, record.queue_id, record.queue_offset, record.size) != (
                topic,
                queue_id,
                offset,
                size,
            ):
                report.note(
                    f"queue {topic}/{queue_id}, offset {offset}: the record at {physical} is "
                    f"{record.topic}/{record.queue_id}, offset {record.queue_offset}, {record.size} bytes"
                )
            seen.add(physical)
    seen |= _check_batches(reader, log, report)
    for record in log.values():
        if record.physical not in seen and record.sys_flag & TRANSACTION_BITS not in NOT_FOR_CONSUMERS:
            report.note(
                f"commit log: the message at {record.physical} ({record.topic}/{record.queue_id}, "
                f"offset {record.queue_offset}) is in no queue"
            )


def _check_batches(reader: StoreReader, log: dict[int, Dispatch], report: Report) -> set[int]:
    """Every batch points at its record; gives the records seen."""
    seen = set()
    for topic, queue_id, batch in reader.batches():
        report.queue_entries += 1
        record = log.get(batch.physical)
        if record is None or (record.topic, record.queue_id, record.queue_offset) != (
            topic,
            queue_id,
            batch.first_offset,
        ):
            report.note(
                f"batch queue {topic}/{queue_id}, offset {batch.first_offset}: not at {batch.physical}"
            )
        seen.add(batch.physical)
    return seen


def _check_index(reader: StoreReader, log: dict[int, Dispatch], report: Report) -> None:
    """Every entry points at a message."""
    start = int(reader.log_files[0].name) if reader.log_files else 0
    for path in reader.index_files:
        for number, physical in entries_of(path):
            report.index_entries += 1
            if physical >= start and physical not in log:
                report.note(f"index {path.name}, entry {number}: no record at {physical} of the log")
