"""An explanation as text for a terminal: offset, hex bytes, name, value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final, TypeVar

from rocketmq_protocol.explain.rows import Explained, Meaning

T = TypeVar("T", str, bytes)

_BYTES_PER_LINE: Final = 16
_HEX_WIDTH: Final = 3 * _BYTES_PER_LINE - 1
_VALUE_WIDTH: Final = 60
_MAX_LINES: Final = 4


def format_explained(frame: bytes, rows: Sequence[Explained]) -> str:
    """An annotated hex dump of the frame; bytes and values that are long are cut after a few lines."""
    name_width = max((len(row.name) for row in rows), default=0)
    return "\n".join(line for row in rows for line in _lines(frame, row, name_width))


def _lines(frame: bytes, row: Explained, name_width: int) -> Iterator[str]:
    """The first line carries the name; longer hex and values go on below, side by side."""
    data = frame[row.span.start : row.span.stop]
    text = str(row.value) if isinstance(row.value, Meaning) else repr(row.value)
    hex_lines = _cut([piece.hex(" ") for piece in _pieces(data, _BYTES_PER_LINE)], f"{len(data)} bytes")
    value_lines = _cut(_pieces(text, _VALUE_WIDTH), f"{len(text)} characters")
    offset, name = row.span.start, row.name
    for hex_line, value_line in zip_longest(hex_lines or [""], value_lines, fillvalue=None):
        address = "" if hex_line is None else f"{offset:08x}"
        yield f"{address:8}  {hex_line or '':{_HEX_WIDTH}}  {name:{name_width}}  {value_line or ''}".rstrip()
        offset += _BYTES_PER_LINE
        name = ""


def _pieces(whole: T, size: int) -> list[T]:
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def _cut(lines: list[str], whole: str) -> list[str]:
    return lines if len(lines) <= _MAX_LINES else [*lines[: _MAX_LINES - 1], f"... {whole} in all"]
