"""Asks RocketMQ servers how they are, with bytes written out by hand.

The harness must work while the codec under test does not, so it uses none of it.
"""

from __future__ import annotations

import socket
import struct
from typing import Final

GET_BROKER_RUNTIME_INFO: Final = 28
GET_BROKER_CLUSTER_INFO: Final = 106


def ask(address: str, code: int, *, timeout: float = 5.0) -> bytes:
    """Send a request without fields; the answer's JSON header and body, after its two length words."""
    header = b'{"code":%d,"flag":0,"language":"JAVA","opaque":0,"serializeTypeCurrentRPC":"JSON","version":0}'
    question = header % code
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout) as stream, stream.makefile("rb") as answer:
        stream.sendall(struct.pack(">ii", 4 + len(question), len(question)) + question)
        length, _ = struct.unpack(">ii", answer.read(8))
        return answer.read(length - 4)


def is_registered(broker: str, name_server: str) -> bool:
    """Whether the name server lists a broker's address."""
    try:
        return f'"{broker}"'.encode() in ask(name_server, GET_BROKER_CLUSTER_INFO)
    except (OSError, struct.error):
        return False


def reports_statistics(broker: str) -> bool:
    """Whether a broker answers questions about its state; 4.9 fails at that in its first second."""
    try:
        return ask(broker, GET_BROKER_RUNTIME_INFO).startswith(b'{"code":0,')
    except (OSError, struct.error):
        return False
