"""Offsets: of queues, of groups, by time."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import (
    BoundaryType,
    Header,
    Int,
    Long,
    RpcRequestHeader,
    TopicQueueRequestHeader,
    TopicRequestHeader,
    header,
)


@header()
class GetMaxOffsetResponseHeader(Header):
    """The offset after the last message."""

    offset: Long


@header(RequestCode.GET_MAX_OFFSET, reply=GetMaxOffsetResponseHeader)
class GetMaxOffsetRequestHeader(TopicQueueRequestHeader):
    """Ask where a queue ends."""

    topic: str
    queue_id: Int
    committed: bool = True


@header()
class GetMinOffsetResponseHeader(Header):
    """The offset of the oldest message kept."""

    offset: Long


@header(RequestCode.GET_MIN_OFFSET, reply=GetMinOffsetResponseHeader)
class GetMinOffsetRequestHeader(TopicQueueRequestHeader):
    """Ask where a queue begins."""

    topic: str
    queue_id: Int


@header()
class SearchOffsetResponseHeader(Header):
    """The offset found."""

    offset: Long


@header(RequestCode.SEARCH_OFFSET_BY_TIMESTAMP, reply=SearchOffsetResponseHeader)
class SearchOffsetRequestHeader(TopicQueueRequestHeader):
    """Find the offset that belongs to a time."""

    topic: str
    lite_topic: str | None = None
    queue_id: Int
    timestamp: Long
    boundary_type: BoundaryType | None = None


@header()
class GetEarliestMsgStoretimeResponseHeader(Header):
    """When the oldest message was stored."""

    timestamp: Long


@header(RequestCode.GET_EARLIEST_MSG_STORETIME, reply=GetEarliestMsgStoretimeResponseHeader)
class GetEarliestMsgStoretimeRequestHeader(TopicQueueRequestHeader):
    """Ask how old a queue's oldest message is."""

    topic: str
    queue_id: Int


@header()
class QueryConsumerOffsetResponseHeader(Header):
    """The offset a group will read next."""

    offset: Long


@header(RequestCode.QUERY_CONSUMER_OFFSET, reply=QueryConsumerOffsetResponseHeader)
class QueryConsumerOffsetRequestHeader(TopicQueueRequestHeader):
    """Ask how far a group has consumed a queue."""

    consumer_group: str
    topic: str
    queue_id: Int
    set_zero_if_not_found: bool | None = None


@header()
class UpdateConsumerOffsetResponseHeader(Header):
    """Nothing: the offset is taken."""


@header(RequestCode.UPDATE_CONSUMER_OFFSET, reply=UpdateConsumerOffsetResponseHeader)
class UpdateConsumerOffsetRequestHeader(TopicQueueRequestHeader):
    """Say how far a group has consumed a queue."""

    consumer_group: str
    topic: str
    queue_id: Int
    commit_offset: Long


@header()
class InitConsumerOffsetRequestHeader(TopicRequestHeader):
    """Where a new group begins."""

    topic: str | None = None
    init_mode: Int = 0


@header(RequestCode.RESET_CONSUMER_CLIENT_OFFSET, RequestCode.INVOKE_BROKER_TO_RESET_OFFSET)
class ResetOffsetRequestHeader(TopicQueueRequestHeader):
    """Move a group to an offset or a time."""

    group: str
    topic: str
    queue_id: Int = -1
    offset: Long | None = None
    timestamp: Long
    is_force: bool


@header(RequestCode.CLONE_GROUP_OFFSET)
class CloneGroupOffsetRequestHeader(RpcRequestHeader):
    """Copy one group's offsets to another."""

    src_group: str
    dest_group: str
    topic: str | None = None
    offline: bool = False


@header(RequestCode.QUERY_CORRECTION_OFFSET)
class QueryCorrectionOffsetHeader(TopicRequestHeader):
    """Ask for offsets that groups disagree on."""

    filter_groups: str | None = None
    compare_group: str
    topic: str


@header(RequestCode.CONSUMER_SEND_MSG_BACK)
class ConsumerSendMsgBackRequestHeader(RpcRequestHeader):
    """A consumer failed on a message: deliver it again later."""

    offset: Long
    group: str
    delay_level: Int
    origin_msg_id: str | None = None
    origin_topic: str | None = None
    unit_mode: bool = False
    max_reconsume_times: Int | None = None
