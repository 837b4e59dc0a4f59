"""What every command header shares: a dataclass whose fields travel as a command's ext fields.

A header is declared once, field by field. The wire name is the camelCase of the attribute unless `wire`
spells it out, so the eye stops where Java surprises. A field without a default is one that Java marks
@CFNotNull; `None` as default means: absent unless set; any other default is a value Java always sends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import StrEnum
from inspect import get_annotations
from itertools import takewhile
from typing import (
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    dataclass_transform,
    get_type_hints,
)

from rocketmq_protocol import javaisms
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.declaring import Int as Int
from rocketmq_protocol.declaring import Long as Long
from rocketmq_protocol.declaring import camel_case
from rocketmq_protocol.declaring import wire as wire
from rocketmq_protocol.errors import RemoteProtocolError

_JAVA_PACKAGE: Final = "org.apache.rocketmq.remoting."
_FIRST_HEADER_PACKAGE: Final = _JAVA_PACKAGE + "protocol.header."


class BoundaryType(StrEnum):
    """Which end of equal timestamps a search by time means."""

    LOWER = "LOWER"
    UPPER = "UPPER"

    @classmethod
    def parse(cls, text: str) -> BoundaryType:
        """As BoundaryType.getType: anything but upper is lower."""
        return cls.UPPER if text.upper() == "UPPER" else cls.LOWER


class WireField(NamedTuple):
    """One field of a header as both worlds see it."""

    attribute: str
    name: str
    java_type: str
    required: bool
    default: object
    declared_in: str


class _Plan(NamedTuple):
    """How a header class is read and written, worked out once."""

    fields: tuple[WireField, ...] = ()
    names: frozenset[str] = frozenset()
    # attribute, wire name, parser (None: text as it is), required
    reading: tuple[tuple[str, str, Callable[[str], object] | None, bool], ...] = ()
    # attribute and wire name, in the order of Java's puts and of its fast codec
    putting: tuple[tuple[str, str], ...] = ()
    fast: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class Header:
    """A command's custom header. `extra` keeps ext fields that the header does not declare."""

    java_class: ClassVar[str] = ""
    requests: ClassVar[tuple[RequestCode, ...]] = ()
    reply: ClassVar[type[Header] | None] = None
    # A Java FastCodesHeader writes itself in declared order in binary form: "all" its fields, or its "own".
    fast: ClassVar[Literal["", "own", "all"]] = ""
    _plan: ClassVar[_Plan] = _Plan()

    extra: dict[str, str] | None = field(default=None, repr=False)

    @classmethod
    def wire_fields(cls) -> tuple[WireField, ...]:
        """The fields in Java's order: those of the class itself, then those of each superclass."""
        return cls._plan.fields

    @classmethod
    def from_ext_fields(cls, ext_fields: Mapping[str, str]) -> Self:
        """Read the header; RemoteProtocolError names header, field and value where that fails."""
        values: dict[str, Any] = {}
        get = ext_fields.get
        known = 0
        for attribute, name, parse, required in cls._plan.reading:
            text = get(name)
            if text is not None:
                known += 1
                if parse is None:
                    values[attribute] = text
                    continue
                if text:
                    try:
                        values[attribute] = parse(text)
                    except ValueError as error:
                        raise RemoteProtocolError(f"{cls.__name__}.{name}: {error}") from None
                    continue
            if required:
                raise RemoteProtocolError(
                    f"{cls.__name__}.{name}: required, but the command does not carry it"
                )
        if known != len(ext_fields):
            names = cls._plan.names
            values["extra"] = {name: text for name, text in ext_fields.items() if name not in names}
        return cls(**values)

    def to_ext_fields(self, added: dict[str, str] | None = None) -> dict[str, str]:
        """The set fields as text, in the order in which Java's HashMap of them comes out.

        `added` are ext fields beside the header, as Java code adds them with addExtField before encoding.
        """
        texts = self._texts(self._plan.putting)
        added = self._with_extra(added)
        return javaisms.ext_field_map(added, texts) if added else javaisms.hash_map(texts)

    def to_fast_ext_fields(self, added: dict[str, str] | None = None) -> dict[str, str]:
        """The set fields as text, in the order in which a FastCodesHeader writes itself; then the added."""
        texts = self._texts(self._plan.fast)
        added = self._with_extra(added)
        return texts | javaisms.ext_field_map(added) if added else texts

    def _texts(self, plan: tuple[tuple[str, str], ...]) -> dict[str, str]:
        texts: dict[str, str] = {}
        for attribute, name in plan:
            value = getattr(self, attribute)
            if value is None:
                continue
            if value is True or value is False:
                texts[name] = javaisms.boolean_text(value)
            else:
                texts[name] = str(value)
        return texts

    def _with_extra(self, added: dict[str, str] | None) -> dict[str, str] | None:
        return self.extra | added if self.extra and added else self.extra or added


