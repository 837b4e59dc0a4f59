"""Serving real sockets: connections come, misbehave, fall silent and go, each on its own."""

from __future__ import annotations

import logging
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from rocketmq_protocol import RemotingCommand
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.idle import close_idle
from rocketpy.remoting.router import Router
from rocketpy.remoting.server import listen, port_of, serve
from tests.remoting.peers import ECHO, HELD, Peer, request
from tests.trio_tests import trio_socket_test, trio_test

MIB = 1024 * 1024


def echo(channel: Channel, command: RemotingCommand) -> RemotingCommand:
    return command.reply(0, body=command.body)


@asynccontextmanager
async def running_server(router: Router, closed: list[Channel] | None = None) -> AsyncIterator[int]:
    listener = await listen("127.0.0.1", 0)
    closed = [] if closed is None else closed
    async with trio.open_nursery() as nursery:
        await nursery.start(
            lambda task_status: serve([listener], router, on_close=closed.append, task_status=task_status)
        )
        yield port_of(listener)
        nursery.cancel_scope.cancel()


async def connect(port: int) -> Peer:
    return Peer(await trio.open_tcp_stream("127.0.0.1", port))


@trio_socket_test
async def test_many_connections_are_served_side_by_side() -> None:
    async with running_server(Router({ECHO: echo})) as port:
        peers = [await connect(port) for _ in range(200)]
        for number, peer in enumerate(peers):
            await peer.send(request(ECHO, number))
        assert [(await peer.receive()).opaque for peer in peers] == list(range(200))
        for peer in peers:
            await peer.stream.aclose()


@trio_socket_test
async def test_a_connection_that_misbehaves_ends_alone() -> None:
    async with running_server(Router({ECHO: echo})) as port:
        good, bad = await connect(port), await connect(port)
        await bad.stream.send_all(b"GET / HTTP/1.1\r\n\r\n")
        assert await bad.sees_the_end()
        await good.send(request(ECHO, 1))
        assert (await good.receive()).opaque == 1
        for peer in (good, bad):
            await peer.stream.aclose()


@trio_socket_test
async def test_connections_that_are_reset_harm_no_other() -> None:
    async with running_server(Router({ECHO: echo})) as port:
        good = await connect(port)
        for _ in range(50):
            raw = socket.create_connection(("127.0.0.1", port))
            raw.sendall(request(ECHO).encode())
            # Closing now sends a reset, whether or not the server has begun.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
        await good.send(request(ECHO, 1))
        assert (await good.receive()).opaque == 1
        await good.stream.aclose()


@trio_socket_test
async def test_the_owner_learns_which_connection_closed() -> None:
    closed: list[Channel] = []
    seen: list[Channel] = []
    router = Router({ECHO: lambda channel, command: seen.append(channel)})
    async with running_server(router, closed) as port:
        peer, other = await connect(port), await connect(port)
        for one in (peer, other):
            await one.send(request(ECHO))
        while len(seen) < 2:
            await trio.sleep(0.01)
        await peer.stream.aclose()
        while not closed:
            await trio.sleep(0.01)
        assert closed == [channel for channel in seen if channel.closed.is_set()]
        assert len(closed) == 1
        await other.stream.aclose()


