"""A command's header in ROCKETMQ binary form. `layouts.BINARY_HEADER` draws it; this is the fast path."""

from __future__ import annotations

from collections.abc import Collection
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

_MAX_NAME: Final = 0x7FFF  # Java reads the length of a name as a signed short

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
    language_code = _LANGUAGES.get(language)
    return code, language_code, version, opaque, flag, remark, ext_fields, dialect_of(version), repeated


def _read_ext_fields(header: bytes, start: int) -> tuple[dict[str, str], tuple[str, ...]]:
    """Key and value pairs up to the header's end, and the names that came twice."""
    fields: dict[str, str] = {}
    names: list[str] = []
    # One decode for the whole header beats one for each string; Latin-1 keeps a character a byte.
    text = header.decode("latin-1")
    position, size = start, len(header)
    unpack_int = _unpack_int
    try:
        while position < size:
            key_start = position + 2
            key_end = key_start + header[position + 1]
            if header[position]:  # names are short; this one is not
                key_end += header[position] << 8
            value_start = key_end + 4
            (length,) = unpack_int(header, key_end)
            position = value_start + length
            if length < 0 or position > size or key_end - key_start > _MAX_NAME:
                raise _bad_ext_field(key_start, key_end, length, size)
            key = text[key_start:key_end]
            value = text[value_start:position]
            if not (value.isascii() and key.isascii()):
                key = _text(header, key_start, key_end, "ext field name")
                value = _text(header, value_start, position, f"ext field {key}")
            fields[key] = value
            names.append(key)
    except (IndexError, StructError):
        raise RemoteProtocolError(f"binary header at byte {position}: ext field cut off by its end") from None
    return (fields, ()) if len(fields) == len(names) else _without_repetition(fields, names)


def _bad_ext_field(key_start: int, key_end: int, length: int, size: int) -> RemoteProtocolError:
    if key_end - key_start > _MAX_NAME:
        return RemoteProtocolError(
            f"binary header at byte {key_start - 2}: name length {key_end - key_start} is above {_MAX_NAME}"
        )
    return RemoteProtocolError(
        f"binary header at byte {key_end}: value length {length} goes past its {size} bytes"
    )


def _without_repetition(fields: dict[str, str], names: list[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Undo what Java does to a fast-codec header that a hook saw: see `RemotingCommand.repeated_fields`."""
    repeated = len(names) - len(fields)
    of_the_map = names[repeated:]
    if len(set(of_the_map)) == len(fields):
        return {name: fields[name] for name in of_the_map}, tuple(names[:repeated])
    return fields, ()  # not Java's doing; the last value counts, as in its HashMap


def _text(header: bytes, start: int, end: int, what: str) -> str:
    try:
        return header[start:end].decode()
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            f"binary header at byte {start + error.start}: {what} is not UTF-8 ({error.reason})"
        ) from None


def write(command: RemotingCommand) -> bytes:
    """The bytes Java's RocketMQSerializable gives for this command.

    Code and version are cut to 16 bits, as there: POP_MESSAGE (200050) cannot travel in this form.
    """
    remark = utf8(command.remark) if command.remark else b""
    ext = _write_ext_fields(command.ext_fields, command.repeated_fields) if command.ext_fields else b""
    language = LanguageCode.OTHER if command.language is None else command.language
    return b"%b%b%b%b" % (
        _FIXED.pack(
            _int16(command.code), language, _int16(command.version), command.opaque, command.flag, len(remark)
        ),
        remark,
        len(ext).to_bytes(4, "big"),
        ext,
    )


class _Prefixes(dict[str, str]):
    """Keys with their length before them, a character a byte; made on first use, and no more than fit."""

    def __missing__(self, name: str) -> str:
        encoded = utf8(name)
        if len(encoded) > 0x7FFF:
            raise LocalProtocolError(
                f"ext field name {name[:40]!r}...: {len(encoded)} bytes, at most 32767 fit"
            )
        prefix = (len(encoded).to_bytes(2, "big") + encoded).decode("latin-1")
        if len(self) < 4096:
            self[name] = prefix
        return prefix


_PREFIXES: Final = _Prefixes()
_SHORT_LENGTHS: Final = tuple(length.to_bytes(4, "big").decode("latin-1") for length in range(1024))


def _write_ext_fields(fields: dict[str, str], repeated: tuple[str, ...]) -> bytes:
    pairs: Collection[tuple[str, str]] = fields.items()
    if repeated:
        pairs = [*((name, fields[name]) for name in repeated), *pairs]
    text = "".join(fields.values())
    if text.isascii() and len(text) < 1024:
        # A character is a byte here, so the lengths can be spliced in before one encode for all.
        pieces = [f"{_PREFIXES[name]}{_SHORT_LENGTHS[len(value)]}{value}" for name, value in pairs]
        return "".join(pieces).encode("latin-1")
    return b"".join([_write_ext_field(name, utf8(value)) for name, value in pairs])


def _write_ext_field(name: str, value: bytes) -> bytes:
    return _PREFIXES[name].encode("latin-1") + len(value).to_bytes(4, "big") + value


def _int16(value: int) -> int:
    return ((value + 0x8000) & 0xFFFF) - 0x8000
