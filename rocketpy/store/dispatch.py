"""What follows from a record in the commit log: an entry in its consume queue, and its keys in the index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rocketmq_protocol.javaisms import string_hash
from rocketmq_protocol.properties import (
    PROPERTY_DELAY_TIME_LEVEL,
    PROPERTY_KEYS,
    PROPERTY_TAGS,
    PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
)
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.key_index import KeyIndex
from rocketpy.store.queues import ConsumeQueues
from rocketpy.store.record_scan import Dispatch

SCHEDULE_TOPIC: Final = "SCHEDULE_TOPIC_XXXX"

_SEPARATOR: Final = b"\x02"
_TRANSACTION_BITS: Final = MessageSysFlag.TRANSACTION_ROLLBACK_TYPE


def _marker(name: str) -> bytes:
    return b"\x02" + name.encode() + b"\x01"


_TAGS: Final = _marker(PROPERTY_TAGS)
_KEYS: Final = _marker(PROPERTY_KEYS)
_UNIQUE_KEY: Final = _marker(PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX)
_DELAY: Final = _marker(PROPERTY_DELAY_TIME_LEVEL)


def _value(properties: bytes, marker: bytes) -> str | None:
    """A property out of `properties`, which begin with a separator; the last one counts, as in a HashMap."""
    start = properties.rfind(marker)
    if start < 0:
        return None
    start += len(marker)
    end = properties.find(_SEPARATOR, start)
    value = properties[start:end] if end >= 0 else properties[start:]
    return value.decode("utf-8", "replace") if value else None


class Dispatcher:
    """Feeds consume queues and index, record by record, in the order of the log."""

    def __init__(
        self,
        queues: ConsumeQueues,
        index: KeyIndex | None,
        delay_levels: tuple[int, ...],
        on_arrival: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self._queues = queues
        self._index = index
        self._delay_levels = delay_levels
        self._on_arrival = on_arrival

    def dispatch(self, record: Dispatch) -> None:
        """Take one record; a second time does nothing."""
        properties = _SEPARATOR + record.properties
        tags = _value(properties, _TAGS)
        # CommitLogDispatcherBuildConsumeQueue: a transaction's half and its rollback are not for consumers.
        kind = record.sys_flag & _TRANSACTION_BITS
        if kind in (MessageSysFlag.TRANSACTION_NOT_TYPE, MessageSysFlag.TRANSACTION_COMMIT_TYPE):
            queue = self._queues.get_or_create(record.topic, record.queue_id)
            tags_code = string_hash(tags) if tags is not None else 0
            if record.topic == SCHEDULE_TOPIC:
                tags_code = self._due_time(properties, record.store_timestamp, tags_code)
            queue.append(record.queue_offset, record.physical, record.size, tags_code)
            if self._on_arrival is not None:
                self._on_arrival(record.topic, record.queue_id, record.queue_offset)
        if self._index is not None:
            self._index.put(
                record.topic,
                _value(properties, _UNIQUE_KEY),
                _value(properties, _KEYS),
                tags,
                record.physical,
                record.sys_flag,
                record.store_timestamp,
            )

    def _due_time(self, properties: bytes, store_timestamp: int, tags_code: int) -> int:
        """A delayed message's tag hash is the time it is due (CommitLog.checkMessageAndReturnSize)."""
        level = _value(properties, _DELAY)
        if level is None or not level.isdecimal() or int(level) == 0 or not self._delay_levels:
            return tags_code
        return store_timestamp + self._delay_levels[min(int(level), len(self._delay_levels)) - 1]
