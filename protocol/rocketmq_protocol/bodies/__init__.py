"""Every JSON body of Apache RocketMQ 5.5.0, by family, under the name of its Java class.

Classes nested in another in Java (`AclInfo.PolicyInfo`) stand here under their own name (`PolicyInfo`).
"""

# ruff: noqa: F403  # each name stands in one module only
from __future__ import annotations

from rocketmq_protocol.bodies._base import ArrayBody as ArrayBody
from rocketmq_protocol.bodies._base import Body as Body
from rocketmq_protocol.bodies.acl import *
from rocketmq_protocol.bodies.admin import *
from rocketmq_protocol.bodies.clients import *
from rocketmq_protocol.bodies.cluster import *
from rocketmq_protocol.bodies.controller import *
from rocketmq_protocol.bodies.groups import *
from rocketmq_protocol.bodies.heartbeat import *
from rocketmq_protocol.bodies.lite import *
from rocketmq_protocol.bodies.locks import *
from rocketmq_protocol.bodies.message_queue import *
from rocketmq_protocol.bodies.offsets import *
from rocketmq_protocol.bodies.pop import *
from rocketmq_protocol.bodies.register_broker import *
from rocketmq_protocol.bodies.route import *
from rocketmq_protocol.bodies.static_topic import *
from rocketmq_protocol.bodies.stats import *
from rocketmq_protocol.bodies.topic_config import *
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.fastjson_writer import BROWSER_COMPATIBLE as BROWSER_COMPATIBLE
from rocketmq_protocol.fastjson_writer import COMPACT as COMPACT
from rocketmq_protocol.fastjson_writer import PRETTY as PRETTY
from rocketmq_protocol.fastjson_writer import Style as Style
from rocketmq_protocol.javaisms.maps import JavaSet as JavaSet
from rocketmq_protocol.javaisms.maps import JavaTable as JavaTable

BODIES: dict[str, type[Body]] = {
    name: found
    for name, found in list(globals().items())
    if isinstance(found, type) and issubclass(found, Body) and found not in (Body, ArrayBody)
}

# The body that a request carries, and that its answer carries where it succeeds.
REQUEST_BODIES: dict[RequestCode, type[Body]] = {
    code: found for found in BODIES.values() for code in found.requests
}
RESPONSE_BODIES: dict[RequestCode, type[Body]] = {
    code: found for found in BODIES.values() for code in found.answers
}
