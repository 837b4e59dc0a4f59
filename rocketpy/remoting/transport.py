"""How the bytes of one connection come and go.

A plain socket is read and written through its file number. Trio's own stream yields to the other tasks after
each call that could be served at once, which took a quarter of an echo server's time. Any other stream (TLS,
the streams of tests) works as well, only that it cannot write at once.
"""

from __future__ import annotations

import os
from typing import Final, Protocol

import trio

RECEIVE_BYTES: Final = 64 * 1024
# Sent in one go to a peer that is slow to read; after each, the connection counts as alive.
_PIECE_BYTES: Final = 256 * 1024
# With the 16 KiB that trio sets, an answer of 1 MiB took twice the time, being cut into many writes.
_NOT_SENT_BYTES: Final = 1024 * 1024


class ConnectionGone(Exception):
    """The peer closed or reset the connection, or we did."""


class Transport(Protocol):
    """One connection's bytes. Only `send_now` may be called while another call is waiting."""

    async def receive(self) -> bytes:
        """What has come, at least one byte; nothing once the peer will send no more."""

    def send_now(self, data: bytes) -> int:
        """How many bytes left at once, without waiting."""

    async def send_piece(self, data: memoryview) -> int:
        """Wait until the peer takes more; how many bytes left."""

    async def aclose(self) -> None:
        """Close at once."""


class SocketTransport:
    """A plain TCP socket, by its file number. POSIX only."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._file = stream.socket.fileno()
        if hasattr(trio.socket, "TCP_NOTSENT_LOWAT"):
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NOTSENT_LOWAT, _NOT_SENT_BYTES)

    async def receive(self) -> bytes:
        while True:
            await trio.lowlevel.wait_readable(self._file)
            try:
                return os.read(self._file, RECEIVE_BYTES)
            except BlockingIOError:
                continue
            except OSError as error:
                raise ConnectionGone(str(error)) from error

    def send_now(self, data: bytes) -> int:
        return self._write(data)

    async def send_piece(self, data: memoryview) -> int:
        await trio.lowlevel.wait_writable(self._file)
        return self._write(data[:_PIECE_BYTES])

    def _write(self, data: bytes | memoryview) -> int:
        try:
            return os.write(self._file, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ConnectionGone(str(error)) from error

    async def aclose(self) -> None:
        await trio.aclose_forcefully(self._stream)


class StreamTransport:
    """Any of trio's streams."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def receive(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(RECEIVE_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionGone(str(error)) from error

    def send_now(self, data: bytes) -> int:
        return 0

    async def send_piece(self, data: memoryview) -> int:
        piece = data[:_PIECE_BYTES]
        try:
            await self._stream.send_all(piece)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionGone(str(error)) from error
        return len(piece)

    async def aclose(self) -> None:
        await trio.aclose_forcefully(self._stream)


def transport_of(stream: trio.abc.Stream) -> Transport:
    """The quickest way to use a stream."""
    if isinstance(stream, trio.SocketStream) and os.name == "posix":
        return SocketTransport(stream)
    return StreamTransport(stream)
