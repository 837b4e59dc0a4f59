"""Serving: listeners, a channel for each connection, requests to the router."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final

import trio

from rocketpy.remoting.channel import Channel
from rocketpy.remoting.idle import close_idle
from rocketpy.remoting.router import Router

logger = logging.getLogger(__name__)

# NettyServerConfig.serverChannelMaxIdleTimeSeconds
MAX_IDLE_SECONDS: Final = 120.0

Closed = Callable[[Channel], None]


async def listen(host: str, port: int) -> trio.SocketListener:
    """A listener on one address (the first, where a name has several); port 0 takes a free one."""
    listener, *others = await trio.open_tcp_listeners(port, host=host)
    for other in others:
        await other.aclose()
    return listener


def port_of(listener: trio.SocketListener) -> int:
    """The port it listens on."""
    port: int = listener.socket.getsockname()[1]
    return port


async def serve(
    listeners: Iterable[trio.SocketListener],
    router: Router,
    *,
    on_close: Closed = lambda channel: None,
    max_idle_seconds: float = MAX_IDLE_SECONDS,
    connections: trio.Nursery | None = None,
    task_status: trio.TaskStatus[list[trio.SocketListener]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve connections until cancelled; one that misbehaves ends alone, one that is silent expires.

    With a nursery of their own, `connections` outlive the cancelled listeners. A `max_idle_seconds` of 0 lets
    silent ones live on, as Java's serverChannelMaxIdleTimeSeconds does.
    """
    channels: set[Channel] = set()

    async def connected(stream: trio.SocketStream) -> None:
        try:
            await _serve_one(stream, router, channels, on_close)
        except Exception:
            logger.exception("a connection ended by an error of ours")

    async with trio.open_nursery() as nursery:
        if max_idle_seconds > 0:
            nursery.start_soon(close_idle, channels, max_idle_seconds)
        await trio.serve_listeners(
            connected, list(listeners), handler_nursery=connections, task_status=task_status
        )


async def _serve_one(
    stream: trio.SocketStream, router: Router, channels: set[Channel], on_close: Closed
) -> None:
    try:
        channel = Channel(
            stream, _address(stream.socket.getpeername()), _address(stream.socket.getsockname())
        )
    except OSError as error:  # the peer was gone before we came to look
        logger.debug("a connection ended before it began: %s", error)
        return
    channels.add(channel)
    try:
        await channel.run(router.handle)
    finally:
        channels.discard(channel)
        on_close(channel)


def _address(name: tuple[str, int] | tuple[str, int, int, int]) -> str:
    host = f"[{name[0]}]" if ":" in name[0] else name[0]
    return f"{host}:{name[1]}"
