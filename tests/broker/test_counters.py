"""Counters: totals, and rates from samples."""

from __future__ import annotations

from rocketmq_protocol.bodies import BrokerStatsItem
from rocketpy.broker.state.counters import Counters
from tests.broker.small_broker import Clock

CLUSTER = "DefaultCluster"


def counters_at(clock: Clock) -> Counters:
    return Counters(clock, lambda topic: topic.startswith("sys"))


def run_seconds(counters: Counters, clock: Clock, seconds: int, stored_a_second: int = 0) -> None:
    for _ in range(seconds):
        clock.now += 1000
        for _ in range(stored_a_second):
            counters.stored("A", 100)
        counters.sample()


def test_users_messages_are_told_from_the_systems() -> None:
    counters = counters_at(Clock())
    counters.stored("A", 100)
    counters.stored("sysB", 50)
    assert (counters.messages_stored, counters.bytes_stored) == (2, 150)
    assert counters.user_stored.messages == 1


def test_rates_are_empty_until_their_span_is_over() -> None:
    clock = Clock()
    counters = counters_at(clock)
    counters.sample()
    assert counters.rates()["putTps"] == "  "
    run_seconds(counters, clock, 10, stored_a_second=3)
    assert counters.rates()["putTps"] == "3.0  "
    run_seconds(counters, clock, 50)
    assert counters.rates()["putTps"] == "0.0 0.5 "


def test_fetches_count_as_found_or_missed() -> None:
    clock = Clock()
    counters = counters_at(clock)
    counters.sample()
    counters.fetched("G", "A", 5, 500)
    counters.fetched("G", "A", 0, 0)
    run_seconds(counters, clock, 10)
    rates = counters.rates()
    assert rates["getFoundTps"] == "0.1  "
    assert rates["getMissTps"] == "0.1  "
    assert rates["getTotalTps"] == "0.2  "
    assert rates["getTransferredTps"] == "0.5  "


def test_a_topics_minute_hour_and_day() -> None:
    clock = Clock()
    counters = counters_at(clock)
    counters.stored("A", 100)
    counters.stored("A", 300)
    counters.sample()
    stats = counters.stats("TOPIC_PUT_NUMS", "A", CLUSTER)
    assert stats is not None
    assert stats.stats_minute == BrokerStatsItem(sum=2, tps=0.2, avgpt=1.0)
    assert stats.stats_hour == BrokerStatsItem(sum=2, tps=2 / 600, avgpt=1.0)
    assert stats.stats_day == BrokerStatsItem(sum=2, tps=2 / 3600, avgpt=1.0)
    sizes = counters.stats("TOPIC_PUT_SIZE", "A", CLUSTER)
    assert sizes is not None
    assert sizes.stats_minute == BrokerStatsItem(sum=400, tps=40.0, avgpt=200.0)


def test_a_minute_ago_counts_no_more() -> None:
    clock = Clock()
    counters = counters_at(clock)
    counters.stored("A", 100)
    run_seconds(counters, clock, 120)
    assert counters.topic_tps("A") == 0.0
    stats = counters.stats("TOPIC_PUT_NUMS", "A", CLUSTER)
    assert stats is not None
    assert stats.stats_hour is not None
    assert stats.stats_hour.sum == 1


def test_a_topic_that_was_quiet_counts_over_the_whole_minute() -> None:
    clock = Clock()
    counters = counters_at(clock)
    counters.stored("A", 100)
    run_seconds(counters, clock, 200)
    counters.stored("A", 100)
    run_seconds(counters, clock, 10)
    assert counters.topic_tps("A") == 1 / 60
    run_seconds(counters, clock, 40)
    assert counters.topic_tps("A") == 1 / 60
    run_seconds(counters, clock, 20)
    assert counters.topic_tps("A") == 0.0


def test_a_groups_figures_go_by_topic_and_group() -> None:
    counters = counters_at(Clock())
    counters.fetched("G", "A", 5, 500)
    counters.sample()
    assert counters.group_tps("G", "A") == 0.5
    assert counters.group_tps("G", "B") == 0.0
    stats = counters.stats("GROUP_GET_SIZE", "A@G", CLUSTER)
    assert stats is not None
    assert stats.stats_minute == BrokerStatsItem(sum=500, tps=50.0, avgpt=500.0)


def test_the_brokers_figures_hold_all_topics() -> None:
    counters = counters_at(Clock())
    counters.stored("A", 100)
    counters.stored("sysB", 100)
    counters.fetched("G", "A", 5, 500)
    counters.sample()
    sums = {}
    for name in ("BROKER_PUT_NUMS", "BROKER_PUT_NUMS_WITHOUT_SYSTEM_TOPIC", "BROKER_GET_NUMS"):
        stats = counters.stats(name, CLUSTER, CLUSTER)
        assert stats is not None
        assert stats.stats_minute is not None
        sums[name] = stats.stats_minute.sum
    assert sums == {"BROKER_PUT_NUMS": 2, "BROKER_PUT_NUMS_WITHOUT_SYSTEM_TOPIC": 1, "BROKER_GET_NUMS": 5}


def test_what_was_never_counted_is_not_there() -> None:
    counters = counters_at(Clock())
    assert counters.stats("TOPIC_PUT_NUMS", "A", CLUSTER) is None
    assert counters.stats("BROKER_PUT_NUMS", CLUSTER, CLUSTER) is None
    assert counters.stats("NO_SUCH_STATS", "A", CLUSTER) is None


def test_midnight_fixes_the_days_totals() -> None:
    clock = Clock()
    counters = counters_at(clock)
    counters.stored("A", 100)
    clock.now += 24 * 3600 * 1000
    counters.sample()
    counters.stored("A", 100)
    assert counters.by_midnight == (1, 0)
    clock.now += 24 * 3600 * 1000
    counters.sample()
    assert (counters.by_midnight_before, counters.by_midnight) == ((1, 0), (2, 0))


def test_deleted_topics_and_groups_are_forgotten() -> None:
    counters = counters_at(Clock())
    counters.stored("A", 1)
    counters.fetched("G", "A", 1, 1)
    counters.fetched("G", "B", 1, 1)
    counters.topic_deleted("A")
    assert list(counters.topics) == []
    assert list(counters.groups) == ["B@G"]
    counters.group_deleted("G")
    assert list(counters.groups) == []
    assert counters.messages_stored == 1
