"""Transactions: halves, their end, and the questions to producers who ended none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.headers import CheckTransactionStateRequestHeader, EndTransactionRequestHeader
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.broker.services.transaction_check import TransactionCheck
from rocketpy.broker.state.clients import Client, ClientTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from tests.broker.small_broker import CLIENT, Clock, SmallBroker, call
from tests.remoting.peers import Peer, running_channel
from tests.trio_tests import trio_test

HALF = "RMQ_SYS_TRANS_HALF_TOPIC"
OP = "RMQ_SYS_TRANS_OP_HALF_TOPIC"
DISCARDED = "TRANS_CHECK_MAX_TIME_TOPIC"
GROUP = "CID_RMQ_SYS_TRANS"
COMMIT = MessageSysFlag.TRANSACTION_COMMIT_TYPE
ROLLBACK = MessageSysFlag.TRANSACTION_ROLLBACK_TYPE
PREPARED = {"TRAN_MSG": "true", "PGROUP": "producers", "UNIQ_KEY": "U1", "TAGS": "TagA"}


class Transactions(SmallBroker):
    """A broker with the service that asks producers; no producer is connected at first."""

    def __init__(self, **settings: str) -> None:
        self.time = Clock()
        super().__init__(settings, self.time)
        self.clients = ClientTable(lambda group: None)
        self.offsets = ConsumerOffsets(self.files.offsets, self.clock)
        self.check = self.restarted()

    def restarted(self) -> TransactionCheck:
        return TransactionCheck(self.config, self.topics, self.clients, self.offsets, self.store, self.clock)

    def half(self, body: bytes = b"half", **properties: str) -> MessageExt:
        """Send a half message, and give it as it is stored."""
        assert self.send("orders", body, PREPARED | properties).code == ResponseCode.SUCCESS
        return self.messages(HALF)[-1]

    def end(self, half: MessageExt, how: int = COMMIT, **fields: Any) -> RemotingCommand:
        return call(self.transactions.end, end_request(half, how, **fields))

    async def check_after(self, millis: int) -> None:
        self.time.now += millis
        await self.check.check()

    def positions(self) -> tuple[int, int]:
        """How far halves and ops have been looked through."""
        return self.offsets.query(GROUP, HALF, 0), self.offsets.query(GROUP, OP, 0)

    @asynccontextmanager
    async def producer(self, group: str = "producers") -> AsyncIterator[Peer]:
        async with running_channel() as (channel, peer):
            name = f"{channel.remote}-{id(channel)}"
            self.clients.register_producer(group, Client(name, channel, None, 0, last_seen=self.clock()))
            yield peer
        self.clients.connection_closed(channel)


def end_request(half: MessageExt, how: int, **fields: Any) -> RemotingCommand:
    header = EndTransactionRequestHeader(
        **{
            "producer_group": "producers",
            "tran_state_table_offset": half.queue_offset,
            "commit_log_offset": half.commit_log_offset,
            "commit_or_rollback": how,
            "msg_id": "U1",
            **fields,
        }
    )
    return RemotingCommand.request(RequestCode.END_TRANSACTION, header)


def test_half_is_kept_from_consumers() -> None:
    broker = Transactions()
    answer = broker.send("orders", b"half", PREPARED, queue_id=3)
    fields = answer.ext_fields or {}
    assert (fields["queueId"], fields["queueOffset"], fields["transactionId"]) == ("3", "0", "U1")
    (half,) = broker.messages(HALF)
    assert broker.messages("orders", 3) == []
    assert half.sys_flag == 0
    wanted = {"REAL_TOPIC": "orders", "REAL_QID": "3", "__transactionId__": "U1", "TRAN_MSG": "true"}
    assert half.properties.items() >= wanted.items()


def test_halves_are_refused_where_the_settings_say_so() -> None:
    answer = Transactions(rejectTransactionMessage="true").send("orders", b"half", PREPARED)
    assert (answer.code, answer.remark) == (
        ResponseCode.NO_PERMISSION,
        "the broker[127.0.0.1] sending transaction message is forbidden",
    )


def test_old_client_retrying_a_committed_message_sends_no_half() -> None:
    broker = Transactions()
    broker.send("%RETRY%g", b"again", PREPARED | {"DELAY": "3"}, queue_id=0, reconsume_times=1)
    assert broker.messages(HALF) == []
    assert len(broker.messages("SCHEDULE_TOPIC_XXXX", 2)) == 1


def test_commit_delivers_the_message_and_notes_the_end() -> None:
    broker = Transactions()
    half = broker.half()
    assert broker.end(half).code == ResponseCode.SUCCESS
    (message,) = broker.messages("orders", 1)
    assert (message.body, message.flag, message.tags, message.sys_flag) == (b"half", 7, "TagA", COMMIT)
    assert message.prepared_transaction_offset == half.commit_log_offset
    assert "REAL_TOPIC" not in message.properties
    assert message.properties["TRAN_MSG"] == "true"  # from which consumers know the transaction's id
    (op,) = broker.messages(OP)
    assert (op.body, op.tags) == (b"0,", "d")


def test_rollback_only_notes_the_end() -> None:
    broker = Transactions()
    assert broker.end(broker.half(), ROLLBACK).code == ResponseCode.SUCCESS
    assert broker.messages("orders", 1) == []
    assert len(broker.messages(OP)) == 1


def test_committed_message_with_a_delay_level_waits_then() -> None:
    broker = Transactions()
    broker.end(broker.half(DELAY="2"))
    (waiting,) = broker.messages("SCHEDULE_TOPIC_XXXX", 1)
    assert waiting.properties["REAL_TOPIC"] == "orders"


@pytest.mark.parametrize("how", [MessageSysFlag.TRANSACTION_NOT_TYPE, 99])
def test_producer_that_does_not_know_gets_no_answer(how: int) -> None:
    broker = Transactions()
    assert broker.transactions.end(CLIENT, end_request(broker.half(), how)) is None
    assert broker.messages(OP) == []


@pytest.mark.parametrize(
    ("fields", "remark"),
    [
        ({"producer_group": "others"}, "The producer group wrong"),
        ({"tran_state_table_offset": 5}, "The transaction state table offset wrong"),
        ({"commit_log_offset": 123456}, "Find prepared transaction message failed"),
    ],
)
def test_end_of_another_message_is_refused(fields: dict[str, Any], remark: str) -> None:
    broker = Transactions()
    answer = broker.end(broker.half(), **fields)
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, remark)
    assert broker.messages("orders", 1) == []


def test_end_of_a_message_that_is_no_half_is_refused() -> None:
    broker = Transactions()
    broker.send("orders", b"plain", {"PGROUP": "producers"})
    assert broker.end(broker.messages("orders", 1)[0]).code == ResponseCode.SYSTEM_ERROR


def test_producer_later_than_the_time_it_named_is_refused() -> None:
    broker = Transactions()
    half = broker.half(CHECK_IMMUNITY_TIME_IN_SECONDS="10")
    broker.time.now += 10_001
    assert broker.end(half).code == ResponseCode.ILLEGAL_OPERATION
    assert broker.end(half, from_transaction_check=True).code == ResponseCode.SUCCESS


def test_full_disk_refuses_the_end() -> None:
    broker = Transactions()
    half = broker.half()
    broker.store.writable = False
    answer = broker.end(half)
    assert (answer.code, answer.remark) == (ResponseCode.SERVICE_NOT_AVAILABLE, "Service not available now.")


@trio_test
async def test_ended_halves_are_passed_over() -> None:
    broker = Transactions()
    for how in (COMMIT, ROLLBACK):
        broker.end(broker.half(), how)
    async with broker.producer() as producer:
        await broker.check_after(60_000)
        assert await producer.receive_all() == []
    assert broker.positions() == (2, 2)


@trio_test
async def test_young_half_is_left_alone() -> None:
    broker = Transactions()
    broker.half()
    async with broker.producer() as producer:
        await broker.check_after(6000)
        assert await producer.receive_all() == []
    assert broker.positions() == (-1, -1)


@trio_test
async def test_producer_is_asked_about_a_copy_and_ends_it() -> None:
    broker = Transactions()
    half = broker.half(b"forgotten")
    async with broker.producer() as producer:
        await broker.check_after(6001)
        question = await producer.receive()
    copy = broker.messages(HALF)[1]
    assert (question.code, question.is_oneway) == (RequestCode.CHECK_TRANSACTION_STATE, True)
    assert question.read_header(CheckTransactionStateRequestHeader) == CheckTransactionStateRequestHeader(
        topic=HALF,
        tran_state_table_offset=1,
        commit_log_offset=copy.commit_log_offset,
        msg_id="U1",
        transaction_id="U1",
        offset_msg_id=copy.offset_msg_id,
        bname="small",
    )
    asked = decode_record(question.body)
    assert (asked.topic, asked.queue_id, asked.body) == ("orders", 1, b"forgotten")
    assert (asked.queue_offset, asked.commit_log_offset) == (1, copy.commit_log_offset)
    assert asked.properties == copy.properties | {"WAIT": "false"}
    assert copy.properties == half.properties | {"TRANSACTION_CHECK_TIMES": "1"}
    assert broker.end(copy, from_transaction_check=True).code == ResponseCode.SUCCESS
    await broker.check_after(30_000)
    assert broker.positions() == (2, 1)
    assert len(broker.messages(HALF)) == 2


@trio_test
async def test_half_without_an_answer_is_given_up_in_the_end() -> None:
    broker = Transactions(transactionCheckMax="3")
    broker.half(b"hopeless")
    async with broker.producer() as producer:
        for _ in range(4):
            await broker.check_after(30_000)
        assert len(await producer.receive_all()) == 3
    (discarded,) = broker.messages(DISCARDED)
    assert discarded.body == b"hopeless"
    assert discarded.properties["TRANSACTION_CHECK_TIMES"] == "3"
    assert broker.positions() == (4, -1)
    assert broker.topics.get(DISCARDED) is not None


@trio_test
async def test_half_older_than_the_files_is_given_up() -> None:
    broker = Transactions()
    broker.half()
    await broker.check_after(72 * 3600 * 1000 + 1)
    assert len(broker.messages(DISCARDED)) == 1


@trio_test
async def test_another_producer_of_the_group_is_asked_after_the_first_died() -> None:
    broker = Transactions()
    broker.half()
    async with broker.producer():
        pass
    await broker.check_after(10_000)  # nobody there
    async with broker.producer("others") as other, broker.producer() as heir:
        await broker.check_after(30_000)
        question = await heir.receive()
        assert decode_record(question.body).properties["TRANSACTION_CHECK_TIMES"] == "2"
        assert await other.receive_all() == []


@trio_test
async def test_producers_are_asked_in_turn() -> None:
    broker = Transactions()
    for _ in range(4):
        broker.half()
    async with broker.producer() as first, broker.producer() as second:
        await broker.check_after(10_000)
        assert [len(await peer.receive_all()) for peer in (first, second)] == [2, 2]


@trio_test
async def test_check_goes_on_after_a_restart_where_it_stood() -> None:
    broker = Transactions()
    broker.end(broker.half(b"first"))
    broker.half(b"second")
    await broker.check_after(10_000)
    broker.check = broker.restarted()
    async with broker.producer() as producer:
        await broker.check_after(30_000)
        (question,) = await producer.receive_all()
    assert decode_record(question.body).body == b"second"
    assert broker.positions() == (3, 1)


@trio_test
async def test_op_messages_are_kept_until_their_halves_were_passed() -> None:
    broker = Transactions()
    broker.half(b"old")
    ended = broker.half(b"ended")
    broker.time.now += 5000
    broker.half(b"young")
    broker.end(ended)
    await broker.check_after(500)  # all of them are young still
    assert broker.positions() == (-1, -1)
    await broker.check_after(1000)  # "old" is asked about, "ended" has ended, "young" waits
    assert broker.positions() == (2, 1)


@trio_test
async def test_half_that_named_its_own_time_does_not_hold_up_others() -> None:
    broker = Transactions()
    patient = broker.half(b"patient", CHECK_IMMUNITY_TIME_IN_SECONDS="100")
    broker.half(b"other")
    async with broker.producer() as producer:
        await broker.check_after(10_000)
        (question,) = await producer.receive_all()
        assert decode_record(question.body).body == b"other"
        kept = broker.messages(HALF)[2]
        assert (kept.body, kept.properties["TRAN_PREPARED_QUEUE_OFFSET"]) == (b"patient", "0")
        await broker.check_after(30_000)
        assert broker.messages(HALF)[-2].properties["TRAN_PREPARED_QUEUE_OFFSET"] == "0"
        broker.end(patient)
        await producer.receive_all()
        await broker.check_after(100_000)
        assert [decode_record(question.body).body for question in await producer.receive_all()] == [b"other"]


@trio_test
async def test_half_that_named_its_own_time_is_asked_about_afterwards() -> None:
    broker = Transactions()
    broker.half(b"patient", CHECK_IMMUNITY_TIME_IN_SECONDS="100")
    async with broker.producer() as producer:
        await broker.check_after(30_000)
        await broker.check_after(71_000)
        (question,) = await producer.receive_all()
        assert decode_record(question.body).body == b"patient"


@trio_test
async def test_offsets_behind_a_shorter_queue_are_corrected() -> None:
    broker = Transactions()
    broker.offsets.commit(GROUP, HALF, 0, 50)
    broker.offsets.commit(GROUP, OP, 0, 50)
    broker.end(broker.half())
    await broker.check_after(10_000)
    assert broker.positions() == (1, 1)


@trio_test
async def test_ends_are_known_though_older_ones_are_gone() -> None:
    broker = Transactions()
    for _ in range(2):
        broker.end(broker.half())
    for topic in (HALF, OP):
        queue = broker.store.queues.get(topic, 0)
        assert queue is not None
        queue.min_offset = 1
        broker.offsets.commit(GROUP, topic, 0, 0)
    await broker.check_after(10_000)
    assert broker.positions() == (2, 2)
    assert len(broker.messages(HALF)) == 0  # offset 0 is gone
    assert broker.store.max_offset(HALF, 0) == 2  # and nobody was asked


@trio_test
async def test_checks_come_at_the_interval_and_survive_a_full_disk() -> None:
    broker = Transactions(transactionCheckInterval="30000")
    broker.half()
    async with broker.producer() as producer, trio.open_nursery() as nursery:
        nursery.start_soon(broker.check.run)
        broker.time.now += 10_000
        broker.store.writable = False
        await trio.sleep(31)
        broker.store.writable = True
        assert broker.positions() == (-1, -1)
        await trio.sleep(30)
        assert len(await producer.receive_all()) == 1
        nursery.cancel_scope.cancel()
