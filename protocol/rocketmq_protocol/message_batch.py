"""Several messages in one body: what SEND_BATCH_MESSAGE carries, and what one record of an inner batch holds.

Each entry is int32 size, two int32 zeros (magic and CRC, unused), int32 flag, int32 body length, body, int16
properties length, properties (MessageDecoder.encodeMessage). The topic is that of the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import Final, NamedTuple

from rocketmq_protocol import properties as names
from rocketmq_protocol.errors import LocalProtocolError, RemoteProtocolError
from rocketmq_protocol.javaisms import boolean_text, utf8
from rocketmq_protocol.message import Message, MessageExt
from rocketmq_protocol.pop_strings import RETRY_GROUP_TOPIC_PREFIX
from rocketmq_protocol.properties import format_properties, parse_properties
from rocketmq_protocol.sysflag import MessageSysFlag

# size, magic, CRC, flag, body length
_HEAD: Final = Struct(">iiiii")
_SMALLEST: Final = _HEAD.size + 2
_MAX_PROPERTIES: Final = 0x7FFF
_INNER_BATCH: Final = MessageSysFlag.INNER_BATCH_FLAG | MessageSysFlag.NEED_UNWRAP_FLAG
_DELAYS: Final = (
    names.PROPERTY_DELAY_TIME_LEVEL,
    names.PROPERTY_TIMER_DELAY_MS,
    names.PROPERTY_TIMER_DELAY_SEC,
    names.PROPERTY_TIMER_DELIVER_MS,
)


class BatchEntry(NamedTuple):
    """One message of a batch."""

    flag: int
    body: bytes
    properties_text: str

    def encode(self) -> bytes:
        """The bytes of this entry."""
        properties = utf8(self.properties_text)
        if len(properties) > _MAX_PROPERTIES:
            raise LocalProtocolError(
                f"properties of {len(properties)} bytes: an entry holds {_MAX_PROPERTIES}"
            )
        size = _HEAD.size + len(self.body) + 2 + len(properties)
        try:
            head = _HEAD.pack(size, 0, 0, self.flag, len(self.body))
        except StructError:
            raise LocalProtocolError(f"batch entry: flag {self.flag} does not fit 32 bits") from None
        return b"".join((head, self.body, len(properties).to_bytes(2, "big"), properties))


def encode_batch(messages: Iterable[Message], *, closing_separator: bool = True) -> bytes:
    """Body of a SEND_BATCH_MESSAGE request, as MessageDecoder.encodeMessages.

    4.9 clients write properties without a closing separator.
    """
    return b"".join(
        BatchEntry(
            message.flag,
            message.body,
            format_properties(message.properties, closing_separator=closing_separator),
        ).encode()
        for message in messages
    )


def check_batch(messages: Sequence[Message]) -> None:
    """Refuse messages that cannot travel in one batch, as MessageBatch.generateFromList does."""
    if not messages:
        raise LocalProtocolError("a batch needs at least one message")
    first = messages[0]
    if first.topic.startswith(RETRY_GROUP_TOPIC_PREFIX):
        raise LocalProtocolError(f"batch: retry topic {first.topic!r} takes single messages only")
    for message in messages:
        if message.topic != first.topic:
            raise LocalProtocolError(f"batch: topics {first.topic!r} and {message.topic!r} in one batch")
        if message.wait_store_ok != first.wait_store_ok:
            raise LocalProtocolError("batch: all messages must agree on waiting for the store")
        if any(message.properties.get(name, "0") != "0" for name in _DELAYS):
            raise LocalProtocolError("batch: delayed messages are sent one by one")


def iter_batch(data: bytes | bytearray | memoryview) -> Iterator[BatchEntry]:
    """Read the entries of a batch body to its end."""
    offset, end = 0, len(data)
    while offset < end:
        if end - offset < _SMALLEST:
            raise _malformed(
                offset, "size", f"{end - offset} bytes are left, an entry has at least {_SMALLEST}"
            )
        size, _, _, flag, body_length = _HEAD.unpack_from(data, offset)
        entry_end = offset + size
        if entry_end > end:
            raise _malformed(offset, "size", f"{size} bytes announced, {end - offset} are left")
        body_start = offset + _HEAD.size
        body_end = body_start + body_length
        if body_length < 0 or body_end + 2 > entry_end:
            raise _malformed(offset, "body length", f"{body_length} does not fit an entry of {size} bytes")
        properties_start = body_end + 2
        length = int.from_bytes(data[body_end:properties_start], "big")
        if length > _MAX_PROPERTIES or properties_start + length != entry_end:
            left = entry_end - properties_start
            raise _malformed(offset, "properties length", f"{length}, but {left} bytes are left")
        properties_text = _text(data[properties_start:entry_end], properties_start)
        yield BatchEntry(flag, bytes(data[body_start:body_end]), properties_text)
        offset = entry_end


def _text(raw: bytes | bytearray | memoryview, start: int) -> str:
    try:
        return str(raw, "utf-8")
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            f"message batch, properties at byte {start + error.start}: not UTF-8 ({error.reason})"
        ) from None


def _malformed(offset: int, field: str, problem: str) -> RemoteProtocolError:
    return RemoteProtocolError(f"message batch, entry at byte {offset}, {field}: {problem}")


def is_inner_batch(message: MessageExt) -> bool:
    """Whether this record holds a whole batch that its consumer has to unwrap."""
    return message.sys_flag & _INNER_BATCH == _INNER_BATCH


def mark_inner_batch(message: MessageExt) -> None:
    """Make a message whose body is a batch, and whose queue offset is given, an inner batch.

    Brokers store batches so in topics of queue.type=BatchCQ: one record that takes INNER_NUM queue offsets
    from INNER_BASE on.
    """
    count = sum(1 for _ in iter_batch(message.body))
    message.sys_flag |= _INNER_BATCH
    message.replace_properties(
        message.properties
        | {names.PROPERTY_INNER_NUM: str(count), names.PROPERTY_INNER_BASE: str(message.queue_offset)}
    )


def unwrap_inner_batch(message: MessageExt) -> list[MessageExt]:
    """The messages of an inner batch, as MessageDecoder.decodeMessage(MessageExt, List) takes them apart.

    They share the record's place and times; flag, body and properties are their own. Reconsume times, CRC and
    size are 0, for these the record has only as a whole.
    """
    wait = {names.PROPERTY_WAIT_STORE_MSG_OK: boolean_text(message.wait_store_ok)}
    unwrapped = []
    for index, entry in enumerate(iter_batch(message.body)):
        inner = MessageExt(
            message.topic,
            entry.body,
            entry.flag,
            queue_id=message.queue_id,
            queue_offset=message.queue_offset + index,
            commit_log_offset=message.commit_log_offset,
            sys_flag=message.sys_flag,
            born_timestamp=message.born_timestamp,
            born_host=message.born_host,
            store_timestamp=message.store_timestamp,
            store_host=message.store_host,
            version=message.version,
        )
        inner.replace_properties(parse_properties(entry.properties_text) | wait)
        unwrapped.append(inner)
    return unwrapped
