"""Pool: one outgoing channel to each address, opened on first use."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

import trio

from rocketmq_protocol import RemotingCommand
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import ConnectFailed, RequestTimeout
from rocketpy.remoting.router import Router

logger = logging.getLogger(__name__)

# NettyRemotingClient.MIN_CLOSE_TIMEOUT_MILLIS: a shorter wait says nothing about the peer.
_TELLING_SECONDS: Final = 0.1


class Pool:
    """Channels by address. Their readers run in the nursery given; `router` serves what peers ask."""

    def __init__(
        self,
        nursery: trio.Nursery,
        router: Router,
        *,
        connect_timeout: float = 3.0,
        on_close: Callable[[str], None] = lambda address: None,
    ) -> None:
        self._nursery = nursery
        self._router = router
        self._connect_timeout = connect_timeout
        self._on_close = on_close
        self._channels: dict[str, Channel] = {}
        self._opening: dict[str, _Opening] = {}

    async def invoke(self, address: str, request: RemotingCommand, timeout: float) -> RemotingCommand:
        """Ask a peer and wait for its answer, `timeout` seconds once there is a connection."""
        channel = await self.channel(address)
        received = channel.received
        try:
            return await channel.invoke(request, timeout)
        except RequestTimeout:
            # A peer that said nothing at all meanwhile may be gone without a word: connect anew next time.
            if channel.received == received and timeout >= _TELLING_SECONDS:
                channel.close()
            raise

    async def send_oneway(self, address: str, request: RemotingCommand) -> None:
        """Tell a peer something that it does not answer."""
        channel = await self.channel(address)
        await channel.send(request)

    async def channel(self, address: str) -> Channel:
        """The channel to `host:port`, opened if need be; ConnectFailed where that cannot be done."""
        channel = self._channels.get(address)
        if channel is not None and not channel.closed.is_set():
            return channel
        opening = self._opening.get(address)
        if opening is None:
            # A task of its own: others may come to wait for it, too, and the first may be cancelled.
            opening = self._opening[address] = _Opening()
            self._nursery.start_soon(self._open, address, opening)
        await opening.is_done.wait()
        if opening.channel is None:
            raise ConnectFailed(f"{address}: cannot connect: {opening.failure}")
        return opening.channel

    def close(self) -> None:
        """Close every channel."""
        for channel in self._channels.values():
            channel.close()

    async def _open(self, address: str, opening: _Opening) -> None:
        host, _, port = address.rpartition(":")
        try:
            with trio.fail_after(self._connect_timeout):
                stream = await trio.open_tcp_stream(host.strip("[]"), int(port))
            channel = Channel(stream, address)
            opening.channel = self._channels[address] = channel
            await self._nursery.start(self._run, address, channel)
        except trio.TooSlowError:
            opening.failure = f"no connection in {self._connect_timeout:g} s"
        except (OSError, ValueError) as error:
            opening.failure = str(error)
        finally:
            del self._opening[address]
            opening.is_done.set()

    async def _run(self, address: str, channel: Channel, *, task_status: trio.TaskStatus[Channel]) -> None:
        try:
            await channel.run(self._router.handle, task_status=task_status)
        except Exception:
            logger.exception("%s: the connection ended by an error of ours", address)
        finally:
            if self._channels.get(address) is channel:
                del self._channels[address]
            self._on_close(address)


class _Opening:
    """A connection that is being made, for all who wait for it."""

    __slots__ = ("channel", "failure", "is_done")

    def __init__(self) -> None:
        self.is_done = trio.Event()
        self.channel: Channel | None = None
        self.failure = "the pool is closed"
