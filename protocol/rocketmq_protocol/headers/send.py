"""Sending, replying to and recalling messages."""

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
class SendMessageResponseHeader(Header):
    """Where a sent message was stored."""

    msg_id: str
    queue_id: Int
    queue_offset: Long
    transaction_id: str | None = None
    batch_uniq_id: str | None = None
    recall_handle: str | None = None


@header(RequestCode.SEND_MESSAGE, RequestCode.SEND_REPLY_MESSAGE, reply=SendMessageResponseHeader)
class SendMessageRequestHeader(TopicQueueRequestHeader):
    """Store one message; the body is the message's body."""

    producer_group: str
    topic: str
    default_topic: str
    default_topic_queue_nums: Int
    queue_id: Int
    sys_flag: Int
    born_timestamp: Long
    flag: Int
    properties: str | None = None
    reconsume_times: Int | None = None
    unit_mode: bool | None = None
    batch: bool | None = None
    max_reconsume_times: Int | None = None


@header(
    RequestCode.SEND_MESSAGE_V2,
    RequestCode.SEND_BATCH_MESSAGE,
    RequestCode.SEND_REPLY_MESSAGE_V2,
    reply=SendMessageResponseHeader,
    fast="own",
)
class SendMessageRequestHeaderV2(TopicQueueRequestHeader):
    """The same request with one-letter names, as clients send it today."""

    producer_group: str = wire("a")
    topic: str = wire("b")
    default_topic: str = wire("c")
    default_topic_queue_nums: Int = wire("d")
    queue_id: Int = wire("e")
    sys_flag: Int = wire("f")
    born_timestamp: Long = wire("g")
    flag: Int = wire("h")
    properties: str | None = wire("i", default=None)
    reconsume_times: Int | None = wire("j", default=None)
    unit_mode: bool | None = wire("k", default=None)
    max_reconsume_times: Int | None = wire("l", default=None)
    batch: bool | None = wire("m", default=None)
    broker_name: str | None = wire("n", default=None)


@header(RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT)
class ReplyMessageRequestHeader(TopicQueueRequestHeader):
    """Hand a reply to the client that is waiting for it."""

    producer_group: str
    topic: str
    default_topic: str
    default_topic_queue_nums: Int
    queue_id: Int
    sys_flag: Int
    born_timestamp: Long
    flag: Int
    properties: str | None = None
    reconsume_times: Int | None = None
    unit_mode: bool = False
    born_host: str
    store_host: str
    store_timestamp: Long


@header()
class RecallMessageResponseHeader(Header):
    """Which message was recalled."""

    msg_id: str


@header(RequestCode.RECALL_MESSAGE, reply=RecallMessageResponseHeader)
class RecallMessageRequestHeader(TopicRequestHeader):
    """Take back a delayed message that is not yet due."""

    producer_group: str | None = None
    topic: str
    recall_handle: str
