"""The broker's consumerFilter.json: the filter expressions of consumer groups (ConsumerFilterManager)."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import LongArray
from rocketmq_protocol.declaring import Int, Long
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap


@body("filter.util.BloomFilterData")
class BloomFilterData(Body):
    """The bits that stand for a group's expression."""

    bit_num: Int = 0
    bit_pos: LongArray | None = None


@body("broker.filter.ConsumerFilterData")
class ConsumerFilterData(Body):
    """One group's expression for one topic."""

    consumer_group: str | None = None
    topic: str | None = None
    expression: str | None = None
    expression_type: str | None = None
    born_time: Long = 0
    dead_time: Long = 0
    dead: bool = False
    client_version: Long = 0
    bloom_filter_data: BloomFilterData | None = None


@body("broker.filter.ConsumerFilterManager$FilterDataMapByTopic")
class FilterDataOfTopic(Body):
    """The expressions of all groups for one topic."""

    topic: str | None = None
    group_filter_data: Annotated[dict[str, ConsumerFilterData], ConcurrentHashMap()] = field(
        default_factory=dict
    )


@body("broker.filter.ConsumerFilterManager")
class ConsumerFilters(Body):
    """The whole file."""

    filter_data_by_topic: Annotated[dict[str, FilterDataOfTopic], ConcurrentHashMap(256)] = field(
        default_factory=dict
    )
