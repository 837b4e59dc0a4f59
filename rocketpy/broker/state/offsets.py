"""How far each group has consumed each queue; consumerOffset.json."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from rocketmq_protocol.bodies import ConsumerOffsetSerializeWrapper, DataVersion
from rocketpy.store.config_files import ConfigFile


class ConsumerOffsets:
    """Offsets by topic, group and queue: the next message to consume."""

    def __init__(self, file: ConfigFile[ConsumerOffsetSerializeWrapper], clock: Callable[[], int]) -> None:
        self._file = file
        self._table: dict[str, dict[int, int]] = {}
        self._version = DataVersion(timestamp=clock())
        self._dirty = False

    def load(self) -> None:
        """Take in what the file holds."""
        loaded = self._file.load()
        if loaded is not None:
            self._table = {key: dict(queues) for key, queues in loaded.offset_table.items()}
            self._version = loaded.data_version or self._version

    def save(self) -> None:
        """Write the file, if anything changed since the last time."""
        if self._dirty:
            self._dirty = False
            self._file.save(self.wrapper())

    def wrapper(self) -> ConsumerOffsetSerializeWrapper:
        """All offsets, as Java's broker keeps and answers them."""
        groups: dict[str, AbstractSet[str]] = {}
        for key in self._table:
            topic, _, group = key.partition("@")
            groups[group] = groups.get(group, frozenset()) | {topic}
        return ConsumerOffsetSerializeWrapper(
            offset_table={key: dict(queues) for key, queues in self._table.items()},
            data_version=self._version,
            group_topic_map=groups,
            pull_offset_table={},
        )

    def commit(self, group: str, topic: str, queue_id: int, offset: int) -> None:
        """Note the next offset to consume."""
        self._table.setdefault(f"{topic}@{group}", {})[queue_id] = offset
        self._dirty = True

    def query(self, group: str, topic: str, queue_id: int) -> int:
        """The next offset to consume; -1 where none was ever noted."""
        return self._table.get(f"{topic}@{group}", {}).get(queue_id, -1)

    def of_group(self, group: str, topic: str) -> dict[int, int]:
        """Offsets of a group for each queue of a topic."""
        return dict(self._table.get(f"{topic}@{group}", {}))

    def topics_of(self, group: str) -> set[str]:
        """Topics that a group has offsets for."""
        return {key.partition("@")[0] for key in self._table if key.partition("@")[2] == group}

    def groups_of(self, topic: str) -> set[str]:
        """Groups that have offsets for a topic."""
        return {key.partition("@")[2] for key in self._table if key.partition("@")[0] == topic}

    def remove_group(self, group: str) -> None:
        """Forget a group's offsets."""
        self._remove(lambda key: key.partition("@")[2] == group)

    def remove_topic(self, topic: str) -> None:
        """Forget the offsets of all groups in a topic."""
        self._remove(lambda key: key.partition("@")[0] == topic)

    def _remove(self, gone: Callable[[str], bool]) -> None:
        for key in [key for key in self._table if gone(key)]:
            del self._table[key]
            self._dirty = True
