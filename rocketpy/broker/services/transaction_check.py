"""Asking producers what became of half messages that nobody ended (TransactionalMessageServiceImpl.check).

A half message that is asked about is stored again behind the others, with the number of times it was asked
about, and the answer refers to that copy. So the queue of halves is read once, from front to back, and all
there is to remember is how far: in consumer offsets of the group CID_RMQ_SYS_TRANS.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import Final

import trio

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.headers import CheckTransactionStateRequestHeader
from rocketmq_protocol.javaisms import parse_long
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_record import decode_record, encode_record, iter_records
from rocketmq_protocol.properties import (
    PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS,
    PROPERTY_PRODUCER_GROUP,
    PROPERTY_REAL_QUEUE_ID,
    PROPERTY_REAL_TOPIC,
    PROPERTY_TRANSACTION_CHECK_TIMES,
    PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET,
    PROPERTY_WAIT_STORE_MSG_OK,
)
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.services.rewrite import renewed
from rocketpy.broker.state.clients import ClientTable
from rocketpy.broker.state.names import DISCARD_TOPIC, HALF_TOPIC, OP_HALF_TOPIC
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError
from rocketpy.store.append import AppendRefused
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore

logger = logging.getLogger(__name__)

_GROUP: Final = "CID_RMQ_SYS_TRANS"
_QUEUE: Final = 0
_HOUR_MILLIS: Final = 3_600_000


class EndedHalves:
    """Which half messages were committed or rolled back, as the op queue tells from an offset on."""

    def __init__(self, store: MessageStore, offset: int, first_half: int) -> None:
        self._store = store
        self._first_half = first_half
        self._next = offset
        # By the half's offset: the op message that ended it; by the op's offset: the halves not seen yet.
        self._op_of: dict[int, int] = {}
        self._unseen: dict[int, set[int]] = {}
        self._earlier: set[int] = set()

    def read_on(self) -> None:
        """Take in what has come since."""
        while True:
            found = self._store.fetch(OP_HALF_TOPIC, _QUEUE, self._next)
            if found.next_offset == self._next:
                return
            self._next = found.next_offset
            for view in found.views:
                for op in iter_records(view, errors="replace"):
                    self._take_in(op)

    def _take_in(self, op: MessageExt) -> None:
        for text in op.body.decode("utf-8", "replace").split(","):
            offset = _number(text)
            if offset is None:
                continue
            if offset < self._first_half:
                self._earlier.add(offset)
            else:
                self._op_of[offset] = op.queue_offset
                self._unseen.setdefault(op.queue_offset, set()).add(offset)

    def take(self, half: int) -> bool:
        """Whether this half has ended; it will not be asked for again."""
        op = self._op_of.pop(half, None)
        if op is None:
            return False
        self._unseen[op].discard(half)
        if not self._unseen[op]:
            del self._unseen[op]
        return True

    def __contains__(self, half: int) -> bool:
        """Whether this half, maybe one from before, has ended."""
        return half in self._op_of or half in self._earlier

    @property
    def done(self) -> int:
        """The op messages before this offset are of no more use."""
        return min(self._unseen, default=self._next)


class TransactionCheck:
    """Looks through the half messages every transactionCheckInterval."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        clients: ClientTable,
        offsets: ConsumerOffsets,
        store: MessageStore,
        clock: Callable[[], int],
    ) -> None:
        self._config = config
        self._topics = topics
        self._clients = clients
        self._offsets = offsets
        self._store = store
        self._clock = clock
        self._turns = count()

    async def run(self) -> None:
        """Check again and again."""
        while True:
            await trio.sleep(self._config.number("transactionCheckInterval") / 1000)
            try:
                await self.check()
            except AppendRefused as refused:
                logger.warning("transactions are checked later: %s", refused)

    async def check(self) -> None:
        """Go through the halves up to the first one that is too young."""
        started = self._clock()
        offset = self._offset(HALF_TOPIC)
        ended = EndedHalves(self._store, self._offset(OP_HALF_TOPIC), offset)
        try:
            while (following := await self._settle(offset, ended, started)) is not None:
                offset = following
                await trio.lowlevel.checkpoint()
        finally:
            self._note(HALF_TOPIC, offset)
            self._note(OP_HALF_TOPIC, ended.done)

    def _offset(self, topic: str) -> int:
        noted = self._offsets.query(_GROUP, topic, _QUEUE)
        return noted if noted >= 0 else self._store.min_offset(topic, _QUEUE)

    def _note(self, topic: str, offset: int) -> None:
        if offset != self._offset(topic):
            self._offsets.commit(_GROUP, topic, _QUEUE, offset)

    async def _settle(self, offset: int, ended: EndedHalves, started: int) -> int | None:
        """Do what is due for one half; gives the offset to go on at, None if that is for later."""
        # No await from here to the end of the decision: no end can be missed.
        ended.read_on()
        if ended.take(offset):
            return offset + 1
        found = self._store.fetch(HALF_TOPIC, _QUEUE, offset, 1)
        if found.status is not FetchStatus.FOUND:
            return found.next_offset if found.next_offset != offset else None
        half = decode_record(found.views[0], errors="replace")
        if _first_offset(half) in ended:
            return offset + 1
        if self._is_hopeless(half):
            self._discard(half)
        elif half.store_timestamp >= started:
            return None
        elif self._is_immune(half):
            if half.properties.get(PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS) is None:
                return None
            self._keep(half)
        else:
            await self._ask(half)
        return offset + 1

    def _is_hopeless(self, half: MessageExt) -> bool:
        """Asked about too often, or so old that its file may go any time."""
        too_old = self._config.number("fileReservedTime") * _HOUR_MILLIS
        return (
            _checks(half) >= self._config.number("transactionCheckMax")
            or self._clock() - half.born_timestamp > too_old
        )

    def _is_immune(self, half: MessageExt) -> bool:
        """Whether the producer still has time to end the transaction by itself."""
        age = self._clock() - half.born_timestamp
        own = half.properties.get(PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS)
        if own is None:
            return 0 <= age <= self._config.number("transactionTimeOut")
        seconds = _number(own)
        return age <= (self._config.number("transactionTimeOut") if seconds is None else seconds * 1000)

    def _keep(self, half: MessageExt) -> None:
        """Put a half with a time of its own behind the others, which need not wait for it."""
        properties = half.properties | {
            PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET: str(_first_offset(half)),
            PROPERTY_WAIT_STORE_MSG_OK: "false",
        }
        self._store.append(renewed(half, HALF_TOPIC, half.queue_id, properties))

    def _discard(self, half: MessageExt) -> None:
        logger.error("half message %s is given up after %d checks", half.offset_msg_id, _checks(half))
        topic = self._topics.create_on_send_back(DISCARD_TOPIC, 1)
        self._store.append(renewed(half, topic.topic_name or DISCARD_TOPIC, 0))

    async def _ask(self, half: MessageExt) -> None:
        """Store the half again, and ask a producer of its group about the copy."""
        properties = half.properties | {PROPERTY_TRANSACTION_CHECK_TIMES: str(_checks(half) + 1)}
        half.replace_properties(properties)
        copy = self._store.append(renewed(half, HALF_TOPIC, half.queue_id))
        half.queue_offset, half.commit_log_offset = copy.queue_offset, copy.offset
        group = properties.get(PROPERTY_PRODUCER_GROUP, "")
        channel = self._producer(group)
        if channel is None:
            logger.warning("half message %s: no producer of group %s to ask", half.offset_msg_id, group)
            return
        try:
            await channel.send(self._question(half))
        except RemotingError as error:
            logger.warning("half message %s: %s", half.offset_msg_id, error)

    def _producer(self, group: str) -> Channel | None:
        """A live producer of the group, another one each time (ProducerManager.getAvailableChannel)."""
        channels = [
            client.channel
            for client in self._clients.producers.get(group, {}).values()
            if isinstance(client.channel, Channel)
            and not client.channel.closed.is_set()
            and not client.channel.is_congested
        ]
        return channels[next(self._turns) % len(channels)] if channels else None

    def _question(self, half: MessageExt) -> RemotingCommand:
        header = CheckTransactionStateRequestHeader(
            topic=half.topic,
            tran_state_table_offset=half.queue_offset,
            commit_log_offset=half.commit_log_offset,
            msg_id=half.unique_id,
            transaction_id=half.unique_id,
            offset_msg_id=half.offset_msg_id,
            bname=self._config.broker_name,
        )
        half.replace_properties(half.properties | {PROPERTY_WAIT_STORE_MSG_OK: "false"})
        half.topic = half.properties.get(PROPERTY_REAL_TOPIC, half.topic)
        half.queue_id = _number(half.properties.get(PROPERTY_REAL_QUEUE_ID, "")) or 0
        return RemotingCommand.request(
            RequestCode.CHECK_TRANSACTION_STATE, header, body=encode_record(half), oneway=True
        )


def _checks(half: MessageExt) -> int:
    """How often producers were asked about a half already."""
    return _number(half.properties.get(PROPERTY_TRANSACTION_CHECK_TIMES, "0")) or 0


def _first_offset(half: MessageExt) -> int:
    """Where the half lay that the producer knows, if it was put behind others since."""
    first = _number(half.properties.get(PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET, ""))
    return half.queue_offset if first is None else first


def _number(text: str) -> int | None:
    try:
        return parse_long(text)
    except ValueError:
        return None
