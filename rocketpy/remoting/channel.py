"""Channel: one stream and one Connection; requests out, answers back, and the peer's own requests."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import trio

from rocketmq_protocol import Connection, RemoteProtocolError, RemotingCommand
from rocketpy.remoting.errors import ChannelClosed, RequestTimeout

_RECEIVE_BYTES: Final = 64 * 1024
# A peer that does not read is waited for once this much is under way to it.
_HIGH_WATER: Final = 4 * 1024 * 1024

RequestHandler = Callable[["Channel", RemotingCommand], None]


class Channel:
    """One connection. `run` reads until it ends; everything else may be called from any task meanwhile.

    Java numbers requests in each direction on its own, so an answer is known by its response flag.
    """

    def __init__(self, stream: trio.abc.Stream, remote: str, local: str = "") -> None:
        self.remote = remote
        self.local = local
        self.closed = trio.Event()
        self._stream = stream
        self._connection = Connection()
        self._opaques = itertools.count()
        self._waiting: dict[int, _Answer] = {}
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0
        self._sending = False
        self._drained = trio.Event()

    async def run(self, on_request: RequestHandler) -> None:
        """Read commands until the peer closes; RemoteProtocolError if what it sends is no frame."""
        try:
            while data := await self._stream.receive_some(_RECEIVE_BYTES):
                self._connection.receive_data(data)
                while (command := self._connection.next_command()) is not None:
                    if command.is_response:
                        self._answer(command)
                    else:
                        on_request(self, command)
                await self.flush()
            self._connection.receive_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer is gone, or we closed
        finally:
            await self.aclose()

    async def invoke(self, request: RemotingCommand, timeout: float) -> RemotingCommand:
        """Send a request and wait for its answer; the opaque is chosen here."""
        numbered = replace(request, opaque=next(self._opaques) & 0x7FFFFFFF)
        answer = self._waiting[numbered.opaque] = _Answer()
        try:
            with trio.move_on_after(timeout):
                await self.send(numbered)
                await answer.arrived.wait()
        finally:
            del self._waiting[numbered.opaque]
        if answer.command is not None:
            return answer.command
        if self.closed.is_set():
            raise ChannelClosed(f"{self.remote}: closed before the answer to request {request.code} came")
        raise RequestTimeout(f"{self.remote}: no answer to request {request.code} in {timeout:g} s")

    async def send(self, command: RemotingCommand) -> None:
        """Send a command and wait while the peer is slow to read."""
        self.queue(command)
        await self.flush()

    def queue(self, command: RemotingCommand) -> None:
        """Put a command up to be sent with the next `flush`."""
        data = command.encode()
        self._unsent.append(data)
        self._unsent_bytes += len(data)

    async def flush(self) -> None:
        """Send what was put up. Whoever comes first sends for all; the others go on, up to a limit."""
        if self._sending:
            while self._unsent_bytes > _HIGH_WATER and not self.closed.is_set():
                self._drained = trio.Event()
                await self._drained.wait()
            return
        self._sending = True
        try:
            while self._unsent:
                data = b"".join(self._unsent)
                self._unsent.clear()
                self._unsent_bytes = 0
                await self._stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await self.aclose()
            raise ChannelClosed(f"{self.remote}: the connection is gone") from None
        finally:
            self._sending = False
            self._drained.set()

    async def aclose(self) -> None:
        """Close the stream and wake everyone who waits for an answer."""
        if not self.closed.is_set():
            self.closed.set()
            self._unsent.clear()
            self._unsent_bytes = 0
            self._drained.set()
            for answer in self._waiting.values():
                answer.arrived.set()
            await trio.aclose_forcefully(self._stream)

    def _answer(self, command: RemotingCommand) -> None:
        answer = self._waiting.get(command.opaque)
        if answer is not None:  # too late otherwise: the asker has given up
            answer.command = command
            answer.arrived.set()


class _Answer:
    """A place for the answer to one request."""

    __slots__ = ("arrived", "command")

    def __init__(self) -> None:
        self.arrived = trio.Event()
        self.command: RemotingCommand | None = None


__all__ = ["Channel", "RemoteProtocolError", "RequestHandler"]
