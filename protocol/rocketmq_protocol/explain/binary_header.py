"""Rows of a ROCKETMQ binary header."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.explain.rows import Explained
from rocketmq_protocol.layouts import BINARY_HEADER, EXT_FIELD, Field, walk


def binary_header_rows(data: bytes, start: int) -> Iterator[Explained]:
    """A row for each field of the header that begins at `start` and ends where `data` ends."""
    for field in walk(BINARY_HEADER, data, start):
        if field.span:
            yield Explained(field.span, field.name, _text(field) if field.name == "remark" else field.value)
        if field.name == "ext_length":
            # The ext fields come one by one below, so that a broken one does not hide those before it.
            break
    position = field.span.stop
    ext_length, left = cast("int", field.value), len(data) - position
    ext_fields = data[: position + max(ext_length, 0)]
    while position < len(ext_fields):
        rows = _ext_field_rows(ext_fields, position)
        yield from rows
        position = rows[-1].span.stop
    if ext_length != left:
        raise RemoteProtocolError(f"ext fields should take {ext_length} bytes, but the header has {left}")


def _ext_field_rows(data: bytes, start: int) -> list[Explained]:
    """Key and value, each with its length; the row of the value is the one named as in a JSON header."""
    key_length, key, value_length, value = walk(EXT_FIELD, data, start)
    name = f"extFields.{_text(key)}"
    rows = [
        Explained(key_length.span, f"{name} key_length", key_length.value),
        Explained(key.span, f"{name} key", _text(key)),
        Explained(value_length.span, f"{name} value_length", value_length.value),
        Explained(value.span, name, _text(value)),
    ]
    return [row for row in rows if row.span]


def _text(field: Field) -> str:
    """A field of UTF-8 bytes as text."""
    try:
        return cast("bytes", field.value).decode()
    except UnicodeDecodeError as error:
        at = field.span.start + error.start
        raise RemoteProtocolError(f"{field.name} at byte {at}: not UTF-8 ({error.reason})") from None
