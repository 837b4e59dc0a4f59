"""A command's header as JSON text, in the key order and with the escapes that fastjson writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import orjson

from rocketmq_protocol import javaisms
from rocketmq_protocol.codes import VERSION_5_4_0, JsonDialect, LanguageCode
from rocketmq_protocol.errors import RemoteProtocolError

if TYPE_CHECKING:
    from rocketmq_protocol.command import RemotingCommand


# What either header encoding carries, in the order of RemotingCommand's fields: code, language, version,
# opaque, flag, remark, ext fields, dialect, repeated fields. A plain tuple: it lives for one call.
HeaderFields: TypeAlias = tuple[
    int, LanguageCode | None, int, int, int, str | None, dict[str, str] | None, JsonDialect, tuple[str, ...]
]

_LANGUAGES: Final[dict[object, LanguageCode]] = {
    **{language.name: language for language in LanguageCode},
    **{int(language): language for language in LanguageCode},
}
_LANGUAGE_TEXT: Final[dict[LanguageCode | None, bytes]] = {
    None: b"",
    **{language: b'"language":"%b",' % language.name.encode() for language in LanguageCode},
}


def dialect_of(version: int) -> JsonDialect:
    """The JSON library a sender of that version uses."""
    return JsonDialect.FASTJSON2 if version >= VERSION_5_4_0 else JsonDialect.FASTJSON1


def read(header: bytes) -> HeaderFields:
    """Parse header text as leniently as Java does, and no further."""
    try:
        document = orjson.loads(header)
    except orjson.JSONDecodeError as error:
        raise RemoteProtocolError(f"JSON header: {error}") from None
    if type(document) is not dict:
        raise RemoteProtocolError(f"JSON header: an object was expected, not {type(document).__name__}")
    get = document.get
    ext_fields = get("extFields")
    if ext_fields is not None:
        ext_fields = _strings_only(ext_fields)
    remark = get("remark")
    if remark is not None and type(remark) is not str:
        remark = _as_string(remark)
    version = _int32(get("version", 0), "version")
    return (
        _int32(get("code", 0), "code"),
        _language(get("language", "JAVA")),
        version,
        _int32(get("opaque", 0), "opaque"),
        _int32(get("flag", 0), "flag"),
        remark,
        ext_fields,
        dialect_of(version),
        (),
    )


def write(command: RemotingCommand) -> bytes:
    """The header text Java's RemotingSerializable.encode gives for this command."""
    ext_fields, remark = command.ext_fields, command.remark
    return b'{"code":%d,%b"flag":%d,%b"opaque":%d,%b"serializeTypeCurrentRPC":"JSON","version":%d}' % (
        command.code,
        b"" if ext_fields is None else b'"extFields":%b,' % javaisms.json_text(ext_fields, command.dialect),
        command.flag,
        _LANGUAGE_TEXT[command.language],
        command.opaque,
        b"" if remark is None else b'"remark":%b,' % javaisms.json_text(remark, command.dialect),
        command.version,
    )


def _language(value: object) -> LanguageCode | None:
    return _LANGUAGES.get(value) if isinstance(value, str | int) else None


def _strings_only(ext_fields: object) -> dict[str, str]:
    """Ext fields as Java's HashMap<String, String> takes them in; a null value is as good as absent."""
    if type(ext_fields) is not dict:
        raise RemoteProtocolError(
            f"JSON header, extFields: an object was expected, not {type(ext_fields).__name__}"
        )
    for value in ext_fields.values():
        if type(value) is not str:
            return {key: _as_string(item) for key, item in ext_fields.items() if item is not None}
    return ext_fields


def _as_string(value: Any) -> str:
    return value if type(value) is str else orjson.dumps(value).decode()


def _int32(value: object, name: str) -> int:
    if type(value) is int and -0x80000000 <= value <= 0x7FFFFFFF:
        return value
    return _lenient_int32(value, name)


def _lenient_int32(value: object, name: str) -> int:
    """fastjson also takes null and "" for 0, digits in quotes, and cuts a fraction off."""
    if value is None or value == "":
        return 0
    try:
        if isinstance(value, str):
            return javaisms.parse_int(value)
        if isinstance(value, bool | float) and abs(value) <= javaisms.INT_MAX:
            return int(value)
    except ValueError:
        pass
    raise RemoteProtocolError(f"JSON header, {name}: {str(value)[:60]!r} is not a 32-bit number")
