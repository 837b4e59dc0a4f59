"""Java's .properties text: how servers keep their configuration and tell it to admin tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

_BLANK: Final = " \t\f"
# The key ends at the first blank, equals sign or colon that no backslash stands before.
_KEY: Final = re.compile(r"(?:[^\\ \t\f=:]|\\.)*", re.DOTALL)
_SEPARATOR: Final = re.compile(r"[ \t\f]*[=:]?[ \t\f]*")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_BACKSLASHES: Final = re.compile(r"\\+$")
_ESCAPED: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    """Names and values as java.util.Properties.load finds them; ValueError for a broken \\u escape."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        name = _KEY.match(line)
        assert name is not None, "the pattern matches the empty text"
        separator = _SEPARATOR.match(line, name.end())
        assert separator is not None, "as above"
        found[_unescaped(name.group())] = _unescaped(line[separator.end() :])
    return found


def format_properties(properties: Mapping[str, str]) -> str:
    """MixAll.properties2String: sorted, one `name=value` a line, nothing escaped."""
    return "".join(f"{name}={properties[name]}\n" for name in sorted(properties))


def _logical_lines(text: str) -> Iterator[str]:
    """Lines without comments and leading blanks; one that ends with a backslash goes on with the next."""
    begun = ""
    goes_on = False
    lines = re.split(r"\r\n|\r|\n", text)
    if not lines[-1]:  # what follows the last line's end is no line
        lines.pop()
    for raw in lines:
        line = raw.lstrip(_BLANK)
        if not begun and (not line or line[0] in "#!"):
            goes_on = False
            continue
        begun += line
        tail = _BACKSLASHES.search(line)
        goes_on = tail is not None and len(tail.group()) % 2 == 1
        if goes_on:
            begun = begun[:-1]
        else:
            yield begun
            begun = ""
    if goes_on:
        yield begun


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_replacement, text) if "\\" in text else text


def _replacement(escape: re.Match[str]) -> str:
    escaped = escape.group(1)
    if len(escaped) > 1:
        return chr(int(escaped[1:], 16))
    if escaped == "u":
        raise ValueError("Malformed \\uxxxx encoding.")
    return _ESCAPED.get(escaped, escaped)
