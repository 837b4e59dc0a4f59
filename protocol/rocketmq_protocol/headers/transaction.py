"""Transactions: checking a half message's fate and ending it."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, Long, RpcRequestHeader, header


@header()
class CheckTransactionStateResponseHeader(Header):
    """The fate of a transaction, as old clients told it."""

    producer_group: str
    tran_state_table_offset: Long
    commit_log_offset: Long
    commit_or_rollback: Int


@header(RequestCode.CHECK_TRANSACTION_STATE)
class CheckTransactionStateRequestHeader(RpcRequestHeader):
    """Ask a producer what became of a transaction; the body is its half message."""

    topic: str | None = None
    tran_state_table_offset: Long
    commit_log_offset: Long
    msg_id: str | None = None
    transaction_id: str | None = None
    offset_msg_id: str | None = None


@header()
class EndTransactionResponseHeader(Header):
    """Nothing: the transaction is ended."""


@header(RequestCode.END_TRANSACTION)
class EndTransactionRequestHeader(RpcRequestHeader):
    """Commit a half message or roll it back."""

    topic: str | None = None
    producer_group: str
    tran_state_table_offset: Long
    commit_log_offset: Long
    commit_or_rollback: Int
    from_transaction_check: bool = False
    msg_id: str
    transaction_id: str | None = None


@header(RequestCode.RESUME_CHECK_HALF_MESSAGE)
class ResumeCheckHalfMessageRequestHeader(Header):
    """Check again a half message that was given up."""

    topic: str | None = None
    msg_id: str | None = None
