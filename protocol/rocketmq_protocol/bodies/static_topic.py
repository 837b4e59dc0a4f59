"""Static topics: queues with a global number that move between brokers and keep their offsets."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import HashSet, Int, Long
from rocketmq_protocol.bodies.topic_config import DataVersion, TopicConfig
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap


@body("remoting.protocol.statictopic.LogicQueueMappingItem")
class LogicQueueMappingItem(Body):
    """A stretch of a global queue that one broker's queue holds."""

    gen: Int = 0
    queue_id: Int = 0
    bname: str | None = None
    logic_offset: Long = 0
    start_offset: Long = 0
    end_offset: Long = -1
    time_of_start: Long = -1
    time_of_end: Long = -1


@body("remoting.protocol.statictopic.TopicQueueMappingInfo")
class TopicQueueMappingInfo(Body):
    """Which of its own queues a broker uses for which global ones at present (`curr_id_map`)."""

    topic: str | None = None
    scope: str | None = "__global__"
    total_queues: Int = 0
    bname: str | None = None
    epoch: Long = 0
    dirty: bool = False
    curr_id_map: Annotated[dict[Int, Int], ConcurrentHashMap()] | None = field(default_factory=dict)


HostedQueues = Annotated[dict[Int, list[LogicQueueMappingItem]], ConcurrentHashMap()]


@body(
    "remoting.protocol.statictopic.TopicQueueMappingDetail",
    requests=(RequestCode.UPDATE_AND_CREATE_STATIC_TOPIC,),
)
class TopicQueueMappingDetail(TopicQueueMappingInfo):
    """The same with the whole history of each global queue."""

    hosted_queues: HostedQueues = field(default_factory=dict)


@body("remoting.protocol.statictopic.TopicQueueMappingOne")
class TopicQueueMappingOne(Body):
    """One global queue of a topic on one broker."""

    topic: str | None = None
    bname: str | None = None
    global_id: Int | None = None
    items: list[LogicQueueMappingItem] | None = None
    mapping_detail: TopicQueueMappingDetail | None = None


@body("remoting.protocol.statictopic.TopicQueueMappingContext")
class TopicQueueMappingContext(Body):
    """What a broker works out for a request about a static topic; whether it leads follows from the rest."""

    topic: str | None = None
    global_id: Int | None = None
    mapping_detail: TopicQueueMappingDetail | None = None
    mapping_item_list: list[LogicQueueMappingItem] | None = None
    leader_item: LogicQueueMappingItem | None = None
    current_item: LogicQueueMappingItem | None = None
    leader: bool | None = None

    def __post_init__(self) -> None:
        if self.leader is None:
            owner = self.mapping_detail.bname if self.mapping_detail else None
            self.leader = self.leader_item is not None and self.leader_item.bname == owner


@body(
    "remoting.protocol.statictopic.TopicConfigAndQueueMapping",
    answers=(RequestCode.GET_TOPIC_CONFIG,),
)
class TopicConfigAndQueueMapping(TopicConfig):
    """A topic's settings, and its mapping if it is static."""

    mapping_detail: TopicQueueMappingDetail | None = None


@body("remoting.protocol.statictopic.TopicRemappingDetailWrapper")
class TopicRemappingDetailWrapper(Body):
    """A planned move of a static topic's queues."""

    topic: str | None = None
    type: str | None = None
    epoch: Long = 0
    broker_config_map: dict[str, TopicConfigAndQueueMapping] = field(default_factory=dict)
    broker_to_map_in: HashSet[str] = frozenset()
    broker_to_map_out: HashSet[str] = frozenset()


@body("remoting.protocol.body.TopicQueueMappingSerializeWrapper")
class TopicQueueMappingSerializeWrapper(Body):
    """All mappings of a broker: its file topicQueueMapping.json."""

    topic_queue_mapping_info_map: (
        Annotated[dict[str, TopicQueueMappingDetail], ConcurrentHashMap()] | None
    ) = None
    data_version: DataVersion | None = field(default_factory=DataVersion)
