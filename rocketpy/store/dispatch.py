"""What follows from a record in the commit log: an entry in its consume queue, and its keys in the index."""

from __future__ import annotations

import logging
from typing import Final

from rocketmq_protocol.properties import (
    PROPERTY_DELAY_TIME_LEVEL,
    PROPERTY_INNER_BASE,
    PROPERTY_INNER_NUM,
    PROPERTY_KEYS,
    PROPERTY_TAGS,
    PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
)
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.append import TRANSACTION_BITS
from rocketpy.store.batch_queue import Batch, BatchQueues
from rocketpy.store.consume_queue import ConsumeQueue
from rocketpy.store.key_hash import index_hashes, tags_code
from rocketpy.store.key_index import KeyIndex
from rocketpy.store.paths import is_folder_name
from rocketpy.store.queues import ConsumeQueues, QueueKey
from rocketpy.store.record_scan import Dispatch

logger = logging.getLogger(__name__)

SCHEDULE_TOPIC: Final = "SCHEDULE_TOPIC_XXXX"

_ROLLBACK: Final = int(MessageSysFlag.TRANSACTION_ROLLBACK_TYPE)
_SEPARATOR: Final = b"\x02"


def _marker(name: str) -> bytes:
    return b"\x02" + name.encode() + b"\x01"


_TAGS: Final = _marker(PROPERTY_TAGS)
_KEYS: Final = _marker(PROPERTY_KEYS)
_UNIQUE_KEY: Final = _marker(PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX)
_DELAY: Final = _marker(PROPERTY_DELAY_TIME_LEVEL)
_INNER_NUM: Final = _marker(PROPERTY_INNER_NUM)
_INNER_BASE: Final = _marker(PROPERTY_INNER_BASE)
_INNER_BATCH: Final = MessageSysFlag.INNER_BATCH_FLAG
# CommitLogDispatcherBuildConsumeQueue: the half of a transaction and its rollback, which has that bit too,
# are not for consumers; and a batch in one record has a queue of its own kind.
_NOT_IN_A_QUEUE: Final = MessageSysFlag.TRANSACTION_PREPARED_TYPE | _INNER_BATCH


def _value(properties: bytes, marker: bytes) -> bytes | None:
    """A property out of `properties`, which begin with a separator; the last one counts, as in a HashMap."""
    start = properties.rfind(marker)
    if start < 0:
        return None
    start += len(marker)
    end = properties.find(_SEPARATOR, start)
    return (properties[start:end] if end >= 0 else properties[start:]) or None


def has_keys(record: Dispatch) -> bool:
    """Whether the record belongs into the index."""
    if record.sys_flag & TRANSACTION_BITS == _ROLLBACK:
        return False
    properties = _SEPARATOR + record.properties
    unique_key, keys, tags = (_value(properties, marker) for marker in (_UNIQUE_KEY, _KEYS, _TAGS))
    return bool(index_hashes(record.topic, unique_key, keys, tags))


class Dispatcher:
    """Feeds consume queues and index, record by record, in the order of the log."""

    def __init__(
        self,
        queues: ConsumeQueues,
        batch_queues: BatchQueues,
        index: KeyIndex | None,
        delay_levels: tuple[int, ...],
    ) -> None:
        self._queues = queues
        self._batch_queues = batch_queues
        self._index = index
        self._delay_levels = delay_levels

    def dispatch(
        self,
        record: Dispatch,
        *,
        behind: set[QueueKey] | None = None,
        to_queue: bool = True,
        to_index: bool = True,
    ) -> None:
        """Take one record of the log; a second time does nothing.

        With `behind`, a queue that lacks older messages is added to it, and gets nothing from then on.
        """
        topic, queue_id, queue_offset, physical, size, sys_flag, stored, properties = record
        queue = self._queue(topic, queue_id, physical, sys_flag) if to_queue else None
        if queue is not None:
            if behind is not None and (
                queue_offset > queue.max_offset or (behind and (topic, queue_id) in behind)
            ):
                behind.add((topic, queue_id))
                queue = None
            elif physical < queue.max_physical:
                queue = None
        elif sys_flag & _INNER_BATCH and to_queue:
            self.derive_batch(topic, queue_id, physical, size, stored, properties)
        self.derive(
            queue, topic, queue_offset, physical, size, sys_flag, stored, properties, to_index=to_index
        )

    def derive(
        self,
        queue: ConsumeQueue | None,
        topic: str,
        queue_offset: int,
        physical: int,
        size: int,
        sys_flag: int,
        stored: int,
        properties: bytes,
        *,
        to_index: bool = True,
    ) -> None:
        """Give a queue, if any, and the index what a record holds for them."""
        index = self._index if to_index else None
        if index is not None and (physical < index.end_physical or sys_flag & TRANSACTION_BITS == _ROLLBACK):
            index = None
        if queue is None and index is None:
            return
        properties = _SEPARATOR + properties
        tags = _value(properties, _TAGS)
        if queue is not None:
            code = tags_code(tags) if tags is not None else 0
            if topic == SCHEDULE_TOPIC:
                code = self._due_time(properties, stored, code)
            queue.append(queue_offset, physical, size, code)
        if index is not None:
            unique_key, keys = _value(properties, _UNIQUE_KEY), _value(properties, _KEYS)
            index.put(index_hashes(topic, unique_key, keys, tags), physical, stored)

    def derive_batch(
        self, topic: str, queue_id: int, physical: int, size: int, stored: int, properties: bytes
    ) -> None:
        """An inner batch goes to its batch queue; its properties say which offsets it takes."""
        properties = _SEPARATOR + properties
        base, count, tags = (_value(properties, marker) for marker in (_INNER_BASE, _INNER_NUM, _TAGS))
        if base is None or count is None or not (base.isdigit() and count.isdigit()):
            logger.error("record at %d: an inner batch without its offsets", physical)
            return
        code = tags_code(tags) if tags is not None else 0
        self._batch_queues.get_or_create(topic, queue_id).append(
            Batch(physical, size, code, stored, int(base), int(count))
        )

    def _queue(self, topic: str, queue_id: int, physical: int, sys_flag: int) -> ConsumeQueue | None:
        """The queue that the record at `physical` belongs into, if any."""
        if sys_flag & _NOT_IN_A_QUEUE:
            return None
        queue = self._queues.get(topic, queue_id)
        if queue is None:
            if queue_id < 0 or not is_folder_name(topic):
                logger.error("record at %d: there can be no queue %d of topic %r", physical, queue_id, topic)
                return None
            queue = self._queues.get_or_create(topic, queue_id)
        return queue

    def _due_time(self, properties: bytes, store_timestamp: int, code: int) -> int:
        """A delayed message's tag hash is the time it is due (CommitLog.checkMessageAndReturnSize)."""
        level = _value(properties, _DELAY)
        if level is None or not level.isdigit() or int(level) == 0 or not self._delay_levels:
            return code
        return store_timestamp + self._delay_levels[min(int(level), len(self._delay_levels)) - 1]
