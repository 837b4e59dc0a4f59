"""Pool: one outgoing channel to each address, opened on first use."""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from rocketmq_protocol import RemoteProtocolError, RemotingCommand
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import ConnectFailed
from rocketpy.remoting.router import Router

logger = logging.getLogger(__name__)


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
        self._opening: dict[str, trio.Lock] = {}

    async def invoke(self, address: str, request: RemotingCommand, timeout: float) -> RemotingCommand:
        """Ask a peer and wait for its answer."""
        with trio.fail_after(timeout + self._connect_timeout):
            channel = await self.channel(address)
            return await channel.invoke(request, timeout)

    async def send_oneway(self, address: str, request: RemotingCommand) -> None:
        """Tell a peer something that it does not answer."""
        await (await self.channel(address)).send(request)

    async def channel(self, address: str) -> Channel:
        """The channel to `host:port`, opened if need be."""
        lock = self._opening.setdefault(address, trio.Lock())
        async with lock:
            channel = self._channels.get(address)
            if channel is None or channel.closed.is_set():
                channel = self._channels[address] = await self._connect(address)
                self._nursery.start_soon(self._run, address, channel)
        return channel

    async def aclose(self) -> None:
        """Close every channel."""
        for channel in list(self._channels.values()):
            await channel.aclose()

    async def _connect(self, address: str) -> Channel:
        host, _, port = address.rpartition(":")
        try:
            with trio.fail_after(self._connect_timeout):
                stream = await trio.open_tcp_stream(host.strip("[]"), int(port))
        except (OSError, ValueError, trio.TooSlowError) as error:
            raise ConnectFailed(f"{address}: cannot connect: {error or 'timed out'}") from error
        return Channel(stream, address)

    async def _run(self, address: str, channel: Channel) -> None:
        try:
            async with trio.open_nursery() as nursery:
                await channel.run(lambda source, request: self._router.handle(source, request, nursery))
                nursery.cancel_scope.cancel()
        except* RemoteProtocolError as refused:
            logger.warning("%s: closed: %s", address, refused.exceptions[0])
        finally:
            if self._channels.get(address) is channel:
                del self._channels[address]
            self._on_close(address)
