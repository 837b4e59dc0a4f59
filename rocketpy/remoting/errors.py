"""What can go wrong on a channel."""

from __future__ import annotations

from rocketmq_protocol import RemotingCommand, ResponseCode


class RemotingError(Exception):
    """A request could not be sent, or got no answer."""


class ConnectFailed(RemotingError):
    """No connection to an address."""


class ChannelClosed(RemotingError):
    """The connection went away before the answer came."""


class RequestTimeout(RemotingError):
    """The answer did not come in time."""


class RequestRefused(Exception):
    """A handler's answer other than success: the response code and the remark that Java would send."""

    def __init__(self, code: ResponseCode, remark: str | None) -> None:
        super().__init__(f"{code.name}: {remark}")
        self.code = code
        self.remark = remark


def refused_reply(request: RemotingCommand, refused: RequestRefused) -> RemotingCommand:
    """The response that tells the asker."""
    return request.reply(refused.code, remark=refused.remark)
