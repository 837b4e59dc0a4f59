"""Delay levels: messages wait in SCHEDULE_TOPIC_XXXX, one queue for each level (ScheduleMessageService).

All messages of a level wait equally long, so each queue is in the order of delivery, and only its first
message has to be looked at. An entry of these queues holds the time when its message is due, not a tag.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

import trio

from rocketmq_protocol import ResponseCode
from rocketmq_protocol.bodies import DataVersion, DelayOffsetSerializeWrapper
from rocketmq_protocol.javaisms import parse_int
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.properties import (
    PROPERTY_DELAY_TIME_LEVEL,
    PROPERTY_REAL_QUEUE_ID,
    PROPERTY_REAL_TOPIC,
    PROPERTY_TIMER_DELAY_MS,
    PROPERTY_TIMER_DELAY_SEC,
    PROPERTY_TIMER_DELIVER_MS,
)
from rocketpy.broker.services.arrivals import Arrivals
from rocketpy.broker.services.rewrite import properties_bytes, properties_of, renewed, stored_message
from rocketpy.broker.state.names import HALF_TOPIC, SCHEDULE_TOPIC
from rocketpy.broker.state.versions import next_version
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.append import AppendRefused, NewMessage, PutStatus
from rocketpy.store.config_files import ConfigFile
from rocketpy.store.consume_queue import ConsumeQueue
from rocketpy.store.message_store import MessageStore

logger = logging.getLogger(__name__)

_DELAY: Final = f"{PROPERTY_DELAY_TIME_LEVEL}\x01".encode()
_TIMER_PROPERTIES: Final = (PROPERTY_TIMER_DELIVER_MS, PROPERTY_TIMER_DELAY_SEC, PROPERTY_TIMER_DELAY_MS)

# Messages delivered before others get their turn.
_BATCH: Final = 64
# A store that takes no writes is tried again after so long.
_RETRY_MILLIS: Final = 1000
# The time of day may be set while we sleep, so no sleep is longer.
_LONGEST_SLEEP: Final = 60.0


def postpone(message: NewMessage, levels: int) -> None:
    """Send a message that has a delay level to wait first (HookUtils.handleScheduleMessage)."""
    if _DELAY not in message.properties:
        return
    properties = properties_of(message)
    level = min(_level(properties.get(PROPERTY_DELAY_TIME_LEVEL, "0")), levels)
    if level <= 0:
        return
    for name in _TIMER_PROPERTIES:
        properties.pop(name, None)
    properties[PROPERTY_DELAY_TIME_LEVEL] = str(level)
    properties[PROPERTY_REAL_TOPIC] = message.topic
    properties[PROPERTY_REAL_QUEUE_ID] = str(message.queue_id)
    message.properties = properties_bytes(properties)
    message.topic = SCHEDULE_TOPIC
    message.queue_id = level - 1


def _level(text: str) -> int:
    try:
        return parse_int(text)
    except ValueError as error:
        # Message.getDelayTimeLevel throws, and so the send fails.
        raise RequestRefused(ResponseCode.SYSTEM_ERROR, f"{PROPERTY_DELAY_TIME_LEVEL}: {error}") from None


class DelayedDelivery:
    """Delivers each level's messages when they are due; delayOffset.json says how far each level is."""

    def __init__(
        self,
        store: MessageStore,
        arrivals: Arrivals,
        file: ConfigFile[DelayOffsetSerializeWrapper],
        clock: Callable[[], int],
        save_interval_millis: int,
    ) -> None:
        self._store = store
        self._arrivals = arrivals
        self._file = file
        self._clock = clock
        self._save_interval = save_interval_millis / 1000
        self._delays = store.config.delay_levels
        self._version = DataVersion(timestamp=clock())
        self._is_dirty = False
        # The next message to deliver, by level.
        self.offsets: dict[int, int] = {}

    def load(self) -> None:
        """Take in what the file holds."""
        loaded = self._file.load()
        if loaded is not None:
            self.offsets.update(loaded.offset_table)
            self._version = loaded.data_version or self._version

    def save(self) -> None:
        """Write the file, if anything was delivered since the last time."""
        if self._is_dirty:
            self._is_dirty = False
            self._version = next_version(self._version, self._clock())
            self._file.save(
                DelayOffsetSerializeWrapper(offset_table=dict(self.offsets), data_version=self._version)
            )

    async def run(self) -> None:
        """Deliver until the broker stops: a task for each level, asleep until something is due there."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._save_regularly)
            for level in range(1, len(self._delays) + 1):
                nursery.start_soon(self._run_level, level)

    async def _save_regularly(self) -> None:
        while True:
            await trio.sleep(self._save_interval)
            self.save()

    async def _run_level(self, level: int) -> None:
        while True:
            # Nothing is awaited between the look at the queue and the sleep, so no arrival is missed.
            due = self._deliver_due(level)
            if due is None:
                if not await self._arrivals.wait(SCHEDULE_TOPIC, level - 1):
                    return
            else:
                await trio.sleep(min(max(due - self._clock(), 0) / 1000, _LONGEST_SLEEP))

    def _deliver_due(self, level: int) -> int | None:
        """Deliver what is due, and say when to look again; None at the end of the queue."""
        queue = self._store.queues.get(SCHEDULE_TOPIC, level - 1)
        if queue is None:
            return None
        offset = self._offset(level, queue)
        for physical, _, due in queue.entries(offset, _BATCH):
            now = self._clock()
            # A time further away than the level's delay means that the clock was set back meanwhile.
            if now < due <= now + self._delays[level - 1]:
                return due
            try:
                self._deliver(physical)
            except AppendRefused as refused:
                if refused.status is PutStatus.SERVICE_NOT_AVAILABLE:
                    return now + _RETRY_MILLIS
                logger.error("delayed message at %d cannot be delivered: %s", physical, refused)
            offset += 1
            self._move(level, offset)
        return None if offset >= queue.max_offset else self._clock()

    def _offset(self, level: int, queue: ConsumeQueue) -> int:
        noted = self.offsets.get(level, 0)
        offset = min(max(noted, queue.min_offset), queue.max_offset)
        if offset != noted:
            logger.warning(
                "delay level %d: offset %d is outside the queue; going on at %d", level, noted, offset
            )
            self._move(level, offset)
        return offset

    def _move(self, level: int, offset: int) -> None:
        self.offsets[level] = offset
        self._is_dirty = True

    def _deliver(self, physical: int) -> None:
        message = stored_message(self._store, physical)
        if message is None:
            return  # retention was faster
        try:
            delivered = _delivered(message)
        except (KeyError, ValueError) as error:
            logger.error("delayed message at %d has no place to go to: %r", physical, error)
            return
        self._store.append(delivered)


def _delivered(message: MessageExt) -> NewMessage:
    """The message as its consumers get it; its text of properties stays, as in ScheduleMessageService."""
    properties = message.properties
    topic = properties[PROPERTY_REAL_TOPIC]
    if topic == HALF_TOPIC:
        raise ValueError(f"{topic} takes no delayed messages")
    return renewed(message, topic, parse_int(properties[PROPERTY_REAL_QUEUE_ID], low=0))
