"""Acknowledging many popped messages at once."""

from __future__ import annotations

from rocketmq_protocol.bodies._base import Body, body, wire
from rocketmq_protocol.bodies._codecs import BitSet, Int, Long
from rocketmq_protocol.codes import RequestCode


@body("remoting.protocol.body.BatchAck")
class BatchAck(Body):
    """Acknowledged messages of one pop: `bit_set` holds their distances from `start_offset`."""

    consumer_group: str | None = wire("c", default=None)
    topic: str | None = wire("t", default=None)
    retry: str | None = wire("r", default=None)
    start_offset: Long = wire("so", default=0)
    queue_id: Int = wire("q", default=0)
    revive_queue_id: Int = wire("rq", default=0)
    pop_time: Long = wire("pt", default=0)
    invisible_time: Long = wire("it", default=0)
    bit_set: BitSet | None = wire("b", default=None)


@body("remoting.protocol.body.BatchAckMessageRequestBody", requests=(RequestCode.BATCH_ACK_MESSAGE,))
class BatchAckMessageRequestBody(Body):
    """Acknowledged messages of several pops."""

    broker_name: str | None = None
    acks: list[BatchAck] | None = None
