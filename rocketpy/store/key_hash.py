"""Hashes of tags and index keys as they lie in a record: the fast path beside the protocol's `hashing`."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from rocketmq_protocol.hashing import index_hash, index_key, tag_index_key
from rocketmq_protocol.javaisms import string_hash

# A Java string hash reads the text as a number to the base 31 whose digits are the characters. Python's int
# does so too, for digits below 31: so each character is split into a low digit and a high one.
_DIGITS: Final = b"0123456789abcdefghijklmnopqrstu"
_LOW: Final = bytes(_DIGITS[code % 31] for code in range(256))
_HIGH: Final = bytes(_DIGITS[code // 31] for code in range(256))
_LONGEST: Final = 256
_POWERS: Final = [pow(31, length, 2**32) for length in range(_LONGEST + 1)]
_BITS: Final = 0xFFFFFFFF
# Of 2^31 there is no absolute value in 32 bits; IndexFile.indexKeyHashMethod takes 0.
_HALF: Final = 0x80000000


@lru_cache(maxsize=4096)
def tags_code(tags: bytes) -> int:
    """Tag code of a message in its consume queue."""
    return string_hash(tags.decode("utf-8", "replace"))


def index_hashes(topic: str, unique_key: bytes | None, keys: bytes | None, tags: bytes | None) -> list[int]:
    """Hashes of all index keys of one message, in the order of `message_index_keys`."""
    before_key, before_tag = _prefix_hashes(topic)
    found = []
    if unique_key is not None:
        found.append(_key_hash(topic, before_key, unique_key))
    if keys is not None:
        for key in keys.split(b" "):
            if key:
                found.append(_key_hash(topic, before_key, key))  # noqa: PERF401 - most have one key
    if tags is not None:
        found.append(_tag_hash(topic, before_tag, tags))
    return found


def _key_hash(topic: str, before: int, key: bytes) -> int:
    if len(key) > _LONGEST or not key.isascii():
        return index_hash(index_key(topic, key.decode("utf-8", "replace")))
    hashed = (
        before * _POWERS[len(key)] + int(key.translate(_LOW), 31) + int(key.translate(_HIGH), 31) * 31
    ) & _BITS
    return hashed if hashed < _HALF else (_BITS + 1 - hashed) % _HALF


def _tag_hash(topic: str, before: int, tags: bytes) -> int:
    if len(tags) > _LONGEST or not tags.isascii():
        return index_hash(tag_index_key(topic, tags.decode("utf-8", "replace")))
    hashed = (before * _POWERS[len(tags)] + tags_code(tags)) & _BITS
    return hashed if hashed < _HALF else (_BITS + 1 - hashed) % _HALF


@cache  # one entry for each topic of the store
def _prefix_hashes(topic: str) -> tuple[int, int]:
    return string_hash(index_key(topic, "")), string_hash(tag_index_key(topic, ""))
