"""When the commit log is forced to the disk, and who waits for it.

Nothing here starts a thread: the owner calls `GroupCommit.flush` from wherever it flushes, and others wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

from rocketpy.store.append import Appended, PutStatus

_PAGE: Final = 4096


class GroupCommit:
    """One flush serves every waiter at or below the offset it reached."""

    def __init__(self, flush: Callable[[], int]) -> None:
        self._flush = flush
        self._lock = threading.Lock()
        self._flushed = 0
        self._waiting: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = 0
        self.wanted = threading.Event()

    @property
    def waiters(self) -> int:
        """How many have not been served yet."""
        return len(self._waiting)

    def when_flushed(self, end: int, wake: Callable[[], None]) -> None:
        """Call `wake` once the log is safe up to `end`; at once if it is already."""
        with self._lock:
            if end > self._flushed:
                self._numbers += 1
                heappush(self._waiting, (end, self._numbers, wake))
                self.wanted.set()
                return
        wake()

    def flush(self) -> int:
        """Flush once and wake everyone it served; gives the offset reached."""
        self.wanted.clear()
        reached = self._flush()
        served = []
        with self._lock:
            self._flushed = max(self._flushed, reached)
            while self._waiting and self._waiting[0][0] <= self._flushed:
                served.append(heappop(self._waiting)[2])
        for wake in served:
            wake()
        return reached

    def wait(self, appended: Appended, timeout: float) -> PutStatus:
        """Block until a message is safe. After `timeout` seconds it counts as stored, but not as safe."""
        done = threading.Event()
        self.when_flushed(appended.end, done.set)
        return PutStatus.PUT_OK if done.wait(timeout) else PutStatus.FLUSH_DISK_TIMEOUT


@dataclass(slots=True)
class AsyncFlushPolicy:
    """When to flush if nobody waits (CommitLog.FlushRealTimeService): enough pages, or enough time.

    Call `is_due` every `flush_interval_millis`.
    """

    least_pages: int
    thorough_interval_millis: int
    last_flush_millis: int = 0

    def is_due(self, now_millis: int, unflushed_bytes: int) -> bool:
        """Whether to flush now; counts as done if so."""
        if unflushed_bytes <= 0:
            return False
        long_ago = now_millis >= self.last_flush_millis + self.thorough_interval_millis
        if long_ago or unflushed_bytes >= self.least_pages * _PAGE:
            self.last_flush_millis = now_millis
            return True
        return False
