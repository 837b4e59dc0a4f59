"""Figures: how far consumers are, how much a broker handles."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime, timedelta
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Long
from rocketmq_protocol.bodies.message_queue import MessageQueue
from rocketmq_protocol.bodies.topic_config import DataVersion
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap


@body("remoting.protocol.admin.OffsetWrapper")
class OffsetWrapper(Body):
    """How far a queue goes, and how far it is consumed."""

    broker_offset: Long = 0
    consumer_offset: Long = 0
    pull_offset: Long = 0
    last_timestamp: Long = 0


@body("remoting.protocol.admin.ConsumeStats", answers=(RequestCode.GET_CONSUME_STATS,))
class ConsumeStats(Body):
    """How far a group is in each queue."""

    offset_table: Annotated[dict[MessageQueue, OffsetWrapper], ConcurrentHashMap()] = field(
        default_factory=dict
    )
    consume_tps: float = 0.0


@body("remoting.protocol.body.ConsumeStatsList", answers=(RequestCode.GET_BROKER_CONSUME_STATS,))
class ConsumeStatsList(Body):
    """How far all groups of a broker are: for each group a table of one entry."""

    consume_stats_list: list[dict[str, list[ConsumeStats]]] = field(default_factory=list)
    broker_addr: str | None = None
    total_diff: Long = 0
    total_inflight_diff: Long = 0


@body("remoting.protocol.admin.TopicOffset")
class TopicOffset(Body):
    """The offsets that a queue holds, and when it last got a message."""

    min_offset: Long = 0
    max_offset: Long = 0
    last_update_timestamp: Long = 0


@body("remoting.protocol.admin.TopicStatsTable", answers=(RequestCode.GET_TOPIC_STATS_INFO,))
class TopicStatsTable(Body):
    """The offsets of all queues of a topic."""

    topic_put_tps: float = 0.0
    offset_table: Annotated[dict[MessageQueue, TopicOffset], ConcurrentHashMap()] = field(
        default_factory=dict
    )


@body("remoting.protocol.body.BrokerStatsItem")
class BrokerStatsItem(Body):
    """One figure over one span: its sum, its rate, its mean."""

    sum: Long = 0
    tps: float = 0.0
    avgpt: float = 0.0


@body("remoting.protocol.body.BrokerStatsData", answers=(RequestCode.VIEW_BROKER_STATS_DATA,))
class BrokerStatsData(Body):
    """One figure over the last minute, hour and day."""

    stats_minute: BrokerStatsItem | None = None
    stats_hour: BrokerStatsItem | None = None
    stats_day: BrokerStatsItem | None = None


@body("remoting.protocol.body.QueueTimeSpan")
class QueueTimeSpan(Body):
    """The times of a queue's oldest, newest and last consumed message.

    Java also writes them as text, in the time zone of its machine; here that is UTC unless given.
    """

    message_queue: MessageQueue | None = None
    min_time_stamp: Long = 0
    max_time_stamp: Long = 0
    consume_time_stamp: Long = 0
    delay_time: Long = 0
    min_time_stamp_str: str | None = None
    max_time_stamp_str: str | None = None
    consume_time_stamp_str: str | None = None

    def __post_init__(self) -> None:
        self.min_time_stamp_str = self.min_time_stamp_str or _time_text(self.min_time_stamp)
        self.max_time_stamp_str = self.max_time_stamp_str or _time_text(self.max_time_stamp)
        self.consume_time_stamp_str = self.consume_time_stamp_str or _time_text(self.consume_time_stamp)


def _time_text(milliseconds: int) -> str | None:
    """UtilAll.formatDate with yyyy-MM-dd#HH:mm:ss:SSS; None for a time that has no such text."""
    try:
        time = datetime(1970, 1, 1) + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return time.isoformat("#", "milliseconds").replace(".", ":")


@body("remoting.protocol.body.QueryConsumeTimeSpanBody", answers=(RequestCode.QUERY_CONSUME_TIME_SPAN,))
class QueryConsumeTimeSpanBody(Body):
    """The time spans of all queues of a topic."""

    consume_time_span_set: list[QueueTimeSpan] = field(default_factory=list)


@body("store.timer.TimerMetrics$Metric")
class TimerMetric(Body):
    """How many messages of a topic wait for their time. Java starts the timestamp at the time of day."""

    count: Long = 0
    time_stamp: Long = 0


@body("store.timer.TimerMetrics$TimerMetricsSerializeWrapper", answers=(RequestCode.GET_TIMER_METRICS,))
class TimerMetrics(Body):
    """How many messages of all topics wait for their time."""

    timing_count: Annotated[dict[str, TimerMetric], ConcurrentHashMap(1024)] = field(default_factory=dict)
    data_version: DataVersion | None = field(default_factory=DataVersion)
