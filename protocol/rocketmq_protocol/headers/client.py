"""Clients: heartbeats, who is connected, calls passed on to a client."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, RpcRequestHeader, TopicRequestHeader, header, wire


@header(RequestCode.HEART_BEAT)
class HeartbeatRequestHeader(RpcRequestHeader):
    """A client is alive; the body says what it does."""


@header()
class UnregisterClientResponseHeader(Header):
    """Nothing: the client is gone."""


@header(RequestCode.UNREGISTER_CLIENT, reply=UnregisterClientResponseHeader)
class UnregisterClientRequestHeader(RpcRequestHeader):
    """A client leaves its groups."""

    client_id: str = wire("clientID")
    producer_group: str | None = None
    consumer_group: str | None = None


@header()
class GetConsumerListByGroupResponseHeader(Header):
    """Nothing: the client ids are the body."""


@header(RequestCode.GET_CONSUMER_LIST_BY_GROUP, reply=GetConsumerListByGroupResponseHeader)
class GetConsumerListByGroupRequestHeader(RpcRequestHeader):
    """Ask which clients consume in a group."""

    consumer_group: str


@header(RequestCode.GET_CONSUMER_CONNECTION_LIST)
class GetConsumerConnectionListRequestHeader(RpcRequestHeader):
    """Ask for a group's connections and subscriptions."""

    consumer_group: str


@header(RequestCode.GET_PRODUCER_CONNECTION_LIST)
class GetProducerConnectionListRequestHeader(RpcRequestHeader):
    """Ask for a producer group's connections."""

    producer_group: str


@header(RequestCode.GET_ALL_PRODUCER_INFO)
class GetAllProducerInfoRequestHeader(Header):
    """Ask for every producer of a broker."""


@header(RequestCode.GET_CONSUMER_RUNNING_INFO)
class GetConsumerRunningInfoRequestHeader(RpcRequestHeader):
    """Ask a client, through its broker, how it is doing."""

    consumer_group: str
    client_id: str
    jstack_enable: bool = False


@header(RequestCode.NOTIFY_CONSUMER_IDS_CHANGED)
class NotifyConsumerIdsChangedRequestHeader(RpcRequestHeader):
    """Tell a client that its group gained or lost a member."""

    consumer_group: str


@header(RequestCode.CONSUME_MESSAGE_DIRECTLY)
class ConsumeMessageDirectlyResultRequestHeader(TopicRequestHeader):
    """Have one client consume one message now."""

    consumer_group: str
    client_id: str | None = None
    msg_id: str | None = None
    broker_name: str | None = None
    topic: str | None = None
    topic_sys_flag: Int | None = None
    group_sys_flag: Int | None = None


@header(RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT, RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS)
class GetConsumerStatusRequestHeader(TopicRequestHeader):
    """Ask clients for the offsets they hold in memory."""

    topic: str
    group: str
    client_addr: str | None = None


@header(RequestCode.LOCK_BATCH_MQ)
class LockBatchMqRequestHeader(RpcRequestHeader):
    """Lock queues for one orderly consumer; the body names them."""


@header(RequestCode.UNLOCK_BATCH_MQ)
class UnlockBatchMqRequestHeader(RpcRequestHeader):
    """Release locked queues; the body names them."""
