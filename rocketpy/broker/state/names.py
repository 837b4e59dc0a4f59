"""Topics and groups that RocketMQ itself uses, and which names are allowed (TopicValidator)."""

from __future__ import annotations

import re
from typing import Final

RETRY_PREFIX: Final = "%RETRY%"
DLQ_PREFIX: Final = "%DLQ%"

AUTO_CREATE_TOPIC: Final = "TBW102"
SELF_TEST_TOPIC: Final = "SELF_TEST_TOPIC"
BENCHMARK_TOPIC: Final = "BenchmarkTest"
SCHEDULE_TOPIC: Final = "SCHEDULE_TOPIC_XXXX"
OFFSET_MOVED_TOPIC: Final = "OFFSET_MOVED_EVENT"
HALF_TOPIC: Final = "RMQ_SYS_TRANS_HALF_TOPIC"
OP_HALF_TOPIC: Final = "RMQ_SYS_TRANS_OP_HALF_TOPIC"
DISCARD_TOPIC: Final = "TRANS_CHECK_MAX_TIME_TOPIC"
TIMER_TOPIC: Final = "rmq_sys_wheel_timer"

SYSTEM_GROUPS: Final = (
    "TOOLS_CONSUMER",
    "FILTERSRV_CONSUMER",
    "SELF_TEST_C_GROUP",
    "CID_ONS-HTTP-PROXY",
    "CID_ONSAPI_PULL",
    "CID_ONSAPI_PERMISSION",
    "CID_ONSAPI_OWNER",
    "CID_RMQ_SYS_TRANS",
)

NOT_ALLOWED_TO_SEND: Final = frozenset(
    {
        OFFSET_MOVED_TOPIC,
        HALF_TOPIC,
        OP_HALF_TOPIC,
        SCHEDULE_TOPIC,
        SELF_TEST_TOPIC,
        DISCARD_TOPIC,
        "RMQ_SYS_ROCKSDB_TRANS_HALF_TOPIC",
        "RMQ_SYS_ROCKSDB_TRANS_OP_HALF_TOPIC",
    }
)

_ALLOWED: Final = re.compile(r"[%|a-zA-Z0-9_-]+")
_LONGEST_TOPIC: Final = 127
_LONGEST_RETRY_TOPIC: Final = 255
# It stands in the names of retry and dead letter topics.
_LONGEST_GROUP: Final = 120


def topic_problem(topic: str) -> str | None:
    """Why a topic's name is not allowed, in Java's words; None where it is."""
    if not topic.strip():
        return "The specified topic is blank."
    if not _ALLOWED.fullmatch(topic):
        return f"The specified topic: {topic}, contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$"
    if topic.startswith((RETRY_PREFIX, DLQ_PREFIX)):
        if len(topic) > _LONGEST_RETRY_TOPIC:
            return (
                f"The specified topic is DLQ or Retry topic: {topic}, "
                f"and it's longer than topic max length: {_LONGEST_RETRY_TOPIC}"
            )
    elif len(topic) > _LONGEST_TOPIC:
        return f"The specified topic: {topic}, is longer than topic max length: {_LONGEST_TOPIC}"
    return None


def group_problem(group: str) -> str | None:
    """Why a group's name is not allowed, in Java's words; None where it is."""
    if not group.strip():
        return "The specified group is blank."
    if not _ALLOWED.fullmatch(group):
        return f"The specified group: {group}, contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$"
    if len(group) > _LONGEST_GROUP:
        return f"The specified group: {group}, is longer than group max length: {_LONGEST_GROUP}"
    return None