H = TypeVar("H", bound=Header)


@dataclass_transform(kw_only_default=True, field_specifiers=(wire, field))
def header(
    *requests: RequestCode,
    reply: type[Header] | None = None,
    package: str = "",
    java_class: str = "",
    fast: Literal["", "own", "all"] = "",
) -> Callable[[type[H]], type[H]]:
    """Declare a header: the requests that carry it, and the header of their answers."""

    def declare(cls: type[H]) -> type[H]:
        declared = dataclass(slots=True, kw_only=True)(cls)
        declared.java_class = java_class or _FIRST_HEADER_PACKAGE + package + cls.__name__
        declared.requests = requests
        declared.reply = reply
        declared.fast = fast
        declared._plan = _make_plan(declared)
        return declared

    return declare


_JAVA_TYPES: Final[dict[object, str]] = {str: "string", bool: "boolean", BoundaryType: "BoundaryType"}

_PARSERS: Final[dict[str, Callable[[str], object] | None]] = {
    "string": None,
    "int": javaisms.parse_int,
    "long": javaisms.parse_long,
    "boolean": javaisms.parse_boolean,
    "BoundaryType": BoundaryType.parse,
}


def _make_plan(cls: type[Header]) -> _Plan:
    found = _wire_fields(cls)
    attributes = {item.name: item.attribute for item in found}
    put_order = javaisms.field_order([(item.declared_in, item.name) for item in found])
    return _Plan(
        fields=found,
        names=frozenset(attributes),
        reading=tuple((item.attribute, item.name, _PARSERS[item.java_type], item.required) for item in found),
        putting=tuple((attributes[name], name) for name in put_order),
        fast=tuple(
            (item.attribute, item.name)
            for item in found
            if cls.fast == "all" or item.declared_in == cls.java_class
        ),
    )


def _wire_fields(cls: type[Header]) -> tuple[WireField, ...]:
    hints = get_type_hints(cls, include_extras=True)
    by_name = {item.name: item for item in fields(cls)}
    owners = takewhile(lambda owner: owner is not Header, cls.__mro__)
    return tuple(
        _wire_field(by_name[attribute], hints[attribute], owner)
        for owner in owners
        for attribute in get_annotations(owner)
    )


def _wire_field(item: Field[Any], hint: object, owner: type) -> WireField:
    return WireField(
        attribute=item.name,
        name=item.metadata.get("wire") or camel_case(item.name),
        java_type=_java_type(hint),
        required=item.default is MISSING,
        default=None if item.default is MISSING else item.default,
        declared_in=owner.java_class if issubclass(owner, Header) else "",
    )


def _java_type(hint: object) -> str:
    for candidate in (hint, *getattr(hint, "__args__", ())):
        if marks := getattr(candidate, "__metadata__", ()):
            return str(marks[0])
        if candidate in _JAVA_TYPES:
            return _JAVA_TYPES[candidate]
    raise TypeError(f"a header field cannot have the type {hint}")


@header(java_class=_JAVA_PACKAGE + "rpc.RpcRequestHeader")
class RpcRequestHeader(Header):
    """What most requests may carry."""

    ns: str | None = None  # namespace
    nsd: bool | None = None  # whether names already hold the namespace
    bname: str | None = None  # name of the broker meant
    oway: bool | None = None  # one-way


@header(java_class=_JAVA_PACKAGE + "rpc.TopicRequestHeader")
class TopicRequestHeader(RpcRequestHeader):
    """A request about a topic."""

    lo: bool | None = None  # "logical": false asks the owner of a static topic not to forward


@header(java_class=_JAVA_PACKAGE + "rpc.TopicQueueRequestHeader")
class TopicQueueRequestHeader(TopicRequestHeader):
    """A request about one queue of a topic."""
