"""Subscription groups: their settings, progress and subscriptions."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, RpcRequestHeader, TopicRequestHeader, header


@header(RequestCode.DELETE_SUBSCRIPTIONGROUP)
class DeleteSubscriptionGroupRequestHeader(RpcRequestHeader):
    """Delete a group."""

    group_name: str
    clean_offset: bool = False


@header(RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG)
class GetSubscriptionGroupConfigRequestHeader(RpcRequestHeader):
    """Ask for one group's settings."""

    group: str


@header()
class GetAllSubscriptionGroupResponseHeader(Header):
    """How many groups there are in all."""

    total_group_num: Int


@header(RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, reply=GetAllSubscriptionGroupResponseHeader)
class GetAllSubscriptionGroupRequestHeader(Header):
    """Ask for all groups' settings, page by page if wished."""

    group_seq: Int
    data_version: str | None = None
    max_group_num: Int | None = None


@header(RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN)
class UpdateGroupForbiddenRequestHeader(TopicRequestHeader):
    """Forbid a group to read a topic, or allow it again."""

    group: str
    topic: str
    readable: bool | None = None


@header(RequestCode.GET_CONSUME_STATS)
class GetConsumeStatsRequestHeader(TopicRequestHeader):
    """Ask for a group's lag."""

    consumer_group: str
    topic: str | None = None
    topic_list: str | None = None


@header(RequestCode.GET_BROKER_CONSUME_STATS)
class GetConsumeStatsInBrokerHeader(Header):
    """Ask for every group's lag on a broker."""

    is_order: bool


@header(RequestCode.QUERY_TOPIC_CONSUME_BY_WHO)
class QueryTopicConsumeByWhoRequestHeader(TopicRequestHeader):
    """Ask which groups consume a topic."""

    topic: str


@header(RequestCode.QUERY_TOPICS_BY_CONSUMER)
class QueryTopicsByConsumerRequestHeader(RpcRequestHeader):
    """Ask which topics a group consumes."""

    group: str


@header(RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER)
class QuerySubscriptionByConsumerRequestHeader(TopicRequestHeader):
    """Ask for a group's subscription to a topic."""

    group: str
    topic: str | None = None


@header(RequestCode.QUERY_CONSUME_TIME_SPAN)
class QueryConsumeTimeSpanRequestHeader(TopicRequestHeader):
    """Ask for the times of a group's progress."""

    topic: str
    group: str
