"""Loopback ports that nobody uses."""

from __future__ import annotations

import random
import socket
from typing import Final

# Below the range from which Linux takes the ports of outgoing connections.
LOWEST: Final = 20_000
HIGHEST: Final = 32_000

_given: Final[set[int]] = set()


def free_ports(count: int = 1) -> range:
    """A run of neighbouring free ports, never given twice by this process."""
    for _ in range(1000):
        first = random.randrange(LOWEST, HIGHEST - count)
        ports = range(first, first + count)
        if _given.isdisjoint(ports) and all(_is_free(port) for port in ports):
            _given.update(ports)
            return ports
    raise OSError(f"no {count} neighbouring free ports between {LOWEST} and {HIGHEST}")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As Java's servers do: a port still in TIME_WAIT may be taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
