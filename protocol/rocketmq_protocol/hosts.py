"""IP address and port, as messages and message ids carry them: 4 or 16 address bytes and an int32 port."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Final, NamedTuple

from rocketmq_protocol.errors import LocalProtocolError

IPV4_HOST_SIZE: Final = 8
IPV6_HOST_SIZE: Final = 20


class HostAddress(NamedTuple):
    """Where a message was born or stored."""

    ip: str
    port: int

    def __str__(self) -> str:
        return f"[{self.ip}]:{self.port}" if ":" in self.ip else f"{self.ip}:{self.port}"


UNKNOWN_HOST: Final = HostAddress("0.0.0.0", 0)


# A broker meets few hosts and many messages, hence the caches.
@lru_cache(maxsize=4096)
def host_bytes(host: tuple[str, int]) -> bytes:
    """8 bytes for an IPv4 address and its port, 20 for IPv6."""
    ip, port = host
    try:
        packed = ip_address(ip).packed
    except ValueError:
        raise LocalProtocolError(f"host {ip!r} is not an IP address") from None
    if not 0 <= port <= 0xFFFF:
        raise LocalProtocolError(f"port {port} of host {ip} is outside 0..65535")
    return packed + port.to_bytes(4, "big")


@lru_cache(maxsize=4096)
def host_from_bytes(raw: bytes) -> HostAddress:
    """Read what `host_bytes` wrote; ValueError for a port that Java's InetSocketAddress would refuse."""
    port = int.from_bytes(raw[-4:], "big")
    if port > 0xFFFF:
        raise ValueError(f"port {port} is outside 0..65535")
    if len(raw) == IPV4_HOST_SIZE:
        return HostAddress("%d.%d.%d.%d" % tuple(raw[:4]), port)  # noqa: UP031 - four numbers from one tuple
    return HostAddress(str(IPv6Address(raw[:16])), port)
