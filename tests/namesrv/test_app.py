"""The name server on real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.headers import NotifyMinBrokerIdChangeRequestHeader
from rocketpy.namesrv.app import run_namesrv
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.router import Router
from rocketpy.remoting.server import listen, port_of, serve
from tests.namesrv.server import registration
from tests.remoting.peers import Peer
from tests.trio_tests import trio_socket_test

ROUTE = RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, ext_fields={"topic": "TopicA"})


@asynccontextmanager
async def running_namesrv(**settings: str) -> AsyncIterator[int]:
    fixed = {"listenPort": "0", "bindAddress": "127.0.0.1", "kvConfigPath": "", "configStorePath": ""}
    async with trio.open_nursery() as nursery:
        yield await nursery.start(run_namesrv, NamesrvConfig(fixed | settings))
        nursery.cancel_scope.cancel()


async def connect(port: int) -> Peer:
    return Peer(await trio.open_tcp_stream("127.0.0.1", port))


async def ask(peer: Peer, request: RemotingCommand) -> RemotingCommand:
    await peer.send(request)
    return await peer.receive()


@trio_socket_test
async def test_it_runs_as_a_task_in_the_nursery_of_someone_else() -> None:
    async with running_namesrv() as port:
        broker, client = await connect(port), await connect(port)
        assert (await ask(broker, registration("broker-a"))).code == ResponseCode.SUCCESS
        assert (await ask(client, ROUTE)).code == ResponseCode.SUCCESS
        settings = (await ask(client, RemotingCommand.request(RequestCode.GET_NAMESRV_CONFIG))).body
        assert f"listenPort={port}\n".encode() in settings
        for peer in (broker, client):
            await peer.stream.aclose()


@trio_socket_test
async def test_two_run_side_by_side() -> None:
    async with running_namesrv() as first, running_namesrv() as second:
        one, other = await connect(first), await connect(second)
        await ask(one, registration("broker-a"))
        assert (await ask(one, ROUTE)).code == ResponseCode.SUCCESS
        assert (await ask(other, ROUTE)).code == ResponseCode.TOPIC_NOT_EXIST
        for peer in (one, other):
            await peer.stream.aclose()


@trio_socket_test
async def test_a_route_is_gone_when_the_brokers_connection_is() -> None:
    async with running_namesrv() as port:
        broker, client = await connect(port), await connect(port)
        await ask(broker, registration("broker-a"))
        await broker.stream.aclose()
        while (await ask(client, ROUTE)).code == ResponseCode.SUCCESS:
            await trio.sleep(0.01)
        await client.stream.aclose()


@trio_socket_test
async def test_members_are_told_of_a_new_acting_master_over_a_connection_of_ours() -> None:
    heard: list[RemotingCommand] = []
    listener = await listen("127.0.0.1", 0)
    slave = f"127.0.0.1:{port_of(listener)}"

    def hear(channel: Channel, command: RemotingCommand) -> None:
        heard.append(command)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve, [listener], Router({RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE: hear}))
        async with running_namesrv(notifyMinBrokerIdChanged="true") as port:
            peer = await connect(port)
            gone = "127.0.0.1:1"  # where no one listens: told in vain
            for broker_id, address in ((3, gone), (1, slave), (0, "192.0.2.1:10911")):
                request = registration(
                    "broker-a", broker_id=broker_id, address=address, enable_acting_master=True
                )
                assert (await ask(peer, request)).code == ResponseCode.SUCCESS
            while not heard:
                await trio.sleep(0.01)
            await peer.stream.aclose()
        nursery.cancel_scope.cancel()
    assert heard[0].is_oneway
    told = heard[0].read_header(NotifyMinBrokerIdChangeRequestHeader)
    assert (told.min_broker_id, told.min_broker_addr) == (0, "192.0.2.1:10911")
    assert (told.offline_broker_addr, told.ha_broker_addr) == (None, "192.0.2.1:10921")
