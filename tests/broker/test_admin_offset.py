"""Offsets moved by operators: at once for groups that are away, with the next pull for those online."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import pytest
import trio

from rocketmq_protocol import LanguageCode, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    ConsumerOffsetSerializeWrapper,
    MessageQueue,
    ResetOffsetBody,
    ResetOffsetBodyForC,
)
from rocketmq_protocol.headers import (
    CloneGroupOffsetRequestHeader,
    PullMessageRequestHeader,
    PullMessageResponseHeader,
    ResetOffsetRequestHeader,
    UpdateConsumerOffsetRequestHeader,
)
from rocketmq_protocol.sysflag import PullSysFlag
from rocketpy.broker.processors.offset import OffsetProcessor
from rocketpy.broker.processors.pull import PullProcessor
from rocketpy.remoting.errors import RequestRefused
from tests.broker.admin_broker import AdminBroker
from tests.broker.small_broker import CLIENT, Clock, call
from tests.remoting.peers import Peer, running_channel
from tests.trio_tests import trio_test


def three_messages(settings: dict[str, str] | None = None) -> AdminBroker:
    """In queue 0 of A, stored at 10, 11 and 12 s; G has consumed them."""
    clock = Clock(10_000)
    broker = AdminBroker(settings, clock=clock)
    broker.topic("A")
    for _ in range(3):
        broker.send("A", queue_id=0)
        clock.now += 1000
    broker.group("G")
    for queue_id in (0, 1):
        broker.offsets.commit("G", "A", queue_id, 3 if queue_id == 0 else 0)
    return broker


def reset_header(
    timestamp: int = 0,
    *,
    topic: str = "A",
    group: str = "G",
    queue_id: int = -1,
    offset: int | None = None,
    is_force: bool = True,
) -> ResetOffsetRequestHeader:
    return ResetOffsetRequestHeader(
        topic=topic, group=group, queue_id=queue_id, offset=offset, timestamp=timestamp, is_force=is_force
    )


@pytest.mark.parametrize(("timestamp", "expected"), [(0, 0), (11_000, 1), (99_000, 3), (-1, 3)])
def test_a_group_is_moved_to_a_time(timestamp: int, expected: int) -> None:
    broker = three_messages()
    answer = broker.ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, reset_header(timestamp))
    assert ResetOffsetBody.decode(answer.body).offset_table == {
        MessageQueue("A", "small", 0): expected,
        MessageQueue("A", "small", 1): 0,
    }
    assert broker.offsets.query("G", "A", 0) == expected
    assert broker.woken == [("A", 0), ("A", 1)]


def test_one_queue_is_moved_to_an_offset() -> None:
    broker = three_messages()
    answer = broker.ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, reset_header(queue_id=0, offset=2))
    assert ResetOffsetBody.decode(answer.body).offset_table == {MessageQueue("A", "small", 0): 2}
    answer = broker.ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, reset_header(11_000, queue_id=0))
    assert ResetOffsetBody.decode(answer.body).offset_table == {MessageQueue("A", "small", 0): 1}


@pytest.mark.parametrize(
    ("header", "code", "remark"),
    [
        (reset_header(topic="B"), ResponseCode.TOPIC_NOT_EXIST, "Topic B does not exist"),
        (reset_header(group="H"), ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, "Group H does not exist"),
        (
            reset_header(queue_id=0, offset=5),
            ResponseCode.SYSTEM_ERROR,
            "Target offset 5 not in consume queue range [0-3]",
        ),
    ],
)
def test_what_cannot_be_reset(header: ResetOffsetRequestHeader, code: ResponseCode, remark: str) -> None:
    answer = three_messages().ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, header)
    assert (answer.code, answer.remark) == (code, remark)


def test_commits_count_for_nothing_until_the_consumer_knows() -> None:
    broker = three_messages()
    broker.ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, reset_header())
    processor = OffsetProcessor(broker.offsets, broker.store, broker.positions)
    header = UpdateConsumerOffsetRequestHeader(consumer_group="G", topic="A", queue_id=0, commit_offset=3)
    commit = RemotingCommand.request(RequestCode.UPDATE_CONSUMER_OFFSET, header)
    answer = call(processor.update, commit)
    assert (answer.code, answer.remark) == (ResponseCode.SUCCESS, "Offset has been previously reset")
    assert broker.offsets.query("G", "A", 0) == 0
    broker.positions.take_reset("A", "G", 0)
    call(processor.update, commit)
    assert broker.offsets.query("G", "A", 0) == 3


def pull_request(offset: int) -> RemotingCommand:
    header = PullMessageRequestHeader(
        consumer_group="G",
        topic="A",
        queue_id=0,
        queue_offset=offset,
        max_msg_nums=32,
        sys_flag=PullSysFlag.FLAG_SUSPEND | PullSysFlag.FLAG_SUBSCRIPTION,
        commit_offset=0,
        suspend_timeout_millis=15_000,
        subscription="*",
        sub_version=0,
    )
    return RemotingCommand.request(RequestCode.PULL_MESSAGE, header)


def puller(broker: AdminBroker) -> PullProcessor:
    return PullProcessor(
        broker.config,
        broker.topics,
        broker.groups,
        broker.clients,
        broker.offsets,
        broker.store,
        broker.arrivals,
        positions=broker.positions,
        on_fetched=broker.counters.fetched,
    )


def test_the_next_pull_says_where_to_go_on() -> None:
    broker = three_messages()
    broker.ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, reset_header(11_000))
    answer = call(puller(broker).pull, pull_request(3))
    assert (answer.code, answer.remark) == (ResponseCode.PULL_OFFSET_MOVED, "OFFSET_RESET")
    assert answer.read_header(PullMessageResponseHeader).next_begin_offset == 1
    assert call(puller(broker).pull, pull_request(1)).code == ResponseCode.SUCCESS


@trio_test
async def test_a_pull_that_waits_is_told_as_well() -> None:
    broker = three_messages()
    waiting = puller(broker).pull(CLIENT, pull_request(3))
    assert isinstance(waiting, Awaitable)
    answers: list[RemotingCommand | None] = []

    async def wait() -> None:
        answers.append(await waiting)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(1)
        broker.ask(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, reset_header())
        broker.arrivals.notify(*broker.woken[0], 0)
        await trio.sleep(1)
        assert [answer.remark for answer in answers if answer is not None] == ["OFFSET_RESET"]


def test_pulls_are_counted_and_noted() -> None:
    broker = three_messages()
    call(puller(broker).pull, pull_request(1))
    assert broker.counters.groups["A@G"].messages == 2
    assert broker.positions.pulled_to("A", "G", 0) == 3


def test_offsets_are_cloned() -> None:
    broker = three_messages()
    header = CloneGroupOffsetRequestHeader(src_group="G", dest_group="H", topic="A")
    assert broker.ask(RequestCode.CLONE_GROUP_OFFSET, header).code == ResponseCode.SUCCESS
    assert broker.offsets.of_group("H", "A") == {0: 3, 1: 0}


def test_offsets_of_a_topic_not_subscribed_to_are_cloned_offline_only() -> None:
    broker = three_messages()
    broker.consumer("G", "B")
    for offline, expected in ((False, {}), (True, {0: 3, 1: 0})):
        header = CloneGroupOffsetRequestHeader(src_group="G", dest_group="H", topic="A", offline=offline)
        broker.ask(RequestCode.CLONE_GROUP_OFFSET, header)
        assert broker.offsets.of_group("H", "A") == expected


def test_all_offsets_are_given_to_a_slave() -> None:
    answer = three_messages().ask(RequestCode.GET_ALL_CONSUMER_OFFSET)
    assert ConsumerOffsetSerializeWrapper.decode(answer.body).offset_table == {"A@G": {0: 3, 1: 0}}


# With useServerSideResetOffset off, consumers are told directly.


async def reset_by_clients(
    broker: AdminBroker, header: ResetOffsetRequestHeader, language: LanguageCode = LanguageCode.JAVA
) -> RemotingCommand:
    request = RemotingCommand.request(RequestCode.INVOKE_BROKER_TO_RESET_OFFSET, header, language=language)
    answer = broker.routes[RequestCode.INVOKE_BROKER_TO_RESET_OFFSET](CLIENT, request)
    assert isinstance(answer, Awaitable)
    found = await answer
    assert found is not None
    return found


@asynccontextmanager
async def online() -> AsyncIterator[tuple[AdminBroker, Peer]]:
    broker = three_messages({"useServerSideResetOffset": "false"})
    async with running_channel() as (channel, peer):
        broker.consumer("G", "A", channel=channel)
        yield broker, peer


@trio_test
async def test_consumers_online_are_told_their_offsets() -> None:
    async with online() as (broker, peer):
        answer = await reset_by_clients(broker, reset_header())
        told = await peer.receive()
    assert answer.code == ResponseCode.SUCCESS
    assert (told.code, told.is_oneway) == (RequestCode.RESET_CONSUMER_CLIENT_OFFSET, True)
    expected = {MessageQueue("A", "small", 0): 0, MessageQueue("A", "small", 1): 0}
    assert ResetOffsetBody.decode(told.body).offset_table == expected
    assert ResetOffsetBody.decode(answer.body).offset_table == expected


@trio_test
async def test_without_force_no_one_is_moved_forward() -> None:
    async with online() as (broker, _):
        broker.offsets.commit("G", "A", 0, 1)
        answer = await reset_by_clients(broker, reset_header(-1, is_force=False))
    offsets = ResetOffsetBody.decode(answer.body).offset_table
    assert offsets[MessageQueue("A", "small", 0)] == 1


@trio_test
async def test_cpp_clients_get_a_list() -> None:
    async with online() as (broker, peer):
        await reset_by_clients(broker, reset_header(), LanguageCode.CPP)
        told = await peer.receive()
    listed = ResetOffsetBodyForC.decode(told.body).offset_table
    assert listed is not None
    assert [(queue.queue_id, queue.offset) for queue in listed] == [(0, 0), (1, 0)]


@trio_test
async def test_who_is_offline_cannot_be_told() -> None:
    broker = three_messages({"useServerSideResetOffset": "false"})
    for header, code in (
        (reset_header(), ResponseCode.CONSUMER_NOT_ONLINE),
        (reset_header(topic="B"), ResponseCode.TOPIC_NOT_EXIST),
        (reset_header(group="H"), ResponseCode.SYSTEM_ERROR),
    ):
        with pytest.raises(RequestRefused) as refused:
            await reset_by_clients(broker, header)
        assert refused.value.code == code
