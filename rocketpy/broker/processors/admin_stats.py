"""The broker's figures: runtime info and counters (AdminBrokerProcessor, StoreStatsService)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from typing import Final

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import KVTable
from rocketmq_protocol.headers import ViewBrokerStatsDataRequestHeader
from rocketmq_protocol.javaisms.doubles import double_text
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.names import SCHEDULE_TOPIC
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.message_store import MessageStore

VERSION_TEXT: Final = "V5_5_0"

# Java's broker has thread pools with queues; here requests are served as they come, and none waits.
_QUEUES: Final = ("send", "pull", "litePull", "query", "ack")
_PUT_TIMES: Final = (
    *("[<=0ms]", "[0~10ms]", "[10~50ms]", "[50~100ms]", "[100~200ms]", "[200~500ms]", "[500ms~1s]"),
    *("[1~2s]", "[2~3s]", "[3~4s]", "[4~5s]", "[5~10s]", "[10s~]"),
)


class StatsAdmin:
    """Tells how the broker is doing. `delay_offsets` gives how far each delay level has been delivered."""

    def __init__(
        self,
        config: BrokerConfig,
        counters: Counters,
        store: MessageStore,
        clock: Callable[[], int],
        delay_offsets: Callable[[], Mapping[int, int]] = dict,
    ) -> None:
        self._config = config
        self._counters = counters
        self._store = store
        self._clock = clock
        self._delay_offsets = delay_offsets

    def runtime_info(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Everything that `mqadmin brokerStatus` shows."""
        table = {
            **self._puts_and_gets(),
            **self._totals(),
            **self._log(),
            **self._disk(),
            **self._queues(),
            **self._delays(),
            "brokerActive": "true",
            "brokerVersionDesc": VERSION_TEXT,
        }
        return request.reply(ResponseCode.SUCCESS, body=KVTable(table=table).encode())

    def view(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """One counter, over the last minute, hour and day."""
        header = request.read_header(ViewBrokerStatsDataRequestHeader)
        cluster = self._config.text("brokerClusterName")
        body = self._counters.stats(header.stats_name, header.stats_key, cluster)
        if body is None:
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR, f"The stats <{header.stats_name}> <{header.stats_key}> not exist"
            )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def _puts_and_gets(self) -> dict[str, str]:
        """StoreStatsService.getRuntimeInfo; the time that a put takes is not measured here."""
        counters = self._counters
        times = counters.messages_stored or 1
        return {
            "bootTimestamp": str(counters.boot_time),
            "runtime": _runtime(self._clock() - counters.boot_time),
            "putMessageEntireTimeMax": "0",
            "putMessageTimesTotal": str(times),
            "putMessageFailedTimes": "0",
            "putMessageSizeTotal": str(counters.bytes_stored),
            "putMessageDistributeTime": "".join(f"{name}:0 " for name in _PUT_TIMES),
            "putMessageAverageSize": double_text(counters.bytes_stored / times),
            "dispatchMaxBuffer": "0",
            "getMessageEntireTimeMax": "0",
            "putLatency99": "0.00",
            "putLatency999": "0.00",
            **counters.rates(),
        }

    def _totals(self) -> dict[str, str]:
        counters = self._counters
        put_before, get_before = counters.by_midnight_before
        put_today, get_today = counters.by_midnight
        return {
            "msgPutTotalYesterdayMorning": str(put_before),
            "msgPutTotalTodayMorning": str(put_today),
            "msgPutTotalTodayNow": str(counters.user_stored.messages),
            "msgGetTotalYesterdayMorning": str(get_before),
            "msgGetTotalTodayMorning": str(get_today),
            "msgGetTotalTodayNow": str(counters.user_fetched.messages),
        }

    def _log(self) -> dict[str, str]:
        log = self._store.log
        return {
            "commitLogMinOffset": str(log.min_offset),
            "commitLogMaxOffset": str(log.max_offset),
            "earliestMessageTimeStamp": str(log.store_timestamp(log.min_offset)),
            "remainHowManyDataToFlush": _bytes_text(log.max_offset - log.flushed),
            "dispatchBehindBytes": "0",
            "pageCacheLockTimeMills": "0",
            "remainTransientStoreBufferNumbs": "2147483647",
            "startAcceptSendRequestTimeStamp": self._config.text("startAcceptSendRequestTimeStamp"),
        }

    def _disk(self) -> dict[str, str]:
        paths = self._store.paths
        if paths.root is None:
            return {"commitLogDiskRatio": "-1.0", "consumeQueueDiskRatio": "-1.0"}
        usage = shutil.disk_usage(paths.root)
        # UtilAll.getDiskPartitionSpaceUsedPercent: in hundredths, rounded up
        percent = -(-usage.used * 100 // (usage.used + usage.free))
        ratio = double_text(percent / 100)
        return {
            "commitLogDiskRatio": ratio,
            f"commitLogDiskRatio_{paths.commit_log}": ratio,
            "consumeQueueDiskRatio": ratio,
            "commitLogDirCapacity": (
                f"Total : {_bytes_text(usage.total)}, Free : {_bytes_text(usage.total - usage.used)}."
            ),
        }

    def _queues(self) -> dict[str, str]:
        found = {}
        for name in _QUEUES:
            found[f"{name}ThreadPoolQueueSize"] = "0"
            found[f"{name}ThreadPoolQueueCapacity"] = self._config.text(f"{name}ThreadPoolQueueCapacity")
            found[f"{name}ThreadPoolQueueHeadWaitTimeMills"] = "0"
        return found | {
            "EndTransactionQueueSize": "0",
            "EndTransactionThreadPoolQueueCapacity": self._config.text("endTransactionPoolQueueCapacity"),
        }

    def _delays(self) -> dict[str, str]:
        """How far delay levels are delivered, of how many messages; and the timers."""
        levels = {
            f"scheduleMessageOffset_{level}": f"{offset},{self._store.max_offset(SCHEDULE_TOPIC, level - 1)}"
            for level, offset in self._delay_offsets().items()
        }
        return levels | {
            "timerReadBehind": "0",
            "timerOffsetBehind": "0",
            "timerCongestNum": "0",
            "timerEnqueueTps": "0.0",
            "timerDequeueTps": "0.0",
        }


def _runtime(millis: int) -> str:
    minutes, seconds = divmod(millis // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"[ {days:,} days, {hours} hours, {minutes} minutes, {seconds} seconds ]"


def _bytes_text(size: int) -> str:
    """MixAll.humanReadableByteCount."""
    if size < 1024:
        return f"{size} B"
    value, unit = float(size), 0
    while value >= 1024:
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {'KMGTPE'[unit - 1]}iB"
