"""Clients through the admin requests, some of which go on to a client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import pytest
import trio

from rocketmq_protocol import LanguageCode, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    Connection,
    ConsumerConnection,
    ConsumeType,
    GetConsumerStatusBody,
    MessageQueue,
    ProducerConnection,
    ProducerTableInfo,
)
from rocketmq_protocol.headers import (
    ConsumeMessageDirectlyResultRequestHeader,
    GetAllProducerInfoRequestHeader,
    GetConsumerConnectionListRequestHeader,
    GetConsumerRunningInfoRequestHeader,
    GetConsumerStatusRequestHeader,
    GetProducerConnectionListRequestHeader,
    Header,
)
from rocketmq_protocol.message_record import decode_record
from rocketpy.remoting.errors import RequestRefused
from tests.broker.admin_broker import AdminBroker
from tests.broker.small_broker import CLIENT
from tests.remoting.peers import Peer, running_channel
from tests.trio_tests import trio_test

CONNECTION = Connection(
    client_id="c1", client_addr="127.0.0.1:50000", language=LanguageCode.JAVA, version=513
)
MESSAGE_ID = "7F00000100002A9F" + "0" * 16
RUNNING_INFO = GetConsumerRunningInfoRequestHeader(consumer_group="G", client_id="c1")
DIRECTLY = ConsumeMessageDirectlyResultRequestHeader(
    consumer_group="G", client_id="c1", msg_id=MESSAGE_ID, topic="A"
)


def test_consumers_of_a_group() -> None:
    broker = AdminBroker()
    broker.consumer("G", "A")
    header = GetConsumerConnectionListRequestHeader(consumer_group="G")
    answer = broker.ask(RequestCode.GET_CONSUMER_CONNECTION_LIST, header)
    body = ConsumerConnection.decode(answer.body)
    assert body.connection_set == [CONNECTION]
    assert body.subscription_table["A"].sub_string == "*"
    assert body.consume_type is ConsumeType.CONSUME_PASSIVELY


def test_producers_of_a_group_and_of_all() -> None:
    broker = AdminBroker()
    broker.clients.register_producer("P", broker.client("c1"))
    header = GetProducerConnectionListRequestHeader(producer_group="P")
    answer = broker.ask(RequestCode.GET_PRODUCER_CONNECTION_LIST, header)
    assert ProducerConnection.decode(answer.body).connection_set == [CONNECTION]
    answer = broker.ask(RequestCode.GET_ALL_PRODUCER_INFO, GetAllProducerInfoRequestHeader())
    listed = ProducerTableInfo.decode(answer.body).data
    assert listed is not None
    assert [info.remote_ip for info in listed["P"]] == ["/127.0.0.1:50000"]


def test_groups_that_are_not_online() -> None:
    broker = AdminBroker()
    consumers = GetConsumerConnectionListRequestHeader(consumer_group="G")
    answer = broker.ask(RequestCode.GET_CONSUMER_CONNECTION_LIST, consumers)
    assert (answer.code, answer.remark) == (
        ResponseCode.CONSUMER_NOT_ONLINE,
        "the consumer group[G] not online",
    )
    producers = GetProducerConnectionListRequestHeader(producer_group="P")
    answer = broker.ask(RequestCode.GET_PRODUCER_CONNECTION_LIST, producers)
    assert (answer.code, answer.remark) == (
        ResponseCode.SYSTEM_ERROR,
        "the producer group[P] not exist",
    )


async def ask(broker: AdminBroker, code: RequestCode, header: Header) -> RemotingCommand:
    answer = broker.routes[code](CLIENT, RemotingCommand.request(code, header, opaque=77))
    assert isinstance(answer, Awaitable)
    found = await answer
    assert found is not None
    return found


@asynccontextmanager
async def consumer_online() -> AsyncIterator[tuple[AdminBroker, Peer]]:
    broker = AdminBroker()
    broker.send("A", queue_id=0)
    async with running_channel() as (channel, peer):
        broker.consumer("G", "A", channel=channel)
        yield broker, peer


async def answer_next(peer: Peer, asked: list[RemotingCommand], body: bytes) -> None:
    """Play the client: note what it is asked and answer it."""
    question = await peer.receive()
    asked.append(question)
    await peer.send(question.reply(ResponseCode.SUCCESS, remark="from the client", body=body))


@trio_test
async def test_running_info_comes_from_the_client() -> None:
    asked: list[RemotingCommand] = []
    async with consumer_online() as (broker, peer), trio.open_nursery() as nursery:
        nursery.start_soon(answer_next, peer, asked, b'{"jstack":"..."}')
        answer = await ask(broker, RequestCode.GET_CONSUMER_RUNNING_INFO, RUNNING_INFO)
    assert asked[0].code == RequestCode.GET_CONSUMER_RUNNING_INFO
    assert asked[0].read_header(GetConsumerRunningInfoRequestHeader) == RUNNING_INFO
    assert (answer.opaque, answer.remark, answer.body) == (77, "from the client", b'{"jstack":"..."}')


@trio_test
async def test_a_message_is_consumed_directly_by_a_client() -> None:
    asked: list[RemotingCommand] = []
    async with consumer_online() as (broker, peer), trio.open_nursery() as nursery:
        nursery.start_soon(answer_next, peer, asked, b"{}")
        await ask(broker, RequestCode.CONSUME_MESSAGE_DIRECTLY, DIRECTLY)
    fields = asked[0].ext_fields
    assert fields is not None
    assert (fields["brokerName"], fields["topicSysFlag"], fields["groupSysFlag"]) == ("small", "0", "0")
    assert decode_record(asked[0].body).topic == "A"


@trio_test
async def test_a_message_that_is_not_there_is_not_consumed() -> None:
    broker = AdminBroker()
    with pytest.raises(RequestRefused, match="can not find message by the id"):
        await ask(broker, RequestCode.CONSUME_MESSAGE_DIRECTLY, DIRECTLY)


@trio_test
async def test_a_client_that_does_not_answer_is_a_timeout() -> None:
    async with consumer_online() as (broker, _):
        with pytest.raises(RequestRefused) as refused:
            await ask(broker, RequestCode.GET_CONSUMER_RUNNING_INFO, RUNNING_INFO)
    assert refused.value.code == ResponseCode.CONSUME_MSG_TIMEOUT
    assert (refused.value.remark or "").startswith("consumer <G> <c1> Timeout: ")


@trio_test
async def test_a_client_that_leaves_while_asked_is_an_error() -> None:
    async with consumer_online() as (broker, peer), trio.open_nursery() as nursery:
        nursery.start_soon(peer.stream.aclose)
        with pytest.raises(RequestRefused) as refused:
            await ask(broker, RequestCode.GET_CONSUMER_RUNNING_INFO, RUNNING_INFO)
    assert refused.value.code == ResponseCode.SYSTEM_ERROR
    assert (refused.value.remark or "").startswith("invoke consumer <G> <c1> Exception: ")


@trio_test
async def test_no_one_is_asked_who_is_not_online_or_too_old() -> None:
    async with running_channel() as (channel, _):
        broker = AdminBroker()
        broker.consumer("G", "A", client_id="old", channel=channel, version=61)
        for client_id, remark in (
            ("c1", "The Consumer <G> <c1> not online"),
            (
                "old",
                "The Consumer <old> Version <61> too low to finish, please upgrade it to V3_1_8_SNAPSHOT",
            ),
        ):
            header = GetConsumerRunningInfoRequestHeader(consumer_group="G", client_id=client_id)
            with pytest.raises(RequestRefused) as refused:
                await ask(broker, RequestCode.GET_CONSUMER_RUNNING_INFO, header)
            assert refused.value.remark == remark


@trio_test
async def test_offsets_in_the_memory_of_clients() -> None:
    queue = MessageQueue("A", "small", 0)
    known = GetConsumerStatusBody(message_queue_table={queue: 5}).encode()
    asked: list[RemotingCommand] = []
    header = GetConsumerStatusRequestHeader(topic="A", group="G", client_addr="")
    async with consumer_online() as (broker, peer), trio.open_nursery() as nursery:
        nursery.start_soon(answer_next, peer, asked, known)
        answer = await ask(broker, RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, header)
    assert GetConsumerStatusBody.decode(answer.body).consumer_table == {"c1": {queue: 5}}
    with pytest.raises(RequestRefused, match="No Any Consumer online"):
        await ask(AdminBroker(), RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS, header)
