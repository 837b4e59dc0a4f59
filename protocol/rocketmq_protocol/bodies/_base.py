"""What every JSON body shares: a dataclass whose fields are the members of a JSON object.

A body is declared once, field by field. The member's name is the camelCase of the attribute unless `wire`
spells it out, so the eye stops where Java surprises. Defaults are those of the Java class; a field that Java
fills with the time of day starts at 0. `None` is left out of the text, as fastjson leaves out null.

A Java set is a Python set here and a Java map a dict. Where the kind of Java map decides the order of the
text, the field's type is marked with it, so callers need not sort; see `javaisms.maps`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar, dataclass_transform, get_type_hints

from rocketmq_protocol.bodies._codecs import Codec, Read, Write, WrongValue, codec_of
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.declaring import camel_case
from rocketmq_protocol.declaring import wire as wire
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.fastjson_reader import Json, loads
from rocketmq_protocol.fastjson_writer import COMPACT, Style

_JAVA_PACKAGE: Final = "org.apache.rocketmq."


class Body:
    """The JSON body of a command, or an object inside one."""

    __slots__ = ()
    java_class: ClassVar[str]
    requests: ClassVar[tuple[RequestCode, ...]]  # that carry it
    answers: ClassVar[tuple[RequestCode, ...]]  # that a success answers with it

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read a body; RemoteProtocolError names class, member and value where that fails."""
        try:
            read: Self = cls.json_codec().read(loads(data))
        except WrongValue as wrong:
            raise RemoteProtocolError(f"{cls.__name__}: {wrong}") from None
        return read

    def encode(self, style: Style = COMPACT) -> bytes:
        """The text that Java would write for the same content."""
        return self.json_codec().write(self, style, 0)

    @classmethod
    def json_codec(cls) -> Codec:
        """How the class is read and written; worked out when first asked for."""
        key: Any = cls
        return _codec(key)


class ArrayBody(Body):
    """A body that is a JSON array and not an object. It has one field, the array, and no Java class."""

    __slots__ = ()


B = TypeVar("B", bound=Body)


@dataclass_transform(kw_only_default=True, field_specifiers=(wire, field))
def body(
    java_class: str = "",
    *,
    requests: tuple[RequestCode, ...] = (),
    answers: tuple[RequestCode, ...] = (),
    frozen: bool = False,
    kw_only: bool = True,
) -> Callable[[type[B]], type[B]]:
    """Declare a body: its Java class, the requests that carry it and those that are answered with it."""

    def declare(cls: type[B]) -> type[B]:
        declared = dataclass(slots=True, kw_only=kw_only, frozen=frozen)(cls)
        declared.java_class = _JAVA_PACKAGE + java_class if java_class else ""
        declared.requests = requests
        declared.answers = answers
        return declared

    return declare


class _Member(NamedTuple):
    """A field as the reader sees it."""

    attribute: str
    read: Read
    takes_null: bool


@cache
def _codec(cls: Any) -> Codec:
    hints = get_type_hints(cls, include_extras=True)
    if issubclass(cls, ArrayBody):
        return _array_codec(cls, hints)
    reading: dict[str, _Member] = {}
    writing: list[tuple[str, bytes, Write]] = []
    for item in sorted(fields(cls), key=_member_name):
        name = _member_name(item)
        codec = codec_of(hints[item.name])
        reading[name] = _Member(item.name, codec.read, codec.takes_null)
        writing.append((item.name, b'"%b":' % name.encode(), codec.write))
    return Codec(_reader(cls, reading), _writer(tuple(writing)))


def _array_codec(cls: Any, hints: dict[str, Any]) -> Codec:
    (attribute,) = (item.name for item in fields(cls))
    inner = codec_of(hints[attribute])
    return Codec(
        lambda value: cls(**{attribute: inner.read(value)}),
        lambda value, style, depth: inner.write(getattr(value, attribute), style, depth),
    )


def _member_name(item: Any) -> str:
    name: str = item.metadata.get("wire") or camel_case(item.name)
    return name


def _reader(cls: type[Body], members: dict[str, _Member]) -> Read:
    def read(value: Json) -> Body:
        if not isinstance(value, dict):
            raise WrongValue("an object", value)
        values: dict[str, Any] = {}
        name = ""
        try:
            for name, item in value.items():
                member = members.get(name)
                if member is not None and (item is not None or member.takes_null):
                    values[member.attribute] = member.read(item)
        except WrongValue as wrong:
            raise RemoteProtocolError(f"{cls.__name__}.{name}: {wrong}") from None
        return cls(**values)

    return read


def _writer(members: tuple[tuple[str, bytes, Write], ...]) -> Write:
    def write(value: Body, style: Style, depth: int) -> bytes:
        texts = []
        for attribute, prefix, write_member in members:
            item = getattr(value, attribute)
            if item is not None:
                texts.append(prefix + write_member(item, style, depth + 1))
        return style.bean(texts, depth)

    return write
