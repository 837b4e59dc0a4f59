"""Hashes of index keys as they lie in a record: the fast path beside `index_hash` of the protocol."""

from __future__ import annotations

from functools import lru_cache
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
_HALF: Final = 0x80000000


def index_hashes(topic: str, unique_key: bytes | None, keys: bytes | None, tags: bytes | None) -> list[int]:
    """Hashes of all index keys of one message, in the order of `message_index_keys`."""
    found = [_key_hash(topic, unique_key)] if unique_key is not None else []
    if keys is not None:
        found += [_key_hash(topic, key) for key in keys.split(b" ") if key]
    if tags is not None:
        found.append(_tag_hash(topic, tags))
    return found


def _key_hash(topic: str, key: bytes) -> int:
    if not key.isascii() or len(key) > _LONGEST:
        return index_hash(index_key(topic, key.decode("utf-8", "replace")))
    hashed = (
        _prefix_hash(topic) * _POWERS[len(key)]
        + int(key.translate(_LOW), 31)
        + int(key.translate(_HIGH), 31) * 31
    ) & _BITS
    if hashed < _HALF:
        return hashed
    return _BITS + 1 - hashed if hashed > _HALF else 0


@lru_cache(maxsize=65536)
def _prefix_hash(topic: str) -> int:
    return string_hash(f"{topic}#")


@lru_cache(maxsize=65536)
def _tag_hash(topic: str, tags: bytes) -> int:
    return index_hash(tag_index_key(topic, tags.decode("utf-8", "replace")))
