"""Read a layout field by field and say where each field lies."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple

from construct import Construct, ConstructError

from rocketmq_protocol.errors import RemoteProtocolError


class Field(NamedTuple):
    """One field of a layout, as found in some bytes."""

    span: range
    name: str
    value: object


def walk(layout: Construct, data: bytes, start: int = 0) -> Iterator[Field]:
    """Yield the layout's fields one by one, reading `data` from `start` on.

    A field that cannot be read raises RemoteProtocolError, after those before it have been yielded.
    """
    stream = BytesIO(data)
    stream.seek(start)
    values: dict[str, object] = {}
    for field in layout.subcons:
        begin = stream.tell()
        try:
            value = field.parse_stream(stream, **values)
        except ConstructError as error:
            reason = str(error).splitlines()[-1]
            raise RemoteProtocolError(f"{field.name} at byte {begin}: {reason}") from None
        values[field.name] = value
        yield Field(range(begin, stream.tell()), field.name, value)
