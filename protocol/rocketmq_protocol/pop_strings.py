"""Strings of the POP protocol: receipt handles, offset tables of pop responses, retry topic names.

All are made of blank-separated words (ExtraInfoUtil, ReceiptHandle, KeyBuilder). One digit tells a topic:
the topic of the request itself, or one of the two kinds of retry topic its group has.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.javaisms import parse_int, parse_long

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

RETRY_GROUP_TOPIC_PREFIX: Final = "%RETRY%"
DLQ_GROUP_TOPIC_PREFIX: Final = "%DLQ%"
# KeyBuilder.POP_ORDER_REVIVE_QUEUE: the revive queue id that marks an ordered pop.
POP_ORDER_REVIVE_QUEUE: Final = 999

NORMAL_TOPIC: Final = "0"
RETRY_TOPIC: Final = "1"
RETRY_TOPIC_V2: Final = "2"


def pop_retry_topic(topic: str, group: str, *, v2: bool = False) -> str:
    """Where messages of `topic` go that `group` popped and did not acknowledge."""
    return f"{RETRY_GROUP_TOPIC_PREFIX}{group}{'+' if v2 else '_'}{topic}"


def is_pop_retry_topic_v2(topic: str) -> bool:
    """Whether this is a retry topic named in the second way, which can be taken apart again."""
    return topic.startswith(RETRY_GROUP_TOPIC_PREFIX) and "+" in topic


def normal_topic(topic: str, group: str) -> str:
    """The topic whose messages a retry topic of `group` holds; other topics are their own."""
    if not topic.startswith(RETRY_GROUP_TOPIC_PREFIX):
        return topic
    # Both separators are one character, so both kinds are cut alike, and as Java does without a look at them.
    return topic[len(RETRY_GROUP_TOPIC_PREFIX) + len(group) + 1 :]


def topic_kind(topic: str) -> str:
    """The digit that stands for this topic in pop strings."""
    if is_pop_retry_topic_v2(topic):
        return RETRY_TOPIC_V2
    return RETRY_TOPIC if topic.startswith(RETRY_GROUP_TOPIC_PREFIX) else NORMAL_TOPIC


def topic_of_kind(kind: str, topic: str, group: str) -> str:
    """The topic a digit stands for, for a request of that topic and group (ExtraInfoUtil.getRealTopic)."""
    if kind == NORMAL_TOPIC:
        return topic
    if kind in (RETRY_TOPIC, RETRY_TOPIC_V2):
        return pop_retry_topic(topic, group, v2=kind == RETRY_TOPIC_V2)
    raise RemoteProtocolError(f"pop string: unknown kind of topic {kind!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptHandle:
    """What a consumer gives back to acknowledge a popped message: property POP_CK, field extraInfo.

    Words at the end may be missing: brokers and remoting clients write no commit log offset, old ones no
    queue offset.
    """

    start_offset: int
    pop_time: int
    invisible_time: int
    revive_queue_id: int
    topic_kind: str
    broker_name: str
    queue_id: int
    queue_offset: int | None = None
    commit_log_offset: int | None = None

    @classmethod
    def parse(cls, text: str) -> ReceiptHandle:
        """Read a handle of 7, 8 or 9 words."""
        words = text.split(" ")
        if not 7 <= len(words) <= 9:
            raise RemoteProtocolError(
                f"receipt handle {text[:200]!r}: {len(words)} words, 7 to 9 were expected"
            )
        try:
            return cls(
                start_offset=parse_long(words[0]),
                pop_time=parse_long(words[1]),
                invisible_time=parse_long(words[2]),
                revive_queue_id=parse_int(words[3]),
                topic_kind=words[4],
                broker_name=words[5],
                queue_id=parse_int(words[6]),
                queue_offset=parse_long(words[7]) if len(words) > 7 else None,
                commit_log_offset=parse_long(words[8]) if len(words) > 8 else None,
            )
        except ValueError as error:
            raise RemoteProtocolError(f"receipt handle {text[:200]!r}: {error}") from None

    def __str__(self) -> str:
        words = (
            self.start_offset,
            self.pop_time,
            self.invisible_time,
            self.revive_queue_id,
            self.topic_kind,
            self.broker_name,
            self.queue_id,
            self.queue_offset,
            self.commit_log_offset,
        )
        return " ".join(str(word) for word in words if word is not None)

    @property
    def is_order(self) -> bool:
        """Whether it comes from an ordered pop."""
        return self.revive_queue_id == POP_ORDER_REVIVE_QUEUE

    @property
    def next_visible_time(self) -> int:
        """When the message comes back unless acknowledged."""
        return self.pop_time + self.invisible_time

    def real_topic(self, topic: str, group: str) -> str:
        """The topic the message lies in, where `group` popped from `topic`."""
        return topic_of_kind(self.topic_kind, topic, group)


class PopQueue(NamedTuple):
    """One queue of a pop response."""

    topic_kind: str
    queue_id: int

    def __str__(self) -> str:
        return f"{self.topic_kind} {self.queue_id}"


class PopPosition(NamedTuple):
    """One message of a pop response, by its place."""

    topic_kind: str
    queue_id: int
    queue_offset: int

    def __str__(self) -> str:
        return f"{self.topic_kind} qo{self.queue_id}%{self.queue_offset}"


def format_start_offsets(offsets: Mapping[PopQueue, int]) -> str:
    """startOffsetInfo: the first offset popped of each queue."""
    return ";".join(f"{queue} {offset}" for queue, offset in offsets.items())


def parse_start_offsets(text: str) -> dict[PopQueue, int]:
    """Read startOffsetInfo."""
    return _parse_table(text, "startOffsetInfo", _queue, parse_long)


def format_message_offsets(offsets: Mapping[PopQueue, Iterable[int]]) -> str:
    """msgOffsetInfo: all offsets popped of each queue."""
    return ";".join(f"{queue} {','.join(map(str, popped))}" for queue, popped in offsets.items())


def parse_message_offsets(text: str) -> dict[PopQueue, list[int]]:
    """Read msgOffsetInfo."""
    return _parse_table(
        text, "msgOffsetInfo", _queue, lambda words: [parse_long(word) for word in words.split(",")]
    )


def format_order_counts(counts: Mapping[PopQueue | PopPosition, int]) -> str:
    """orderCountInfo: how often a message, or the queue's first message, was consumed before."""
    return ";".join(f"{place} {count}" for place, count in counts.items())


