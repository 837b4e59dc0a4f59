"""Framing a message as the record that goes into the commit log."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

from rocketmq_protocol.crc import CRC_PROPERTY_SIZE, crc_property, java_crc32
from rocketmq_protocol.hosts import IPV6_HOST_SIZE
from rocketmq_protocol.message import MessageVersion
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.errors import StoreError
from rocketpy.store.paths import is_folder_name

_MAX_PROPERTIES: Final = 0x7FFF
_MAX_TOPIC_V1: Final = 0x7F
TRANSACTION_BITS: Final = MessageSysFlag.TRANSACTION_ROLLBACK_TYPE
# The half of a transaction and its rollback take no offset of their queue.
NOT_FOR_CONSUMERS: Final = (
    MessageSysFlag.TRANSACTION_PREPARED_TYPE,
    MessageSysFlag.TRANSACTION_ROLLBACK_TYPE,
)


class PutStatus(Enum):
    """What became of an append, under the names of Java's PutMessageStatus."""

    PUT_OK = "stored"
    FLUSH_DISK_TIMEOUT = "stored, but not known to be on disk yet"
    SERVICE_NOT_AVAILABLE = "the store takes no writes now"
    MESSAGE_ILLEGAL = "the message cannot be stored"
    PROPERTIES_SIZE_EXCEEDED = "the message's properties are too long"


class AppendRefused(StoreError):
    """The message was not stored."""

    def __init__(self, status: PutStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Appended(NamedTuple):
    """Where a message was stored."""

    offset: int
    size: int
    queue_offset: int
    store_timestamp: int

    @property
    def end(self) -> int:
        """The log must be flushed up to here for the message to be safe."""
        return self.offset + self.size


@dataclass(slots=True, kw_only=True)
class NewMessage:
    """A message on its way into the store. Hosts and properties are bytes already, as they will lie there."""

    topic: str
    queue_id: int
    body: bytes
    properties: bytes = b""
    flag: int = 0
    sys_flag: int = 0
    born_timestamp: int = 0
    born_host: bytes = bytes(8)
    store_host: bytes = bytes(8)
    reconsume_times: int = 0
    prepared_offset: int = 0


def _head(born_size: int, store_size: int) -> Struct:
    return Struct(f">iiiii qqi q{born_size}s q{store_size}s iqi")


_HEADS: Final = {(born, store): _head(born, store) for born in (8, 20) for store in (8, 20)}


@lru_cache(maxsize=65536)
def _topic_field(topic: str) -> tuple[int, bytes]:
    """Magic, and the topic with its length before it (V2 above 127 bytes: autoMessageVersionOnTopicLen)."""
    if not is_folder_name(topic):
        raise AppendRefused(PutStatus.MESSAGE_ILLEGAL, f"topic {topic!r} cannot be the name of a folder")
    encoded = topic.encode()
    if len(encoded) > _MAX_TOPIC_V1:
        return int(MessageVersion.V2), len(encoded).to_bytes(2, "big") + encoded
    return int(MessageVersion.V1), len(encoded).to_bytes(1, "big") + encoded


class Frame(NamedTuple):
    """A record but for what the log gives it: offsets and store time."""

    message: NewMessage
    size: int
    head: Struct
    magic: int
    topic: bytes
    properties: bytes
    append_crc: bool

    def record(self, physical: int, queue_offset: int, store_timestamp: int) -> bytes:
        """The whole record."""
        message, body, properties = self.message, self.message.body, self.properties
        sys_flag = message.sys_flag
        if len(message.born_host) == IPV6_HOST_SIZE:
            sys_flag |= MessageSysFlag.BORNHOST_V6_FLAG
        if len(message.store_host) == IPV6_HOST_SIZE:
            sys_flag |= MessageSysFlag.STOREHOSTADDRESS_V6_FLAG
        fixed = self.head.pack(
            self.size, self.magic, crc32(body) & 0x7FFFFFFF, message.queue_id, message.flag,
            queue_offset, physical, sys_flag, message.born_timestamp, message.born_host,
            store_timestamp, message.store_host, message.reconsume_times, message.prepared_offset, len(body),
        )  # fmt: skip
        crc_size = CRC_PROPERTY_SIZE if self.append_crc else 0
        length = (len(properties) + crc_size).to_bytes(2, "big")
        record = b"".join((fixed, body, self.topic, length, properties))
        return record + crc_property(java_crc32(record)) if self.append_crc else record


def inner_batch_properties(count: int, base_offset: int) -> bytes:
    """What an inner batch's record says of the offsets it takes."""
    return b"INNER_NUM\x01%d\x02INNER_BASE\x01%d\x02" % (count, base_offset)


def frame(message: NewMessage, max_message_size: int, *, append_crc: bool = False) -> Frame:
    """Measure a message; AppendRefused if it does not fit (MessageExtEncoder.encode)."""
    properties = message.properties
    if append_crc and properties and properties[-1:] != b"\x02":
        properties += b"\x02"
    properties_size = len(properties) + (CRC_PROPERTY_SIZE if append_crc else 0)
    if properties_size > _MAX_PROPERTIES:
        raise AppendRefused(
            PutStatus.PROPERTIES_SIZE_EXCEEDED, f"properties of {properties_size} bytes: at most 32767 fit"
        )
    if len(message.body) > max_message_size:
        raise AppendRefused(
            PutStatus.MESSAGE_ILLEGAL,
            f"body of {len(message.body)} bytes: maxMessageSize is {max_message_size}",
        )
    if message.queue_id < 0:
        raise AppendRefused(PutStatus.MESSAGE_ILLEGAL, f"queue id {message.queue_id} is below 0")
    magic, topic = _topic_field(message.topic)
    head = _HEADS[len(message.born_host), len(message.store_host)]
    size = head.size + len(message.body) + len(topic) + 2 + properties_size
    return Frame(message, size, head, magic, topic, properties, append_crc)
