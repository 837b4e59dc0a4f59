"""Pool: one connection to each address, whoever asks first, and whatever becomes of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from rocketmq_protocol import RemotingCommand
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import ChannelClosed, ConnectFailed, RequestTimeout
from rocketpy.remoting.pool import Pool
from rocketpy.remoting.router import Router
from rocketpy.remoting.server import listen, port_of, serve
from tests.remoting.peers import ECHO, HELD, request
from tests.trio_tests import trio_socket_test


async def hold(channel: Channel, command: RemotingCommand) -> None:
    await trio.sleep_forever()


class Setting:
    """A server that remembers its connections, and a pool that talks to it."""

    def __init__(self, nursery: trio.Nursery, listener: trio.SocketListener) -> None:
        self.nursery = nursery
        self.address = f"127.0.0.1:{port_of(listener)}"
        self.served: list[Channel] = []
        self.closed: list[str] = []
        self.asked: list[RemotingCommand] = []
        self.pool = Pool(
            nursery,
            Router({ECHO: lambda channel, command: self.asked.append(command)}),
            on_close=self.closed.append,
            connect_timeout=0.5,
        )
        self.router = Router({ECHO: self.echo, HELD: hold})

    def echo(self, channel: Channel, command: RemotingCommand) -> RemotingCommand:
        self.served.append(channel)
        return command.reply(0, body=command.body)

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            await trio.sleep(0.01)


@asynccontextmanager
async def pool_and_server() -> AsyncIterator[Setting]:
    listener = await listen("127.0.0.1", 0)
    async with trio.open_nursery() as nursery:
        setting = Setting(nursery, listener)
        nursery.start_soon(serve, [listener], setting.router)
        yield setting
        nursery.cancel_scope.cancel()


async def in_parallel(*calls: Callable[[], Awaitable[object]]) -> None:
    async with trio.open_nursery() as nursery:
        for call in calls:
            nursery.start_soon(call)


@trio_socket_test
async def test_all_who_ask_share_one_connection() -> None:
    async with pool_and_server() as setting:
        answers: list[bytes] = []

        async def ask(number: int) -> None:
            body = b"%d" % number
            answer = await setting.pool.invoke(setting.address, request(ECHO, body=body), 5)
            assert answer.body == body
            answers.append(answer.body)

        await in_parallel(*(lambda number=number: ask(number) for number in range(20)))
        assert len(answers) == 20
        assert len(set(setting.served)) == 1


@trio_socket_test
async def test_the_first_to_ask_may_give_up_without_harm_to_the_others() -> None:
    async with pool_and_server() as setting:
        channels: list[Channel] = []

        async def give_up() -> None:
            with trio.CancelScope() as scope:
                scope.cancel()
                await setting.pool.channel(setting.address)

        async def wait() -> None:
            channels.append(await setting.pool.channel(setting.address))

        await in_parallel(give_up, wait)
        assert not channels[0].closed.is_set()


@trio_socket_test
async def test_an_address_where_no_one_listens_is_refused_to_all_who_ask() -> None:
    listener = await listen("127.0.0.1", 0)
    address = f"127.0.0.1:{port_of(listener)}"
    await listener.aclose()
    async with pool_and_server() as setting:
        refused: list[str] = []

        async def ask() -> None:
            try:
                await setting.pool.invoke(address, request(ECHO), 5)
            except ConnectFailed as error:
                refused.append(str(error))

        await in_parallel(ask, ask)
        await in_parallel(ask)
        assert len(refused) == 3
        assert all(text.startswith(f"{address}: cannot connect: ") for text in refused)


@pytest.mark.parametrize("address", ["nowhere", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:-1"])
@trio_socket_test
async def test_an_address_that_is_none_is_refused(address: str) -> None:
    async with pool_and_server() as setting:
        with pytest.raises(ConnectFailed, match="cannot connect"):
            await setting.pool.channel(address)


@trio_socket_test
async def test_a_connection_that_ended_is_opened_anew() -> None:
    async with pool_and_server() as setting:
        await setting.pool.invoke(setting.address, request(ECHO), 5)
        setting.served[0].close()
        await setting.until(lambda: setting.closed)
        assert setting.closed == [setting.address]
        await setting.pool.invoke(setting.address, request(ECHO), 5)
        assert setting.served[0] is not setting.served[1]


@trio_socket_test
async def test_a_connection_that_takes_long_to_end_does_not_take_the_next_one_with_it() -> None:
    async with pool_and_server() as setting:
        may_end = trio.Event()

        async def end_slowly() -> None:
            with trio.CancelScope(shield=True):
                await may_end.wait()

        old = await setting.pool.channel(setting.address)
        old.start_soon(end_slowly)
        old.close()
        new = await setting.pool.channel(setting.address)
        may_end.set()
        await setting.until(lambda: setting.closed)
        assert await setting.pool.channel(setting.address) is new


@trio_socket_test
async def test_a_connection_that_ends_fails_the_requests_under_way() -> None:
    async with pool_and_server() as setting:
        channel = await setting.pool.channel(setting.address)

        async def ask() -> None:
            with pytest.raises(ChannelClosed):
                await setting.pool.invoke(setting.address, request(HELD), 1000)

        async def end() -> None:
            await setting.until(lambda: channel.sent)
            setting.pool.close()

        await in_parallel(ask, end)


@trio_socket_test
async def test_a_peer_that_says_nothing_at_all_is_connected_to_anew() -> None:
    async with pool_and_server() as setting:
        channel = await setting.pool.channel(setting.address)
        with pytest.raises(RequestTimeout):
            await setting.pool.invoke(setting.address, request(HELD), 0.15)
        assert channel.closed.is_set()
        await setting.pool.invoke(setting.address, request(ECHO), 5)


@trio_socket_test
async def test_a_peer_that_answers_others_keeps_its_connection() -> None:
    async with pool_and_server() as setting:
        channel = await setting.pool.channel(setting.address)

        async def ask_in_vain() -> None:
            with pytest.raises(RequestTimeout):
                await setting.pool.invoke(setting.address, request(HELD), 0.15)

        async def ask() -> None:
            await setting.pool.invoke(setting.address, request(ECHO), 5)

        await in_parallel(ask_in_vain, ask)
        assert not channel.closed.is_set()


@trio_socket_test
async def test_requests_of_the_peer_are_served_by_the_pools_router() -> None:
    async with pool_and_server() as setting:
        await setting.pool.invoke(setting.address, request(ECHO), 5)
        await setting.served[0].send(request(ECHO, 77, oneway=True))
        await setting.until(lambda: setting.asked)
        assert setting.asked[0].opaque == 77


@trio_socket_test
async def test_oneway_requests_share_the_connection() -> None:
    async with pool_and_server() as setting:
        await setting.pool.send_oneway(setting.address, request(ECHO, oneway=True))
        await setting.pool.invoke(setting.address, request(ECHO), 5)
        assert setting.served[0] is setting.served[1]
