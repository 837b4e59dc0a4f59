"""One queue of a topic on one broker: the key of many tables."""

from __future__ import annotations

from typing import Any

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Int, Long
from rocketmq_protocol.javaisms.maps import natural_order, objects_hash


@body("common.message.MessageQueue", frozen=True, kw_only=False)
class MessageQueue(Body):
    """One queue of a topic on one broker."""

    topic: str | None = None
    broker_name: str | None = None
    queue_id: Int = 0

    def java_hash(self) -> int:
        """MessageQueue.hashCode."""
        return objects_hash(self.broker_name, self.queue_id, self.topic)

    def java_sort_key(self) -> tuple[Any, ...]:
        """Sorts as MessageQueue.compareTo does."""
        return natural_order(self.topic or ""), natural_order(self.broker_name or ""), self.queue_id


@body("common.message.MessageQueueForC")
class MessageQueueForC(Body):
    """A queue and an offset in it, as the C++ client wants them."""

    topic: str | None = None
    broker_name: str | None = None
    queue_id: Int = 0
    offset: Long = 0
