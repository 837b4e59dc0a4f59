"""What operators ask for: key-value tables, consume queues, progress of a check."""

from __future__ import annotations

from dataclasses import field

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Int, Long
from rocketmq_protocol.bodies.heartbeat import SubscriptionData
from rocketmq_protocol.codes import RequestCode


@body(
    "remoting.protocol.body.KVTable",
    answers=(
        RequestCode.GET_BROKER_RUNTIME_INFO,
        RequestCode.GET_KVLIST_BY_NAMESPACE,
        RequestCode.REGISTER_BROKER,
    ),
)
class KVTable(Body):
    """Text by text: runtime figures of a broker, or one namespace of a name server's settings."""

    table: dict[str, str] = field(default_factory=dict)


@body("remoting.protocol.body.ConsumeQueueData")
class ConsumeQueueData(Body):
    """One entry of a consume queue."""

    physic_offset: Long = 0
    physic_size: Int = 0
    tags_code: Long = 0
    extend_data_json: str | None = None
    bit_map: str | None = None
    eval: bool = False
    msg: str | None = None


@body("remoting.protocol.body.QueryConsumeQueueResponseBody", answers=(RequestCode.QUERY_CONSUME_QUEUE,))
class QueryConsumeQueueResponseBody(Body):
    """Some entries of a consume queue, and what a group's filter makes of them."""

    subscription_data: SubscriptionData | None = None
    filter_data: str | None = None
    queue_data: list[ConsumeQueueData] | None = None
    max_queue_index: Long = 0
    min_queue_index: Long = 0


@body("common.CheckRocksdbCqWriteResult", answers=(RequestCode.CHECK_ROCKSDB_CQ_WRITE_PROGRESS,))
class CheckRocksdbCqWriteResult(Body):
    """How far a comparison of file and RocksDB consume queues has come."""

    check_result: str | None = None
    check_status: Int = 0
