"""Router: from request code to handler, from what a handler gives or raises to the reply."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, ResponseCode
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError, RequestRefused

logger = logging.getLogger(__name__)

# A handler gives the reply, or None where there is to be none; it may be async.
Handler = Callable[[Channel, RemotingCommand], RemotingCommand | Awaitable[RemotingCommand | None] | None]


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests may wait in tasks, as a pull does that is held until a message comes.

    A consumer holds one pull for each of its queues. Requests that are answered at once do not count.
    """

    per_connection: int = 16_384
    total: int = 65_536


class Router:
    """A table of handlers. Quick ones run at once; one that awaits runs as a task of the connection."""

    def __init__(self, routes: Mapping[int, Handler], limits: Limits | None = None) -> None:
        self._routes = routes
        self._limits = limits or Limits()
        self._in_flight = 0

    def handle(self, channel: Channel, request: RemotingCommand) -> None:
        """Take one request; its reply is put up on the channel, now or later."""
        handler = self._routes.get(request.code, _not_supported)
        try:
            result = handler(channel, request)
            if result is None or isinstance(result, RemotingCommand):
                _put_up(channel, request, result)
            else:
                self._start(channel, request, result)
        except Exception as error:  # a handler's fault must not end the connection
            _put_up(channel, request, _failure(request, error))

    def _start(
        self, channel: Channel, request: RemotingCommand, result: Awaitable[RemotingCommand | None]
    ) -> None:
        if self._in_flight >= self._limits.total or channel.in_flight >= self._limits.per_connection:
            if isinstance(result, Coroutine):
                result.close()
            # NettyRemotingAbstract.processRequestCommand, when its queue is full
            raise RequestRefused(
                ResponseCode.SYSTEM_BUSY, "[OVERLOAD]system busy, start flow control for a while"
            )
        self._in_flight += 1
        channel.in_flight += 1
        channel.start_soon(self._answer_later, channel, request, result)

    async def _answer_later(
        self, channel: Channel, request: RemotingCommand, result: Awaitable[RemotingCommand | None]
    ) -> None:
        try:
            reply = await result
            if reply is not None and not request.is_oneway:
                await channel.send(reply)
        except RemotingError as error:
            logger.debug("%s: request %d is not answered: %s", channel.remote, request.code, error)
        except Exception as error:  # as above
            _put_up(channel, request, _failure(request, error))
            channel.push()
        finally:
            self._in_flight -= 1
            channel.in_flight -= 1


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
        return request.reply(error.code, error.header, remark=error.remark)
    if isinstance(error, RemoteProtocolError):
        return request.reply(ResponseCode.SYSTEM_ERROR, remark=str(error))
    logger.error("request %d failed", request.code, exc_info=error)
    return request.reply(ResponseCode.SYSTEM_ERROR, remark=f"{type(error).__name__}: {error}")
