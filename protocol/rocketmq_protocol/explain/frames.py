"""explain(): from a frame's bytes to rows that cover every one of them once."""

from __future__ import annotations

from typing import Final

from rocketmq_protocol.codes import SerializeType
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.explain.binary_header import binary_header_rows
from rocketmq_protocol.explain.bodies import body_rows
from rocketmq_protocol.explain.exchange import Exchange
from rocketmq_protocol.explain.json_header import json_header_rows
from rocketmq_protocol.explain.rows import Explained
from rocketmq_protocol.layouts import FRAME_PREFIX, walk

_HEADER_ROWS: Final = {
    int(SerializeType.JSON): json_header_rows,
    int(SerializeType.ROCKETMQ): binary_header_rows,
}


def explain(frame: bytes, *, request_code: int | None = None) -> list[Explained]:
    """Say for every byte of a frame which field it belongs to.

    The rows follow each other without gap or overlap. In JSON text a field's row takes the comma before it,
    its key and its value; braces have rows of their own. What cannot be read ends the list as one row named
    `error` with the reason as its value; that row is empty if bytes are missing rather than wrong.

    A response does not say what it answers: with `request_code` its fields and its body are known for sure.
    """
    rows: list[Explained] = []
    try:
        _explain_into(rows, frame, request_code)
    except RemoteProtocolError as error:
        start = rows[-1].span.stop if rows else 0
        rows.append(Explained(range(start, len(frame)), "error", str(error)))
    exchange = Exchange.of(rows, request_code)
    return [exchange.with_meaning(row) for row in rows]


def _explain_into(rows: list[Explained], frame: bytes, request_code: int | None) -> None:
    """Add row after row. Those before one that cannot be read stay: list.extend keeps what it has taken."""
    rows.extend(Explained(*field) for field in walk(FRAME_PREFIX, frame))
    prefix = FRAME_PREFIX.parse(frame)
    header_rows = _HEADER_ROWS.get(prefix.serializer)
    if header_rows is None:
        raise RemoteProtocolError(f"unknown header serializer {prefix.serializer}")
    header_end, end = 8 + prefix.header_length, 4 + prefix.total_length
    if header_end > end:
        raise RemoteProtocolError(
            f"header length {prefix.header_length} does not fit total length {prefix.total_length}"
        )
    rows.extend(header_rows(frame[:header_end], 8))
    if len(frame) < end:
        raise RemoteProtocolError(f"the frame ends {end - len(frame)} bytes early")
    rows.extend(body_rows(frame[:end], header_end, Exchange.of(rows, request_code)))
    left = len(frame) - rows[-1].span.stop
    if left:
        raise RemoteProtocolError(f"{left} bytes are left over")
