"""How far groups have consumed, through the admin requests."""

from __future__ import annotations

from rocketmq_protocol import RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    ConsumeStats,
    ConsumeStatsList,
    MessageQueue,
    OffsetWrapper,
    QueryConsumeQueueResponseBody,
    QueryConsumeTimeSpanBody,
)
from rocketmq_protocol.headers import (
    GetConsumeStatsInBrokerHeader,
    GetConsumeStatsRequestHeader,
    QueryConsumeQueueRequestHeader,
    QueryConsumeTimeSpanRequestHeader,
)
from tests.broker.admin_broker import ADDRESS, AdminBroker
from tests.broker.small_broker import Clock


def consumed_one_of_three(clock: Clock | None = None) -> AdminBroker:
    """Three messages in queue 0 of A, stored a second apart; G has consumed one and pulled two."""
    clock = clock or Clock(10_000)
    broker = AdminBroker(clock=clock)
    broker.topic("A")
    for _ in range(3):
        broker.send("A", queue_id=0)
        clock.now += 1000
    broker.group("G")
    broker.offsets.commit("G", "A", 0, 1)
    broker.positions.note("A", "G", 0, 2)
    return broker


def stats(
    broker: AdminBroker, *, topic: str | None = None, topic_list: str | None = None
) -> dict[tuple[str | None, int], OffsetWrapper]:
    header = GetConsumeStatsRequestHeader(consumer_group="G", topic=topic, topic_list=topic_list)
    table = ConsumeStats.decode(broker.ask(RequestCode.GET_CONSUME_STATS, header).body).offset_table
    return {(queue.topic, queue.queue_id): offsets for queue, offsets in table.items()}


def test_progress_shows_what_is_consumed_and_what_is_pulled() -> None:
    assert stats(consumed_one_of_three()) == {
        ("A", 0): OffsetWrapper(broker_offset=3, consumer_offset=1, pull_offset=2, last_timestamp=10_000),
        ("A", 1): OffsetWrapper(),
    }


def test_progress_of_a_group_online_is_limited_to_what_it_subscribes_to() -> None:
    broker = consumed_one_of_three()
    broker.topic("B")
    broker.offsets.commit("G", "B", 0, 0)
    assert {topic for topic, _ in stats(broker)} == {"A", "B"}
    broker.consumer("G", "B")
    assert {topic for topic, _ in stats(broker)} == {"B"}
    assert stats(broker, topic="A") == {}
    assert {topic for topic, _ in stats(broker, topic_list="A;Gone")} == {"A"}


def test_progress_of_all_groups_of_the_broker() -> None:
    broker = consumed_one_of_three()

    def listed(*, ordered: bool) -> ConsumeStatsList:
        header = GetConsumeStatsInBrokerHeader(is_order=ordered)
        return ConsumeStatsList.decode(broker.ask(RequestCode.GET_BROKER_CONSUME_STATS, header).body)

    everything = listed(ordered=False)
    assert everything.broker_addr == ADDRESS
    assert everything.total_diff == 2
    assert {group for entry in everything.consume_stats_list for group in entry} == set(broker.groups.all())
    found = next(entry["G"] for entry in everything.consume_stats_list if "G" in entry)
    assert found[0].offset_table[MessageQueue("A", "small", 0)].consumer_offset == 1
    assert listed(ordered=True).total_diff == 0


def test_time_span_of_a_queue() -> None:
    clock = Clock(10_000)
    broker = consumed_one_of_three(clock)
    clock.now = 20_000
    header = QueryConsumeTimeSpanRequestHeader(topic="A", group="G")
    answer = broker.ask(RequestCode.QUERY_CONSUME_TIME_SPAN, header)
    full, empty = QueryConsumeTimeSpanBody.decode(answer.body).consume_time_span_set
    assert (full.min_time_stamp, full.max_time_stamp) == (10_000, 12_000)
    assert (full.consume_time_stamp, full.delay_time) == (10_000, 9_000)
    assert (empty.min_time_stamp, empty.max_time_stamp, empty.consume_time_stamp) == (-1, -1, -1)


def test_time_span_of_no_topic() -> None:
    header = QueryConsumeTimeSpanRequestHeader(topic="B", group="G")
    answer = AdminBroker().ask(RequestCode.QUERY_CONSUME_TIME_SPAN, header)
    assert (answer.code, answer.remark) == (ResponseCode.TOPIC_NOT_EXIST, "topic[B] not exist")


def test_entries_of_a_queue() -> None:
    broker = consumed_one_of_three()
    broker.consumer("G", "A")
    header = QueryConsumeQueueRequestHeader(topic="A", queue_id=0, index=1, count=5, consumer_group="G")
    body = QueryConsumeQueueResponseBody.decode(broker.ask(RequestCode.QUERY_CONSUME_QUEUE, header).body)
    queue = broker.store.queues.get("A", 0)
    assert queue is not None
    assert body.queue_data is not None
    assert [(entry.physic_offset, entry.physic_size, entry.tags_code) for entry in body.queue_data] == list(
        queue.entries(1, 2)
    )
    assert (body.min_queue_index, body.max_queue_index) == (0, 3)
    assert body.subscription_data is not None


def test_entries_of_a_queue_for_a_group_that_is_offline() -> None:
    header = QueryConsumeQueueRequestHeader(topic="A", queue_id=0, index=0, count=5, consumer_group="G")
    answer = consumed_one_of_three().ask(RequestCode.QUERY_CONSUME_QUEUE, header)
    assert QueryConsumeQueueResponseBody.decode(answer.body).filter_data == "G@A is not online!"


def test_entries_that_are_not_there() -> None:
    broker = consumed_one_of_three()
    behind = QueryConsumeQueueRequestHeader(topic="A", queue_id=0, index=3, count=5)
    answer = broker.ask(RequestCode.QUERY_CONSUME_QUEUE, behind)
    assert (answer.code, answer.remark) == (ResponseCode.SUCCESS, "Index 3 of 0@A is not exist!")
    missing = QueryConsumeQueueRequestHeader(topic="A", queue_id=9, index=0, count=5)
    answer = broker.ask(RequestCode.QUERY_CONSUME_QUEUE, missing)
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "9@A is not exist!")
