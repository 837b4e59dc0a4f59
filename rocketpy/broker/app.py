"""The broker put together: every part, one nursery, services, listeners."""

from __future__ import annotations

import os
import random
import time
from typing import Final

import trio

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.headers import NotifyConsumerIdsChangedRequestHeader
from rocketmq_protocol.hosts import host_bytes
from rocketmq_protocol.message_id import UniqueIdGenerator
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.processors.client import ClientProcessor
from rocketpy.broker.processors.offset import OffsetProcessor
from rocketpy.broker.processors.pull import PullProcessor
from rocketpy.broker.processors.query import QueryProcessor
from rocketpy.broker.processors.send import SendProcessor
from rocketpy.broker.routes import routes
from rocketpy.broker.services.arrivals import Arrivals
from rocketpy.broker.services.durability import Durability
from rocketpy.broker.services.registration import Registration
from rocketpy.broker.state.clients import ClientTable, ConsumerGroup
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.queue_locks import QueueLocks
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError
from rocketpy.remoting.pool import Pool
from rocketpy.remoting.router import Router
from rocketpy.remoting.server import listen, port_of, serve
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.message_store import MessageStore

_EXPIRY_SCAN_SECONDS: Final = 10


def now_millis() -> int:
    """The time of day."""
    return time.time_ns() // 1_000_000


class Broker:
    """One broker. `run` serves until it is cancelled, and then leaves everything in order."""

    def __init__(self, config: BrokerConfig, *, in_memory: bool = False) -> None:
        self.config = config
        self.arrivals = Arrivals()
        self.store = MessageStore(
            config.store_config(in_memory=in_memory), clock=now_millis, on_arrival=self.arrivals.notify
        )
        self._files = ConfigFiles(self.store.paths.config)
        self.port = config.number("listenPort")

    @property
    def address(self) -> str:
        """Where clients reach this broker."""
        return f"{self.config.text('brokerIP1') or '127.0.0.1'}:{self.port}"

    async def run(self, host: str, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Open the store, serve, and on the way out answer who waits, unregister, and close the store."""
        listener = await listen(host, self.port)
        self.port = port_of(listener)
        with self.store:
            async with trio.open_nursery() as nursery:
                await self._serve(nursery, listener)
                task_status.started()

    async def _serve(self, nursery: trio.Nursery, listener: trio.SocketListener) -> None:
        config, store = self.config, self.store
        pool = Pool(nursery, Router({}))
        topics = TopicTable(config, self._files.topics, now_millis, lambda _: registration.soon())
        registration = Registration(config, topics, lambda: self.address)
        groups = GroupTable(config, self._files.groups, now_millis)
        offsets = ConsumerOffsets(self._files.offsets, now_millis)
        for table in (topics, groups, offsets):
            table.load()
        clients = ClientTable(lambda group: nursery.start_soon(_notify_members, group))
        locks = QueueLocks(now_millis)
        durability = Durability(store, now_millis)
        host, _, port = self.address.rpartition(":")
        ids = UniqueIdGenerator(host, os.getpid(), random.getrandbits(32), now_millis)
        router = Router(
            routes(
                SendProcessor(config, topics, store, durability, host_bytes((host, int(port))), ids.next_id),
                PullProcessor(config, topics, groups, clients, offsets, store, self.arrivals),
                ClientProcessor(topics, groups, clients, locks, now_millis),
                OffsetProcessor(offsets, store),
                QueryProcessor(store),
            )
        )
        nursery.start_soon(durability.run)
        nursery.start_soon(durability.run_thoroughly)
        nursery.start_soon(_save_offsets, offsets, config.number("flushConsumerOffsetInterval") / 1000)
        nursery.start_soon(_expire_clients, clients)
        await nursery.start(_serve_clients, listener, router, clients)
        await nursery.start(registration.run, pool)
        nursery.start_soon(self._leave_in_order, registration, topics, groups, offsets)

    async def _leave_in_order(
        self, registration: Registration, topics: TopicTable, groups: GroupTable, offsets: ConsumerOffsets
    ) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self.arrivals.release_all()
            with trio.move_on_after(3, shield=True):
                await registration.unregister()
            for table in (topics, groups, offsets):
                table.save()


async def _serve_clients(
    listener: trio.SocketListener,
    router: Router,
    clients: ClientTable,
    task_status: trio.TaskStatus[list[trio.SocketListener]] = trio.TASK_STATUS_IGNORED,
) -> None:
    await serve([listener], router, on_close=clients.connection_closed, task_status=task_status)


async def _save_offsets(offsets: ConsumerOffsets, interval: float) -> None:
    while True:
        await trio.sleep(interval)
        offsets.save()


async def _expire_clients(clients: ClientTable) -> None:
    while True:
        await trio.sleep(_EXPIRY_SCAN_SECONDS)
        clients.expire(now_millis())


async def _notify_members(group: ConsumerGroup) -> None:
    """Tell each member of a group at once that someone came or went."""
    header = NotifyConsumerIdsChangedRequestHeader(consumer_group=group.name)
    request = RemotingCommand.request(RequestCode.NOTIFY_CONSUMER_IDS_CHANGED, header, oneway=True)
    for client in list(group.members.values()):
        channel = client.channel
        if isinstance(channel, Channel) and not channel.closed.is_set():
            try:
                await channel.send(request)
            except RemotingError:
                continue
