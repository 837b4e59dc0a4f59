"""Serving: listeners, a channel for each connection, requests to the router."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

import trio

from rocketmq_protocol import RemoteProtocolError
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.router import Router

logger = logging.getLogger(__name__)


async def listen(host: str, port: int) -> trio.SocketListener:
    """A listener on one address; port 0 takes a free one."""
    (listener,) = await trio.open_tcp_listeners(port, host=host)
    return listener


def port_of(listener: trio.SocketListener) -> int:
    """The port it listens on."""
    port: int = listener.socket.getsockname()[1]
    return port


async def serve(
    listeners: Iterable[trio.SocketListener],
    router: Router,
    *,
    on_close: Callable[[Channel], None] = lambda channel: None,
    task_status: trio.TaskStatus[list[trio.SocketListener]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve connections until cancelled; one that misbehaves ends alone."""

    async def connected(stream: trio.SocketStream) -> None:
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        channel = Channel(
            stream, _address(stream.socket.getpeername()), _address(stream.socket.getsockname())
        )
        try:
            async with trio.open_nursery() as nursery:
                await channel.run(lambda source, request: router.handle(source, request, nursery))
                nursery.cancel_scope.cancel()
        except* RemoteProtocolError as refused:
            logger.warning("%s: closed: %s", channel.remote, refused.exceptions[0])
        finally:
            on_close(channel)

    await trio.serve_listeners(connected, list(listeners), task_status=task_status)


def _address(name: tuple[str, int] | tuple[str, int, int, int]) -> str:
    return f"{name[0]}:{name[1]}"
