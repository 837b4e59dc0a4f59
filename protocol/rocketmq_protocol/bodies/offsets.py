"""Offsets of consumers: as brokers keep them, and as they are reset and reported."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Int, Long
from rocketmq_protocol.bodies.message_queue import MessageQueue, MessageQueueForC
from rocketmq_protocol.bodies.topic_config import DataVersion
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, HashMap

OffsetByQueue = Annotated[dict[Int, Long], ConcurrentHashMap(2)]
PullOffsetByQueue = Annotated[dict[Int, Long], ConcurrentHashMap(32)]
TopicsOfGroup = Annotated[AbstractSet[str], HashMap(8)]


@body(
    "remoting.protocol.body.ConsumerOffsetSerializeWrapper",
    answers=(RequestCode.GET_ALL_CONSUMER_OFFSET,),
)
class ConsumerOffsetSerializeWrapper(Body):
    """The offsets of all groups, by `topic@group` and queue.

    The last three are not in the Java class of this name but in ConsumerOffsetManager, which a broker writes
    in its answer and in its file consumerOffset.json; slaves read what they know.
    """

    offset_table: Annotated[dict[str, OffsetByQueue], ConcurrentHashMap(512)] = field(default_factory=dict)
    data_version: DataVersion | None = None
    group_topic_map: Annotated[dict[str, TopicsOfGroup], HashMap(128)] | None = None
    lmq_offset_table: Annotated[dict[str, Long], ConcurrentHashMap(512)] | None = None
    pull_offset_table: Annotated[dict[str, PullOffsetByQueue], ConcurrentHashMap(512)] | None = None


@body("broker.schedule.DelayOffsetSerializeWrapper", answers=(RequestCode.GET_ALL_DELAY_OFFSET,))
class DelayOffsetSerializeWrapper(Body):
    """How far each delay level has been delivered."""

    offset_table: Annotated[dict[Int, Long], ConcurrentHashMap(32)] = field(default_factory=dict)
    data_version: DataVersion | None = None


@body(
    "remoting.protocol.body.ResetOffsetBody",
    requests=(RequestCode.RESET_CONSUMER_CLIENT_OFFSET,),
    answers=(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET,),
)
class ResetOffsetBody(Body):
    """The offsets that a group is to go on from."""

    offset_table: dict[MessageQueue, Long] = field(default_factory=dict)


@body("remoting.protocol.body.ResetOffsetBodyForC")
class ResetOffsetBodyForC(Body):
    """The same for C++ clients, whose JSON reader takes no objects as keys."""

    offset_table: list[MessageQueueForC] | None = None


@body(
    "remoting.protocol.body.GetConsumerStatusBody",
    answers=(RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT, RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS),
)
class GetConsumerStatusBody(Body):
    """A client's offsets; from a broker, those of all clients by client id."""

    message_queue_table: dict[MessageQueue, Long] = field(default_factory=dict)
    consumer_table: dict[str, dict[MessageQueue, Long]] = field(default_factory=dict)


@body("remoting.protocol.body.QueryCorrectionOffsetBody", answers=(RequestCode.QUERY_CORRECTION_OFFSET,))
class QueryCorrectionOffsetBody(Body):
    """The smallest offset of all groups, by queue."""

    correction_offsets: dict[Int, Long] = field(default_factory=dict)


@body("remoting.protocol.topic.OffsetMovedEvent")
class OffsetMovedEvent(Body):
    """A consumer asked for an offset that is no longer there."""

    consumer_group: str | None = None
    message_queue: MessageQueue | None = None
    offset_request: Long = 0
    offset_new: Long = 0


@body("remoting.protocol.admin.RollbackStats")
class RollbackStats(Body):
    """What a reset of a queue's offset did."""

    broker_name: str | None = None
    queue_id: Long = 0
    broker_offset: Long = 0
    consumer_offset: Long = 0
    timestamp_offset: Long = 0
    rollback_offset: Long = 0
