"""The stored-message record: the same bytes lie in the commit log and travel in pull responses.

`layouts` draws it; this is the fast path beside the drawing. All lengths are checked against each other, so a
record that decodes is whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import Final, Literal, TypeAlias

from rocketmq_protocol.crc import CRC_PROPERTY_SIZE, crc_property, java_crc32
from rocketmq_protocol.errors import LocalProtocolError, RemoteProtocolError
from rocketmq_protocol.hosts import IPV4_HOST_SIZE, IPV6_HOST_SIZE, HostAddress, host_bytes, host_from_bytes
from rocketmq_protocol.javaisms import utf8
from rocketmq_protocol.message import MessageExt, MessageVersion
from rocketmq_protocol.sysflag import MessageSysFlag

Buffer: TypeAlias = bytes | bytearray | memoryview

# The magic of the filler that ends a commit log file (CommitLog.BLANK_MAGIC_CODE, 0xCBD43194).
BLANK_MAGIC: Final = -875286124

_V6_FLAGS: Final = MessageSysFlag.BORNHOST_V6_FLAG | MessageSysFlag.STOREHOSTADDRESS_V6_FLAG
_MAX_TOPIC_V1: Final = 0x7F
_MAX_SHORT: Final = 0x7FFF


def _head_layout(v6_flags: int) -> Struct:
    """Everything up to the body, for hosts of these widths."""
    born = IPV6_HOST_SIZE if v6_flags & MessageSysFlag.BORNHOST_V6_FLAG else IPV4_HOST_SIZE
    store = IPV6_HOST_SIZE if v6_flags & MessageSysFlag.STOREHOSTADDRESS_V6_FLAG else IPV4_HOST_SIZE
    # size, magic, body CRC, queue id, flag; queue offset, physical offset, sysFlag; born time and host,
    # store time and host; reconsume times, prepared transaction offset, body length
    return Struct(f">iiiii qqi q{born}s q{store}s iqi")


_HEADS: Final = {
    flags: _head_layout(flags)
    for flags in (0, MessageSysFlag.BORNHOST_V6_FLAG, MessageSysFlag.STOREHOSTADDRESS_V6_FLAG, _V6_FLAGS)
}
# The low byte of sysFlag, which says how wide the hosts are.
_SYS_FLAG_LOW_BYTE: Final = 39
# IPv4 hosts, no body, no topic, no properties, V1.
SMALLEST_RECORD: Final = _HEADS[0].size + 3
_VERSIONS: Final = {int(version): version for version in MessageVersion}
_V1: Final = MessageVersion.V1


def decode_record(
    data: Buffer,
    offset: int = 0,
    *,
    read_body: bool = True,
    errors: Literal["strict", "replace"] = "strict",
) -> MessageExt:
    """Read the record that starts at `offset`; more may follow it.

    Without `read_body` the body stays empty: who only looks for topic and keys need not have it copied.
    Text that is not UTF-8 is an error; with errors="replace" it gets replacement characters, as in Java.
    """
    head = _head_at(data, offset)
    (
        size, magic, body_crc, queue_id, flag, queue_offset, physical_offset, sys_flag, born_timestamp,
        born_host, store_timestamp, store_host, reconsume_times, prepared_offset, body_length,
    ) = head.unpack_from(data, offset)  # fmt: skip
    version = _VERSIONS.get(magic)
    if version is None:
        raise _malformed(offset, "magic", f"0x{magic & 0xFFFFFFFF:08X} is not that of a message")
    end = offset + size
    body_start = offset + head.size
    body_end = body_start + body_length
    if end > len(data):
        raise _malformed(offset, "size", f"{size} bytes announced, {len(data) - offset} are left")
    if body_length < 0 or body_end + 3 > end:
        raise _malformed(offset, "body length", f"{body_length} does not fit a record of {size} bytes")
    topic_start, topic_end = _topic_bounds(data, offset, body_end, end, version)
    properties_start = _properties_start(data, offset, topic_end, end)
    return MessageExt(
        _text(data, topic_start, topic_end, errors, "topic"),
        bytes(data[body_start:body_end]) if read_body else b"",
        flag,
        _text(data, properties_start, end, errors, "properties"),
        queue_id,
        queue_offset,
        physical_offset,
        sys_flag,
        born_timestamp,
        _host(born_host, offset, "born host"),
        store_timestamp,
        _host(store_host, offset, "store host"),
        reconsume_times,
        prepared_offset,
        body_crc,
        version,
        size,
    )


def iter_records(
    data: Buffer, *, read_body: bool = True, errors: Literal["strict", "replace"] = "strict"
) -> Iterator[MessageExt]:
    """Read records that lie one behind the other, as in a pull response, to the end of `data`."""
    offset, end = 0, len(data)
    while offset < end:
        message = decode_record(data, offset, read_body=read_body, errors=errors)
        yield message
        offset += message.store_size


def _head_at(data: Buffer, offset: int) -> Struct:
    """The layout of the fixed part at `offset`, all of which is there."""
    available = len(data) - offset
    if available >= SMALLEST_RECORD:
        head = _HEADS[data[offset + _SYS_FLAG_LOW_BYTE] & _V6_FLAGS]
        if available >= head.size:
            return head
    raise _malformed(offset, "size", f"{available} bytes are left, a record has at least {SMALLEST_RECORD}")


def _topic_bounds(data: Buffer, offset: int, at: int, end: int, version: MessageVersion) -> tuple[int, int]:
    """Where the topic begins and ends; its length stands `at`, and at least 3 bytes are there."""
    if version is _V1:
        start, length, longest = at + 1, data[at], _MAX_TOPIC_V1
    else:
        start, length, longest = at + 2, data[at] << 8 | data[at + 1], _MAX_SHORT
    if length > longest or start + length + 2 > end:
        raise _malformed(offset, "topic length", f"{length} does not fit: {end - start - 2} bytes are left")
    return start, start + length


def _properties_start(data: Buffer, offset: int, at: int, end: int) -> int:
    """Where the properties begin; they must end with the record."""
    length = data[at] << 8 | data[at + 1]
    if length > _MAX_SHORT or at + 2 + length != end:
        raise _malformed(offset, "properties length", f"{length}, but {end - at - 2} bytes are left")
    return at + 2


def _text(data: Buffer, start: int, end: int, errors: str, field: str) -> str:
    try:
        return str(data[start:end], "utf-8", errors)
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            f"message record, {field} at byte {start + error.start}: not UTF-8 ({error.reason})"
        ) from None


def _host(raw: bytes, offset: int, field: str) -> HostAddress:
    try:
        return host_from_bytes(raw)
    except ValueError as error:
        raise _malformed(offset, field, str(error)) from None


def _malformed(offset: int, field: str, problem: str) -> RemoteProtocolError:
    return RemoteProtocolError(f"message record at byte {offset}, {field}: {problem}")


def encode_record(message: MessageExt, *, append_crc: bool = False) -> bytes:
    """Write the record of a message, as the store's MessageExtEncoder does.

    The kind of each host's address decides the two IPv6 bits of sysFlag. With `append_crc` a last property,
    `__CRC32#`, holds the checksum of all bytes before it (enabledAppendPropCRC).
    """
    body, topic, properties = message.body, utf8(message.topic), utf8(message.properties_text)
    if append_crc and properties and properties[-1:] != b"\x02":
        properties += b"\x02"
    properties_length = len(properties) + (CRC_PROPERTY_SIZE if append_crc else 0)
    topic_length, version = _topic_length(topic, message.version), message.version
    if properties_length > _MAX_SHORT:
        raise LocalProtocolError(f"properties of {properties_length} bytes: a record holds {_MAX_SHORT}")
    born_host, store_host = host_bytes(message.born_host), host_bytes(message.store_host)
    v6_flags = _v6_flags(born_host, store_host)
    head = _HEADS[v6_flags]
    size = head.size + len(body) + len(topic_length) + len(topic) + 2 + properties_length
    try:
        fixed = head.pack(
            size, version, message.body_crc, message.queue_id, message.flag,
            message.queue_offset, message.commit_log_offset, message.sys_flag & ~_V6_FLAGS | v6_flags,
            message.born_timestamp, born_host, message.store_timestamp, store_host,
            message.reconsume_times, message.prepared_transaction_offset, len(body),
        )  # fmt: skip
    except StructError as error:
        raise LocalProtocolError(
            f"message of topic {message.topic!r}: a number does not fit ({error})"
        ) from None
    record = b"".join((fixed, body, topic_length, topic, properties_length.to_bytes(2, "big"), properties))
    return record + crc_property(java_crc32(record)) if append_crc else record


def _topic_length(topic: bytes, version: MessageVersion) -> bytes:
    width, longest = (1, _MAX_TOPIC_V1) if version is _V1 else (2, _MAX_SHORT)
    if len(topic) > longest:
        raise LocalProtocolError(f"topic of {len(topic)} bytes: a {version.name} record holds {longest}")
    return len(topic).to_bytes(width, "big")


def _v6_flags(born_host: bytes, store_host: bytes) -> int:
    return (len(born_host) == IPV6_HOST_SIZE) * MessageSysFlag.BORNHOST_V6_FLAG | (
        len(store_host) == IPV6_HOST_SIZE
    ) * MessageSysFlag.STOREHOSTADDRESS_V6_FLAG
