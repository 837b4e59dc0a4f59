"""Topics and their settings."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import StrEnum
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Int, Long
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap

# TopicConfigManager, and the file topics.json.
TOPICS_OF_BROKER = ConcurrentHashMap(1024)


class TopicFilterType(StrEnum):
    """A relic: brokers know only the first."""

    SINGLE_TAG = "SINGLE_TAG"
    MULTI_TAG = "MULTI_TAG"


@body(
    "remoting.protocol.DataVersion",
    requests=(RequestCode.QUERY_DATA_VERSION,),
    answers=(RequestCode.QUERY_DATA_VERSION,),
)
class DataVersion(Body):
    """The age of a table: how often and when it was changed. Java starts the timestamp at the time of day."""

    state_version: Long = 0
    timestamp: Long = 0
    counter: Long = 0


@body("common.TopicConfig")
class TopicConfig(Body):
    """A topic's settings on one broker."""

    topic_name: str | None = None
    read_queue_nums: Int = 16
    write_queue_nums: Int = 16
    perm: Int = 6
    topic_filter_type: TopicFilterType | None = TopicFilterType.SINGLE_TAG
    topic_sys_flag: Int = 0
    order: bool = False
    attributes: dict[str, str] | None = field(default_factory=dict)


@body("remoting.protocol.body.TopicConfigSerializeWrapper")
class TopicConfigSerializeWrapper(Body):
    """All topics of a broker: its file topics.json, and what 4.9 answers to GET_ALL_TOPIC_CONFIG."""

    topic_config_table: Annotated[dict[str, TopicConfig], TOPICS_OF_BROKER] = field(default_factory=dict)
    data_version: DataVersion | None = field(default_factory=DataVersion)


@body(
    "remoting.protocol.body.CreateTopicListRequestBody",
    requests=(RequestCode.UPDATE_AND_CREATE_TOPIC_LIST,),
)
class CreateTopicListRequestBody(Body):
    """Topics to create or change."""

    topic_config_list: list[TopicConfig] | None = None


@body(
    "remoting.protocol.body.TopicList",
    answers=(
        RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER,
        RequestCode.GET_TOPICS_BY_CLUSTER,
        RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS,
        RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER,
        RequestCode.GET_UNIT_TOPIC_LIST,
        RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST,
        RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST,
        RequestCode.QUERY_TOPICS_BY_CONSUMER,
    ),
)
class TopicList(Body):
    """Names of topics. A name server copies them from its table of 1024 into the key set of a small one."""

    topic_list: Annotated[AbstractSet[str], ConcurrentHashMap(source=ConcurrentHashMap(1024))] = frozenset()
    broker_addr: str | None = None
