"""The broker's figures through the admin requests."""

from __future__ import annotations

from pathlib import Path

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import BrokerStatsData, KVTable
from rocketmq_protocol.headers import ViewBrokerStatsDataRequestHeader
from rocketpy.broker.processors.admin_stats import StatsAdmin
from rocketpy.store.message_store import MessageStore
from tests.broker.admin_broker import AdminBroker
from tests.broker.small_broker import Clock, call
from tests.vectors import golden_frames

# Of these Java's broker shows one for each level that has delivered anything, and one for each path.
NUMBERED = ("scheduleMessageOffset_", "commitLogDiskRatio_")


def runtime_info(broker: AdminBroker) -> dict[str, str]:
    return KVTable.decode(broker.ask(RequestCode.GET_BROKER_RUNTIME_INFO).body).table


def names(table: dict[str, str]) -> set[str]:
    return {name for name in table if not name.startswith(NUMBERED)}


def test_runtime_info_has_javas_names(tmp_path: Path) -> None:
    recorded = next(
        RemotingCommand.decode(row.frame)
        for row in golden_frames()
        if row.kind == "response"
        and row.request_code == RequestCode.GET_BROKER_RUNTIME_INFO
        and row.peer == "broker-5.5.0"
    )
    broker = AdminBroker({"storePathRootDir": str(tmp_path)})
    with MessageStore(broker.config.store_config()) as store:
        admin = StatsAdmin(broker.config, broker.counters, store, broker.clock)
        request = RemotingCommand.request(RequestCode.GET_BROKER_RUNTIME_INFO)
        ours = KVTable.decode(call(admin.runtime_info, request).body).table
    assert names(ours) == names(KVTable.decode(recorded.body).table)
    assert f"commitLogDiskRatio_{tmp_path / 'commitlog'}" in ours


def test_runtime_info_tells_what_happened() -> None:
    clock = Clock(1_000_000)
    broker = AdminBroker(clock=clock)
    broker.send("A")
    broker.counters.stored("A", 200)
    broker.counters.stored("A", 300)
    broker.counters.fetched("G", "A", 2, 400)
    clock.now += ((26 * 60 + 3) * 60 + 4) * 1000
    table = runtime_info(broker)
    assert table["bootTimestamp"] == "1000000"
    assert table["runtime"] == "[ 1 days, 2 hours, 3 minutes, 4 seconds ]"
    assert table["putMessageTimesTotal"] == "2"
    assert table["putMessageSizeTotal"] == "500"
    assert table["putMessageAverageSize"] == "250.0"
    assert table["msgPutTotalTodayNow"] == "2"
    assert table["msgGetTotalTodayNow"] == "2"
    assert table["commitLogMaxOffset"] == str(broker.store.log.max_offset)
    assert table["remainHowManyDataToFlush"] == f"{broker.store.log.max_offset} B"
    assert table["earliestMessageTimeStamp"] == "1000000"
    assert table["brokerVersionDesc"] == "V5_5_0"
    assert table["scheduleMessageOffset_3"] == "7,0"
    assert table["sendThreadPoolQueueCapacity"] == "10000"


def test_runtime_info_of_an_empty_broker() -> None:
    table = runtime_info(AdminBroker())
    assert table["putMessageTimesTotal"] == "1"  # as Java shows it
    assert table["putMessageAverageSize"] == "0.0"
    assert table["commitLogDiskRatio"] == "-1.0"


def test_a_counter_is_shown() -> None:
    broker = AdminBroker()
    broker.counters.stored("A", 200)
    broker.counters.sample()
    header = ViewBrokerStatsDataRequestHeader(stats_name="TOPIC_PUT_NUMS", stats_key="A")
    answer = broker.ask(RequestCode.VIEW_BROKER_STATS_DATA, header)
    minute = BrokerStatsData.decode(answer.body).stats_minute
    assert minute is not None
    assert (minute.sum, minute.tps, minute.avgpt) == (1, 0.1, 1.0)


def test_a_counter_that_never_counted_is_refused() -> None:
    header = ViewBrokerStatsDataRequestHeader(stats_name="TOPIC_PUT_NUMS", stats_key="A")
    answer = AdminBroker().ask(RequestCode.VIEW_BROKER_STATS_DATA, header)
    assert (answer.code, answer.remark) == (
        ResponseCode.SYSTEM_ERROR,
        "The stats <TOPIC_PUT_NUMS> <A> not exist",
    )
