"""Bits of sysFlag fields."""

from __future__ import annotations

import pytest

from rocketmq_protocol.sysflag import (
    MessageSysFlag,
    PullSysFlag,
    pull_sys_flag,
    transaction_type,
    with_transaction_type,
)


@pytest.mark.parametrize(
    "kind",
    [
        MessageSysFlag.TRANSACTION_NOT_TYPE,
        MessageSysFlag.TRANSACTION_PREPARED_TYPE,
        MessageSysFlag.TRANSACTION_COMMIT_TYPE,
        MessageSysFlag.TRANSACTION_ROLLBACK_TYPE,
    ],
)
def test_transaction_bits_change_without_touching_others(kind: int) -> None:
    others = ~MessageSysFlag.TRANSACTION_ROLLBACK_TYPE & 0x7FFFFFFF
    for flags in (0, others, others | MessageSysFlag.TRANSACTION_COMMIT_TYPE):
        changed = with_transaction_type(flags, kind)
        assert transaction_type(changed) == kind
        assert changed & others == flags & others


def test_pull_flags_add_up() -> None:
    assert pull_sys_flag() == 0
    assert pull_sys_flag(commit_offset=True, suspend=True) == 3
    assert pull_sys_flag(subscription=True, class_filter=True, lite_pull=True) == (
        PullSysFlag.FLAG_SUBSCRIPTION | PullSysFlag.FLAG_CLASS_FILTER | PullSysFlag.FLAG_LITE_PULL_MESSAGE
    )
