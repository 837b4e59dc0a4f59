"""Transactions: half messages and their end (TransactionalMessageBridge, EndTransactionProcessor).

A half message waits in RMQ_SYS_TRANS_HALF_TOPIC, where no consumer looks. Its end, commit or rollback, is
noted in RMQ_SYS_TRANS_OP_HALF_TOPIC: a message with the tag `d` and, as body, queue offsets of ended halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.headers import EndTransactionRequestHeader
from rocketmq_protocol.javaisms import parse_boolean, parse_int
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.properties import (
    PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS,
    PROPERTY_DELAY_TIME_LEVEL,
    PROPERTY_PRODUCER_GROUP,
    PROPERTY_REAL_QUEUE_ID,
    PROPERTY_REAL_TOPIC,
    PROPERTY_TAGS,
    PROPERTY_TRANSACTION_ID,
    PROPERTY_TRANSACTION_PREPARED,
    PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
    PROPERTY_WAIT_STORE_MSG_OK,
    format_properties,
)
from rocketmq_protocol.sysflag import MessageSysFlag, with_transaction_type
from rocketpy.broker.answers import NO_REMARK
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.services.delay import postpone
from rocketpy.broker.services.rewrite import properties_bytes, properties_of, renewed, stored_message
from rocketpy.broker.state.names import HALF_TOPIC, OP_HALF_TOPIC
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.append import AppendRefused, NewMessage, PutStatus
from rocketpy.store.message_store import MessageStore

_PREPARED: Final = f"{PROPERTY_TRANSACTION_PREPARED}\x01".encode()
_OP_PROPERTIES: Final = format_properties({PROPERTY_TAGS: "d", PROPERTY_WAIT_STORE_MSG_OK: "true"}).encode()
_ENDS: Final = (MessageSysFlag.TRANSACTION_COMMIT_TYPE, MessageSysFlag.TRANSACTION_ROLLBACK_TYPE)


def is_half(message: NewMessage) -> bool:
    """Whether a message sent is the half of a transaction."""
    if _PREPARED not in message.properties:
        return False
    properties = properties_of(message)
    # Clients before 4.6.1 sent a committed message back for a retry with this property still on it.
    is_retry = message.reconsume_times > 0 and properties.get(PROPERTY_DELAY_TIME_LEVEL, "0") != "0"
    return parse_boolean(properties.get(PROPERTY_TRANSACTION_PREPARED, "")) and not is_retry


def hide(message: NewMessage) -> None:
    """Put a half message where no consumer sees it (TransactionalMessageBridge.parseHalfMessageInner)."""
    properties = properties_of(message)
    properties[PROPERTY_TRANSACTION_ID] = properties[PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX]
    properties[PROPERTY_REAL_TOPIC] = message.topic
    properties[PROPERTY_REAL_QUEUE_ID] = str(message.queue_id)
    message.properties = properties_bytes(properties)
    message.sys_flag = with_transaction_type(message.sys_flag, MessageSysFlag.TRANSACTION_NOT_TYPE)
    message.topic = HALF_TOPIC
    message.queue_id = 0


class TransactionProcessor:
    """Ends transactions as their producers say."""

    def __init__(
        self, config: BrokerConfig, store: MessageStore, store_host: bytes, clock: Callable[[], int]
    ) -> None:
        self._config = config
        self._store = store
        self._store_host = store_host
        self._clock = clock

    def end(self, channel: Channel, request: RemotingCommand) -> RemotingCommand | None:
        """Commit or roll back; a producer that does not know yet gets no answer."""
        header = request.read_header(EndTransactionRequestHeader)
        if header.commit_or_rollback not in _ENDS:
            return None
        half = stored_message(self._store, header.commit_log_offset)
        if half is None:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "Find prepared transaction message failed")
        self._check(half, header)
        if header.commit_or_rollback == MessageSysFlag.TRANSACTION_ROLLBACK_TYPE:
            self._append(self._end_of(half))
            return request.reply(ResponseCode.SUCCESS, remark=NO_REMARK)
        self._append(self._committed(half))
        self._append(self._end_of(half))
        return request.reply(ResponseCode.SUCCESS)

    def _check(self, half: MessageExt, header: EndTransactionRequestHeader) -> None:
        """EndTransactionProcessor.rejectCommitOrRollback and checkPrepareMessage."""
        if not header.from_transaction_check and self._is_too_late(half):
            raise RequestRefused(ResponseCode.ILLEGAL_OPERATION, NO_REMARK)
        if half.properties.get(PROPERTY_PRODUCER_GROUP) != header.producer_group:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "The producer group wrong")
        if half.queue_offset != header.tran_state_table_offset:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "The transaction state table offset wrong")
        if half.topic != HALF_TOPIC:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "Find prepared transaction message failed")

    def _is_too_late(self, half: MessageExt) -> bool:
        """Whether a producer that named a time for its first check has let it pass."""
        immunity = half.properties.get(PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS)
        if immunity is None:
            return False
        limit = max(_seconds(immunity) * 1000, self._config.number("transactionTimeOut"))
        return self._clock() - half.born_timestamp > limit

    def _committed(self, half: MessageExt) -> NewMessage:
        """The message for its consumers; its properties say TRAN_MSG still, as in Java."""
        properties = dict(half.properties)
        topic = properties.pop(PROPERTY_REAL_TOPIC)
        queue_id = parse_int(properties.pop(PROPERTY_REAL_QUEUE_ID), low=0)
        message = renewed(half, topic, queue_id, properties)
        message.sys_flag = with_transaction_type(half.sys_flag, MessageSysFlag.TRANSACTION_COMMIT_TYPE)
        message.prepared_offset = half.commit_log_offset
        postpone(message, len(self._store.config.delay_levels))
        return message

    def _end_of(self, half: MessageExt) -> NewMessage:
        """The note that a half message has ended.

        It is written at once, so that a crash forgets none; Java gathers several for three seconds.
        """
        return NewMessage(
            topic=OP_HALF_TOPIC,
            queue_id=half.queue_id,
            body=f"{half.queue_offset},".encode(),
            properties=_OP_PROPERTIES,
            born_timestamp=self._clock(),
            born_host=self._store_host,
            store_host=self._store_host,
        )

    def _append(self, message: NewMessage) -> None:
        """Store a message, or refuse in the words of EndTransactionProcessor.sendFinalMessage."""
        try:
            self._store.append(message)
        except AppendRefused as refused:
            if refused.status is PutStatus.SERVICE_NOT_AVAILABLE:
                raise RequestRefused(
                    ResponseCode.SERVICE_NOT_AVAILABLE, "Service not available now."
                ) from None
            raise RequestRefused(
                ResponseCode.MESSAGE_ILLEGAL,
                "The message is illegal, maybe msg body or properties length not matched. msg body length "
                f"limit {self._config.number('maxMessageSize')}B, msg properties length limit 32KB.",
            ) from None


def _seconds(text: str) -> int:
    try:
        return parse_int(text)
    except ValueError:
        return 0
