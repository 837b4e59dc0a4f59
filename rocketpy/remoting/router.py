"""Router: from request code to handler, from what a handler gives or raises to the reply."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import trio

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, ResponseCode
from rocketmq_protocol.headers import Header
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError, RequestRefused, refused_reply

logger = logging.getLogger(__name__)

H = TypeVar("H", bound=Header)


@dataclass(slots=True)
class Request(Generic[H]):
    """A request as a handler sees it: its typed header, its command, and whom it came from."""

    header: H
    command: RemotingCommand
    channel: Channel


# A handler gives the reply, or None where there is to be none; it may be async.
Handler = Callable[[Channel, RemotingCommand], RemotingCommand | Awaitable[RemotingCommand | None] | None]


class Router:
    """A table of handlers. Quick ones run at once; one that awaits runs as a task of the connection."""

    def __init__(self, routes: Mapping[int, Handler]) -> None:
        self._routes = routes

    def handle(self, channel: Channel, request: RemotingCommand, nursery: trio.Nursery) -> None:
        """Take one request; its reply is put up on the channel, now or later."""
        handler = self._routes.get(request.code, _not_supported)
        try:
            result = handler(channel, request)
        except Exception as error:  # a handler's fault must not end the connection
            _put_up(channel, request, _failure(request, error))
            return
        if result is None or isinstance(result, RemotingCommand):
            _put_up(channel, request, result)
        else:
            nursery.start_soon(_answer_later, channel, request, result)


async def _answer_later(
    channel: Channel, request: RemotingCommand, result: Awaitable[RemotingCommand | None]
) -> None:
    try:
        reply = await result
    except Exception as error:  # as above
        reply = _failure(request, error)
    _put_up(channel, request, reply)
    try:
        await channel.flush()
    except RemotingError:
        logger.debug("%s: gone before the answer to request %d", channel.remote, request.code)


def _put_up(channel: Channel, request: RemotingCommand, reply: RemotingCommand | None) -> None:
    if reply is not None and not request.is_oneway:
        channel.queue(reply)


def _not_supported(channel: Channel, request: RemotingCommand) -> RemotingCommand:
    # NettyRemotingAbstract.processRequestCommand, blank included
    return request.reply(
        ResponseCode.REQUEST_CODE_NOT_SUPPORTED, remark=f" request type {request.code} not supported"
    )


def _failure(request: RemotingCommand, error: Exception) -> RemotingCommand:
    if isinstance(error, RequestRefused):
        return refused_reply(request, error)
    if isinstance(error, RemoteProtocolError):
        return request.reply(ResponseCode.SYSTEM_ERROR, remark=str(error))
    logger.exception("request %d failed", request.code, exc_info=error)
    return request.reply(ResponseCode.SYSTEM_ERROR, remark=f"{type(error).__name__}: {error}")