def parse_order_counts(text: str) -> dict[PopQueue | PopPosition, int]:
    """Read orderCountInfo."""
    return _parse_table(text, "orderCountInfo", _queue_or_position, parse_int)


def parse_lite_order_counts(text: str, messages: int) -> list[int] | None:
    """Read orderCountInfo of a lite pop: one count for each message, None when there are not so many.

    What is no number counts as 0, as ExtraInfoUtil.parseLiteOrderCountInfo has it.
    """
    entries = _entries(text)
    return [_lenient_count(entry) for entry in entries] if entries and len(entries) == messages else None


def _lenient_count(entry: str) -> int:
    words = entry.split(" ")
    if "qo" in entry and len(words) != 3:
        return 0
    try:
        return parse_int(words[-1] if "qo" in entry else entry)
    except ValueError:
        return 0


def _entries(text: str) -> list[str]:
    """What String.split(";") gives: nothing for the empty ends."""
    trimmed = text.rstrip(";")
    return trimmed.split(";") if trimmed else []


def _parse_table(
    text: str, what: str, read_key: Callable[[str, str], K], read_value: Callable[[str], V]
) -> dict[K, V]:
    table: dict[K, V] = {}
    for entry in _entries(text):
        try:
            kind, place, value = entry.split(" ")
            key = read_key(kind, place)
            if key in table:
                raise ValueError("it stands there twice")
            table[key] = read_value(value)
        except ValueError as error:
            raise RemoteProtocolError(f"{what}, entry {entry[:100]!r}: {error}") from None
    return table


def _queue(kind: str, place: str) -> PopQueue:
    return PopQueue(kind, parse_int(place))


def _queue_or_position(kind: str, place: str) -> PopQueue | PopPosition:
    if not place.startswith("qo"):
        return _queue(kind, place)
    queue_id, _, offset = place[2:].partition("%")
    return PopPosition(kind, parse_int(queue_id), parse_long(offset))
