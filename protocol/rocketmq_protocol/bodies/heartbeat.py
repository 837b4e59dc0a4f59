"""What a client tells every broker about itself, and what it subscribes to."""

from __future__ import annotations

from dataclasses import field, replace
from enum import StrEnum
from typing import Any

from rocketmq_protocol import javaisms
from rocketmq_protocol.bodies._base import Body, body, wire
from rocketmq_protocol.bodies._codecs import HashSet, Int, Long
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import JavaSet, natural_order, objects_hash


class ConsumeType(StrEnum):
    """How a consumer gets its messages."""

    CONSUME_ACTIVELY = "CONSUME_ACTIVELY"
    CONSUME_PASSIVELY = "CONSUME_PASSIVELY"
    CONSUME_POP = "CONSUME_POP"


class MessageModel(StrEnum):
    """Whether each consumer of a group gets every message, or one of them."""

    BROADCASTING = "BROADCASTING"
    CLUSTERING = "CLUSTERING"
    LITE_SELECTIVE = "LITE_SELECTIVE"


class ConsumeFromWhere(StrEnum):
    """Where a group without offsets begins."""

    CONSUME_FROM_LAST_OFFSET = "CONSUME_FROM_LAST_OFFSET"
    CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST = (
        "CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST"
    )
    CONSUME_FROM_MIN_OFFSET = "CONSUME_FROM_MIN_OFFSET"
    CONSUME_FROM_MAX_OFFSET = "CONSUME_FROM_MAX_OFFSET"
    CONSUME_FROM_FIRST_OFFSET = "CONSUME_FROM_FIRST_OFFSET"
    CONSUME_FROM_TIMESTAMP = "CONSUME_FROM_TIMESTAMP"


@body("remoting.protocol.heartbeat.SubscriptionData", frozen=True)
class SubscriptionData(Body):
    """What a consumer wants of one topic; `sub_version` is the time of the subscription."""

    topic: str | None = None
    sub_string: str | None = None
    tags_set: HashSet[str] = frozenset()
    code_set: HashSet[Int] = frozenset()
    sub_version: Long = 0
    expression_type: str | None = "TAG"
    class_filter_mode: bool = False

    def java_hash(self) -> int:
        """SubscriptionData.hashCode, which leaves out the version."""
        return objects_hash(
            self.class_filter_mode,
            self.code_set,
            self.sub_string,
            self.tags_set,
            self.topic,
            self.expression_type,
        )

    def java_sort_key(self) -> Any:
        """Sorts as SubscriptionData.compareTo does."""
        return natural_order(f"{self.topic}@{self.sub_string}")

    def __hash__(self) -> int:
        return self.java_hash()


@body("remoting.protocol.heartbeat.ConsumerData")
class ConsumerData(Body):
    """One consumer group of a client."""

    group_name: str | None = None
    consume_type: ConsumeType | None = None
    message_model: MessageModel | None = None
    consume_from_where: ConsumeFromWhere | None = None
    subscription_data_set: HashSet[SubscriptionData] = frozenset()
    unit_mode: bool = False


@body("remoting.protocol.heartbeat.ProducerData")
class ProducerData(Body):
    """One producer group of a client."""

    group_name: str | None = None


@body("remoting.protocol.heartbeat.HeartbeatData", requests=(RequestCode.HEART_BEAT,))
class HeartbeatData(Body):
    """All groups of one client.

    Version 2 of the heartbeat adds a fingerprint of the subscriptions, and leaves the subscriptions out
    (`without_sub`) as long as the broker knows that fingerprint. The sets of groups are lists here: their
    order is chance in Java.
    """

    client_id: str | None = wire("clientID", default=None)
    producer_data_set: list[ProducerData] = field(default_factory=list)
    consumer_data_set: list[ConsumerData] = field(default_factory=list)
    heartbeat_fingerprint: Int = 0
    without_sub: bool = False

    def compute_fingerprint(self) -> int:
        """HeartbeatData.computeHeartbeatFingerprint: the hash of the text without client id and versions."""
        anonymous = replace(
            self,
            client_id="",
            consumer_data_set=[_without_versions(consumer) for consumer in self.consumer_data_set],
            heartbeat_fingerprint=0,
            without_sub=False,
        )
        return javaisms.string_hash(anonymous.encode().decode())


def _without_versions(consumer: ConsumerData) -> ConsumerData:
    timeless = [replace(subscription, sub_version=0) for subscription in consumer.subscription_data_set]
    kept_in_order = isinstance(consumer.subscription_data_set, JavaSet)
    return replace(
        consumer, subscription_data_set=JavaSet(timeless) if kept_in_order else frozenset(timeless)
    )
