"""Both transports keep one contract."""

from __future__ import annotations

import socket
import struct

import pytest
import trio
import trio.testing

from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import ChannelClosed
from rocketpy.remoting.router import Router
from rocketpy.remoting.transport import (
    ConnectionGone,
    SocketTransport,
    StreamTransport,
    Transport,
    transport_of,
)
from tests.remoting.peers import request
from tests.trio_tests import trio_socket_test

MIB = 1024 * 1024


async def socket_pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        near = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
        return near, await listener.accept()


async def pair(kind: str) -> tuple[Transport, trio.abc.Stream]:
    near, far = await socket_pair()
    return (SocketTransport(near) if kind == "socket" else StreamTransport(near)), far


BOTH = pytest.mark.parametrize("kind", ["socket", "stream"])


@trio_socket_test
async def test_a_plain_socket_is_used_by_its_file_number_and_any_other_stream_as_it_is() -> None:
    near, far = await socket_pair()
    assert isinstance(transport_of(near), SocketTransport)
    memory, _ = trio.testing.memory_stream_pair()
    assert isinstance(transport_of(memory), StreamTransport)
    for stream in (near, far):
        await stream.aclose()


@BOTH
@trio_socket_test
async def test_bytes_come_as_they_were_sent_and_end_when_the_peer_ends(kind: str) -> None:
    transport, far = await pair(kind)
    await far.send_all(b"hello")
    assert await transport.receive() == b"hello"
    await far.aclose()
    assert await transport.receive() == b""
    await transport.aclose()


@BOTH
@trio_socket_test
async def test_what_does_not_leave_at_once_leaves_in_pieces(kind: str) -> None:
    transport, far = await pair(kind)
    data = bytes(range(256)) * (16 * MIB // 256)
    received = bytearray()

    async def read() -> None:
        while len(received) < len(data):
            received.extend(await far.receive_some(MIB))

    sent = transport.send_now(data)
    assert sent < len(data)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        while sent < len(data):
            sent += await transport.send_piece(memoryview(data)[sent:])
    assert received == data
    await far.aclose()
    await transport.aclose()


@BOTH
@trio_socket_test
async def test_a_connection_that_is_reset_is_gone_for_reader_and_writer(kind: str) -> None:
    transport, far = await pair(kind)
    assert isinstance(far, trio.SocketStream)
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    await far.aclose()
    with pytest.raises(ConnectionGone):
        await transport.receive()
    with pytest.raises(ConnectionGone):
        await transport.send_piece(memoryview(bytes(MIB)))
    await transport.aclose()


@trio_socket_test
async def test_a_full_socket_takes_nothing_at_once() -> None:
    transport, far = await pair("socket")
    while transport.send_now(bytes(MIB)):
        pass
    assert transport.send_now(b"x") == 0
    await far.aclose()
    await transport.aclose()


@pytest.mark.parametrize("reads_first", [True, False])
@trio_socket_test
async def test_a_channel_whose_peer_resets_the_connection_is_closed(reads_first: bool) -> None:
    near, far = await socket_pair()
    channel = Channel(near, "peer:1")
    far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    async with trio.open_nursery() as nursery:
        await nursery.start(lambda task_status: channel.run(Router({}).handle, task_status=task_status))
        await far.aclose()
        if reads_first:
            await channel.closed.wait()
        # Else the reader has had no turn yet to see the reset: the writer is the first to.
        with pytest.raises(ChannelClosed):
            await channel.send(request(1))
        assert channel.closed.is_set()
