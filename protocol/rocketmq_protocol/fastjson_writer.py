"""Writes the JSON of Java's fastjson 2, byte for byte: the pieces that a body's text is put together from.

What a value looks like depends on its Java type, so the callers say what they write: a bean, a map, a list.
The three styles are those that RocketMQ uses. `COMPACT` is the usual one. `BROWSER_COMPATIBLE` is how a name
server writes a route for newer clients: maps are sorted, their keys are quoted, and so are numbers that
JavaScript cannot hold. `PRETTY` is how a broker writes its configuration files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from rocketmq_protocol import javaisms
from rocketmq_protocol.javaisms.doubles import double_text

_LARGEST_JAVASCRIPT_INTEGER: Final = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Style:
    """One way to write JSON. `depth` is the number of beans, maps and lists around the value."""

    indented: bool = False
    standard: bool = False  # keys are quoted and sorted

    def bean(self, members: list[bytes], depth: int) -> bytes:
        """An object with the members of a Java class; when indented, even an empty one takes three lines."""
        if not self.indented:
            return b"{%b}" % b",".join(members)
        return b"{%b}" % _lines(members, depth)

    def table(self, members: list[bytes], depth: int) -> bytes:
        """An object with the entries of a Java map."""
        return self.bean(members, depth) if members else b"{}"

    def elements(self, items: list[bytes], depth: int, *, short_when_empty: bool = False) -> bytes:
        """A list or set; when indented, an empty one takes three lines, unless it is a list in a map."""
        if not self.indented or (short_when_empty and not items):
            return b"[%b]" % b",".join(items)
        return b"[%b]" % _lines(items, depth)

    def integer(self, value: int) -> bytes:
        """An int or long."""
        if self.standard and abs(value) > _LARGEST_JAVASCRIPT_INTEGER:
            return b'"%d"' % value
        return b"%d" % value

    def integer_key(self, value: int) -> bytes:
        """An Integer or Long as the key of a map."""
        return b'"%d"' % value if self.standard else b"%d" % value


def _lines(items: list[bytes], depth: int) -> bytes:
    outer = b"\n" + b"\t" * depth
    inner = outer + b"\t"
    return inner + (b"," + inner).join(items) + outer


def text(value: str) -> bytes:
    """A String."""
    return javaisms.json_text(value)


def boolean(value: bool) -> bytes:
    """A boolean."""
    return b"true" if value else b"false"


def double(value: float) -> bytes:
    """A double; what JSON cannot say is null."""
    return double_text(value).encode() if math.isfinite(value) else b"null"


COMPACT: Final = Style()
BROWSER_COMPATIBLE: Final = Style(standard=True)
PRETTY: Final = Style(indented=True)
