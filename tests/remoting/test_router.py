"""Router: from requests to replies, whatever a handler does."""

from __future__ import annotations

import logging

import pytest
import trio
import trio.testing

from rocketmq_protocol import RemotingCommand, ResponseCode, SerializeType
from rocketmq_protocol.headers import GetKVConfigRequestHeader, GetKVConfigResponseHeader
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.remoting.router import Limits, Router
from tests.remoting.peers import BROKEN, ECHO, HELD, SLOW, request, running_channel
from tests.trio_tests import trio_test


def echo(channel: Channel, command: RemotingCommand) -> RemotingCommand:
    return command.reply(0, body=command.body)


def broken(channel: Channel, command: RemotingCommand) -> RemotingCommand:
    raise KeyError("nothing here")


async def echo_later(channel: Channel, command: RemotingCommand) -> RemotingCommand:
    await trio.sleep(1)
    return command.reply(0)


async def broken_later(channel: Channel, command: RemotingCommand) -> RemotingCommand:
    await trio.sleep(1)
    raise KeyError("nothing here")


class Holder:
    """Requests that are answered when told to."""

    def __init__(self) -> None:
        self.release = trio.Event()
        self.ended = 0

    async def hold(self, channel: Channel, command: RemotingCommand) -> RemotingCommand:
        try:
            await self.release.wait()
        finally:
            self.ended += 1
        return command.reply(0)


@trio_test
async def test_an_unknown_code_is_answered_with_javas_remark() -> None:
    async with running_channel() as (_, peer):
        await peer.send(request(9999, 5))
        answer = await peer.receive()
    assert answer.code == ResponseCode.REQUEST_CODE_NOT_SUPPORTED
    assert answer.remark == " request type 9999 not supported"
    assert answer.opaque == 5


