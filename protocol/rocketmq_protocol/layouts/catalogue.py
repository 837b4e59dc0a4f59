"""All layouts by name, and each one as a table for the documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from construct import Array, Construct, IfThenElse, Rebuild, Renamed

from rocketmq_protocol.layouts import message, replication, store, wire

LAYOUTS: Final[Mapping[str, Construct]] = MappingProxyType(
    {
        name: layout
        for module in (wire, message, store, replication)
        for name, layout in vars(module).items()
        if name.isupper() and not name.startswith("_") and isinstance(layout, Construct)
    }
)


class TableRow(NamedTuple):
    """One field of a layout; `offset` is empty where fields of changing size stand before it."""

    offset: int | str
    size: int | str
    name: str
    note: str


def layout_table(name: str) -> list[TableRow]:
    """The fields of one layout, in order."""
    rows = []
    offset: int | str = 0
    for field in LAYOUTS[name].subcons:
        size = _size(field)
        rows.append(TableRow(offset, size, field.name, field.docs))
        offset = offset + size if isinstance(offset, int) and isinstance(size, int) else ""
    return rows


def _size(field: Construct) -> int | str:
    """Bytes of a field: a number, how to compute it from other fields, or the two sizes to choose from."""
    while isinstance(field, Renamed | Rebuild):
        field = field.subcon
    if isinstance(field, IfThenElse):
        return f"{field.elsesubcon.sizeof()} or {field.thensubcon.sizeof()}"
    if isinstance(field, Array):
        return f"{_formula(field.count)} entries"
    length = getattr(field, "length", None)
    return _formula(length) if callable(length) else int(field.sizeof())


def _formula(expression: object) -> str:
    """A construct expression such as `(this['size'] - 4)` for the table; all of ours read left to right."""
    return re.sub(r"this\['(\w+)'\]|[()]", r"\1", str(expression))
