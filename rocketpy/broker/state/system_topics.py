"""Which topics are the system's: not to be changed, and not counted as the users'."""

from __future__ import annotations

from typing import Final

from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state import names

_PREFIX: Final = "rmq_sys_"
# TopicValidator: known whether or not this broker holds them; some of its own topics join them.
_ALWAYS: Final = (
    names.AUTO_CREATE_TOPIC,
    names.SCHEDULE_TOPIC,
    names.BENCHMARK_TOPIC,
    names.HALF_TOPIC,
    "RMQ_SYS_TRACE_TOPIC",
    names.OP_HALF_TOPIC,
    names.DISCARD_TOPIC,
    names.SELF_TEST_TOPIC,
    names.OFFSET_MOVED_TOPIC,
    "CHECKPOINT_TOPIC",
    "RMQ_SYS_ROCKSDB_TRANS_HALF_TOPIC",
    "RMQ_SYS_ROCKSDB_TRANS_OP_HALF_TOPIC",
)


class SystemTopics:
    """The names that TopicValidator knows once a broker has started."""

    def __init__(self, config: BrokerConfig) -> None:
        cluster = config.text("brokerClusterName")
        own = (cluster, config.broker_name, f"{cluster}_REPLY_TOPIC")
        self.names = frozenset(_ALWAYS + own)

    def __contains__(self, topic: str) -> bool:
        return topic in self.names or topic.startswith(_PREFIX)
