"""What can go wrong on a channel."""

from __future__ import annotations

from rocketmq_protocol import ResponseCode
from rocketmq_protocol.headers import Header


class RemotingError(Exception):
    """A request could not be sent, or got no answer."""


class ConnectFailed(RemotingError):
    """No connection to an address."""


class ChannelClosed(RemotingError):
    """The connection went away before the answer came."""


class RequestTimeout(RemotingError):
    """The answer did not come in time."""


class RequestRefused(Exception):
    """A handler's answer other than success: the response code and the remark that Java would send.

    Where Java's handler has made its response header by then, the refusal carries the header, too.
    """

    def __init__(self, code: ResponseCode, remark: str | None, header: Header | None = None) -> None:
        super().__init__(f"{code.name}: {remark}")
        self.code = code
        self.remark = remark
        self.header = header
