"""The bits of sysFlag fields: of messages, pull requests, topics and subscriptions.

Plain ints in namespaces spelled as the Java classes, so that one grep finds both. (enum.IntFlag would make
every test of a bit on the per-message path a Python call.)
"""

from __future__ import annotations

from typing import Final


class MessageSysFlag:
    """sysFlag of a message: how its body is packed, its transaction state, the width of its hosts."""

    COMPRESSED_FLAG: Final = 0x1
    MULTI_TAGS_FLAG: Final = 0x1 << 1
    TRANSACTION_NOT_TYPE: Final = 0
    TRANSACTION_PREPARED_TYPE: Final = 0x1 << 2
    TRANSACTION_COMMIT_TYPE: Final = 0x2 << 2
    TRANSACTION_ROLLBACK_TYPE: Final = 0x3 << 2
    BORNHOST_V6_FLAG: Final = 0x1 << 4
    STOREHOSTADDRESS_V6_FLAG: Final = 0x1 << 5
    NEED_UNWRAP_FLAG: Final = 0x1 << 6
    INNER_BATCH_FLAG: Final = 0x1 << 7
    COMPRESSION_LZ4_TYPE: Final = 0x1 << 8
    COMPRESSION_ZSTD_TYPE: Final = 0x2 << 8
    COMPRESSION_ZLIB_TYPE: Final = 0x3 << 8
    COMPRESSION_TYPE_COMPARATOR: Final = 0x7 << 8


class PullSysFlag:
    """sysFlag of a PULL_MESSAGE request: what else the broker should do, and which fields are set."""

    FLAG_COMMIT_OFFSET: Final = 0x1
    FLAG_SUSPEND: Final = 0x1 << 1
    FLAG_SUBSCRIPTION: Final = 0x1 << 2
    FLAG_CLASS_FILTER: Final = 0x1 << 3
    FLAG_LITE_PULL_MESSAGE: Final = 0x1 << 4


class TopicSysFlag:
    """topicSysFlag of a topic config."""

    FLAG_UNIT: Final = 0x1
    FLAG_UNIT_SUB: Final = 0x1 << 1


class SubscriptionSysFlag:
    """groupSysFlag of a subscription group."""

    FLAG_UNIT: Final = 0x1


def transaction_type(sys_flag: int) -> int:
    """The two transaction bits of a message: one of MessageSysFlag.TRANSACTION_*."""
    return sys_flag & MessageSysFlag.TRANSACTION_ROLLBACK_TYPE


def with_transaction_type(sys_flag: int, kind: int) -> int:
    """The same flags with other transaction bits."""
    return sys_flag & ~MessageSysFlag.TRANSACTION_ROLLBACK_TYPE | kind


def pull_sys_flag(
    *,
    commit_offset: bool = False,
    suspend: bool = False,
    subscription: bool = False,
    class_filter: bool = False,
    lite_pull: bool = False,
) -> int:
    """sysFlag of a pull request, as PullSysFlag.buildSysFlag."""
    return (
        commit_offset * PullSysFlag.FLAG_COMMIT_OFFSET
        | suspend * PullSysFlag.FLAG_SUSPEND
        | subscription * PullSysFlag.FLAG_SUBSCRIPTION
        | class_filter * PullSysFlag.FLAG_CLASS_FILTER
        | lite_pull * PullSysFlag.FLAG_LITE_PULL_MESSAGE
    )
