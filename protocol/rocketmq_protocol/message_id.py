"""The two ids of a message: the client's UNIQ_KEY and the broker's offset message id.

Both are upper-case hex. UNIQ_KEY: address bytes, int16 pid, int32 class-loader hash, int32 milliseconds since
the month began, int16 counter (MessageClientIDSetter). Offset id: address bytes, int32 port, int64 physical
offset of the stored message (MessageDecoder.createMessageId).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from ipaddress import ip_address
from itertools import count
from struct import Struct
from typing import Final, NamedTuple

from rocketmq_protocol.errors import LocalProtocolError, RemoteProtocolError
from rocketmq_protocol.hosts import HostAddress, host_bytes, host_from_bytes
from rocketmq_protocol.javaisms import LONG_MAX, LONG_MIN

# Both kinds of id have 12 bytes besides the address, so their lengths agree.
IPV4_ID_LENGTH: Final = 32
IPV6_ID_LENGTH: Final = 56

# pid, class-loader hash, elapsed milliseconds, counter
_UNIQUE_TAIL: Final = Struct(">HiIH")
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


class OffsetMessageId(NamedTuple):
    """Where a message lies: the broker that stored it and the physical offset there."""

    host: HostAddress
    offset: int

    def __str__(self) -> str:
        return offset_message_id(self.host, self.offset)


def offset_message_id(host: tuple[str, int], offset: int) -> str:
    """The id text of the message stored on `host` at that physical offset."""
    if not LONG_MIN <= offset <= LONG_MAX:
        raise LocalProtocolError(f"physical offset {offset} does not fit 64 bits")
    return (host_bytes(host) + offset.to_bytes(8, "big", signed=True)).hex().upper()


def parse_offset_message_id(text: str) -> OffsetMessageId:
    """Read an offset message id of an IPv4 (32 characters) or IPv6 (56) broker."""
    raw = _id_bytes(text, "offset message id")
    try:
        host = host_from_bytes(raw[:-8])
    except ValueError as error:
        raise RemoteProtocolError(f"offset message id {text!r}: {error}") from None
    return OffsetMessageId(host, int.from_bytes(raw[-8:], "big", signed=True))


class UniqueId(NamedTuple):
    """What a UNIQ_KEY tells about the client that made it."""

    ip: str
    pid: int
    loader_hash: int
    elapsed_millis: int
    counter: int

    def born_at(self, now: int, zone: tzinfo | None = None) -> int:
        """When the id was made, as MessageClientIDSetter.getNearlyTimeFromID guesses it.

        The id only knows the time since its month began, so the latest month that puts it before `now` is
        taken. Milliseconds since the epoch; `zone` is that of the client that made the id, None for ours.
        """
        first = _month_start(now, zone)
        if _millis(first) + self.elapsed_millis >= now:
            first = (first - timedelta(days=1)).replace(day=1)
        return _millis(first) + self.elapsed_millis


def parse_unique_id(text: str) -> UniqueId:
    """Read a UNIQ_KEY as a Java client makes it; other clients and applications may use any text."""
    raw = _id_bytes(text, "unique id")
    address = ip_address(raw[: -_UNIQUE_TAIL.size])
    return UniqueId(str(address), *_UNIQUE_TAIL.unpack_from(raw, len(raw) - _UNIQUE_TAIL.size))


class UniqueIdGenerator:
    """Makes UNIQ_KEY values; one for each client process, as MessageClientIDSetter.

    `clock` gives milliseconds since the epoch. `zone` is the zone whose months the ids count from; None is
    the machine's own, as in Java.
    """

    def __init__(
        self, ip: str, pid: int, loader_hash: int, clock: Callable[[], int], zone: tzinfo | None = None
    ) -> None:
        try:
            address = ip_address(ip).packed
        except ValueError:
            raise LocalProtocolError(f"unique id: {ip!r} is not an IP address") from None
        process = (pid & 0xFFFF).to_bytes(2, "big") + (loader_hash & 0xFFFFFFFF).to_bytes(4, "big")
        self._prefix = (address + process).hex().upper()
        self._clock = clock
        self._zone = zone
        self._counter = count()
        self._month_began, self._month_ends = self._month_of(clock())

    def _month_of(self, millis: int) -> tuple[int, int]:
        first = _month_start(millis, self._zone)
        return _millis(first), _millis((first + timedelta(days=32)).replace(day=1))

    def next_id(self) -> str:
        """A new id: no two of one generator agree within 65,536."""
        now = self._clock()
        if now >= self._month_ends:
            self._month_began, self._month_ends = self._month_of(now)
        elapsed = now - self._month_began
        if -1_000_000 < elapsed < 0:  # the clock was set back across the start of the month
            elapsed = 0
        return f"{self._prefix}{elapsed & 0xFFFFFFFF:08X}{next(self._counter) & 0xFFFF:04X}"


def _month_start(millis: int, zone: tzinfo | None) -> datetime:
    moment = datetime.fromtimestamp(millis / 1000, zone)
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0, fold=0)


def _millis(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _id_bytes(text: str, what: str) -> bytes:
    if len(text) not in (IPV4_ID_LENGTH, IPV6_ID_LENGTH):
        raise RemoteProtocolError(
            f"{what} {text[:60]!r} has {len(text)} characters, not {IPV4_ID_LENGTH} or {IPV6_ID_LENGTH}"
        )
    if not _HEX_DIGITS.issuperset(text):
        raise RemoteProtocolError(f"{what} {text!r} is not hexadecimal")
    return bytes.fromhex(text)
