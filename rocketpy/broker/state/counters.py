"""What the broker has done since it started, and how fast (StoreStatsService, BrokerStatsManager).

Counting is cheap; rates come from samples that `sample` takes once a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import date, datetime
from typing import Final, NamedTuple

from rocketmq_protocol.bodies import BrokerStatsData, BrokerStatsItem
from rocketmq_protocol.javaisms.doubles import double_text

# StatsItemSet samples for a minute every 10 s, for an hour every 10 min, for a day every hour.
_SPANS: Final = ((10_000, 7), (600_000, 7), (3_600_000, 25))
# StoreStatsService: rates of the last 10 s, minute and 10 minutes, from samples of every second.
_RATE_SECONDS: Final = (10, 60, 600)


class _Sample(NamedTuple):
    """The counts of a Tally at one time."""

    time: int
    times: int
    messages: int
    size: int


class Tally:
    """Messages and bytes, in so many requests, of one topic or group; `total` counts those of many."""

    __slots__ = ("messages", "samples", "size", "times", "total")

    def __init__(self, total: Tally | None = None) -> None:
        self.total = total
        self.times = 0
        self.messages = 0
        self.size = 0
        self.samples: tuple[deque[_Sample], ...] = tuple(deque(maxlen=kept) for _, kept in _SPANS)

    def sample(self, span: int, now: int) -> None:
        """Note the counts; the first sample is preceded by one of nothing (StatsItem.samplingInSeconds).

        While nothing is counted over a whole span, no samples are taken; those left out are made up later.
        """
        samples, (interval, kept) = self.samples[span], _SPANS[span]
        if not samples:
            samples.append(_Sample(now - interval, 0, 0, 0))
        elif samples[0].messages == samples[-1].messages:
            first = samples[0]
            if first.messages == self.messages:
                return
            samples.clear()
            samples.append(first)
            times = range(now - (kept - 1) * interval, now, interval)
            samples.extend(first._replace(time=time) for time in times if time > first.time)
        samples.append(_Sample(now, self.times, self.messages, self.size))

    def item(self, span: int, field: str) -> BrokerStatsItem:
        """Sum, rate and mean of `messages` or `size` over the last minute, hour or day."""
        samples = self.samples[span]
        if not samples:
            return BrokerStatsItem()
        first, last = samples[0], samples[-1]
        total = getattr(last, field) - getattr(first, field)
        times = last.times - first.times
        return BrokerStatsItem(
            sum=total,
            tps=total * 1000.0 / (last.time - first.time),
            avgpt=total / times if times > 0 else 0.0,
        )


class _Figures(NamedTuple):
    """What is sampled every second."""

    time: int
    stored: int
    found: int
    missed: int
    transferred: int


class Counters:
    """All counts. `is_system_topic` tells which topics do not count as the users'."""

    def __init__(self, clock: Callable[[], int], is_system_topic: Callable[[str], bool]) -> None:
        self._clock = clock
        self._is_system_topic = is_system_topic
        self.boot_time = clock()
        self.topics: dict[str, Tally] = {}
        self.groups: dict[str, Tally] = {}
        self.user_stored, self._system_stored = Tally(), Tally()
        self.user_fetched, self._system_fetched = Tally(), Tally()
        self._found = 0
        self._missed = 0
        # Messages that users had stored and fetched by the last midnight, and by the one before.
        self.by_midnight = self.by_midnight_before = (0, 0)
        self._figures: deque[_Figures] = deque(maxlen=_RATE_SECONDS[-1] + 1)
        self._next_samples = [self.boot_time for _ in _SPANS]
        self._day = _day_of(self.boot_time)

    def stored(self, topic: str, size: int) -> None:
        """A message was stored."""
        tally = self.topics.get(topic)
        if tally is None:
            total = self._system_stored if self._is_system_topic(topic) else self.user_stored
            tally = self.topics[topic] = Tally(total)
        _count(tally, 1, size)

    def fetched(self, group: str, topic: str, messages: int, size: int) -> None:
        """A consumer was given messages, or none."""
        if messages == 0:
            self._missed += 1
            return
        self._found += 1
        key = f"{topic}@{group}"
        tally = self.groups.get(key)
        if tally is None:
            total = self._system_fetched if self._is_system_topic(topic) else self.user_fetched
            tally = self.groups[key] = Tally(total)
        _count(tally, messages, size)

    @property
    def messages_stored(self) -> int:
        """All messages stored since the start."""
        return self.user_stored.messages + self._system_stored.messages

    @property
    def bytes_stored(self) -> int:
        """Their size."""
        return self.user_stored.size + self._system_stored.size

    def sample(self) -> None:
        """To be called once a second."""
        now = self._clock()
        transferred = self.user_fetched.messages + self._system_fetched.messages
        self._figures.append(_Figures(now, self.messages_stored, self._found, self._missed, transferred))
        for span, (interval, _) in enumerate(_SPANS):
            if now >= self._next_samples[span]:
                self._next_samples[span] = now + interval
                self._sample_tallies(span, now)
        if (day := _day_of(now)) != self._day:
            self._day = day
            self.by_midnight_before = self.by_midnight
            self.by_midnight = self.user_stored.messages, self.user_fetched.messages

    def _sample_tallies(self, span: int, now: int) -> None:
        totals = (self.user_stored, self._system_stored, self.user_fetched, self._system_fetched)
        for tally in (*self.topics.values(), *self.groups.values(), *totals):
            tally.sample(span, now)

    def rates(self) -> dict[str, str]:
        """Requests and messages per second, under the names of the runtime info."""
        return {
            "putTps": self._rates(lambda figures: figures.stored),
            "getFoundTps": self._rates(lambda figures: figures.found),
            "getMissTps": self._rates(lambda figures: figures.missed),
            "getTotalTps": self._rates(lambda figures: figures.found + figures.missed),
            "getTransferredTps": self._rates(lambda figures: figures.transferred),
        }

    def _rates(self, count: Callable[[_Figures], int]) -> str:
        """Three rates; one whose span is longer than the broker runs is left empty."""
        texts = []
        for seconds in _RATE_SECONDS:
            if len(self._figures) > seconds:
                first, last = self._figures[-seconds - 1], self._figures[-1]
                rate = (count(last) - count(first)) / (last.time - first.time) * 1000.0
                texts.append(double_text(rate))
            else:
                texts.append("")
        return " ".join(texts)

    def topic_tps(self, topic: str) -> float:
        """Messages stored in a topic per second, over the last minute."""
        tally = self.topics.get(topic)
        return tally.item(0, "messages").tps if tally is not None else 0.0

    def group_tps(self, group: str, topic: str) -> float:
        """Messages of a topic given to a group per second, over the last minute."""
        tally = self.groups.get(f"{topic}@{group}")
        return tally.item(0, "messages").tps if tally is not None else 0.0

    def stats(self, name: str, key: str, cluster: str) -> BrokerStatsData | None:
        """One of BrokerStatsManager's figures; None where nothing was counted under that key."""
        tallies = [tally for tally in self._find(name, key, cluster) if tally is not None]
        if not any(tally.messages for tally in tallies):
            return None
        field = "size" if name.endswith("_SIZE") else "messages"
        minute, hour, day = (
            _together([tally.item(span, field) for tally in tallies]) for span in range(len(_SPANS))
        )
        return BrokerStatsData(stats_minute=minute, stats_hour=hour, stats_day=day)

    def _find(self, name: str, key: str, cluster: str) -> tuple[Tally | None, ...]:
        match name:
            case "TOPIC_PUT_NUMS" | "TOPIC_PUT_SIZE":
                return (self.topics.get(key),)
            case "GROUP_GET_NUMS" | "GROUP_GET_SIZE":
                return (self.groups.get(key),)
            case "BROKER_PUT_NUMS" if key == cluster:
                return self.user_stored, self._system_stored
            case "BROKER_PUT_NUMS_WITHOUT_SYSTEM_TOPIC" if key == cluster:
                return (self.user_stored,)
            case "BROKER_GET_NUMS" if key == cluster:
                return self.user_fetched, self._system_fetched
            case "BROKER_GET_NUMS_WITHOUT_SYSTEM_TOPIC" if key == cluster:
                return (self.user_fetched,)
        return ()

    def topic_deleted(self, topic: str) -> None:
        """Forget a topic (BrokerStatsManager.onTopicDeleted)."""
        self.topics.pop(topic, None)
        for key in [key for key in self.groups if key.startswith(f"{topic}@")]:
            del self.groups[key]

    def group_deleted(self, group: str) -> None:
        """Forget a group (BrokerStatsManager.onGroupDeleted)."""
        for key in [key for key in self.groups if key.endswith(f"@{group}")]:
            del self.groups[key]


def _day_of(millis: int) -> date:
    return datetime.fromtimestamp(millis / 1000).date()


def _count(tally: Tally, messages: int, size: int) -> None:
    tally.times += 1
    tally.messages += messages
    tally.size += size
    total = tally.total
    assert total is not None
    total.messages += messages
    total.size += size


def _together(items: list[BrokerStatsItem]) -> BrokerStatsItem:
    if len(items) == 1:
        return items[0]
    return BrokerStatsItem(sum=sum(item.sum for item in items), tps=sum(item.tps for item in items))
