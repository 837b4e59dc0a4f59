"""How the type of a field is read from JSON and written as JSON.

Reading takes what fastjson takes where peers rely on it: numbers as text (the C++ client quotes them), text
from numbers, enums by name or by ordinal, and null as zero for a primitive.
"""

from __future__ import annotations

import base64
import binascii
import types
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Annotated, Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin

from rocketmq_protocol import fastjson_writer, javaisms
from rocketmq_protocol.declaring import Int as Int
from rocketmq_protocol.declaring import Long as Long
from rocketmq_protocol.fastjson_reader import Json, loads
from rocketmq_protocol.fastjson_writer import Style
from rocketmq_protocol.javaisms.maps import HashCode, HashMap, JavaOrder, JavaSet, JavaTable, TreeMap

T = TypeVar("T")

HashSet = Annotated[AbstractSet[T], HashMap()]
BitSet = Annotated[AbstractSet[int], "BitSet"]
LongArray = Annotated[list[int], "long[]"]

# A pop takes 32 messages at most; their offsets may lie further apart, but not that far.
_MOST_BITS: Final = 65536

Read = Callable[[Json], Any]
Write = Callable[[Any, Style, int], bytes]


class Codec(NamedTuple):
    """How values of one Java type travel."""

    read: Read
    write: Write
    takes_null: bool = False  # else null leaves a field as it is by default


class Key(NamedTuple):
    """How the keys of a Java map travel, and how they hash."""

    read: Read
    write: Write
    hash_code: HashCode


class WrongValue(Exception):
    """A JSON value cannot be what its place says it is."""

    def __init__(self, expected: str, value: Json) -> None:
        if isinstance(value, dict | list):
            shown = "an object" if isinstance(value, dict) else "an array"
        else:
            shown = repr(value)[:60]
        super().__init__(f"expected {expected}, got {shown}")


def _read_text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return javaisms.boolean_text(value)
    if isinstance(value, int):
        return str(value)
    raise WrongValue("text", value)


def _read_boolean(value: Json) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "false", None):
        return bool(value == "true")
    raise WrongValue("true or false", value)


def _read_double(value: Json) -> float:
    if value is None:
        return 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise WrongValue("a number", value)


def _integer_reader(name: str, low: int, high: int) -> Read:
    def read(value: Json) -> int:
        number = value
        if isinstance(value, str):
            try:
                number = javaisms.parse_int(value, low, high)
            except ValueError:
                raise WrongValue(name, value) from None
        if type(number) is int and low <= number <= high:
            return number
        if value is None:
            return 0
        raise WrongValue(name, value)

    return read


_read_int: Final = _integer_reader("an int", javaisms.INT_MIN, javaisms.INT_MAX)
_read_long: Final = _integer_reader("a long", javaisms.LONG_MIN, javaisms.LONG_MAX)


def _read_bit_set(value: Json) -> JavaSet[int]:
    try:
        octets = base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise WrongValue("base64", value) from None
    if len(octets) * 8 > _MOST_BITS:
        raise WrongValue(f"at most {_MOST_BITS} bits", value)
    bits = int.from_bytes(octets, "little")
    return JavaSet(position for position in range(bits.bit_length()) if bits >> position & 1)


def _write_bit_set(value: AbstractSet[int], style: Style, depth: int) -> bytes:
    bits = sum(1 << position for position in value)
    return b'"%b"' % base64.b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little"))


def _read_long_array(value: Json) -> list[int]:
    return [_read_long(item) for item in _expect_list(value)]


def _expect_list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise WrongValue("an array", value)
    return value


_SCALARS: Final[dict[object, Codec]] = {
    str: Codec(_read_text, lambda value, style, depth: fastjson_writer.text(value)),
    bool: Codec(_read_boolean, lambda value, style, depth: fastjson_writer.boolean(value), takes_null=True),
    float: Codec(_read_double, lambda value, style, depth: fastjson_writer.double(value), takes_null=True),
    Int: Codec(_read_int, lambda value, style, depth: style.integer(value), takes_null=True),
    Long: Codec(_read_long, lambda value, style, depth: style.integer(value), takes_null=True),
    BitSet: Codec(_read_bit_set, _write_bit_set),
    LongArray: Codec(
        _read_long_array, lambda value, style, depth: b"[%b]" % b",".join(map(style.integer, value))
    ),
}


