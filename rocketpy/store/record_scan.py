"""Walking over the records of a commit log segment, in bulk.

The checks are those of CommitLog.checkMessageAndReturnSize; a record that passes is whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

from rocketmq_protocol.hosts import IPV4_HOST_SIZE, IPV6_HOST_SIZE
from rocketmq_protocol.message import MessageVersion
from rocketmq_protocol.message_record import BLANK_MAGIC, SMALLEST_RECORD
from rocketmq_protocol.sysflag import MessageSysFlag


class Dispatch(NamedTuple):
    """What consume queue and index need to know of one record."""

    topic: str
    queue_id: int
    queue_offset: int
    physical: int
    size: int
    sys_flag: int
    store_timestamp: int
    properties: bytes


class ScanEnd(Enum):
    """Why a walk over a segment came to its end."""

    FULL = "the segment's end, or the filler before it"
    BROKEN = "bytes that are no whole record"


# CRC, queue id; queue offset, commit log offset, sysFlag; store time; body length
def _head(born_size: int, store_size: int) -> Struct:
    return Struct(f">8x ii 4x qqi 8x {born_size}x q {store_size}x 12x i")


_BORN_V6: Final = int(MessageSysFlag.BORNHOST_V6_FLAG)
_STORE_V6: Final = int(MessageSysFlag.STOREHOSTADDRESS_V6_FLAG)
_V6_FLAGS: Final = _BORN_V6 | _STORE_V6
_HEADS: Final = {
    0: _head(IPV4_HOST_SIZE, IPV4_HOST_SIZE),
    _BORN_V6: _head(IPV6_HOST_SIZE, IPV4_HOST_SIZE),
    _STORE_V6: _head(IPV4_HOST_SIZE, IPV6_HOST_SIZE),
    _V6_FLAGS: _head(IPV6_HOST_SIZE, IPV6_HOST_SIZE),
}
_SYS_FLAG_LOW_BYTE: Final = 39
_SIZE_AND_MAGIC: Final = Struct(">ii")
_V1: Final = int(MessageVersion.V1)
_V2: Final = int(MessageVersion.V2)
_MAX_PROPERTIES: Final = 0x7FFF
_SECTOR: Final = 512

_read_size_and_magic: Final = _SIZE_AND_MAGIC.unpack_from
_length: Final = Struct(">H").pack


class SegmentScan:
    """The good records of a segment from `position` on; then `position` and `end` say where it stopped."""

    def __init__(self, view: memoryview, base: int, position: int = 0, *, check_crc: bool = True) -> None:
        self.position = position
        self.end = ScanEnd.FULL
        self._view = view
        self._base = base
        self._check_crc = check_crc
        self._topics: dict[bytes, str] = {}

    def __iter__(self) -> Iterator[Dispatch]:
        limit = len(self._view) - _SIZE_AND_MAGIC.size
        while self.position <= limit:
            size, magic = _read_size_and_magic(self._view, self.position)
            if magic != _V1 and magic != _V2:
                self.end = ScanEnd.FULL if magic == BLANK_MAGIC else ScanEnd.BROKEN
                return
            found = self._record(self.position, size, is_v1=magic == _V1)
            if found is None:
                self.end = ScanEnd.BROKEN
                return
            yield found
            self.position += size

    def _record(self, position: int, size: int, *, is_v1: bool) -> Dispatch | None:
        """The record at `position`, if it is whole."""
        view, record_end = self._view, position + size
        if record_end > len(view) or size < SMALLEST_RECORD:
            return None
        head = _HEADS[view[position + _SYS_FLAG_LOW_BYTE] & _V6_FLAGS]
        body_start = position + head.size
        if body_start > record_end:
            return None
        crc, queue_id, queue_offset, physical, sys_flag, stored, body_size = head.unpack_from(view, position)
        body_end = body_start + body_size
        if physical != self._base + position or body_size < 0 or body_end + 3 > record_end:
            return None
        names = bytes(view[body_end:record_end])  # topic and properties, each behind its length
        topic_start = 1 if is_v1 else 2
        topic_end = topic_start + (names[0] if is_v1 else names[0] << 8 | names[1])
        properties = names[topic_end + 2 :]
        if len(properties) > _MAX_PROPERTIES or _length(len(properties)) != names[topic_end : topic_end + 2]:
            return None
        if self._check_crc and (
            (body_size and crc32(view[body_start:body_end]) & 0x7FFFFFFF != crc)
            or (
                len(names) > -body_end % _SECTOR and _has_lost_sector(names, body_end, topic_start, topic_end)
            )
        ):
            return None
        raw_topic = names[topic_start:topic_end]
        topic = self._topics.get(raw_topic)
        if topic is None:
            topic = self._topics[raw_topic] = raw_topic.decode("utf-8", "replace")
        return Dispatch(topic, queue_id, queue_offset, physical, size, sys_flag, stored, properties)


def _has_lost_sector(names: bytes, position: int, topic_start: int, topic_end: int) -> bool:
    """Whether all is zero from the beginning of a disk sector on: its neighbours were written, but not it.

    `names` lie at `position`. The CRC watches over the body alone; damage to what comes before, and to the
    lengths here, shows in sizes that do not add up. So topic and properties are left to look at.
    """
    first = -position % _SECTOR
    if names[first] and len(names) <= first + _SECTOR:
        return False  # the common case, made quick
    for start, end in ((topic_start, topic_end), (topic_end + 2, len(names))):
        for sector in range(first, end, _SECTOR):
            if sector >= start and not any(names[sector : min(sector + _SECTOR, end)]):
                return True
    return False
