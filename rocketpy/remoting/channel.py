"""Channel: one connection; requests out, answers back, and the peer's own requests.

How a command leaves: it is put up (`queue`), and a `push` hands everything put up to the kernel in one write,
without waiting. So the answers to all requests that came in one piece leave in one piece, and no one who is
cancelled can leave half a frame behind. What the kernel does not take at once is sent by a task of the
channel; until little enough of it is left, `send` waits, and no further requests are read.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, TypeVarTuple

import trio

from rocketmq_protocol import Connection, RemoteProtocolError, RemotingCommand
from rocketpy.remoting.errors import ChannelClosed, RequestTimeout
from rocketpy.remoting.transport import ConnectionGone, transport_of

logger = logging.getLogger(__name__)

# A peer that is slow to read is waited for once this much is under way to it.
HIGH_WATER: Final = 4 * 1024 * 1024

RequestHandler = Callable[["Channel", RemotingCommand], None]
Arguments = TypeVarTuple("Arguments")


class Channel:
    """One connection. While `run` runs, everything else may be called from any task.

    Java numbers requests in each direction on its own, so an answer is known by its response flag.
    `received` and `sent` count reads and writes; `in_flight` counts the tasks that serve requests.
    """

    def __init__(self, stream: trio.abc.Stream, remote: str, local: str = "") -> None:
        self.remote = remote
        self.local = local
        self.closed = trio.Event()
        self.received = 0
        self.sent = 0
        self.in_flight = 0
        self._transport = transport_of(stream)
        self._connection = Connection()
        self._opaques = itertools.count()
        self._waiting: dict[int, _Answer] = {}
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0
        self._room: trio.Event | None = None
        self._is_sending = False
        self._tasks: trio.Nursery | None = None

    @property
    def is_congested(self) -> bool:
        """Whether the peer is so slow to read that it is not worth preparing more for it."""
        return self._unsent_bytes > HIGH_WATER

    async def run(
        self,
        on_request: RequestHandler,
        *,
        task_status: trio.TaskStatus[Channel] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Read commands until either side closes, then end the tasks that serve this connection."""
        try:
            async with trio.open_nursery() as self._tasks:
                if self.closed.is_set():
                    self._tasks.cancel_scope.cancel()
                task_status.started(self)
                await self._read(on_request)
                self._tasks.cancel_scope.cancel()
        finally:
            self.close()
            with trio.CancelScope(shield=True):
                await self._transport.aclose()

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
        """Send a command, once the peer has read enough of what it was sent before."""
        await self._wait_for_room()
        self.queue(command)
        self.push()
        if self.closed.is_set():
            raise ChannelClosed(f"{self.remote}: the connection is gone")

    def queue(self, command: RemotingCommand) -> None:
        """Put a command up to leave with the next `push`; on a closed channel it is dropped."""
        data = command.encode()
        if not self.closed.is_set():
            self._unsent.append(data)
            self._unsent_bytes += len(data)

    def push(self) -> None:
        """Let everything that is put up leave, at once as far as the peer takes it."""
        if not self._unsent or self._is_sending:
            return
        data = self._take()
        try:
            sent = self._transport.send_now(data)
        except ConnectionGone as gone:
            self._end(gone)
            return
        self._left(sent)
        if sent < len(data):
            self._is_sending = True
            self.start_soon(self._send_rest, memoryview(data)[sent:])

    def start_soon(self, task: Callable[[*Arguments], Awaitable[object]], *args: *Arguments) -> None:
        """Run a task that is cancelled when the connection ends."""
        assert self._tasks is not None, "the channel does not run yet"
        self._tasks.start_soon(task, *args)

    def close(self) -> None:
        """End the connection: who waits for an answer learns it now, and `run` closes and returns."""
        if self.closed.is_set():
            return
        self.closed.set()
        self._unsent.clear()
        self._unsent_bytes = 0
        self._made_room()
        for answer in self._waiting.values():
            answer.arrived.set()
        if self._tasks is not None:
            self._tasks.cancel_scope.cancel()

    async def _read(self, on_request: RequestHandler) -> None:
        connection = self._connection
        try:
            while data := await self._transport.receive():
                self.received += 1
                connection.receive_data(data)
                has_served = False
                while (command := connection.next_command()) is not None:
                    if command.is_response:
                        self._answer(command)
                    else:
                        has_served = True
                        on_request(self, command)
                self.push()
                # Not for answers alone: two peers that each wait for the other to read would wait forever.
                if has_served:
                    await self._wait_for_room()
            connection.receive_eof()
        except ConnectionGone as gone:
            self._end(gone)
        except RemoteProtocolError as refused:
            logger.warning("%s: closed: %s", self.remote, refused)
            self.push()  # the answers to requests that came before

    def _answer(self, command: RemotingCommand) -> None:
        answer = self._waiting.get(command.opaque)
        if answer is not None:  # too late otherwise: the asker has given up
            answer.command = command
            answer.arrived.set()

    async def _send_rest(self, rest: memoryview) -> None:
        """Send what could not leave at once, and what was put up meanwhile."""
        try:
            while rest:
                sent = await self._transport.send_piece(rest)
                self._left(sent)
                rest = rest[sent:] or memoryview(self._take())
        except ConnectionGone as gone:
            self._end(gone)
        finally:
            self._is_sending = False

    def _take(self) -> bytes:
        data = b"".join(self._unsent) if len(self._unsent) != 1 else self._unsent[0]
        self._unsent.clear()
        return data

    def _left(self, sent: int) -> None:
        """So many bytes are on their way."""
        if sent:
            self.sent += 1
            self._unsent_bytes -= sent
            if self._room is not None and not self.is_congested:
                self._made_room()

    async def _wait_for_room(self) -> None:
        while self.is_congested:
            if self._room is None:
                self._room = trio.Event()
            await self._room.wait()

    def _made_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None

    def _end(self, gone: ConnectionGone) -> None:
        logger.debug("%s: gone: %s", self.remote, gone)
        self.close()


class _Answer:
    """A place for the answer to one request."""

    __slots__ = ("arrived", "command")

    def __init__(self) -> None:
        self.arrived = trio.Event()
        self.command: RemotingCommand | None = None
