"""Message trace: the records a client sends to RMQ_SYS_TRACE_TOPIC, and their text.

Fields are separated by 0x01, records end with 0x02 (TraceDataEncoder). Java writes a missing string as
`null`; strings here are just what the text holds. Writers of different versions stop at different fields, so
each type of record lists its forms; a field that its form lacks is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Final, TypeAlias

from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.javaisms import boolean_text, hash_order, parse_boolean, parse_int, parse_long
from rocketmq_protocol.properties import KEY_SEPARATOR

CONTENT_SPLITOR: Final = "\x01"
FIELD_SPLITOR: Final = "\x02"

Form: TypeAlias = tuple[str, ...]


class TraceMessageType(IntEnum):
    """What kind of message was sent; the ordinals of Java's MessageType."""

    Normal_Msg = 0
    Trans_Msg_Half = 1
    Trans_msg_Commit = 2
    Delay_Msg = 3
    Order_Msg = 4


_SENT: Final = ("timestamp", "region_id", "group", "topic", "msg_id", "tags", "keys", "store_host")
_PUB: Final = (*_SENT, "body_length", "cost_time", "message_type")
_SUB_AFTER: Final = ("request_id", "msg_id", "cost_time", "success", "keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class PubTrace:
    """A message was sent, or failed to be."""

    KIND: ClassVar = "Pub"
    FORMS: ClassVar[tuple[Form, ...]] = (
        (*_PUB, "success"),
        (*_PUB, "offset_msg_id", "success"),  # 4.9 and 5.x
        (*_PUB, "offset_msg_id", "success", "client_host"),
    )

    timestamp: int
    region_id: str
    group: str
    topic: str
    msg_id: str
    tags: str
    keys: str
    store_host: str
    body_length: int
    cost_time: int
    message_type: TraceMessageType
    offset_msg_id: str | None = None
    success: bool
    client_host: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTrace:
    """A delayed message was called back."""

    KIND: ClassVar = "Recall"
    FORMS: ClassVar[tuple[Form, ...]] = (("timestamp", "region_id", "group", "topic", "msg_id", "success"),)

    timestamp: int
    region_id: str
    group: str
    topic: str
    msg_id: str
    success: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubBeforeTrace:
    """A consumer is about to handle a message."""

    KIND: ClassVar = "SubBefore"
    FORMS: ClassVar[tuple[Form, ...]] = (
        ("timestamp", "region_id", "group", "request_id", "msg_id", "retry_times", "keys"),
    )

    timestamp: int
    region_id: str
    group: str
    request_id: str
    msg_id: str
    retry_times: int
    keys: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAfterTrace:
    """A consumer has handled a message; `request_id` is that of the SubBeforeTrace."""

    KIND: ClassVar = "SubAfter"
    FORMS: ClassVar[tuple[Form, ...]] = (
        _SUB_AFTER,
        (*_SUB_AFTER, "context_code"),
        (*_SUB_AFTER, "context_code", ""),  # AccessChannel.CLOUD: a separator, and nothing behind it
        (*_SUB_AFTER, "context_code", "timestamp", "group"),
    )

    request_id: str
    msg_id: str
    cost_time: int
    success: bool
    keys: str
    context_code: int | None = None
    timestamp: int | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTransactionTrace:
    """A producer has decided about a transactional message."""

    KIND: ClassVar = "EndTransaction"
    FORMS: ClassVar[tuple[Form, ...]] = (
        (*_SENT, "message_type", "transaction_id", "transaction_state", "from_transaction_check"),
    )

    timestamp: int
    region_id: str
    group: str
    topic: str
    msg_id: str
    tags: str
    keys: str
    store_host: str
    message_type: TraceMessageType
    transaction_id: str
    transaction_state: str  # COMMIT_MESSAGE, ROLLBACK_MESSAGE or UNKNOW
    from_transaction_check: bool


TraceRecord: TypeAlias = PubTrace | RecallTrace | SubBeforeTrace | SubAfterTrace | EndTransactionTrace

_TYPES: Final[dict[str, type[TraceRecord]]] = {
    record_type.KIND: record_type
    for record_type in (PubTrace, RecallTrace, SubBeforeTrace, SubAfterTrace, EndTransactionTrace)
}
# How fields that are not strings are read.
_READERS: Final[dict[str, Callable[[str], object]]] = {
    "timestamp": parse_long,
    "body_length": parse_int,
    "cost_time": parse_int,
    "retry_times": parse_int,
    "context_code": parse_int,
    "success": parse_boolean,
    "from_transaction_check": parse_boolean,
    "message_type": lambda text: TraceMessageType(parse_int(text)),
}


def encode_trace(records: Iterable[TraceRecord]) -> str:
    """Content of a trace message."""
    return "".join(map(_record_text, records))


def _record_text(record: TraceRecord) -> str:
    """One record, in the longest form it has all fields for."""
    for form in reversed(record.FORMS):
        values = [getattr(record, name) if name else "" for name in form]
        if None not in values:
            break
    return CONTENT_SPLITOR.join([record.KIND, *map(_value_text, values)]) + FIELD_SPLITOR


def _value_text(value: str | int) -> str:
    return boolean_text(value) if isinstance(value, bool) else format(value)


def decode_trace(content: str) -> list[TraceRecord]:
    """The records of a trace message; kinds nobody knows are skipped, as in Java."""
    return [
        _read_record(_TYPES[kind], fields, number)
        for number, text in enumerate(content.split(FIELD_SPLITOR))
        for kind, *fields in [text.split(CONTENT_SPLITOR)]
        if kind in _TYPES
    ]


def _read_record(record_type: type[TraceRecord], fields: list[str], number: int) -> TraceRecord:
    forms = [form for form in record_type.FORMS if len(form) <= len(fields)]
    if not forms:
        raise RemoteProtocolError(
            f"trace record {number}, {record_type.KIND}: {len(fields)} fields, "
            f"at least {len(record_type.FORMS[0])} were expected"
        )
    values: dict[str, Any] = {}
    for name, text in zip(forms[-1], fields, strict=False):
        try:
            values[name] = _READERS.get(name, str)(text)
        except ValueError as error:
            raise RemoteProtocolError(f"trace record {number}, {record_type.KIND}, {name}: {error}") from None
    values.pop("", None)
    return record_type(**values)


def trace_keys(records: Iterable[TraceRecord]) -> list[str]:
    """Keys of a trace message: the ids and keys of the messages it tells about, in HashSet order."""
    found: dict[str, None] = {}
    for record in records:
        words = getattr(record, "keys", "").split(KEY_SEPARATOR)
        found.update(dict.fromkeys(hash_order(dict.fromkeys([record.msg_id, *filter(None, words)]))))
    return hash_order(found)
