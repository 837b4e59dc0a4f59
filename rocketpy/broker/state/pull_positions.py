"""Where pulls stand, and where an operator wants them to go on (ConsumerOffsetManager)."""

from __future__ import annotations


class PullPositions:
    """By topic, group and queue. Nothing of it survives a restart."""

    def __init__(self) -> None:
        self._pulled: dict[tuple[str, str, int], int] = {}
        self._resets: dict[tuple[str, str, int], int] = {}

    def note(self, topic: str, group: str, queue_id: int, next_offset: int) -> None:
        """A pull was answered; the next one will begin here."""
        self._pulled[topic, group, queue_id] = next_offset

    def pulled_to(self, topic: str, group: str, queue_id: int) -> int:
        """Where the next pull will begin; -1 where none was ever seen."""
        return self._pulled.get((topic, group, queue_id), -1)

    def reset(self, topic: str, group: str, queue_id: int, offset: int) -> None:
        """The group is to go on from here."""
        self._resets[topic, group, queue_id] = offset

    def is_reset(self, topic: str, group: str, queue_id: int) -> bool:
        """Whether consumers have yet to learn of a reset, so that what they commit counts for nothing."""
        return (topic, group, queue_id) in self._resets

    def take_reset(self, topic: str, group: str, queue_id: int) -> int | None:
        """The offset to tell a consumer, once."""
        return self._resets.pop((topic, group, queue_id), None)

    def topic_deleted(self, topic: str) -> None:
        """Forget a topic."""
        self._remove(0, topic)

    def group_deleted(self, group: str) -> None:
        """Forget a group."""
        self._remove(1, group)

    def _remove(self, part: int, name: str) -> None:
        for table in (self._pulled, self._resets):
            for key in [key for key in table if key[part] == name]:
                del table[key]
