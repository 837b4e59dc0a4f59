"""Channel: what leaves, what comes back, and what happens when the peer is slow, silent or gone."""

from __future__ import annotations

import logging

import pytest
import trio
import trio.testing

from rocketmq_protocol import RemotingCommand
from rocketpy.remoting.channel import HIGH_WATER, Channel
from rocketpy.remoting.errors import ChannelClosed, RemotingError, RequestTimeout
from rocketpy.remoting.router import Router
from tests.remoting.peers import ECHO, Peer, request, running_channel
from tests.trio_tests import trio_test

MIB = 1024 * 1024


def echo(channel: Channel, command: RemotingCommand) -> RemotingCommand:
    return command.reply(0, body=command.body)


async def outcome_of_invoke(channel: Channel, timeout: float, outcomes: list[object], code: int = 10) -> None:
    try:
        outcomes.append((await channel.invoke(request(code), timeout)).code)
    except RemotingError as error:
        outcomes.append(type(error))


@trio_test
async def test_answers_find_their_requests_whatever_their_order() -> None:
    outcomes: dict[int, bytes] = {}

    async def ask(channel: Channel, code: int) -> None:
        outcomes[code] = (await channel.invoke(request(code), 5)).body

    async with running_channel() as (channel, peer), trio.open_nursery() as nursery:
        nursery.start_soon(ask, channel, 10)
        nursery.start_soon(ask, channel, 11)
        asked = [await peer.receive(), await peer.receive()]
        for question in reversed(asked):
            await peer.send(question.reply(0, body=b"answer to %d" % question.code))
    assert outcomes == {10: b"answer to 10", 11: b"answer to 11"}


@trio_test
async def test_a_request_of_the_peer_with_the_same_number_is_not_taken_for_the_answer() -> None:
    async with running_channel(Router({ECHO: echo})) as (channel, peer), trio.open_nursery() as nursery:
        outcomes: list[object] = []
        nursery.start_soon(outcome_of_invoke, channel, 5, outcomes)
        question = await peer.receive()
        await peer.send(request(ECHO, question.opaque))
        assert (await peer.receive()).is_response
        assert outcomes == []
        await peer.send(question.reply(7))
        await trio.testing.wait_all_tasks_blocked()
        assert outcomes == [7]


@trio_test
async def test_an_answer_that_comes_too_late_is_dropped_and_the_channel_goes_on() -> None:
    async with running_channel() as (channel, peer):
        with pytest.raises(RequestTimeout, match="no answer to request 10 in 3 s"):
            await channel.invoke(request(10), 3)
        await peer.send((await peer.receive()).reply(0))
        async with trio.open_nursery() as nursery:
            outcomes: list[object] = []
            nursery.start_soon(outcome_of_invoke, channel, 3, outcomes)
            await peer.send((await peer.receive()).reply(5))
    assert outcomes == [5]


@trio_test
async def test_closing_tells_everyone_who_waits_at_once() -> None:
    outcomes: list[object] = []
    async with running_channel() as (channel, _), trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(outcome_of_invoke, channel, 1000, outcomes)
        await trio.testing.wait_all_tasks_blocked()
        started = trio.current_time()
        channel.close()
    assert outcomes == [ChannelClosed] * 3
    assert trio.current_time() == started


@trio_test
async def test_a_closed_channel_refuses_to_send_and_drops_what_is_put_up() -> None:
    async with running_channel() as (channel, peer):
        channel.close()
        with pytest.raises(ChannelClosed):
            await channel.send(request(10))
        with pytest.raises(ChannelClosed):
            await channel.invoke(request(10), 1000)
        channel.queue(request(10))
        channel.push()
        assert await peer.sees_the_end()


@trio_test
async def test_a_peer_that_leaves_ends_the_channel_and_fails_its_requests() -> None:
    outcomes: list[object] = []
    async with running_channel() as (channel, peer), trio.open_nursery() as nursery:
        nursery.start_soon(outcome_of_invoke, channel, 1000, outcomes)
        await peer.receive()
        await peer.stream.aclose()
        await channel.closed.wait()
    assert outcomes == [ChannelClosed]