@trio_socket_test
async def test_large_answers_reach_a_peer_that_starts_to_read_late() -> None:
    sizes = [8 * MIB, 0, 3 * MIB, 1]

    def large(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        return command.reply(0, body=bytes(sizes[command.opaque]))

    async with running_server(Router({ECHO: large})) as port:
        peer = await connect(port)
        for number in range(len(sizes)):
            await peer.send(request(ECHO, number))
        await trio.sleep(0.2)
        answers = [await peer.receive() for _ in sizes]
        assert [(answer.opaque, len(answer.body)) for answer in answers] == list(enumerate(sizes))
        await peer.stream.aclose()


@trio_socket_test
async def test_a_fault_of_ours_in_one_connection_is_logged_and_harms_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(channel: Channel) -> None:
        raise KeyError("in on_close")

    listener = await listen("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: serve([listener], Router({ECHO: echo}), on_close=fail))
        good, leaving = await connect(port_of(listener)), await connect(port_of(listener))
        with caplog.at_level(logging.ERROR):
            await leaving.stream.aclose()
            while "in on_close" not in caplog.text:
                await trio.sleep(0.01)
        await good.send(request(ECHO, 1))
        assert (await good.receive()).opaque == 1
        await good.stream.aclose()
        nursery.cancel_scope.cancel()


@trio_socket_test
async def test_connections_with_a_nursery_of_their_own_outlive_the_listener() -> None:
    release = trio.Event()

    async def hold(channel: Channel, command: RemotingCommand) -> RemotingCommand:
        await release.wait()
        return command.reply(0)

    listener = await listen("127.0.0.1", 0)
    port = port_of(listener)
    async with trio.open_nursery() as connections:
        async with trio.open_nursery() as accepting:
            await accepting.start(
                lambda task_status: serve(
                    [listener], Router({HELD: hold}), connections=connections, task_status=task_status
                )
            )
            peer = await connect(port)
            await peer.send(request(HELD, 3))
            await trio.sleep(0.05)
            accepting.cancel_scope.cancel()
        with pytest.raises(OSError, match="connect"):
            await connect(port)
        release.set()
        assert (await peer.receive()).opaque == 3
        await peer.stream.aclose()
        connections.cancel_scope.cancel()


@trio_socket_test
async def test_a_name_with_several_addresses_gives_one_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = [(await trio.open_tcp_listeners(0, host="127.0.0.1"))[0] for _ in range(2)]

    async def open_two(port: int, host: str) -> list[trio.SocketListener]:
        return opened

    monkeypatch.setattr(trio, "open_tcp_listeners", open_two)
    listener = await listen("localhost", 0)
    assert listener is opened[0]
    assert opened[1].socket.fileno() == -1
    await listener.aclose()


@trio_socket_test
async def test_answers_leave_before_a_connection_is_closed_for_what_follows() -> None:
    async with running_server(Router({ECHO: echo})) as port:
        peer = await connect(port)
        await peer.stream.send_all(request(ECHO, 1).encode() + b"\xff\xff\xff\xff")
        assert (await peer.receive()).opaque == 1
        assert await peer.sees_the_end()
        await peer.stream.aclose()


@trio_socket_test
async def test_silent_connections_live_on_where_no_limit_is_set() -> None:
    listener = await listen("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: serve([listener], Router({ECHO: echo}), max_idle_seconds=0))
        peer = await connect(port_of(listener))
        await trio.sleep(0.1)
        await peer.send(request(ECHO, 1))
        assert (await peer.receive()).opaque == 1
        await peer.stream.aclose()
        nursery.cancel_scope.cancel()


@trio_test
async def test_a_silent_connection_expires_and_a_busy_one_does_not() -> None:
    async def talk(peer: Peer) -> None:
        while True:
            await peer.send(request(ECHO))
            await trio.sleep(30)

    pairs = [trio.testing.memory_stream_pair() for _ in range(2)]
    silent, busy = (Channel(near, "peer:1") for near, _ in pairs)
    started = trio.current_time()
    async with trio.open_nursery() as nursery:
        for channel in (silent, busy):
            nursery.start_soon(channel.run, Router({ECHO: echo}).handle)
        nursery.start_soon(talk, Peer(pairs[1][1]))
        nursery.start_soon(close_idle, {silent, busy}, 120.0)
        await silent.closed.wait()
        assert 120 <= trio.current_time() - started <= 135
        await trio.sleep(500)
        assert not busy.closed.is_set()
        nursery.cancel_scope.cancel()


@trio_test
async def test_a_peer_that_never_reads_its_answers_expires_too() -> None:
    near, far = trio.testing.lockstep_stream_pair()
    stalled = Channel(near, "peer:1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stalled.run, Router({ECHO: echo}).handle)
        nursery.start_soon(close_idle, {stalled}, 120.0)
        peer = Peer(far)
        with pytest.raises(trio.BrokenResourceError):
            await peer.stream.send_all(b"".join(request(ECHO, body=bytes(MIB)).encode() for _ in range(50)))
        assert stalled.closed.is_set()
        nursery.cancel_scope.cancel()
