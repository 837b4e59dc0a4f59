"""Delay levels, retries and dead letters, as an unmodified Java client sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from compat_tests.brokers import Kind, either_broker
from compat_tests.java.driver import JavaDriver
from rocketmq_protocol.message import MessageExt
from rocketpy.store.reader import StoreReader

CONFIG: Final = {"messageDelayLevel": "1s 2s 1s 1s 1s", "mappedFileSizeCommitLog": str(16 * 1024 * 1024)}
# What the driver's consumers will see: 3 first messages, 3 delayed ones, 8 that fail, 2 in order.
DELIVERIES: Final = 16
# How late a message may be, from the broker's clock to the broker's clock; Java looks only every 100 ms.
LATE_MILLIS: Final = {"java": 1000, "python": 100}

Event = dict[str, Any]


class Outcome:
    """What one run of the driver printed, and what the broker stored."""

    def __init__(self, kind: Kind, events: list[Event], stored: list[MessageExt]) -> None:
        self.kind = kind
        self.events = events
        self.stored = stored

    def delivered(self, consumer: str, text: str) -> list[Event]:
        return [
            event
            for event in self.events
            if (event["event"], event.get("consumer"), event.get("text")) == ("delivered", consumer, text)
        ]

    def sent(self, topic: str, text: str) -> Event:
        (event,) = [
            e for e in self.events if (e["event"], e.get("topic"), e.get("text")) == ("sent", topic, text)
        ]
        return event

    def in_topic(self, topic: str) -> list[MessageExt]:
        return [message for message in self.stored if message.topic == topic]


@pytest.fixture(scope="module", params=["java", "python"])
def outcome(request: pytest.FixtureRequest, java_directory: Path, java_driver: JavaDriver) -> Outcome:
    kind: Kind = request.param
    with either_broker(kind, java_directory / f"retry-{kind}", CONFIG) as broker:
        lines = java_driver("RetryAndDelay", broker.name_server, broker.address, str(DELIVERIES))
        stored = list(StoreReader(broker.store).messages())
    return Outcome(kind, [json.loads(line) for line in lines], stored)


def test_everything_is_delivered(outcome: Outcome) -> None:
    assert outcome.events[-1] == {"event": "end", "all": True}


@pytest.mark.parametrize(
    ("text", "level", "millis"), [("level 1", 1, 1000), ("level 2", 2, 2000), ("level 99", 5, 1000)]
)
def test_delayed_message_comes_when_it_is_due(outcome: Outcome, text: str, level: int, millis: int) -> None:
    (delivery,) = outcome.delivered("Delayed", text)
    waited, came = [message for message in outcome.stored if message.body == text.encode()]
    assert (waited.topic, waited.queue_id) == ("SCHEDULE_TOPIC_XXXX", level - 1)
    assert 0 <= came.store_timestamp - waited.store_timestamp - millis < LATE_MILLIS[outcome.kind]
    assert delivery["afterMillis"] >= millis
    sent = outcome.sent("Delayed", text)
    assert (
        delivery["properties"].items()
        >= {
            "DELAY": str(level),
            "REAL_TOPIC": "RetryAndDelayDelayed",
            "REAL_QID": str(sent["queueId"]),
        }.items()
    )
    assert (delivery["topic"], delivery["tags"], delivery["keys"]) == (
        "RetryAndDelayDelayed",
        "TagA",
        f"key of {text}",
    )
    assert (waited.offset_msg_id, came.offset_msg_id) == (sent["offsetMsgId"], delivery["offsetMsgId"])


def test_failed_message_is_tried_again_and_then_a_dead_letter(outcome: Outcome) -> None:
    deliveries = outcome.delivered("Failing", "always")
    assert [delivery["times"] for delivery in deliveries] == [0, 1, 2]
    assert {delivery["topic"] for delivery in deliveries} == {"RetryAndDelayFailing"}
    assert [delivery["properties"].get("DELAY") for delivery in deliveries] == [None, "3", "4"]
    origin = outcome.sent("Failing", "always")["offsetMsgId"]
    for delivery in deliveries[1:]:
        assert delivery["properties"]["ORIGIN_MESSAGE_ID"] == origin
        assert delivery["properties"]["RETRY_TOPIC"] == "RetryAndDelayFailing"
        assert delivery["properties"]["REAL_TOPIC"] == "%RETRY%FailingGroup"
    (dead,) = [message for message in outcome.in_topic("%DLQ%FailingGroup") if message.body == b"always"]
    assert (dead.reconsume_times, dead.properties["ORIGIN_MESSAGE_ID"], dead.properties["DELAY"]) == (
        3,
        origin,
        "0",
    )


def test_message_that_fails_once_is_delivered_twice(outcome: Outcome) -> None:
    assert [event["times"] for event in outcome.delivered("Failing", "once")] == [0, 1]


def test_consumer_chooses_the_delay_of_the_retry(outcome: Outcome) -> None:
    again = outcome.delivered("Failing", "soon")[1]
    assert again["properties"]["DELAY"] == "1"


def test_message_given_up_at_once_is_a_dead_letter(outcome: Outcome) -> None:
    assert len(outcome.delivered("Failing", "never")) == 1
    (dead,) = [message for message in outcome.in_topic("%DLQ%FailingGroup") if message.body == b"never"]
    assert dead.reconsume_times == 1


def test_message_that_fails_in_order_is_a_dead_letter_without_a_retry(outcome: Outcome) -> None:
    assert [event["times"] for event in outcome.delivered("Ordered", "always")] == [0, 1]
    (dead,) = outcome.in_topic("%DLQ%OrderedGroup")
    assert (dead.body, dead.properties["DELAY"], dead.properties["MAX_RECONSUME_TIMES"]) == (
        b"always",
        "-1",
        "1",
    )
    assert outcome.in_topic("%RETRY%OrderedGroup") == []


def test_sending_back_what_is_not_there_is_refused(outcome: Outcome) -> None:
    (refusal,) = [event for event in outcome.events if event["event"] == "refused"]
    assert (refusal["code"], refusal["remark"]) == (1, "look message by offset failed, 123456789")
