"""Queues held by one orderly consumer at a time (RebalanceLockManager)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from rocketmq_protocol.bodies import MessageQueue

EXPIRY_MILLIS: Final = 60_000


class QueueLocks:
    """Who holds which queue, by group; a lock lapses unless it is asked for again."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._held: dict[str, dict[MessageQueue, tuple[str, int]]] = {}

    def lock(self, group: str, queues: Iterable[MessageQueue], client_id: str) -> set[MessageQueue]:
        """Take or keep what is free or already ours; gives the queues held now."""
        held, now = self._held.setdefault(group, {}), self._clock()
        got = set()
        for queue in queues:
            owner, since = held.get(queue, ("", 0))
            if owner in ("", client_id) or now - since > EXPIRY_MILLIS:
                held[queue] = client_id, now
                got.add(queue)
        return got

    def is_any_held(self, group: str) -> bool:
        """Whether a group consumes in order now (RebalanceLockManager.isLockAllExpired, turned round)."""
        now = self._clock()
        return any(now - since <= EXPIRY_MILLIS for _, since in self._held.get(group, {}).values())

    def unlock(self, group: str, queues: Iterable[MessageQueue], client_id: str) -> None:
        """Give back what is ours."""
        held = self._held.get(group, {})
        for queue in queues:
            if held.get(queue, ("", 0))[0] == client_id:
                del held[queue]
