"""Lite topics: many small topics under one parent."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, Long, RpcRequestHeader, header


@header()
class PopLiteMessageResponseHeader(Header):
    """The lease, and the offsets it covers."""

    pop_time: Long
    invisible_time: Long
    revive_qid: Int
    start_offset_info: str | None = None
    msg_offset_info: str | None = None
    order_count_info: str | None = None


@header(RequestCode.POP_LITE_MESSAGE, reply=PopLiteMessageResponseHeader)
class PopLiteMessageRequestHeader(RpcRequestHeader):
    """Lease messages of the lite topics a client subscribes to."""

    client_id: str
    consumer_group: str
    topic: str
    max_msg_num: Int
    invisible_time: Long
    poll_time: Long
    born_time: Long
    attempt_id: str | None = None


@header(RequestCode.LITE_SUBSCRIPTION_CTL)
class LiteSubscriptionCtlRequestHeader(RpcRequestHeader):
    """Change the lite topics a client subscribes to; the body says how."""


@header(RequestCode.NOTIFY_UNSUBSCRIBE_LITE)
class NotifyUnsubscribeLiteRequestHeader(RpcRequestHeader):
    """Tell a client that it no longer subscribes to a lite topic."""

    lite_topic: str
    consumer_group: str
    client_id: str


@header(RequestCode.TRIGGER_LITE_DISPATCH)
class TriggerLiteDispatchRequestHeader(Header):
    """Dispatch pending lite messages now."""

    group: str
    client_id: str | None = None


@header(RequestCode.GET_LITE_CLIENT_INFO)
class GetLiteClientInfoRequestHeader(Header):
    """Ask for one client's lite subscriptions."""

    parent_topic: str | None = None
    group: str | None = None
    client_id: str | None = None
    max_count: Int = 1000


@header(RequestCode.GET_LITE_GROUP_INFO)
class GetLiteGroupInfoRequestHeader(Header):
    """Ask for a group's lag over lite topics."""

    group: str
    lite_topic: str | None = None
    top_k: Int = 0


@header(RequestCode.GET_LITE_TOPIC_INFO)
class GetLiteTopicInfoRequestHeader(Header):
    """Ask who subscribes to a lite topic."""

    parent_topic: str | None = None
    lite_topic: str | None = None


@header(RequestCode.GET_PARENT_TOPIC_INFO)
class GetParentTopicInfoRequestHeader(Header):
    """Ask for a parent topic's lite topics."""

    topic: str
