"""Delay levels: messages wait in their level's queue and are delivered when they are due."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from rocketmq_protocol import ResponseCode
from rocketmq_protocol.bodies import DelayOffsetSerializeWrapper
from rocketpy.broker.services.delay import DelayedDelivery
from rocketpy.store.append import NewMessage
from tests.broker.small_broker import Clock, SmallBroker
from tests.trio_tests import trio_test

SCHEDULE = "SCHEDULE_TOPIC_XXXX"


def trio_millis() -> int:
    return round(trio.current_time() * 1000)


def delivery_of(broker: SmallBroker) -> DelayedDelivery:
    delivery = DelayedDelivery(
        broker.store, broker.arrivals, broker.files.delay_offsets, broker.clock, 10_000
    )
    delivery.load()
    return delivery


@asynccontextmanager
async def delivering(broker: SmallBroker) -> AsyncIterator[DelayedDelivery]:
    delivery = delivery_of(broker)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(delivery.run)
        yield delivery
        nursery.cancel_scope.cancel()


async def arrival(broker: SmallBroker, topic: str, queue_id: int = 1) -> int:
    """When the next message of a queue arrives."""
    with trio.fail_after(10_000):
        await broker.arrivals.wait(topic, queue_id)
    return trio_millis()


def test_delayed_message_is_stored_in_the_queue_of_its_level() -> None:
    broker = SmallBroker()
    answer = broker.send(
        "orders", b"later", {"DELAY": "3", "TAGS": "TagA", "TIMER_DELAY_SEC": "9"}, queue_id=2
    )
    assert answer.code == ResponseCode.SUCCESS
    assert (answer.ext_fields or {})["queueId"] == "2"
    (waiting,) = broker.messages(SCHEDULE, 2)
    assert broker.messages("orders", 2) == []
    assert "TIMER_DELAY_SEC" not in waiting.properties
    assert {name: waiting.properties[name] for name in ("REAL_TOPIC", "REAL_QID", "DELAY", "TAGS")} == {
        "REAL_TOPIC": "orders",
        "REAL_QID": "2",
        "DELAY": "3",
        "TAGS": "TagA",
    }


@pytest.mark.parametrize(("text", "queue"), [("18", 17), ("99", 17), ("2147483647", 17)])
def test_levels_above_the_last_one_are_the_last_one(text: str, queue: int) -> None:
    broker = SmallBroker()
    broker.send("orders", properties={"DELAY": text})
    assert [message.properties["DELAY"] for message in broker.messages(SCHEDULE, queue)] == ["18"]


@pytest.mark.parametrize("properties", [{"DELAY": "0"}, {"DELAY": "-1"}, {"MYDELAY": "3"}, {}])
def test_message_without_a_level_goes_to_its_topic(properties: dict[str, str]) -> None:
    broker = SmallBroker()
    broker.send("orders", properties=properties)
    assert len(broker.messages("orders", 1)) == 1


def test_level_that_is_no_number_is_refused() -> None:
    answer = SmallBroker().send("orders", properties={"DELAY": "soon"})
    assert answer.code == ResponseCode.SYSTEM_ERROR


@trio_test
async def test_message_arrives_when_it_is_due_as_it_was_sent() -> None:
    broker = SmallBroker(clock=trio_millis)
    async with delivering(broker):
        await trio.sleep(1)
        sent = trio_millis()
        broker.send("orders", b"later", {"DELAY": "2", "TAGS": "TagA"})
        assert await arrival(broker, "orders") == sent + 5000
    (message,) = broker.messages("orders", 1)
    assert (message.body, message.flag, message.tags, message.born_timestamp) == (b"later", 7, "TagA", sent)
    # ScheduleMessageService leaves the level in the text.
    assert message.properties["DELAY"] == "2"


@trio_test
async def test_levels_do_not_wait_for_each_other() -> None:
    broker = SmallBroker(clock=trio_millis)
    async with delivering(broker):
        start = trio_millis()
        for level in ("4", "1", "2"):
            broker.send("orders", level.encode(), {"DELAY": level})
        assert [await arrival(broker, "orders") - start for _ in range(3)] == [1000, 5000, 30_000]
    assert [message.body for message in broker.messages("orders", 1)] == [b"1", b"2", b"4"]


@trio_test
async def test_many_due_at_once_are_all_delivered_in_order() -> None:
    broker = SmallBroker(clock=trio_millis)
    for number in range(500):
        broker.send("orders", b"%d" % number, {"DELAY": "1"})
    async with delivering(broker) as delivery:
        await trio.sleep(1.001)
        assert delivery.offsets == {1: 500}
    assert broker.store.max_offset("orders", 1) == 500
    assert [message.body for message in broker.messages("orders", 1)] == [b"%d" % n for n in range(32)]


@trio_test
async def test_delivery_goes_on_where_it_stood_after_a_restart() -> None:
    broker = SmallBroker(clock=trio_millis)
    broker.send("orders", b"before", {"DELAY": "1"})
    broker.send("orders", b"after", {"DELAY": "2"})
    async with delivering(broker) as delivery:
        await trio.sleep(2)
        delivery.save()
    await trio.sleep(60)
    async with delivering(broker):
        await trio.sleep(0.001)  # overdue meanwhile
    assert [message.body for message in broker.messages("orders", 1)] == [b"before", b"after"]


@trio_test
async def test_offsets_are_saved_from_time_to_time() -> None:
    broker = SmallBroker(clock=trio_millis)
    broker.send("orders", b"later", {"DELAY": "1"})
    async with delivering(broker):
        await trio.sleep(10.5)
        saved = broker.files.delay_offsets.load()
        assert saved is not None
        assert saved.offset_table == {1: 1}
        assert saved.data_version is not None
        assert saved.data_version.counter == 1


@pytest.mark.parametrize("wrong", [-5, 99])
@trio_test
async def test_offset_outside_the_queue_is_brought_inside(wrong: int) -> None:
    broker = SmallBroker(clock=trio_millis)
    broker.send("orders", b"first", {"DELAY": "1"})
    broker.files.delay_offsets.save(DelayOffsetSerializeWrapper(offset_table={1: wrong}))
    async with delivering(broker) as delivery:
        await trio.sleep(0)
        await trio.sleep(0.001)
        assert delivery.offsets[1] == (0 if wrong < 0 else 1)


@trio_test
async def test_message_from_the_future_is_delivered_at_once() -> None:
    """The clock was set back since it was stored: ScheduleMessageService.correctDeliverTimestamp."""
    clock = Clock()
    broker = SmallBroker(clock=clock)
    broker.send("orders", b"later", {"DELAY": "1"})
    clock.now -= 60_000
    async with delivering(broker):
        await trio.sleep(0.001)
    assert len(broker.messages("orders", 1)) == 1


@trio_test
async def test_full_disk_delays_but_loses_nothing() -> None:
    broker = SmallBroker(clock=trio_millis)
    broker.send("orders", b"later", {"DELAY": "1"})
    broker.store.writable = False
    async with delivering(broker) as delivery:
        await trio.sleep(5.5)
        assert delivery.offsets.get(1, 0) == 0
        broker.store.writable = True
        await trio.sleep(1)
    assert len(broker.messages("orders", 1)) == 1


@trio_test
async def test_message_without_a_place_to_go_to_is_passed_over() -> None:
    broker = SmallBroker(clock=trio_millis)
    for properties in (b"", b"REAL_TOPIC\x01orders\x02REAL_QID\x01x\x02", b"REAL_TOPIC\x01orders\x02"):
        broker.store.append(
            NewMessage(topic=SCHEDULE, queue_id=0, body=b"lost", properties=properties + b"DELAY\x011\x02")
        )
    broker.send("orders", b"later", {"DELAY": "1"})
    async with delivering(broker) as delivery:
        await trio.sleep(1.001)
        assert delivery.offsets == {1: 4}
    assert [message.body for message in broker.messages("orders", 1)] == [b"later"]


@trio_test
async def test_delivery_ends_when_the_broker_stops() -> None:
    broker = SmallBroker(clock=trio_millis)
    async with delivering(broker) as delivery:
        await trio.sleep(0.001)
        broker.arrivals.release_all()
        await trio.sleep(0.001)
        broker.send("orders", b"later", {"DELAY": "1"})
        await trio.sleep(5)
        assert delivery.offsets == {}