_KEYS: Final[dict[object, Key]] = {
    str: Key(_read_text, lambda key, style, depth: fastjson_writer.text(key), javaisms.string_hash),
    Int: Key(_read_int, lambda key, style, depth: style.integer_key(key), javaisms.to_int32),
    Long: Key(_read_long, lambda key, style, depth: style.integer_key(key), javaisms.long_hash),
}


def codec_of(hint: Any, *, in_table: bool = False) -> Codec:
    """The codec of a field's type."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    bare, order = _without_mark(hint)
    origin, arguments = get_origin(bare), get_args(bare)
    if origin in (Union, types.UnionType):
        (inner,) = (item for item in arguments if item is not types.NoneType)
        return _optional(codec_of(inner, in_table=in_table))
    if origin is list:
        return _list_codec(codec_of(arguments[0]), in_table=in_table)
    if origin is AbstractSet:
        hash_code = _key_of(arguments[0]).hash_code
        return _set_codec(codec_of(arguments[0]), hash_code, order)
    if origin is dict:
        return _map_codec(_key_of(arguments[0]), codec_of(arguments[1], in_table=True), order)
    if issubclass(bare, Enum):
        return _enum_codec(bare)
    return _body_codec(bare)


def _without_mark(hint: Any) -> tuple[Any, JavaOrder]:
    """The type and the kind of Java map or set it is marked with; a HashMap unless marked."""
    if get_origin(hint) is Annotated:
        bare, order = get_args(hint)
        return bare, order
    return hint, HashMap()


def _body_codec(cls: Any) -> Codec:
    """The codec of a body inside a body; as in fastjson, the value's own class decides what is written."""
    codec: Codec = cls.json_codec()
    return Codec(codec.read, lambda value, style, depth: value.json_codec().write(value, style, depth))


def _key_of(hint: Any) -> Key:
    if hint in _KEYS:
        return _KEYS[hint]
    codec = _body_codec(hint)

    return Key(lambda key: codec.read(loads(key.encode())), codec.write, javaisms.java_hash)


def _optional(inner: Codec) -> Codec:
    return Codec(lambda value: None if value is None else inner.read(value), inner.write, takes_null=True)


def _enum_codec(enum: type[Enum]) -> Codec:
    members = list(enum)
    by_name = enum.__members__

    def read(value: Json) -> Enum | None:
        if isinstance(value, str):
            return by_name.get(value)  # a name of another version is null, as in Java
        if type(value) is int and 0 <= value < len(members):
            return members[value]
        raise WrongValue(f"a name of {enum.__name__}", value)

    return Codec(read, lambda value, style, depth: b'"%b"' % value.name.encode())


def _list_codec(element: Codec, *, in_table: bool) -> Codec:
    def read(value: Json) -> list[Any]:
        return [element.read(item) for item in _expect_list(value)]

    def write(value: list[Any], style: Style, depth: int) -> bytes:
        items = [element.write(item, style, depth + 1) for item in value]
        return style.elements(items, depth, short_when_empty=in_table)

    return Codec(read, write)


def _set_codec(element: Codec, hash_code: HashCode, usual: JavaOrder) -> Codec:
    def read(value: Json) -> JavaSet[Any]:
        return JavaSet([element.read(item) for item in _expect_list(value)])

    def write(value: AbstractSet[Any], style: Style, depth: int) -> bytes:
        texts = {item: element.write(item, style, depth + 1) for item in value}
        if isinstance(value, JavaSet):
            order = value.kind.arrange(value, hash_code)
        else:  # a plain set has no order of its own: start from one that is the same every time
            order = usual.arrange(sorted(texts, key=texts.__getitem__), hash_code)
        return style.elements([texts[item] for item in order], depth)

    return Codec(read, write)


def _map_codec(key: Key, value: Codec, usual: JavaOrder) -> Codec:
    def read(table: Json) -> JavaTable[Any, Any]:
        if not isinstance(table, dict):
            raise WrongValue("an object", table)
        return JavaTable(
            (key.read(name), value.read(item)) for name, item in table.items() if item is not None
        )

    def write(table: dict[Any, Any], style: Style, depth: int) -> bytes:
        if style.standard:
            kind: JavaOrder = TreeMap()
        else:
            kind = table.kind_or(usual) if isinstance(table, JavaTable) else usual
        members = [
            b"%b:%b" % (key.write(name, style, depth + 1), value.write(table[name], style, depth + 1))
            for name in kind.arrange(table, key.hash_code)
            if table[name] is not None
        ]
        return style.table(members, depth)

    return Codec(read, write)
