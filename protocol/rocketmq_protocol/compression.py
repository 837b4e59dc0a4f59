"""Message bodies packed with zlib, LZ4 (frame format) or Zstandard; sysFlag says which.

Decompression stops at a size limit while inflating: a few bytes that claim to be gigabytes cost no memory.
"""

from __future__ import annotations

import zlib
from enum import IntEnum
from typing import Final

import lz4.frame
import zstandard

from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.sysflag import MessageSysFlag

# Java has no limit. Brokers and clients refuse bodies above 4 MiB unless told otherwise.
DEFAULT_MAX_BODY_SIZE: Final = 64 * 1024 * 1024
# DefaultMQProducerImpl: `rocketmq.message.compressLevel`, 5 unless set.
DEFAULT_LEVEL: Final = 5

_TYPE_SHIFT: Final = 8


class CompressionType(IntEnum):
    """How a body is packed; the value stands in bits 8 to 10 of sysFlag."""

    LZ4 = 1
    ZSTD = 2
    ZLIB = 3

    @property
    def sys_flag(self) -> int:
        """The bits a message packed so carries."""
        return MessageSysFlag.COMPRESSED_FLAG | self << _TYPE_SHIFT

    @classmethod
    def from_sys_flag(cls, sys_flag: int) -> CompressionType:
        """The type a compressed message's flags tell; 0, from clients that knew only one, means zlib."""
        value = (sys_flag & MessageSysFlag.COMPRESSION_TYPE_COMPARATOR) >> _TYPE_SHIFT
        if value == 0:
            return cls.ZLIB
        if value > cls.ZLIB:
            raise RemoteProtocolError(f"message sysFlag 0x{sys_flag:X}: unknown compression type {value}")
        return cls(value)


def compress(body: bytes, kind: CompressionType, level: int = DEFAULT_LEVEL) -> bytes:
    """Pack a body so that Java can read it. (LZ4 has no levels there.)"""
    if kind is CompressionType.ZLIB:
        return zlib.compress(body, level)
    if kind is CompressionType.ZSTD:
        return zstandard.ZstdCompressor(level=level).compress(body)
    # LZ4FrameInputStream reads independent blocks only; LZ4FrameOutputStream writes blocks of 4 MiB.
    packed: bytes = lz4.frame.compress(
        body, block_size=lz4.frame.BLOCKSIZE_MAX4MB, block_linked=False, store_size=False
    )
    return packed


def decompress(body: bytes, kind: CompressionType, max_size: int = DEFAULT_MAX_BODY_SIZE) -> bytes:
    """Unpack a body; RemoteProtocolError when it is damaged, or bigger than `max_size` once unpacked."""
    try:
        return _UNPACKERS[kind](body, max_size)
    except (_Unreadable, zlib.error, zstandard.ZstdError, RuntimeError) as error:
        raise RemoteProtocolError(
            f"{kind.name} body of {len(body)} bytes, at most {max_size} unpacked: {error}"
        ) from None


class _Unreadable(Exception):
    """Too big, or cut off."""


def _unpack_zlib(body: bytes, max_size: int) -> bytes:
    unpacker = zlib.decompressobj()
    plain = unpacker.decompress(body, max_size + 1)
    _check(len(plain), max_size, unpacker.eof)
    return plain


def _unpack_lz4(body: bytes, max_size: int) -> bytes:
    unpacker = lz4.frame.LZ4FrameDecompressor()
    # The library allocates all of max_length at once, so a small body is not asked for the whole limit.
    step = min(max_size + 1, 16 * len(body) + 4096)
    pieces = [unpacker.decompress(body, max_length=step)]
    size = len(pieces[0])
    while size <= max_size and not unpacker.eof and not unpacker.needs_input:
        pieces.append(unpacker.decompress(b"", max_length=step))
        size += len(pieces[-1])
    _check(size, max_size, unpacker.eof)
    return b"".join(pieces)


def _unpack_zstd(body: bytes, max_size: int) -> bytes:
    _check(zstandard.frame_content_size(body), max_size, complete=True)  # -1 when the frame does not tell
    return zstandard.ZstdDecompressor().decompress(body, max_output_size=max_size)


def _check(size: int, max_size: int, complete: bool) -> None:
    if size > max_size:
        raise _Unreadable("it is bigger")
    if not complete:
        raise _Unreadable("cut off before its end")


_UNPACKERS: Final = {
    CompressionType.ZLIB: _unpack_zlib,
    CompressionType.LZ4: _unpack_lz4,
    CompressionType.ZSTD: _unpack_zstd,
}
