"""What a broker finds messages by: the tag hash of consume queues, and the keys of the index."""

from __future__ import annotations

from typing import Final

from rocketmq_protocol.javaisms import INT_MIN, string_hash, to_int32
from rocketmq_protocol.properties import INDEX_TAG_TYPE, KEY_SEPARATOR


def tag_hash(tags: str | None) -> int:
    """Tag code of a message in its consume queue; 0 without a tag (tagsString2tagsCode)."""
    return string_hash(tags) if tags else 0


def index_key(topic: str, key: str) -> str:
    """Text under which the index knows a message by one of its keys, or by its UNIQ_KEY."""
    return f"{topic}#{key}"


def tag_index_key(topic: str, tags: str) -> str:
    """Text under which the index of 5.5 knows a message by its tag."""
    return f"{topic}#{INDEX_TAG_TYPE}#{tags}"


# Keys of one producer differ in their last characters only; the rest is hashed once and remembered.
_VARYING: Final = 8
_VARYING_POWER: Final = 31**_VARYING


def index_hash(index_key_text: str) -> int:
    """IndexFile.indexKeyHashMethod: the absolute hash, and 0 for the one that has no absolute value."""
    tail = index_key_text[-_VARYING:]
    if len(index_key_text) < 2 * _VARYING or not tail.isascii():
        hashed = string_hash(index_key_text)
    else:
        a, b, c, d, e, f, g, h = tail.encode()
        varying = ((((((a * 31 + b) * 31 + c) * 31 + d) * 31 + e) * 31 + f) * 31 + g) * 31 + h
        hashed = to_int32(string_hash(index_key_text[:-_VARYING]) * _VARYING_POWER + varying)
    return 0 if hashed == INT_MIN else abs(hashed)


def message_index_keys(topic: str, unique_key: str | None, keys: str | None, tags: str | None) -> list[str]:
    """All index keys of one message, in the order IndexService.buildIndex of 5.5 puts them.

    `keys` is the KEYS property, words separated by blanks.
    """
    found = [index_key(topic, unique_key)] if unique_key is not None else []
    if keys:
        found += [index_key(topic, key) for key in keys.split(KEY_SEPARATOR) if key]
    if tags:
        found.append(tag_index_key(topic, tags))
    return found
