"""Rows of a body: stored messages and batch entries field by field, all else as one row."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Final

from construct import Construct

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.explain import meanings
from rocketmq_protocol.explain.exchange import Exchange
from rocketmq_protocol.explain.meanings import Reading, meant
from rocketmq_protocol.explain.rows import Explained
from rocketmq_protocol.fastjson_reader import loads
from rocketmq_protocol.layouts import BATCH_ENTRY, MESSAGE_RECORD, TIMER_CHECKPOINT, Field, walk
from rocketmq_protocol.properties import parse_properties

_RECORDS_IN_RESPONSE: Final = frozenset(
    {
        RequestCode.PULL_MESSAGE,
        RequestCode.LITE_PULL_MESSAGE,
        RequestCode.POP_MESSAGE,
        RequestCode.POP_LITE_MESSAGE,
        RequestCode.PEEK_MESSAGE,
        RequestCode.QUERY_MESSAGE,
        RequestCode.VIEW_MESSAGE_BY_ID,
    }
)
_RECORDS_IN_REQUEST: Final = frozenset(
    {RequestCode.CHECK_TRANSACTION_STATE, RequestCode.CONSUME_MESSAGE_DIRECTLY}
)

# By field of the layouts.
_READINGS: Final[dict[str, Reading]] = {
    "magic": meanings.record_magic,
    "sys_flag": meanings.message_sys_flag,
    "born_timestamp": meanings.time_text,
    "store_timestamp": meanings.time_text,
    "last_read_time": meanings.time_text,
    "version_timestamp": meanings.time_text,
}


def body_rows(frame: bytes, start: int, exchange: Exchange) -> Iterator[Explained]:
    """Rows for everything from `start` on."""
    if start == len(frame):
        return
    if _holds_records(frame, start, exchange):
        yield from _repeated(MESSAGE_RECORD, "message", frame, start)
    elif not exchange.is_response and exchange.request_code == RequestCode.SEND_BATCH_MESSAGE:
        yield from _repeated(BATCH_ENTRY, "batch", frame, start)
    elif exchange.is_response and exchange.request_code == RequestCode.GET_TIMER_CHECK_POINT:
        yield from _layout_rows(TIMER_CHECKPOINT, "checkpoint", frame, start)
    else:
        yield Explained(range(start, len(frame)), "body", _readable(frame[start:]))


def _holds_records(frame: bytes, start: int, exchange: Exchange) -> bool:
    """By the request's code; a response to an unknown request is taken by its looks."""
    if exchange.request_code is None:
        return bool(meanings.record_magic(int.from_bytes(frame[start + 4 : start + 8], "big", signed=True)))
    codes = _RECORDS_IN_RESPONSE if exchange.is_response else _RECORDS_IN_REQUEST
    return exchange.request_code in codes


def _repeated(layout: Construct, name: str, frame: bytes, start: int) -> Iterator[Explained]:
    """One entry after the other up to the frame's end; the first field of each is its size."""
    index = 0
    while start < len(frame):
        entry = f"{name}[{index}]"
        rows = _layout_rows(layout, entry, frame, start)
        first = last = next(rows)
        yield first
        for last in rows:
            yield last
        taken = last.span.stop - start
        if first.value != taken:
            raise RemoteProtocolError(f"{entry} takes {taken} bytes, but its size says {first.value}")
        start += taken
        index += 1


def _layout_rows(layout: Construct, name: str, frame: bytes, start: int) -> Iterator[Explained]:
    for field in walk(layout, frame, start):
        if field.span:
            yield Explained(field.span, f"{name}.{field.name}", _value(field))


def _value(field: Field) -> object:
    if not isinstance(field.value, bytes):
        return meant(field.value, _READINGS.get(field.name))
    if field.name.endswith("_ip"):
        return str(ip_address(field.value))
    text = _text(field.value)
    return parse_properties(text) if field.name == "properties" and isinstance(text, str) else text


def _readable(body: bytes) -> object:
    """Parsed JSON, or text, or else the bytes themselves."""
    if body[:1] in (b"{", b"["):
        with suppress(RemoteProtocolError):
            return loads(body)
    return _text(body)


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
