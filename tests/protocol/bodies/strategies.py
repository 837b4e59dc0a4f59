"""Random bodies of any class, made from the types of its fields."""

from __future__ import annotations

import types
from collections.abc import Set as AbstractSet
from dataclasses import fields
from enum import Enum
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from rocketmq_protocol import javaisms
from rocketmq_protocol.bodies import Body
from rocketmq_protocol.bodies._codecs import BitSet, Int, Long, LongArray

B = TypeVar("B", bound=Body)

LONGS: Final = st.integers(javaisms.LONG_MIN, javaisms.LONG_MAX)
SIMPLE: Final[dict[Any, st.SearchStrategy[Any]]] = {
    str: st.text(max_size=8),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    Int: st.integers(javaisms.INT_MIN, javaisms.INT_MAX),
    Long: LONGS,
    BitSet: st.frozensets(st.integers(0, 200), max_size=4),
    LongArray: st.lists(LONGS, max_size=2),
}


def body_strategy(body: type[B]) -> st.SearchStrategy[B]:
    """Bodies of one class."""
    hints = get_type_hints(body, include_extras=True)
    return st.builds(body, **{item.name: field_strategy(item, hints[item.name]) for item in fields(body)})  # type: ignore[arg-type]


def field_strategy(item: Any, hint: Any) -> st.SearchStrategy[Any]:
    """None only where it is the default: elsewhere None, which is not written, is not read back either."""
    if item.default is None:
        return st.none() | value_strategy(hint)
    return value_strategy(hint)


def value_strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type, without None."""
    if hint in SIMPLE:
        return SIMPLE[hint]
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    origin, arguments = get_origin(bare), get_args(bare)
    if origin in (Union, types.UnionType):
        return value_strategy(arguments[0])
    if origin is list:
        return st.lists(value_strategy(arguments[0]), max_size=2)
    if origin is AbstractSet:
        return st.frozensets(value_strategy(arguments[0]), max_size=2)
    if origin is dict:
        return st.dictionaries(value_strategy(arguments[0]), value_strategy(arguments[1]), max_size=2)
    if issubclass(bare, Enum):
        return st.sampled_from(bare)
    assert issubclass(bare, Body)
    return body_strategy(bare)
