"""Arrivals: who waits at the end of a queue, and waking them when a message comes."""

from __future__ import annotations

import trio


class Arrivals:
    """A parked pull is a sleeping task. Nothing awaits between a read and `wait`, so no wake-up is lost."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], trio.Event] = {}
        self._closing = False

    def notify(self, topic: str, queue_id: int, queue_offset: int) -> None:
        """A message has come: wake everyone who waits at its queue."""
        event = self._waiting.pop((topic, queue_id), None)
        if event is not None:
            event.set()

    async def wait(self, topic: str, queue_id: int) -> bool:
        """Sleep until a message comes; False if the broker is stopping and none will."""
        if self._closing:
            return False
        event = self._waiting.get((topic, queue_id))
        if event is None:
            event = self._waiting[topic, queue_id] = trio.Event()
        await event.wait()
        return not self._closing

    def release_all(self) -> None:
        """The broker stops: wake everyone, and let no one wait any more."""
        self._closing = True
        while self._waiting:
            self._waiting.popitem()[1].set()

    @property
    def waiting(self) -> int:
        """Queues at which someone waits."""
        return len(self._waiting)
