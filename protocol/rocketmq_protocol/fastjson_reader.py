"""Reads the JSON of Java's fastjson, which is not always JSON.

fastjson writes a map with numbers as keys without quotes, `{0:"host:port"}`, and a map with objects as keys
with the object itself in the key's place, `{{"brokerName":"b","queueId":0,"topic":"t"}:{...}}`. Text that is
plain JSON goes to orjson as it is; in any other, such keys are put in quotes first. So every key is text, and
an object that was a key is the text of that object.
"""

from __future__ import annotations

import re
from typing import Any, Final

import orjson

from rocketmq_protocol.errors import RemoteProtocolError

MAX_SIZE: Final = 16 * 1024 * 1024  # as a whole frame
MAX_DEPTH: Final = 1024  # set by orjson

# What the reader gives: None, bool, int, float, str, list, and dict with keys of str.
Json = Any

# A string, to be stepped over (to the end of the text if nothing closes it); or a key without quotes. Each
# alternative gives back nothing it has taken, so that no text takes more than linear time.
_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_UNQUOTED_KEY: Final = re.compile(
    rf'{_STRING}(?:"|\\?\Z)'
    rf'|[{{,]\s*+(-?[0-9]++|\{{(?:{_STRING}"|[^"{{}}])*+\}})(?=\s*+:)',
    re.DOTALL,
)


def loads(data: bytes) -> Json:
    """Read one JSON value; RemoteProtocolError says what is wrong with the text, and where."""
    if len(data) > MAX_SIZE:
        raise RemoteProtocolError(f"JSON of {len(data)} bytes: more than the {MAX_SIZE} allowed")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _loads_fastjson(data)


def _loads_fastjson(data: bytes) -> Json:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(f"JSON is not UTF-8 at byte {error.start}: {error.reason}") from None
    keys = [match for match in _UNQUOTED_KEY.finditer(text) if match[1]]
    try:
        return orjson.loads(_with_quotes(text, keys))
    except orjson.JSONDecodeError as error:
        position = _original_position(error.pos, keys)
        near = text[position : position + 20]
        raise RemoteProtocolError(
            f"JSON is wrong at character {position}, near {near!r}: {error.msg.partition(': line')[0]}"
        ) from None


def _with_quotes(text: str, keys: list[re.Match[str]]) -> str:
    pieces: list[str] = []
    end = 0
    for key in keys:
        pieces += text[end : key.start(1)], _quoted(key)
        end = key.end(1)
    return "".join(pieces) + text[end:]


def _quoted(key: re.Match[str]) -> str:
    return orjson.dumps(key[1]).decode()


def _original_position(position: int, keys: list[re.Match[str]]) -> int:
    """Where a character of the text with quotes stands in the text without."""
    added = 0
    for key in keys:
        if position <= key.start(1) + added:
            break
        added += len(_quoted(key)) - len(key[1])
    return position - added
