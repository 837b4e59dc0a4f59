"""The JSON bodies of the golden frames: what Java sent, read and written again."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pytest

from rocketmq_protocol import RemoteProtocolError, RequestCode, ResponseCode, bodies, javaisms
from rocketmq_protocol.bodies.register_broker import PAGE_OF_TOPICS
from rocketmq_protocol.javaisms import maps
from tests.vectors import GoldenFrame, golden_frames

# The recording program wrote these requests by hand to provoke errors: they lack members, or sort otherwise.
HAND_WRITTEN: Final = frozenset(
    f"{scenario}-{number}"
    for scenario, numbers in {
        "error-groups": "0041 0043 0049 0057 0064 0066 0068 0070 0223 0225 0231 0239 0245 0248 0250 0252",
        "error-namesrv": "0029 0061 0181 0213",
        "error-pull": "0031 0141",
        "error-setup": "0007 0009 0039 0041",
        "error-unsupported": "0057 0170",
    }.items()
    for number in numbers.split()
)
# Likewise, and meant to be refused.
NOT_JSON: Final = frozenset(
    f"error-groups-{number}" for number in ("0047", "0138", "0229", "0320", "0411", "0502")
)

# In these the order of keys that share a bucket came from the order of Java's puts, which the text does not
# tell: topics in the order of their creation, figures and properties in that of the lines of a method.
TIES_BY_HISTORY: Final = {
    "TopicList": 22,
    "KVTable": 12,
    "ConsumerRunningInfo": 6,
    "RegisterBrokerBody": 6,
    "GetConsumerStatusBody": 1,
}

WRITTEN_BY_5_5: Final = {
    "AclInfo": 16,
    "AclInfoList": 4,
    "BrokerStatsData": 14,
    "ClusterInfo": 46,
    "ConsumeMessageDirectlyResult": 5,
    "ConsumeStats": 27,
    "ConsumeStatsList": 4,
    "ConsumerConnection": 3,
    "ConsumerOffsetSerializeWrapper": 6,
    "ConsumerRunningInfo": 6,
    "CreateTopicListRequestBody": 4,
    "DataVersion": 18,
    "DelayOffsetSerializeWrapper": 6,
    "GetBrokerLiteInfoResponseBody": 1,
    "GetBrokerMemberGroupResponseBody": 8,
    "GetConsumerListByGroupResponseBody": 68,
    "GetConsumerStatusBody": 1,
    "GetLiteClientInfoResponseBody": 1,
    "GetLiteGroupInfoResponseBody": 1,
    "GetLiteTopicInfoResponseBody": 1,
    "GetParentTopicInfoResponseBody": 1,
    "GroupList": 24,
    "HeartbeatData": 212,
    "KVTable": 26,
    "LiteSubscriptionCtlRequestBody": 6,
    "LockBatchRequestBody": 26,
    "LockBatchResponseBody": 36,
    "MessageRequestModeSerializeWrapper": 6,
    "ProducerConnection": 2,
    "ProducerTableInfo": 2,
    "QueryAssignmentRequestBody": 6,
    "QueryAssignmentResponseBody": 10,
    "QueryConsumeQueueResponseBody": 4,
    "QuerySubscriptionResponseBody": 4,
    "RegisterBrokerBody": 18,
    "ResetOffsetBody": 7,
    "SetMessageRequestModeRequestBody": 12,
    "SubscriptionGroupConfig": 24,
    "SubscriptionGroupList": 4,
    "SubscriptionGroupWrapper": 12,
    "TimerMetrics": 6,
    "TopicConfigAndMappingSerializeWrapper": 10,
    "TopicConfigAndQueueMapping": 21,
    "TopicList": 58,
    "TopicRouteData": 192,
    "TopicStatsTable": 6,
    "UnlockBatchRequestBody": 19,
    "UserInfo": 20,
    "UserInfoList": 4,
}


class GoldenBody(NamedTuple):
    """A JSON body, its class and the frame it came in."""

    frame: GoldenFrame
    body: type[bodies.Body]
    text: bytes

    @property
    def is_from_4_9(self) -> bool:
        return "4.9" in self.frame.peer

    @property
    def style(self) -> bodies.Style:
        """A route for a client since 4.9.4 has its keys in quotes."""
        is_standard = self.body is bodies.TopicRouteData and b'{"0":' in self.text
        return bodies.BROWSER_COMPATIBLE if is_standard else bodies.COMPACT


def golden_bodies() -> Iterator[GoldenBody]:
    for frame in golden_frames():
        header_size = int.from_bytes(frame.frame[5:8])
        text = frame.frame[8 + header_size :]
        body = body_class(frame)
        if (
            text and body and not text.startswith(b"x\xda")
        ):  # a compressed registration; see test_register_broker
            yield GoldenBody(frame, body, text)


def body_class(frame: GoldenFrame) -> type[bodies.Body] | None:
    code = frame.request_code
    if code == RequestCode.LITE_SUBSCRIPTION_CTL & 0xFFFF:
        code = RequestCode.LITE_SUBSCRIPTION_CTL  # a binary header cuts the code to 16 bits
    if code not in set(RequestCode):
        return None
    if frame.kind != "response":
        return bodies.REQUEST_BODIES.get(RequestCode(code))
    return bodies.RESPONSE_BODIES.get(RequestCode(code)) if frame.code == ResponseCode.SUCCESS else None


def test_what_5_5_sends_is_read_and_written_to_the_same_bytes() -> None:
    written = Counter[str]()
    for golden in golden_bodies():
        if not golden.is_from_4_9 and golden.frame.id not in HAND_WRITTEN | NOT_JSON:
            assert golden.body.decode(golden.text).encode(golden.style) == golden.text, golden.frame.id
            written[golden.body.__name__] += 1
    assert written == WRITTEN_BY_5_5
    assert written.total() == 1018


def test_what_4_9_sends_means_the_same_when_written_again() -> None:
    read = 0
    for golden in golden_bodies():
        if golden.is_from_4_9 and golden.frame.id not in NOT_JSON:
            body = golden.body.decode(golden.text)
            assert golden.body.decode(body.encode()) == body, golden.frame.id
            read += 1
    assert read == 616


def test_requests_written_by_hand_mean_the_same_when_written_again() -> None:
    found = [golden for golden in golden_bodies() if golden.frame.id in HAND_WRITTEN]
    for golden in found:
        body = golden.body.decode(golden.text)
        assert golden.body.decode(body.encode()) == body
        assert body.encode() != golden.text
    assert len(found) == len(HAND_WRITTEN) == 28


def test_what_is_not_json_is_refused() -> None:
    found = [golden for golden in golden_bodies() if golden.frame.id in NOT_JSON]
    for golden in found:
        with pytest.raises(
            RemoteProtocolError, match="JSON is wrong at character 0, near 'this is not json'"
        ):
            golden.body.decode(golden.text)
    assert len(found) == len(NOT_JSON)


def test_every_json_body_of_the_frames_has_a_class() -> None:
    known = {golden.frame.id for golden in golden_bodies()}
    for frame in golden_frames():
        text = frame.frame[8 + int.from_bytes(frame.frame[5:8]) :]
        assert frame.id in known or not text.startswith((b"{", b"[")), frame.id


def test_content_alone_decides_the_order_of_what_5_5_sends() -> None:
    """Bodies built from plain dicts and sets in any order are written as Java wrote them, but for ties."""
    same, ties = Counter[str](), Counter[str]()
    for golden in golden_bodies():
        if golden.is_from_4_9 or golden.frame.id in HAND_WRITTEN | NOT_JSON:
            continue
        name = golden.body.__name__
        rebuilt = without_order(golden.body.decode(golden.text), random.Random(golden.frame.id))
        if isinstance(rebuilt, bodies.TopicConfigAndMappingSerializeWrapper):  # what a slave asks for
            rebuilt.topic_config_table = bodies.JavaTable(rebuilt.topic_config_table, PAGE_OF_TOPICS)
        text = rebuilt.encode(golden.style)
        if text == golden.text:
            same[name] += 1
        else:
            assert sorted(text) == sorted(golden.text)
            assert differs_by_ties_only(golden.body.decode(text), golden.body.decode(golden.text))
            ties[name] += 1
    assert ties == TIES_BY_HISTORY
    assert same.total() == 1018 - 47


def without_order(value: Any, dice: random.Random) -> Any:
    """The same value in dicts and sets that know nothing of Java."""
    if isinstance(value, dict):
        entries = [(key, without_order(item, dice)) for key, item in value.items()]
        dice.shuffle(entries)
        return dict(entries)
    if isinstance(value, frozenset):
        return frozenset(without_order(item, dice) for item in value)
    if isinstance(value, list):
        return [without_order(item, dice) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes = {
            item.name: without_order(getattr(value, item.name), dice) for item in dataclasses.fields(value)
        }
        return dataclasses.replace(value, **changes)
    return value


def differs_by_ties_only(one: Any, other: Any) -> bool:
    """Whether in all tables the same keys stand in the same buckets of a table of some size."""
    if isinstance(one, dict | frozenset):
        left, right = list(one), list(other)
        fits = left == right or any(
            buckets(left, 1 << power) == buckets(right, 1 << power) == sorted(buckets(left, 1 << power))
            for power in range(20)
        )
        inner = (
            all(differs_by_ties_only(one[key], other[key]) for key in one) if isinstance(one, dict) else True
        )
        return fits and inner
    if dataclasses.is_dataclass(one):
        return all(
            differs_by_ties_only(getattr(one, item.name), getattr(other, item.name))
            for item in dataclasses.fields(one)
        )
    return bool(one == other)


def buckets(keys: list[Any], capacity: int) -> list[int]:
    return [maps.spread(javaisms.java_hash(key)) & (capacity - 1) for key in keys]
