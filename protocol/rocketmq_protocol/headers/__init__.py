"""Every command header of Apache RocketMQ 5.5.0, by family, under the name of its Java class."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.headers._base import *
from rocketmq_protocol.headers.admin import *
from rocketmq_protocol.headers.client import *
from rocketmq_protocol.headers.group import *
from rocketmq_protocol.headers.lite import *
from rocketmq_protocol.headers.namesrv import *
from rocketmq_protocol.headers.offset import *
from rocketmq_protocol.headers.pop import *
from rocketmq_protocol.headers.pull import *
from rocketmq_protocol.headers.replication import *
from rocketmq_protocol.headers.send import *
from rocketmq_protocol.headers.topic import *
from rocketmq_protocol.headers.transaction import *

HEADERS: dict[str, type[Header]] = {
    name: found
    for name, found in list(globals().items())
    if isinstance(found, type) and issubclass(found, Header) and found is not Header
}

_BY_REQUEST: dict[int, type[Header]] = {code: found for found in HEADERS.values() for code in found.requests}
_REQUESTS = frozenset(RequestCode)


def request_header(code: int) -> type[Header] | None:
    """The header that a request of this code carries, or None where it carries none."""
    if code not in _REQUESTS:
        raise RemoteProtocolError(f"request code {code}: unknown")
    return _BY_REQUEST.get(code)
