"""What can go wrong between two peers, and whose fault it is."""

from __future__ import annotations


class ProtocolError(Exception):
    """Something does not follow RocketMQ's wire protocol."""


class LocalProtocolError(ProtocolError):
    """We were asked to write something the protocol cannot carry."""


class RemoteProtocolError(ProtocolError):
    """The bytes we were given are not what the protocol allows; the text says what and where."""
