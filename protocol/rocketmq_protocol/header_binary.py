"""A command's header in ROCKETMQ binary form. `layouts.BINARY_HEADER` draws it; this is the fast path."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import TYPE_CHECKING, Final

from rocketmq_protocol.codes import LanguageCode
from rocketmq_protocol.errors import LocalProtocolError, RemoteProtocolError
from rocketmq_protocol.header_json import HeaderFields, dialect_of
from rocketmq_protocol.javaisms import utf8

if TYPE_CHECKING:
    from rocketmq_protocol.command import RemotingCommand

# code, language, version, opaque, flag, remark length
_FIXED: Final = Struct(">hbhiii")
_unpack_int: Final = Struct(">i").unpack_from
_SMALLEST: Final = _FIXED.size + 4

_LANGUAGES: Final = {int(language): language for language in LanguageCode}


def read(header: bytes) -> HeaderFields:
    """Parse a binary header; it must end where its ext fields end."""
    size = len(header)
    if size < _SMALLEST:
        raise RemoteProtocolError(f"binary header of {size} bytes: the fixed part alone has {_SMALLEST}")
    code, language, version, opaque, flag, remark_length = _FIXED.unpack_from(header)
    ext_start = _FIXED.size + remark_length + 4
    if remark_length < 0 or ext_start > size:
        raise RemoteProtocolError(
            f"binary header at byte 13: remark length {remark_length} goes past the header's {size} bytes"
        )
    remark = _text(header, _FIXED.size, ext_start - 4, "remark") if remark_length else None
    (ext_length,) = _unpack_int(header, ext_start - 4)
    if ext_length != size - ext_start:
        raise RemoteProtocolError(
            f"binary header at byte {ext_start - 4}: ext fields take {ext_length} bytes, "
            f"but {size - ext_start} are left"
        )
    ext_fields, repeated = _read_ext_fields(header, ext_start) if ext_length else (None, ())
    return HeaderFields(
        code,
        _LANGUAGES.get(language),
        version,
        opaque,
        flag,
        remark,
        ext_fields,
        dialect_of(version),
        repeated,
    )


def _read_ext_fields(header: bytes, start: int) -> tuple[dict[str, str], tuple[str, ...]]:
    """Key and value pairs up to the header's end, and the names that came twice."""
    pairs: list[tuple[str, str]] = []
    # One decode for the whole header beats one for each string; Latin-1 keeps a character a byte.
    text = header.decode("latin-1")
    ascii_only = text.isascii()
    position, size = start, len(header)
    try:
        while position < size:
            key_end = position + 2 + (header[position] << 8 | header[position + 1])
            (length,) = _unpack_int(header, key_end)
            value_end = key_end + 4 + length
            if length < 0 or value_end > size:
                raise RemoteProtocolError(
                    f"binary header at byte {key_end}: value length {length} goes past its {size} bytes"
                )
            if ascii_only:
                pairs.append((text[position + 2 : key_end], text[key_end + 4 : value_end]))
            else:
                key = _text(header, position + 2, key_end, "ext field name")
                pairs.append((key, _text(header, key_end + 4, value_end, f"ext field {key}")))
            position = value_end
    except (IndexError, StructError):
        raise RemoteProtocolError(f"binary header at byte {position}: ext field cut off by its end") from None
    fields = dict(pairs)
    return (fields, ()) if len(fields) == len(pairs) else _without_repetition(pairs, fields)


def _without_repetition(
    pairs: list[tuple[str, str]], fields: dict[str, str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Undo what Java does to a fast-codec header that a hook saw: see `RemotingCommand.repeated_fields`."""
    repeated = len(pairs) - len(fields)
    whole_map = dict(pairs[repeated:])
    if whole_map == fields:
        return whole_map, tuple(name for name, _ in pairs[:repeated])
    return fields, ()  # not Java's doing; the last value counts, as in its HashMap


def _text(header: bytes, start: int, end: int, what: str) -> str:
    try:
        return header[start:end].decode()
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            f"binary header at byte {start + error.start}: {what} is not UTF-8 ({error.reason})"
        ) from None


@lru_cache(maxsize=4096)
def _key_prefix(key: str) -> bytes:
    encoded = utf8(key)
    if len(encoded) > 0x7FFF:
        raise LocalProtocolError(f"ext field name {key[:40]!r}...: {len(encoded)} bytes, at most 32767 fit")
    return len(encoded).to_bytes(2, "big") + encoded


_SHORT_LENGTHS: Final = tuple(length.to_bytes(4, "big") for length in range(1024))


def write(command: RemotingCommand) -> bytes:
    """The bytes Java's RocketMQSerializable gives for this command.

    Code and version are cut to 16 bits, as there: POP_MESSAGE (200050) cannot travel in this form.
    """
    remark = utf8(command.remark) if command.remark else b""
    fields = command.ext_fields
    pieces: list[bytes] = []
    if fields:
        for name in command.repeated_fields:
            _append(pieces, name, fields[name])
        for name, value in fields.items():
            _append(pieces, name, value)
    ext = b"".join(pieces)
    language = LanguageCode.OTHER if command.language is None else command.language
    return b"".join(
        (
            _FIXED.pack(
                _int16(command.code),
                language,
                _int16(command.version),
                command.opaque,
                command.flag,
                len(remark),
            ),
            remark,
            len(ext).to_bytes(4, "big"),
            ext,
        )
    )


def _append(pieces: list[bytes], name: str, value: str) -> None:
    encoded = utf8(value)
    length = len(encoded)
    pieces += (
        _key_prefix(name),
        _SHORT_LENGTHS[length] if length < 1024 else length.to_bytes(4, "big"),
        encoded,
    )


def _int16(value: int) -> int:
    return ((value + 0x8000) & 0xFFFF) - 0x8000
