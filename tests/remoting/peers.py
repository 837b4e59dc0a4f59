"""Two ends of one connection, without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
import trio.testing

from rocketmq_protocol import Connection, RemotingCommand
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.router import Router

SLOW, ECHO, HELD, BROKEN = 1, 2, 3, 4


class Peer:
    """The far end of a channel: reads and writes commands by hand, only when told to."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self._connection = Connection()

    async def send(self, *commands: RemotingCommand) -> None:
        await self.stream.send_all(b"".join(command.encode() for command in commands))

    async def receive(self) -> RemotingCommand:
        """The next command; it must come within a second."""
        with trio.fail_after(1):
            while (command := self._connection.next_command()) is None:
                data = await self.stream.receive_some(65536)
                assert data, "the channel closed the connection"
                self._connection.receive_data(data)
        return command

    async def receive_all(self) -> list[RemotingCommand]:
        """Everything that comes within a second."""
        found: list[RemotingCommand] = []
        with trio.move_on_after(1):
            while data := await self.stream.receive_some(65536):
                self._connection.receive_data(data)
        while (command := self._connection.next_command()) is not None:
            found.append(command)
        return found

    async def sees_the_end(self) -> bool:
        """Whether the channel closes the connection within a second, saying nothing more."""
        with trio.move_on_after(1):
            return not await self.stream.receive_some(65536)
        return False


@asynccontextmanager
async def running_channel(
    router: Router | None = None, *, lockstep: bool = False
) -> AsyncIterator[tuple[Channel, Peer]]:
    """A channel that runs, and its peer. In lockstep, sending waits until the peer has read."""
    make_pair = trio.testing.lockstep_stream_pair if lockstep else trio.testing.memory_stream_pair
    near, far = make_pair()
    channel = Channel(near, "peer:1")
    serving = router or Router({})
    async with trio.open_nursery() as nursery:
        await nursery.start(lambda task_status: channel.run(serving.handle, task_status=task_status))
        yield channel, Peer(far)
        channel.close()


def request(code: int, opaque: int = 0, *, oneway: bool = False, body: bytes = b"") -> RemotingCommand:
    """A request without a header."""
    return RemotingCommand.request(code, opaque=opaque, oneway=oneway, body=body)
