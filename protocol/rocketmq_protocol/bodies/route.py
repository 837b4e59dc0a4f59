"""Where a topic lives."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Int, Long
from rocketmq_protocol.bodies.static_topic import TopicQueueMappingInfo
from rocketmq_protocol.codes import RequestCode


class MessageQueueRouteState(StrEnum):
    """What may be done with a queue during a change of its topic."""

    Expired = "Expired"
    ReadOnly = "ReadOnly"
    Normal = "Normal"
    WriteOnly = "WriteOnly"


@body("remoting.protocol.route.BrokerData")
class BrokerData(Body):
    """A broker name, and the addresses of its master (id 0) and slaves."""

    cluster: str | None = None
    broker_name: str | None = None
    broker_addrs: dict[Long, str] | None = None
    zone_name: str | None = None
    enable_acting_master: bool = False


@body("remoting.protocol.route.QueueData")
class QueueData(Body):
    """How many queues of a topic a broker has, and what may be done with them."""

    broker_name: str | None = None
    read_queue_nums: Int = 0
    write_queue_nums: Int = 0
    perm: Int = 0
    topic_sys_flag: Int = 0


@body(
    "remoting.protocol.route.TopicRouteData",
    requests=(RequestCode.REGISTER_TOPIC_IN_NAMESRV,),
    answers=(RequestCode.GET_ROUTEINFO_BY_TOPIC,),
)
class TopicRouteData(Body):
    """The brokers and queues of a topic; name servers write it BROWSER_COMPATIBLE for clients since 4.9.4."""

    order_topic_conf: str | None = None
    queue_datas: list[QueueData] = field(default_factory=list)
    broker_datas: list[BrokerData] = field(default_factory=list)
    filter_server_table: dict[str, list[str]] = field(default_factory=dict)
    topic_queue_mapping_by_broker: dict[str, TopicQueueMappingInfo] | None = None
