"""Checksums of stored messages: the body's CRC field, and the `__CRC32#` property over the whole record."""

from __future__ import annotations

from typing import Final
from zlib import crc32

from rocketmq_protocol.properties import NAME_VALUE_SEPARATOR, PROPERTY_CRC32, PROPERTY_SEPARATOR

# CommitLog.CRC32_RESERVED_LEN: name, separator, ten digits, separator.
CRC_PROPERTY_SIZE: Final = len(PROPERTY_CRC32) + 12


def java_crc32(data: bytes | bytearray | memoryview) -> int:
    """UtilAll.crc32: CRC-32 without its highest bit, so that it is never negative in Java."""
    return crc32(data) & 0x7FFFFFFF


def crc_property(checksum: int) -> bytes:
    """The last property of a record: ten decimal digits, the least significant first (createCrc32)."""
    digits = f"{checksum:010d}"[::-1]
    return f"{PROPERTY_CRC32}{NAME_VALUE_SEPARATOR}{digits}{PROPERTY_SEPARATOR}".encode("ascii")


def crc_from_property(value: str) -> int | None:
    """The checksum in the value of a `__CRC32#` property; None when it is not made of digits."""
    return int(value[::-1]) if value.isascii() and value.isdigit() and len(value) <= 10 else None
