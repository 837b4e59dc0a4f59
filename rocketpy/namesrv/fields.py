"""Reading a request's fields as leniently as Java does.

Java reads a field that a request left out as null, says so in its log, and goes on: a typed header would
refuse what Java answers. Requests of nothing but texts are read with these.
"""

from __future__ import annotations

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, SerializeType
from rocketpy.namesrv.members import Member


def text(request: RemotingCommand, name: str) -> str | None:
    """A field, or None. In a binary header, Java cannot tell an empty text from one that is left out."""
    value = (request.ext_fields or {}).get(name)
    return None if value == "" and request.serializer is SerializeType.ROCKETMQ else value


def shown(value: str | None) -> str:
    """A text as Java's string concatenation shows it."""
    return "null" if value is None else value


def member(request: RemotingCommand) -> Member:
    """Which broker a request speaks of; RemoteProtocolError where Java has a NullPointerException."""
    cluster, address = text(request, "clusterName"), text(request, "brokerAddr")
    if cluster is None or address is None:
        raise RemoteProtocolError(
            "clusterName and brokerAddr are required, but the command lacks one of them"
        )
    return Member(cluster, address)
