"""Rows of a JSON header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Final, NoReturn

from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.explain.rows import Explained


def json_header_rows(data: bytes, start: int) -> Iterator[Explained]:
    """A row for each member of the object whose text begins at `start` and ends where `data` ends."""
    scanner = _Scanner(data, start)
    yield from scanner.object_rows("header", "")
    scanner.expect_end()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_SPACE: Final = re.compile(r"[ \t\n\r]*")
_read_value: Final = JSONDecoder(parse_constant=_no_constant).raw_decode


class _Scanner:
    """Reads JSON text piece by piece and knows which bytes each piece takes."""

    def __init__(self, data: bytes, start: int) -> None:
        # Bytes that are not UTF-8 become lone surrogates here, and an error once their piece is reached.
        self._text = data[start:].decode("utf-8", "surrogateescape")
        self._row_start = self._position = 0
        self._row_byte = start

    def object_rows(self, name: str, prefix: str) -> Iterator[Explained]:
        """Rows of one object: its braces, and each member with the comma before it."""
        self._expect("{")
        yield self._row(name, "{")
        separator = ""
        while not self._skip("}"):
            self._expect(separator)
            separator = ","
            key = self._value()
            if not isinstance(key, str):
                raise RemoteProtocolError(f"JSON header at byte {self._row_byte}: {key!r:.40} is no key")
            self._expect(":")
            if key == "extFields" and not prefix and self._text.startswith("{", self._position):
                yield from self.object_rows(key, "extFields.")
            else:
                value = self._value()
                yield self._row(prefix + key, value)
        yield self._row(f"end of {name}", "}")

    def expect_end(self) -> None:
        """Nothing may follow the header's own object."""
        if self._position < len(self._text):
            raise RemoteProtocolError(f"JSON header at byte {self._row_byte}: text follows its closing brace")

    def _row(self, name: str, value: object) -> Explained:
        """Everything since the last row becomes this one."""
        piece = self._text[self._row_start : self._position]
        try:
            size = len(piece.encode())
        except UnicodeEncodeError:
            raise RemoteProtocolError(f"JSON header at byte {self._row_byte}: not UTF-8") from None
        span = range(self._row_byte, self._row_byte + size)
        self._row_start, self._row_byte = self._position, span.stop
        return Explained(span, name, value)

    def _value(self) -> object:
        try:
            value, end = _read_value(self._text, self._position)
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(":")[0]
            raise RemoteProtocolError(f"JSON header at byte {self._row_byte}: {reason}") from None
        self._move_to(end)
        return value

    def _expect(self, mark: str) -> None:
        if not self._skip(mark):
            raise RemoteProtocolError(f"JSON header at byte {self._row_byte}: {mark!r} is missing")

    def _skip(self, mark: str) -> bool:
        """Go past the mark, if it comes next, and the blanks around it."""
        found = self._text.startswith(mark, self._position)
        if found:
            self._move_to(self._position + len(mark))
        return found

    def _move_to(self, position: int) -> None:
        blanks = _SPACE.match(self._text, position)
        self._position = blanks.end() if blanks else position
