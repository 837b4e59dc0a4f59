"""Clients as brokers see them, and as they describe themselves."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import StrEnum
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body, wire
from rocketmq_protocol.bodies._codecs import Int, Long
from rocketmq_protocol.bodies.heartbeat import ConsumeFromWhere, ConsumeType, MessageModel, SubscriptionData
from rocketmq_protocol.bodies.message_queue import MessageQueue
from rocketmq_protocol.codes import LanguageCode, RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, TreeMap

# java.util.Properties holds a ConcurrentHashMap of 8 since Java 9.
PROPERTIES = ConcurrentHashMap(8)
# AdminBrokerProcessor copies the table of the group.
COPIED_SUBSCRIPTIONS = ConcurrentHashMap(put_all=True, source=ConcurrentHashMap())


class CMResult(StrEnum):
    """What a consumer made of one message."""

    CR_SUCCESS = "CR_SUCCESS"
    CR_LATER = "CR_LATER"
    CR_ROLLBACK = "CR_ROLLBACK"
    CR_COMMIT = "CR_COMMIT"
    CR_THROW_EXCEPTION = "CR_THROW_EXCEPTION"
    CR_RETURN_NULL = "CR_RETURN_NULL"


@body("remoting.protocol.body.Connection")
class Connection(Body):
    """A client's connection to a broker."""

    client_id: str | None = None
    client_addr: str | None = None
    language: LanguageCode | None = None
    version: Int = 0


@body("remoting.protocol.body.ConsumerConnection", answers=(RequestCode.GET_CONSUMER_CONNECTION_LIST,))
class ConsumerConnection(Body):
    """The clients of a consumer group; a list here, as the order of their set is chance in Java."""

    connection_set: list[Connection] = field(default_factory=list)
    subscription_table: Annotated[dict[str, SubscriptionData], COPIED_SUBSCRIPTIONS] = field(
        default_factory=dict
    )
    consume_type: ConsumeType | None = None
    message_model: MessageModel | None = None
    consume_from_where: ConsumeFromWhere | None = None


@body("remoting.protocol.body.ProducerConnection", answers=(RequestCode.GET_PRODUCER_CONNECTION_LIST,))
class ProducerConnection(Body):
    """The clients of a producer group; a list as well."""

    connection_set: list[Connection] = field(default_factory=list)


@body("remoting.protocol.body.ProducerInfo")
class ProducerInfo(Body):
    """One client of a producer group."""

    client_id: str | None = None
    remote_ip: str | None = wire("remoteIP", default=None)
    language: LanguageCode | None = None
    version: Int = 0
    last_update_timestamp: Long = 0


@body("remoting.protocol.body.ProducerTableInfo", answers=(RequestCode.GET_ALL_PRODUCER_INFO,))
class ProducerTableInfo(Body):
    """The clients of all producer groups."""

    data: dict[str, list[ProducerInfo]] | None = None


@body(
    "remoting.protocol.header.GetConsumerListByGroupResponseBody",
    answers=(RequestCode.GET_CONSUMER_LIST_BY_GROUP,),
)
class GetConsumerListByGroupResponseBody(Body):
    """The ids of a consumer group's clients."""

    consumer_id_list: list[str] | None = None


@body("remoting.protocol.body.CheckClientRequestBody", requests=(RequestCode.CHECK_CLIENT_CONFIG,))
class CheckClientRequestBody(Body):
    """A subscription whose filter a broker is to check."""

    client_id: str | None = None
    group: str | None = None
    subscription_data: SubscriptionData | None = None
    namespace: str | None = None


@body("remoting.protocol.body.ConsumeMessageDirectlyResult", answers=(RequestCode.CONSUME_MESSAGE_DIRECTLY,))
class ConsumeMessageDirectlyResult(Body):
    """What a consumer made of a message that an operator sent to it."""

    order: bool = False
    auto_commit: bool = True
    consume_result: CMResult | None = None
    remark: str | None = None
    spent_time_mills: Long = 0


@body("remoting.protocol.body.ProcessQueueInfo")
class ProcessQueueInfo(Body):
    """The messages of one queue that a consumer holds."""

    commit_offset: Long = 0
    cached_msg_min_offset: Long = 0
    cached_msg_max_offset: Long = 0
    cached_msg_count: Int = 0
    cached_msg_size_in_mib: Int = wire("cachedMsgSizeInMiB", default=0)
    transaction_msg_min_offset: Long = 0
    transaction_msg_max_offset: Long = 0
    transaction_msg_count: Int = 0
    locked: bool = False
    try_unlock_times: Long = 0
    last_lock_timestamp: Long = 0
    droped: bool = False
    last_pull_timestamp: Long = 0
    last_consume_timestamp: Long = 0


@body("remoting.protocol.body.PopProcessQueueInfo")
class PopProcessQueueInfo(Body):
    """The same for a queue that is popped."""

    wait_ack_count: Int = 0
    droped: bool = False
    last_pop_timestamp: Long = 0


@body("remoting.protocol.body.ConsumeStatus")
class ConsumeStatus(Body):
    """How fast a consumer handles one topic."""

    pull_rt: float = wire("pullRT", default=0.0)
    pull_tps: float = wire("pullTPS", default=0.0)
    consume_rt: float = wire("consumeRT", default=0.0)
    consume_ok_tps: float = wire("consumeOKTPS", default=0.0)
    consume_failed_tps: float = wire("consumeFailedTPS", default=0.0)
    consume_failed_msgs: Long = 0


@body("remoting.protocol.body.ConsumerRunningInfo", answers=(RequestCode.GET_CONSUMER_RUNNING_INFO,))
class ConsumerRunningInfo(Body):
    """All that a consumer can tell about itself."""

    properties: Annotated[dict[str, str], PROPERTIES] = field(default_factory=dict)
    subscription_set: Annotated[AbstractSet[SubscriptionData], TreeMap()] = frozenset()
    mq_table: Annotated[dict[MessageQueue, ProcessQueueInfo], TreeMap()] = field(default_factory=dict)
    mq_pop_table: Annotated[dict[MessageQueue, PopProcessQueueInfo], TreeMap()] = field(default_factory=dict)
    status_table: Annotated[dict[str, ConsumeStatus], TreeMap()] = field(default_factory=dict)
    user_consumer_info: Annotated[dict[str, str], TreeMap()] = field(default_factory=dict)
    jstack: str | None = None
