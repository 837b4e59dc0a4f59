"""Walking over the records of a commit log segment, in bulk.

The checks are those of CommitLog.checkMessageAndReturnSize; a record that passes is whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

from rocketmq_protocol.message import MessageVersion
from rocketmq_protocol.message_record import BLANK_MAGIC
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


class SegmentScan:
    """The good records of a segment from `position` on; then `position` and `end` say where it stopped."""

    def __init__(self, view: memoryview, base: int, position: int = 0, *, check_crc: bool = True) -> None:
        self.position = position
        self.end = ScanEnd.FULL
        self._view = view
        self._base = base
        self._check_crc = check_crc

    def __iter__(self) -> Iterator[Dispatch]:
        view, base, check_crc = self._view, self._base, self._check_crc
        limit = len(view)
        topics: dict[bytes, str] = {}
        while self.position + 8 <= limit:
            found = _record_at(view, self.position, limit, base, check_crc, topics)
            if not isinstance(found, Dispatch):
                self.end = found
                return
            yield found
            self.position += found.size


_HEAD_V4: Final = Struct(">iiiii qqi q8s q8s iqi")
_HEADS: Final = {
    0: _HEAD_V4,
    MessageSysFlag.BORNHOST_V6_FLAG: Struct(">iiiii qqi q20s q8s iqi"),
    MessageSysFlag.STOREHOSTADDRESS_V6_FLAG: Struct(">iiiii qqi q8s q20s iqi"),
    MessageSysFlag.BORNHOST_V6_FLAG | MessageSysFlag.STOREHOSTADDRESS_V6_FLAG: Struct(
        ">iiiii qqi q20s q20s iqi"
    ),
}
_V6_MASK: Final = MessageSysFlag.BORNHOST_V6_FLAG | MessageSysFlag.STOREHOSTADDRESS_V6_FLAG
_V1: Final = int(MessageVersion.V1)
_V2: Final = int(MessageVersion.V2)
_SIZE_AND_MAGIC: Final = Struct(">ii")


def _record_at(
    view: memoryview, position: int, limit: int, base: int, check_crc: bool, topics: dict[bytes, str]
) -> Dispatch | ScanEnd:
    size, magic = _SIZE_AND_MAGIC.unpack_from(view, position)
    if magic != _V1 and magic != _V2:
        return ScanEnd.FULL if magic == BLANK_MAGIC else ScanEnd.BROKEN
    record_end = position + size
    if record_end > limit or size < _HEAD_V4.size:
        return ScanEnd.BROKEN
    head = _HEADS[view[position + 39] & _V6_MASK]
    if size < head.size + 3:
        return ScanEnd.BROKEN
    (
        _, _, body_crc, queue_id, _, queue_offset, physical, sys_flag, _, _, store_timestamp, _, _, _,
        body_length,
    ) = head.unpack_from(view, position)  # fmt: skip
    body_start = position + head.size
    body_end = body_start + body_length
    if physical != base + position or body_length < 0 or body_end + 3 > record_end:
        return ScanEnd.BROKEN
    if check_crc and body_length and crc32(view[body_start:body_end]) & 0x7FFFFFFF != body_crc:
        return ScanEnd.BROKEN
    if magic == _V1:
        topic_start = body_end + 1
        topic_end = topic_start + view[body_end]
    else:
        topic_start = body_end + 2
        topic_end = topic_start + (view[body_end] << 8 | view[body_end + 1])
    properties_start = topic_end + 2
    if properties_start > record_end:
        return ScanEnd.BROKEN
    if (view[topic_end] << 8 | view[topic_end + 1]) != record_end - properties_start:
        return ScanEnd.BROKEN
    raw_topic = bytes(view[topic_start:topic_end])
    topic = topics.get(raw_topic)
    if topic is None:
        topic = topics[raw_topic] = raw_topic.decode("utf-8", "replace")
    properties = bytes(view[properties_start:record_end])
    return Dispatch(topic, queue_id, queue_offset, physical, size, sys_flag, store_timestamp, properties)
