"""A frame's outer layer: total length, serializer mark, header length, header, body.

`layouts.FRAME` draws it; this is the fast path beside the drawing.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from rocketmq_protocol.codes import SerializeType
from rocketmq_protocol.errors import LocalProtocolError, RemoteProtocolError

# NettyDecoder.FRAME_MAX_LENGTH: the whole frame, its length word included.
MAX_FRAME_LENGTH: Final = 16 * 1024 * 1024
MAX_HEADER_LENGTH: Final = 0xFFFFFF

PREFIX: Final = Struct(">iI")
LENGTH: Final = Struct(">i")

_SERIALIZERS: Final = {int(serializer): serializer for serializer in SerializeType}


def frame_length(length_word: int, limit: int = MAX_FRAME_LENGTH) -> int:
    """Bytes of the whole frame that a length word announces."""
    if not 4 <= length_word <= limit - 4:
        raise RemoteProtocolError(
            f"frame at byte 0: length {length_word} is outside 4..{limit - 4} (limit {limit} bytes a frame)"
        )
    return length_word + 4


def split(frame: bytes) -> tuple[SerializeType, bytes, bytes]:
    """Cut one whole frame into serializer, header and body."""
    size = len(frame)
    if size < 8:
        raise RemoteProtocolError(f"frame of {size} bytes: the first 8 are length and header length")
    length, header_word = PREFIX.unpack_from(frame)
    if length != size - 4:
        raise RemoteProtocolError(f"frame at byte 0: length says {length}, but {size - 4} bytes follow it")
    serializer = _SERIALIZERS.get(header_word >> 24)
    if serializer is None:
        raise RemoteProtocolError(f"frame at byte 4: unknown header serializer {header_word >> 24}")
    body_start = 8 + (header_word & MAX_HEADER_LENGTH)
    if body_start > size:
        raise RemoteProtocolError(
            f"frame at byte 5: header length {body_start - 8} goes past the frame's {size - 8} bytes"
        )
    return serializer, frame[8:body_start], frame[body_start:]


def join(serializer: SerializeType, header: bytes, body: bytes) -> bytes:
    """Put a whole frame together."""
    if len(header) > MAX_HEADER_LENGTH:
        raise LocalProtocolError(f"header of {len(header)} bytes: at most {MAX_HEADER_LENGTH} fit a frame")
    return PREFIX.pack(4 + len(header) + len(body), serializer << 24 | len(header)) + header + body
