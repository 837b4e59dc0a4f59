"""Every Java quirk the wire shows, in one cage; each names the Java class that forces it.

Here are hashes, strings and numbers; `maps` has the orders of Java's maps, `doubles` the text of doubles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeVar

import orjson

from rocketmq_protocol.codes import JsonDialect

K = TypeVar("K")

INT_MIN: Final = -(2**31)
INT_MAX: Final = 2**31 - 1
LONG_MIN: Final = -(2**63)
LONG_MAX: Final = 2**63 - 1

# java.util.HashMap: a new table has 16 buckets and doubles past three quarters of them.
DEFAULT_CAPACITY: Final = 16
# RemotingCommand.addExtField creates `new HashMap<>(256)`.
ADD_EXT_FIELD_CAPACITY: Final = 256


def to_int32(value: int) -> int:
    """Wrap to a signed 32-bit number, as Java's int arithmetic does."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@lru_cache(maxsize=65536)
def string_hash(text: str) -> int:
    """java.lang.String.hashCode: over UTF-16 units, signed 32 bits."""
    result = 0
    if text.isascii():
        for unit in text.encode("ascii"):
            result = (31 * result + unit) & 0xFFFFFFFF
    else:
        units = text.encode("utf-16-be", "surrogatepass")
        for position in range(0, len(units), 2):
            result = (31 * result + (units[position] << 8 | units[position + 1])) & 0xFFFFFFFF
    return to_int32(result)


def long_hash(value: int) -> int:
    """java.lang.Long.hashCode."""
    unsigned = value & 0xFFFFFFFFFFFFFFFF
    return to_int32((unsigned ^ (unsigned >> 32)) & 0xFFFFFFFF)


def java_hash(key: object) -> int:
    """hashCode of the key types our tables use: String, Integer, and objects with a `java_hash` method."""
    if isinstance(key, str):
        return string_hash(key)
    if isinstance(key, int):
        return to_int32(key)
    hashed = key.java_hash()  # type: ignore[attr-defined]
    assert isinstance(hashed, int)
    return hashed


def hash_map_capacity(size: int, initial: int = DEFAULT_CAPACITY) -> int:
    """Buckets of a java.util.HashMap that started at `initial` and took `size` puts."""
    capacity = initial
    while size > capacity * 3 // 4:
        capacity *= 2
    return capacity


def hash_order(
    keys: Iterable[K], initial: int = DEFAULT_CAPACITY, hash_code: Callable[[K], int] = java_hash
) -> list[K]:
    """The order in which a java.util.HashMap (or HashSet) that took these keys gives them back.

    Buckets in turn; keys of one bucket in the order they were put. Resizing splits a bucket without
    reordering it, so only the last capacity counts. (A bucket of eight becomes a tree in Java; header
    fields and the tables sent over the wire stay far below that.)
    """
    taken = list(keys)
    mask = hash_map_capacity(len(taken), initial) - 1

    def bucket(key: K) -> int:
        spread = hash_code(key) & 0xFFFFFFFF
        return (spread ^ (spread >> 16)) & mask

    return sorted(taken, key=bucket)


@lru_cache(maxsize=4096)
def _string_order(names: tuple[str, ...], initial: int) -> tuple[str, ...]:
    return tuple(hash_order(names, initial, string_hash))


def hash_map(fields: dict[str, str], initial: int = DEFAULT_CAPACITY) -> dict[str, str]:
    """The same entries as a java.util.HashMap gives them back; `fields` stand in the order of the puts."""
    return {name: fields[name] for name in _string_order(tuple(fields), initial)}


def ext_field_map(added: dict[str, str], header: dict[str, str] | None = None) -> dict[str, str]:
    """RemotingCommand.extFields when addExtField began it: 256 buckets; the header's fields are put last."""
    return hash_map(added | header if header else added, ADD_EXT_FIELD_CAPACITY)


def field_order(declared: Sequence[tuple[str, str]]) -> list[str]:
    """Order in which RemotingCommand.getClazzFields visits a header's fields.

    `declared` holds (declaring class name, field name), own class first, then each superclass. Java
    collects them in a HashSet of java.lang.reflect.Field, whose hash is the xor of both names' hashes.
    """
    order = hash_order(declared, hash_code=lambda field: string_hash(field[0]) ^ string_hash(field[1]))
    return [name for _, name in order]


def boolean_text(value: bool) -> str:
    """Boolean.toString."""
    return "true" if value else "false"


def parse_boolean(text: str) -> bool:
    """Boolean.parseBoolean: anything but "true" is false, case aside."""
    return text.lower() == "true"


def parse_int(text: str, low: int = INT_MIN, high: int = INT_MAX) -> int:
    """Integer.parseInt (Long.parseLong with the wider range): sign and digits, nothing else.

    Unlike int(), no blanks and no underscores. ValueError otherwise.
    """
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isdecimal() and len(digits) < 40):
        raise ValueError(f"{text[:60]!r} is not a decimal number")
    value = int(text)
    if not low <= value <= high:
        raise ValueError(f"{text[:60]!r} is outside {low}..{high}")
    return value


def parse_long(text: str) -> int:
    """Long.parseLong."""
    return parse_int(text, LONG_MIN, LONG_MAX)


# What fastjson 1 writes otherwise than fastjson 2 (and orjson): upper-case digits in the escapes of control
# characters, and escapes for DEL, U+0080..U+009F and the two Unicode line ends.
_FASTJSON1_ESCAPES: Final = re.compile(rb"\\(?:u00[01][0-9a-f]|.)|\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]")


def utf8(text: str) -> bytes:
    """String.getBytes(UTF_8): surrogate pairs are joined, a lone surrogate becomes `?`."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        return joined.encode("utf-8", "replace")


def json_text(value: str | dict[str, str], dialect: JsonDialect = JsonDialect.FASTJSON2) -> bytes:
    """A string, or an object of strings, as fastjson writes it."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # a lone surrogate somewhere
        text = orjson.dumps(_without_lone_surrogates(value))
    return text if dialect is JsonDialect.FASTJSON2 else _FASTJSON1_ESCAPES.sub(_fastjson1_escape, text)


def _without_lone_surrogates(value: str | dict[str, str]) -> str | dict[str, str]:
    if isinstance(value, str):
        return utf8(value).decode()
    return {utf8(key).decode(): utf8(item).decode() for key, item in value.items()}


def _fastjson1_escape(match: re.Match[bytes]) -> bytes:
    found = match[0]
    if found[:1] == b"\\":
        return b"\\u" + found[2:].upper() if found[1:2] == b"u" else found
    return b"\\u%04X" % ord(found.decode())
