"""Which files go, and when: by age, at the hour for it, or because the disk fills up.

DefaultMessageStore.CleanCommitLogService and CleanConsumeQueueService: the log's oldest files first, then
what queues and index hold of them.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from rocketpy.store.message_store import MessageStore

logger = logging.getLogger(__name__)

_HOUR_MILLIS = 3_600_000


@dataclass(frozen=True)
class Cleaned:
    """How many files one round deleted."""

    commit_log: int = 0
    consume_queue: int = 0
    index: int = 0


def disk_used_percent(store: MessageStore) -> float:
    """How full the disk under the store is; 0 in memory."""
    if store.paths.root is None:
        return 0.0
    usage = shutil.disk_usage(store.paths.root)
    return 100.0 * usage.used / usage.total


class Retention:
    """Deletes what is old; call `clean` every ten seconds or so."""

    def __init__(
        self, store: MessageStore, disk_percent: Callable[[MessageStore], float] = disk_used_percent
    ) -> None:
        self._store = store
        self._disk_percent = disk_percent
        self._hours = frozenset(int(hour) for hour in store.config.delete_when.split(";") if hour.strip())

    def clean(self, now_millis: int, *, manually: bool = False) -> Cleaned:
        """Delete what may go now, and open or shut the store for writes as the disk has room."""
        config = self._store.config
        used = self._disk_percent(self._store)
        self._note_room(used)
        is_time = datetime.fromtimestamp(now_millis / 1000).hour in self._hours
        at_once = used > config.disk_clean_forcibly_ratio and config.clean_file_forcibly_enable
        deleted = 0
        if is_time or manually or used > config.disk_max_used_ratio:
            deleted = self._delete_commit_log_files(now_millis, at_once=at_once)
        return self._clean_derived(deleted)

    def _note_room(self, used: float) -> None:
        writable = used <= self._store.config.disk_warning_ratio
        if writable != self._store.writable:
            logger.warning(
                "disk %.0f %% full: the store takes %s",
                used,
                "writes again" if writable else "no more writes",
            )
            self._store.writable = writable

    def _delete_commit_log_files(self, now_millis: int, *, at_once: bool) -> int:
        """Delete expired files, or with `at_once` the oldest whatever their age; the last one stays."""
        log, config = self._store.log, self._store.config
        deleted = 0
        while len(log.segments) > 1 and deleted < config.delete_file_batch_max:
            # Messages of a file are as old as the first one of the next file, or older.
            newest = log.store_timestamp(log.segments[1].base)
            expired = 0 <= newest <= now_millis - config.file_reserved_hours * _HOUR_MILLIS
            if not (expired or at_once):
                break
            gone = log.delete_first()
            logger.info("deleted the commit log file that began at %d", gone.base)
            deleted += 1
        return deleted

    def _clean_derived(self, deleted: int) -> Cleaned:
        """Bring queues and index after the log."""
        store = self._store
        store.queues.correct_min_offsets(store.log.min_offset)
        batch_files = 0
        for queue in store.batch_queues:
            queue.correct_min_offset(store.log.min_offset)
            batch_files += queue.delete_expired_files()
        return Cleaned(
            commit_log=deleted,
            consume_queue=store.queues.delete_expired_files() + batch_files,
            index=store.index.delete_expired_files(store.log.min_offset) if store.index is not None else 0,
        )