@trio_test
async def test_bytes_that_are_no_frame_close_the_channel(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with running_channel() as (channel, peer):
            await peer.stream.send_all(
                b"\x16\x03\x01\x00\x50" + bytes(80)
            )  # the first bytes of a TLS greeting
            assert await peer.sees_the_end()
            assert channel.closed.is_set()
    assert "peer:1: closed: " in caplog.text


@trio_test
async def test_requests_before_the_broken_bytes_are_still_served(caplog: pytest.LogCaptureFixture) -> None:
    served: list[int] = []
    router = Router({ECHO: lambda channel, command: served.append(command.opaque)})
    async with running_channel(router) as (channel, peer):
        await peer.stream.send_all(request(ECHO, 1).encode() + b"\xff\xff\xff\xff")
        await channel.closed.wait()
    assert served == [1]


@trio_test
async def test_a_peer_that_leaves_within_a_frame_is_told_of_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running_channel() as (channel, peer):
        await peer.stream.send_all(request(ECHO).encode()[:-1])
        await peer.stream.aclose()
        await channel.closed.wait()
    assert "closed inside a frame" in caplog.text


@trio_test
async def test_answers_to_requests_that_came_together_leave_together() -> None:
    async with running_channel(Router({ECHO: echo})) as (_, peer):
        await peer.send(*(request(ECHO, opaque) for opaque in range(50)))
        together = b"".join(request(ECHO, opaque).reply(0).encode() for opaque in range(50))
        assert await peer.stream.receive_some(MIB) == together


@pytest.mark.parametrize("size", [1, 7, 50, 333])
@trio_test
async def test_requests_cut_into_pieces_are_put_together_again(size: int) -> None:
    sent = b"".join(request(ECHO, opaque, body=b"x" * opaque).encode() for opaque in range(20))
    async with running_channel(Router({ECHO: echo})) as (_, peer):
        for start in range(0, len(sent), size):
            await peer.stream.send_all(sent[start : start + size])
        answers = [await peer.receive() for _ in range(20)]
    assert [(answer.opaque, len(answer.body)) for answer in answers] == [(n, n) for n in range(20)]


@trio_test
async def test_commands_put_up_while_others_are_under_way_leave_in_order() -> None:
    async with running_channel(lockstep=True) as (channel, peer):
        for number in range(5):
            await channel.send(request(10, number))  # does not wait for the peer to read
        numbers = [(await peer.receive()).opaque for _ in range(5)]
        await channel.send(request(10, 5))
        numbers.append((await peer.receive()).opaque)
    assert numbers == [0, 1, 2, 3, 4, 5]


@trio_test
async def test_a_request_given_up_while_it_is_being_sent_leaves_no_half_frame() -> None:
    async with running_channel(lockstep=True) as (channel, peer):
        with trio.move_on_after(1) as given_up:
            await channel.invoke(request(10, body=bytes(MIB)), 1000)
        assert given_up.cancelled_caught
        outcomes: list[object] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outcome_of_invoke, channel, 5, outcomes, 11)
            received = [await peer.receive(), await peer.receive()]
            await peer.send(received[1].reply(9))
    assert [(command.code, len(command.body)) for command in received] == [(10, MIB), (11, 0)]
    assert outcomes == [9]


@trio_test
async def test_senders_wait_for_a_slow_peer_and_all_go_on_when_it_reads() -> None:
    sent: list[int] = []

    async def send(channel: Channel, number: int) -> None:
        await channel.send(request(10, number, body=bytes(MIB)))
        sent.append(number)

    async with running_channel(lockstep=True) as (channel, peer), trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(send, channel, number)
        await trio.testing.wait_all_tasks_blocked()
        assert len(sent) == HIGH_WATER // MIB
        received = {(await peer.receive()).opaque for _ in range(20)}
        await trio.testing.wait_all_tasks_blocked()
        assert len(sent) == 20
        assert not channel.is_congested
    assert received == set(range(20))


@trio_test
async def test_closing_wakes_senders_that_wait_for_a_slow_peer() -> None:
    outcomes: list[object] = []

    async def send(channel: Channel) -> None:
        try:
            await channel.send(request(10, body=bytes(MIB)))
        except ChannelClosed:
            outcomes.append(ChannelClosed)

    async with running_channel(lockstep=True) as (channel, _), trio.open_nursery() as nursery:
        for _ in range(8):
            nursery.start_soon(send, channel)
        await trio.testing.wait_all_tasks_blocked()
        channel.close()
    assert outcomes == [ChannelClosed] * (8 - HIGH_WATER // MIB)


@trio_test
async def test_no_more_requests_are_read_from_a_peer_that_does_not_read_its_answers() -> None:
    served: list[int] = []

    def serve(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        served.append(command.opaque)
        return command.reply(0, body=bytes(MIB))

    async def ask(peer: Peer) -> None:
        for opaque in range(20):
            await peer.send(request(ECHO, opaque))

    router = Router({ECHO: serve})
    async with running_channel(router, lockstep=True) as (_, peer), trio.open_nursery() as nursery:
        nursery.start_soon(ask, peer)
        await trio.testing.wait_all_tasks_blocked()
        assert len(served) == HIGH_WATER // MIB
        answered = [(await peer.receive()).opaque for _ in range(20)]
    assert served == answered == list(range(20))


@trio_test
async def test_answers_are_read_even_while_much_of_our_own_is_unsent() -> None:
    async with running_channel(lockstep=True) as (channel, peer), trio.open_nursery() as nursery:
        outcomes: list[object] = []
        for _ in range(2):
            nursery.start_soon(outcome_of_invoke, channel, 1000, outcomes)
        questions = [await peer.receive(), await peer.receive()]
        for _ in range(HIGH_WATER // MIB):
            nursery.start_soon(channel.send, request(11, body=bytes(MIB)))
        await trio.testing.wait_all_tasks_blocked()
        assert channel.is_congested
        for number, question in enumerate(questions):
            await peer.send(question.reply(number))
            await trio.testing.wait_all_tasks_blocked()
        assert outcomes == [0, 1]


@trio_test
async def test_tasks_of_a_channel_end_with_it() -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.append("task")

    async with running_channel() as (channel, peer):
        channel.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await peer.stream.aclose()
        await channel.closed.wait()
        await trio.testing.wait_all_tasks_blocked()
        assert ended == ["task"]


@trio_test
async def test_a_channel_closed_before_it_runs_ends_at_once() -> None:
    near, far = trio.testing.memory_stream_pair()
    channel = Channel(near, "peer:1")
    channel.close()
    await channel.run(Router({}).handle)
    assert await far.receive_some(1) == b""
