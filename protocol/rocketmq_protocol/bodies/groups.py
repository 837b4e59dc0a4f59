"""Consumer groups and their settings."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import HashSet, Int, Long, LongArray
from rocketmq_protocol.bodies.heartbeat import SubscriptionData
from rocketmq_protocol.bodies.topic_config import DataVersion
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, TreeMap, objects_hash

# SubscriptionGroupManager, and the file subscriptionGroup.json.
GROUPS_OF_BROKER = ConcurrentHashMap(1024)
# SubscriptionGroupManager.subGroupTable: the page of its sorted groups that a slave asks for.
PAGE_OF_GROUPS = ConcurrentHashMap(put_all=True, source=TreeMap())


class GroupRetryPolicyType(StrEnum):
    """How the pauses between retries are chosen."""

    EXPONENTIAL = "EXPONENTIAL"
    CUSTOMIZED = "CUSTOMIZED"


@body("remoting.protocol.subscription.ExponentialRetryPolicy")
class ExponentialRetryPolicy(Body):
    """Pauses that grow, in milliseconds."""

    initial: Long = 5000
    max: Long = 7_200_000
    multiplier: Long = 2


@body("remoting.protocol.subscription.CustomizedRetryPolicy")
class CustomizedRetryPolicy(Body):
    """A list of pauses, in milliseconds."""

    next: LongArray = field(
        default_factory=lambda: [
            *(1000, 5000, 10_000, 30_000, 60_000, 120_000, 180_000, 240_000, 300_000),
            *(360_000, 420_000, 480_000, 540_000, 600_000, 1_200_000, 1_800_000, 3_600_000, 7_200_000),
        ]
    )


@body("remoting.protocol.subscription.GroupRetryPolicy")
class GroupRetryPolicy(Body):
    """The pauses between retries of a group."""

    type: GroupRetryPolicyType | None = GroupRetryPolicyType.CUSTOMIZED
    exponential_retry_policy: ExponentialRetryPolicy | None = None
    customized_retry_policy: CustomizedRetryPolicy | None = None


@body("remoting.protocol.subscription.SimpleSubscriptionData", frozen=True)
class SimpleSubscriptionData(Body):
    """What a group subscribes to, as its settings say it."""

    topic: str | None = None
    expression_type: str | None = None
    expression: str | None = None
    version: Long = 0

    def java_hash(self) -> int:
        """SimpleSubscriptionData.hashCode, which leaves out the version."""
        return objects_hash(self.topic, self.expression_type, self.expression)


@body(
    "remoting.protocol.subscription.SubscriptionGroupConfig",
    requests=(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP,),
    answers=(RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG,),
)
class SubscriptionGroupConfig(Body):
    """A consumer group's settings on one broker."""

    group_name: str | None = None
    consume_enable: bool = True
    consume_from_min_enable: bool = True
    consume_broadcast_enable: bool = True
    consume_message_orderly: bool = False
    retry_queue_nums: Int = 1
    retry_max_times: Int = 16
    group_retry_policy: GroupRetryPolicy | None = field(default_factory=GroupRetryPolicy)
    broker_id: Long = 0
    which_broker_when_consume_slowly: Long = 1
    notify_consumer_ids_changed_enable: bool = True
    group_sys_flag: Int = 0
    consume_timeout_minute: Int = 15
    subscription_data_set: HashSet[SimpleSubscriptionData] | None = None
    attributes: dict[str, str] | None = field(default_factory=dict)


ForbiddenByTopic = Annotated[dict[str, Int], ConcurrentHashMap()]


@body(
    "remoting.protocol.body.SubscriptionGroupWrapper",
    answers=(RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,),
)
class SubscriptionGroupWrapper(Body):
    """A page of a broker's groups; all of them stand as in `JavaTable(groups, GROUPS_OF_BROKER)`."""

    subscription_group_table: Annotated[dict[str, SubscriptionGroupConfig], PAGE_OF_GROUPS] = field(
        default_factory=dict
    )
    forbidden_table: Annotated[dict[str, ForbiddenByTopic], ConcurrentHashMap()] = field(default_factory=dict)
    data_version: DataVersion | None = field(default_factory=DataVersion)


@body(
    "remoting.protocol.body.SubscriptionGroupList",
    requests=(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST,),
)
class SubscriptionGroupList(Body):
    """Groups to create or change."""

    group_config_list: list[SubscriptionGroupConfig] | None = None


@body(
    "remoting.protocol.subscription.GroupForbidden",
    answers=(RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN,),
)
class GroupForbidden(Body):
    """Whether a group may read a topic."""

    topic: str | None = None
    group: str | None = None
    readable: bool | None = None


@body("remoting.protocol.body.GroupList", answers=(RequestCode.QUERY_TOPIC_CONSUME_BY_WHO,))
class GroupList(Body):
    """Names of groups."""

    group_list: HashSet[str] = frozenset()


@body("remoting.protocol.body.ConsumeByWho")
class ConsumeByWho(Body):
    """Which groups have consumed a message, and which have not."""

    consumed_group: HashSet[str] = frozenset()
    not_consumed_group: HashSet[str] = frozenset()
    topic: str | None = None
    queue_id: Int = 0
    offset: Long = 0


@body(
    "remoting.protocol.body.QuerySubscriptionResponseBody",
    answers=(RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER,),
)
class QuerySubscriptionResponseBody(Body):
    """What a group wants of a topic."""

    subscription_data: SubscriptionData | None = None
    group: str | None = None
    topic: str | None = None


@body("common.entity.TopicGroup", frozen=True)
class TopicGroup(Body):
    """A topic and a group."""

    topic: str | None = None
    group: str | None = None
