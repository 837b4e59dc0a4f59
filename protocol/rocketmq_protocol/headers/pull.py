"""Reading queues, and looking messages up."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import (
    Header,
    Int,
    Long,
    TopicQueueRequestHeader,
    TopicRequestHeader,
    header,
    wire,
)


@header(fast="all")
class PullMessageResponseHeader(Header):
    """The queue's bounds, and where to go on reading."""

    suggest_which_broker_id: Long
    next_begin_offset: Long
    min_offset: Long
    max_offset: Long
    offset_delta: Long | None = None
    topic_sys_flag: Int | None = None
    group_sys_flag: Int | None = None
    forbidden_type: Int | None = None


@header(RequestCode.PULL_MESSAGE, RequestCode.LITE_PULL_MESSAGE, reply=PullMessageResponseHeader, fast="all")
class PullMessageRequestHeader(TopicQueueRequestHeader):
    """Ask a broker for messages of one queue, from one offset on."""

    consumer_group: str
    topic: str
    lite_topic: str | None = None
    queue_id: Int
    queue_offset: Long
    max_msg_nums: Int
    sys_flag: Int
    commit_offset: Long
    suspend_timeout_millis: Long
    subscription: str | None = None
    sub_version: Long
    expression_type: str | None = None
    max_msg_bytes: Int | None = None
    request_source: Int | None = None
    proxy_forward_client_id: str | None = wire("proxyFrowardClientId", default=None)  # Java's own spelling


@header()
class QueryMessageResponseHeader(Header):
    """How far the key index had come."""

    index_last_update_timestamp: Long
    index_last_update_phyoffset: Long


@header(RequestCode.QUERY_MESSAGE, reply=QueryMessageResponseHeader)
class QueryMessageRequestHeader(TopicRequestHeader):
    """Find messages by key and time."""

    topic: str
    key: str
    max_num: Int
    begin_timestamp: Long
    end_timestamp: Long
    index_type: str | None = None
    last_key: str | None = None


@header()
class ViewMessageResponseHeader(Header):
    """Nothing: the message is the body."""


@header(RequestCode.VIEW_MESSAGE_BY_ID)
class ViewMessageRequestHeader(Header):
    """Read the message at one commit log offset."""

    topic: str | None = None
    offset: Long


@header(RequestCode.QUERY_CONSUME_QUEUE)
class QueryConsumeQueueRequestHeader(TopicQueueRequestHeader):
    """Read raw entries of a consume queue."""

    topic: str | None = None
    queue_id: Int = 0
    index: Long = 0
    count: Int = 0
    consumer_group: str | None = None


@header()
class StatisticsMessagesRequestHeader(TopicQueueRequestHeader):
    """Count a queue's messages in a span of time."""

    consumer_group: str
    topic: str
    queue_id: Int
    from_time: Long = 0
    to_time: Long = 0