@pytest.mark.parametrize("serializer", SerializeType)
@trio_test
async def test_a_refusal_carries_code_remark_and_header(serializer: SerializeType) -> None:
    def refuse(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        raise RequestRefused(ResponseCode.QUERY_NOT_FOUND, "nothing", GetKVConfigResponseHeader(value="v"))

    async with running_channel(Router({ECHO: refuse})) as (_, peer):
        await peer.send(RemotingCommand.request(ECHO, serializer=serializer))
        answer = await peer.receive()
    assert (answer.code, answer.remark) == (ResponseCode.QUERY_NOT_FOUND, "nothing")
    assert answer.ext_fields == {"value": "v"}
    assert answer.serializer is serializer


@trio_test
async def test_a_header_that_lacks_a_field_is_refused_by_name() -> None:
    def read(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        command.read_header(GetKVConfigRequestHeader)
        return command.reply(0)

    async with running_channel(Router({ECHO: read})) as (_, peer):
        await peer.send(request(ECHO))
        answer = await peer.receive()
    assert answer.code == ResponseCode.SYSTEM_ERROR
    assert answer.remark is not None
    assert answer.remark.startswith("GetKVConfigRequestHeader.namespace: required")


@pytest.mark.parametrize("handler", [broken, broken_later])
@trio_test
async def test_an_error_in_a_handler_is_answered_and_logged_and_the_connection_goes_on(
    handler: object, caplog: pytest.LogCaptureFixture
) -> None:
    router = Router({BROKEN: handler, ECHO: echo})  # type: ignore[dict-item]
    with caplog.at_level(logging.ERROR):
        async with running_channel(router) as (_, peer):
            await peer.send(request(BROKEN, 1))
            await trio.sleep(2)
            await peer.send(request(ECHO, 2))
            failed, fine = await peer.receive(), await peer.receive()
    assert (failed.opaque, failed.code) == (1, ResponseCode.SYSTEM_ERROR)
    assert failed.remark == "KeyError: 'nothing here'"
    assert (fine.opaque, fine.code) == (2, 0)
    assert f"request {BROKEN} failed" in caplog.text


@pytest.mark.parametrize("is_async", [False, True])
@trio_test
async def test_a_reply_that_cannot_be_written_is_answered_with_an_error(is_async: bool) -> None:
    too_long = {"k" * 70_000: "v"}  # a name's length has 16 bits

    def unwritable(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        return command.reply(0, ext_fields=too_long)

    async def unwritable_later(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        return command.reply(0, ext_fields=too_long)

    router = Router({ECHO: unwritable_later if is_async else unwritable})
    async with running_channel(router) as (_, peer):
        await peer.send(RemotingCommand.request(ECHO, serializer=SerializeType.ROCKETMQ))
        assert (await peer.receive()).code == ResponseCode.SYSTEM_ERROR


@trio_test
async def test_a_oneway_request_is_never_answered() -> None:
    router = Router({ECHO: echo, BROKEN: broken, HELD: broken_later, SLOW: echo_later})
    async with running_channel(router) as (_, peer):
        await peer.send(*(request(code, oneway=True) for code in (ECHO, BROKEN, HELD, SLOW, 9999)))
        await trio.sleep(5)
        await peer.send(request(ECHO, 7))
        assert [answer.opaque for answer in await peer.receive_all()] == [7]


@trio_test
async def test_a_handler_may_leave_a_request_unanswered() -> None:
    async def nothing_later(channel: Channel, command: RemotingCommand) -> None:
        await trio.sleep(1)

    router = Router({ECHO: lambda channel, command: None, HELD: nothing_later})
    async with running_channel(router) as (_, peer):
        await peer.send(request(ECHO), request(HELD))
        await trio.sleep(2)
        assert await peer.receive_all() == []


@trio_test
async def test_requests_that_wait_do_not_hold_up_others() -> None:
    holder = Holder()
    async with running_channel(Router({HELD: holder.hold, ECHO: echo})) as (_, peer):
        await peer.send(request(HELD, 1), request(HELD, 2), request(ECHO, 3))
        assert (await peer.receive()).opaque == 3
        holder.release.set()
        assert {(await peer.receive()).opaque, (await peer.receive()).opaque} == {1, 2}


@trio_test
async def test_requests_that_wait_are_dropped_when_their_connection_ends() -> None:
    holder = Holder()
    async with running_channel(Router({HELD: holder.hold})) as (channel, peer):
        await peer.send(request(HELD, 1), request(HELD, 2))
        await trio.testing.wait_all_tasks_blocked()
        assert channel.in_flight == 2
        await peer.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert (channel.in_flight, holder.ended) == (0, 2)


@trio_test
async def test_a_connection_with_too_many_waiting_requests_is_told_to_slow_down() -> None:
    holder = Holder()
    router = Router({HELD: holder.hold, ECHO: echo}, Limits(per_connection=2, total=100))
    async with running_channel(router) as (_, peer), running_channel(router) as (_, other):
        await peer.send(request(HELD, 1), request(HELD, 2), request(HELD, 3), request(ECHO, 4))
        refused, echoed = await peer.receive(), await peer.receive()
        assert (refused.opaque, refused.code) == (3, ResponseCode.SYSTEM_BUSY)
        assert refused.remark == "[OVERLOAD]system busy, start flow control for a while"
        assert (echoed.opaque, echoed.code) == (4, 0)
        await other.send(request(HELD, 9))
        holder.release.set()
        assert (await other.receive()).code == 0
        assert {(await peer.receive()).code, (await peer.receive()).code} == {0}
        await peer.send(request(HELD, 5))
        assert (await peer.receive()).code == 0


@trio_test
async def test_too_many_waiting_requests_of_all_connections_are_refused() -> None:
    holder = Holder()
    router = Router({HELD: holder.hold}, Limits(per_connection=100, total=2))
    async with running_channel(router) as (_, peer), running_channel(router) as (_, other):
        await peer.send(request(HELD), request(HELD))
        await trio.testing.wait_all_tasks_blocked()
        await other.send(request(HELD))
        assert (await other.receive()).code == ResponseCode.SYSTEM_BUSY
        holder.release.set()
        for _ in range(2):
            assert (await peer.receive()).code == 0
        await other.send(request(HELD))
        assert (await other.receive()).code == 0
