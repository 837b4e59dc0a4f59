"""Topics: their settings, routes and figures."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, Long, RpcRequestHeader, TopicRequestHeader, header


@header(RequestCode.UPDATE_AND_CREATE_TOPIC, RequestCode.UPDATE_AND_CREATE_STATIC_TOPIC)
class CreateTopicRequestHeader(TopicRequestHeader):
    """Create a topic or change its settings."""

    topic: str
    default_topic: str
    read_queue_nums: Int
    write_queue_nums: Int
    perm: Int
    topic_filter_type: str
    topic_sys_flag: Int | None = None
    order: bool
    attributes: str | None = None
    force: bool = False


@header(RequestCode.UPDATE_AND_CREATE_TOPIC_LIST)
class CreateTopicListRequestHeader(RpcRequestHeader):
    """Create many topics; the body lists them."""


@header(RequestCode.DELETE_TOPIC_IN_BROKER)
class DeleteTopicRequestHeader(TopicRequestHeader):
    """Delete a topic from a broker."""

    topic: str


@header(RequestCode.DELETE_TOPIC_IN_NAMESRV, package="namesrv.")
class DeleteTopicFromNamesrvRequestHeader(TopicRequestHeader):
    """Delete a topic's route."""

    topic: str
    cluster_name: str | None = None


@header(RequestCode.GET_TOPIC_CONFIG)
class GetTopicConfigRequestHeader(TopicRequestHeader):
    """Ask for one topic's settings."""

    topic: str


@header()
class GetAllTopicConfigResponseHeader(Header):
    """How many topics there are in all."""

    total_topic_num: Int | None = None


@header(RequestCode.GET_ALL_TOPIC_CONFIG, reply=GetAllTopicConfigResponseHeader)
class GetAllTopicConfigRequestHeader(Header):
    """Ask for all topics' settings, page by page if wished."""

    topic_seq: Int
    data_version: str | None = None
    max_topic_num: Int | None = None


@header(RequestCode.GET_TOPIC_STATS_INFO)
class GetTopicStatsInfoRequestHeader(TopicRequestHeader):
    """Ask for the offsets of a topic's queues."""

    topic: str


@header(RequestCode.GET_ROUTEINFO_BY_TOPIC, package="namesrv.")
class GetRouteInfoRequestHeader(TopicRequestHeader):
    """Ask which brokers hold a topic."""

    topic: str
    accept_standard_json_only: bool | None = None


@header(RequestCode.GET_TOPICS_BY_CLUSTER)
class GetTopicsByClusterRequestHeader(Header):
    """Ask for a cluster's topics."""

    cluster: str


@header(RequestCode.REGISTER_TOPIC_IN_NAMESRV, package="namesrv.")
class RegisterTopicRequestHeader(TopicRequestHeader):
    """Announce a topic to the nameserver; the body is its route."""

    topic: str


@header(package="namesrv.")
class RegisterOrderTopicRequestHeader(Header):
    """Announce a globally ordered topic."""

    topic: str
    order_topic_string: str


@header(RequestCode.CHECK_ROCKSDB_CQ_WRITE_PROGRESS)
class CheckRocksdbCqWriteProgressRequestHeader(Header):
    """Compare file and RocksDB consume queues of a topic."""

    topic: str
    check_store_time: Long = 0
