"""Lite topics: many small topics under one parent."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import HashSet, Int, Long
from rocketmq_protocol.bodies.stats import OffsetWrapper, TopicOffset
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, objects_hash

# LiteSubscription keeps them in ConcurrentHashMap.newKeySet().
LiteTopics = Annotated[AbstractSet[str], ConcurrentHashMap()]


class LiteSubscriptionAction(StrEnum):
    """What is to be done with a client's lite topics."""

    PARTIAL_ADD = "PARTIAL_ADD"
    PARTIAL_REMOVE = "PARTIAL_REMOVE"
    COMPLETE_ADD = "COMPLETE_ADD"
    COMPLETE_REMOVE = "COMPLETE_REMOVE"


class OffsetOptionType(StrEnum):
    """What the number of an offset option means."""

    POLICY = "POLICY"
    OFFSET = "OFFSET"
    TAIL_N = "TAIL_N"
    TIMESTAMP = "TIMESTAMP"


@body("common.lite.OffsetOption")
class OffsetOption(Body):
    """Where to begin in a lite topic."""

    type: OffsetOptionType | None = None
    value: Long = 0


@body("common.lite.LiteSubscription")
class LiteSubscription(Body):
    """The lite topics that a client has. Java starts the time at the time of day."""

    group: str | None = None
    topic: str | None = None
    lite_topic_set: LiteTopics = frozenset()
    update_time: Long = 0


@body("common.lite.LiteSubscriptionDTO")
class LiteSubscriptionDTO(Body):
    """A change of a client's lite topics."""

    action: LiteSubscriptionAction | None = None
    client_id: str | None = None
    group: str | None = None
    topic: str | None = None
    lite_topic_set: HashSet[str] | None = None
    offset_option: OffsetOption | None = None
    version: Long = 0


@body("remoting.protocol.body.LiteSubscriptionCtlRequestBody", requests=(RequestCode.LITE_SUBSCRIPTION_CTL,))
class LiteSubscriptionCtlRequestBody(Body):
    """Changes of lite topics; a list here, as the order of their set is chance in Java."""

    subscription_set: list[LiteSubscriptionDTO] | None = None


@body("common.lite.LiteLagInfo")
class LiteLagInfo(Body):
    """How far behind a group is in one lite topic."""

    lite_topic: str | None = None
    lag_count: Long = 0
    earliest_unconsumed_timestamp: Long = -1


@body("common.entity.ClientGroup", frozen=True)
class ClientGroup(Body):
    """A client and its group."""

    client_id: str | None = None
    group: str | None = None

    def java_hash(self) -> int:
        """ClientGroup.hashCode."""
        return objects_hash(self.client_id, self.group)


@body("remoting.protocol.body.GetBrokerLiteInfoResponseBody", answers=(RequestCode.GET_BROKER_LITE_INFO,))
class GetBrokerLiteInfoResponseBody(Body):
    """How many lite topics a broker has."""

    store_type: str | None = None
    max_lmq_num: Int = 0
    current_lmq_num: Int = 0
    lite_subscription_count: Int = 0
    order_info_count: Int = 0
    cq_table_size: Int = 0
    offset_table_size: Int = 0
    event_map_size: Int = 0
    topic_meta: dict[str, Int] | None = None
    group_meta: dict[str, HashSet[str]] | None = None


@body("remoting.protocol.body.GetParentTopicInfoResponseBody", answers=(RequestCode.GET_PARENT_TOPIC_INFO,))
class GetParentTopicInfoResponseBody(Body):
    """A topic that has lite topics."""

    topic: str | None = None
    ttl: Int = 0
    groups: HashSet[str] | None = None
    lmq_num: Int = 0
    lite_topic_count: Int = 0


@body("remoting.protocol.body.GetLiteTopicInfoResponseBody", answers=(RequestCode.GET_LITE_TOPIC_INFO,))
class GetLiteTopicInfoResponseBody(Body):
    """One lite topic."""

    parent_topic: str | None = None
    lite_topic: str | None = None
    subscriber: HashSet[ClientGroup] | None = None
    topic_offset: TopicOffset | None = None
    sharding_to_broker: bool = False


@body("remoting.protocol.body.GetLiteClientInfoResponseBody", answers=(RequestCode.GET_LITE_CLIENT_INFO,))
class GetLiteClientInfoResponseBody(Body):
    """The lite topics of one client."""

    parent_topic: str | None = None
    group: str | None = None
    client_id: str | None = None
    last_access_time: Long = 0
    last_consume_time: Long = 0
    lite_topic_count: Int = 0
    lite_topic_set: LiteTopics | None = None


@body("remoting.protocol.body.GetLiteGroupInfoResponseBody", answers=(RequestCode.GET_LITE_GROUP_INFO,))
class GetLiteGroupInfoResponseBody(Body):
    """How far behind one group is."""

    group: str | None = None
    parent_topic: str | None = None
    lite_topic: str | None = None
    earliest_unconsumed_timestamp: Long = -1
    total_lag_count: Long = 0
    lite_topic_offset_wrapper: OffsetWrapper | None = None
    lag_count_top_k: list[LiteLagInfo] | None = None
    lag_timestamp_top_k: list[LiteLagInfo] | None = None
