"""What values stand for: codes, flag bits, versions, times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import partial
from typing import Final, TypeAlias

from rocketmq_protocol.codes import (
    ONEWAY_FLAG,
    RESPONSE_FLAG,
    LanguageCode,
    RequestCode,
    ResponseCode,
    SerializeType,
)
from rocketmq_protocol.explain.rows import Meaning
from rocketmq_protocol.javaisms import parse_long
from rocketmq_protocol.message import MessageVersion
from rocketmq_protocol.sysflag import MessageSysFlag, PullSysFlag

# From a number to what it stands for; an empty text where nothing is known.
Reading: TypeAlias = Callable[[int], str]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

# MQVersion counts a snapshot and a release of every version from 3.9.1 to 5.9.9; before, it is irregular.
_V3_9_1_SNAPSHOT: Final = 194
_V5_9_9: Final = 611


def _constant_name(codes: type[IntEnum], value: int) -> str:
    try:
        return codes(value).name
    except ValueError:
        return ""


def _from_table(table: dict[int, str], value: int) -> str:
    return table.get(value, "")


def _bit_names(bits: list[tuple[int, int, str]], value: int) -> str:
    return "|".join(name for mask, pattern, name in bits if value & mask == pattern)


def _bits_of(namespace: type) -> list[tuple[int, int, str]]:
    """Mask, pattern and name for every constant of a sysFlag class that is not zero."""
    return [
        (_mask(name, pattern), pattern, name)
        for name, pattern in vars(namespace).items()
        if name.isupper() and pattern
    ]


def _mask(name: str, pattern: int) -> int:
    """Transaction state and compression take several bits together, all else one bit each."""
    if name.startswith("TRANSACTION_"):
        return MessageSysFlag.TRANSACTION_ROLLBACK_TYPE
    if name.startswith("COMPRESSION_"):
        return MessageSysFlag.COMPRESSION_TYPE_COMPARATOR
    return pattern


def version_name(ordinal: int) -> str:
    """As MQVersion spells it: 513 -> V5_5_0."""
    if not _V3_9_1_SNAPSHOT <= ordinal <= _V5_9_9:
        return ""
    releases, is_release = divmod(ordinal - _V3_9_1_SNAPSHOT, 2)
    number = 391 + releases
    return f"V{number // 100}_{number // 10 % 10}_{number % 10}" + ("" if is_release else "_SNAPSHOT")


def time_text(millis: int) -> str:
    """Milliseconds since 1970 as a date, where they are one."""
    if millis <= 0:
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=millis)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""


request_code: Final[Reading] = partial(_constant_name, RequestCode)
response_code: Final[Reading] = partial(_constant_name, ResponseCode)
language: Final[Reading] = partial(_constant_name, LanguageCode)
serializer: Final[Reading] = partial(_constant_name, SerializeType)
record_magic: Final[Reading] = partial(_constant_name, MessageVersion)
command_flag: Final[Reading] = partial(
    _from_table,
    {
        0: "request",
        RESPONSE_FLAG: "response",
        ONEWAY_FLAG: "one-way request",
        RESPONSE_FLAG | ONEWAY_FLAG: "one-way response",
    },
)
message_sys_flag: Final[Reading] = partial(_bit_names, _bits_of(MessageSysFlag))
pull_sys_flag: Final[Reading] = partial(_bit_names, _bits_of(PullSysFlag))
transaction_state: Final[Reading] = partial(
    _from_table,
    {
        MessageSysFlag.TRANSACTION_NOT_TYPE: "TRANSACTION_NOT_TYPE",
        MessageSysFlag.TRANSACTION_COMMIT_TYPE: "TRANSACTION_COMMIT_TYPE",
        MessageSysFlag.TRANSACTION_ROLLBACK_TYPE: "TRANSACTION_ROLLBACK_TYPE",
    },
)
permission: Final[Reading] = partial(_from_table, {2: "write", 4: "read", 6: "read and write"})


def meant(value: object, reading: Reading | None) -> object:
    """The value together with what it stands for, if that is known; ext fields hold numbers as text."""
    if reading is None or not isinstance(value, int | str):
        return value
    try:
        text = reading(parse_long(value) if isinstance(value, str) else value)
    except ValueError:
        return value
    return Meaning(value, text) if text else value
