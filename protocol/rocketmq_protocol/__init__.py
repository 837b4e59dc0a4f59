"""Apache RocketMQ's wire protocol, without any I/O."""

from __future__ import annotations

from rocketmq_protocol import bodies, headers
from rocketmq_protocol.codes import JsonDialect, LanguageCode, RequestCode, ResponseCode, SerializeType
from rocketmq_protocol.command import RemotingCommand
from rocketmq_protocol.connection import Connection
from rocketmq_protocol.errors import LocalProtocolError, ProtocolError, RemoteProtocolError
from rocketmq_protocol.message import Message, MessageExt

__all__ = [
    "Connection",
    "JsonDialect",
    "LanguageCode",
    "LocalProtocolError",
    "Message",
    "MessageExt",
    "ProtocolError",
    "RemoteProtocolError",
    "RemotingCommand",
    "RequestCode",
    "ResponseCode",
    "SerializeType",
    "bodies",
    "headers",
]
