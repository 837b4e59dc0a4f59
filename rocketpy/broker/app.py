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
from rocketpy.broker.admin import Admin
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.processors.client import ClientProcessor
from rocketpy.broker.processors.offset import OffsetProcessor
from rocketpy.broker.processors.pull import PullProcessor
from rocketpy.broker.processors.query import QueryProcessor
from rocketpy.broker.processors.send import SendProcessor
from rocketpy.broker.processors.send_back import SendBackProcessor
from rocketpy.broker.processors.transaction import TransactionProcessor
from rocketpy.broker.routes import routes
from rocketpy.broker.services.arrivals import Arrivals
from rocketpy.broker.services.delay import DelayedDelivery
from rocketpy.broker.services.durability import Durability
from rocketpy.broker.services.registration import Registration
from rocketpy.broker.services.transaction_check import TransactionCheck
from rocketpy.broker.state.clients import ClientTable, ConsumerGroup
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.queue_locks import QueueLocks
from rocketpy.broker.state.system_topics import SystemTopics
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError
from rocketpy.remoting.pool import Pool
from rocketpy.remoting.router import Router
from rocketpy.remoting.server import listen, port_of, serve
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.message_store import MessageStore

_EXPIRY_SCAN_SECONDS: Final = 10
_SAMPLING_SECONDS: Final = 1


def now_millis() -> int:
    """The time of day."""
    return time.time_ns() // 1_000_000


class Broker:
    """One broker. `run` serves until it is cancelled, and then leaves everything in order."""

    def __init__(self, config: BrokerConfig, *, in_memory: bool = False) -> None:
        self.config = config
        self.arrivals = Arrivals()
        self.store = MessageStore(
            config.store_config(in_memory=in_memory), clock=now_millis, on_arrival=self._arrived
        )
        self.counters = Counters(now_millis, SystemTopics(config).__contains__)
        self._counted_to = 0
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
            self._counted_to = self.store.log.max_offset
            async with trio.open_nursery() as nursery:
                await self._serve(nursery, listener)
                task_status.started()

    def _arrived(self, topic: str, queue_id: int, queue_offset: int) -> None:
        """A message was stored: count it, and wake who waits for it."""
        end = self.store.log.max_offset
        self.counters.stored(topic, end - self._counted_to)
        self._counted_to = end
        self.arrivals.notify(topic, queue_id, queue_offset)

    async def _serve(self, nursery: trio.Nursery, listener: trio.SocketListener) -> None:
        config, store = self.config, self.store
        pool = Pool(nursery, Router({}))
        topics = TopicTable(config, self._files.topics, now_millis, lambda _: registration.soon())
        registration = Registration(config, topics, lambda: self.address)
        groups = GroupTable(config, self._files.groups, now_millis)
        offsets = ConsumerOffsets(self._files.offsets, now_millis)
        delayed = DelayedDelivery(
            store,
            self.arrivals,
            self._files.delay_offsets,
            now_millis,
            config.number("flushDelayOffsetInterval"),
        )
        for table in (topics, groups, offsets, delayed):
            table.load()
        clients = ClientTable(lambda group: nursery.start_soon(_notify_members, group))
        locks = QueueLocks(now_millis)
        positions = PullPositions()
        admin = Admin(
            config=config,
            topics=topics,
            groups=groups,
            clients=clients,
            offsets=offsets,
            positions=positions,
            counters=self.counters,
            store=store,
            clock=now_millis,
            address=lambda: self.address,
            delay_offsets=lambda: delayed.offsets,
            wake_pulls=lambda topic, queue_id: self.arrivals.notify(topic, queue_id, 0),
            on_config_update=lambda changed: registration.soon(),
        )
        durability = Durability(store, now_millis)
        host, _, port = self.address.rpartition(":")
        store_host = host_bytes((host, int(port)))
        ids = UniqueIdGenerator(host, os.getpid(), random.getrandbits(32), now_millis)
        send_back = SendBackProcessor(config, topics, groups, store, store_host, locks.is_any_held)
        router = Router(
            routes(
                SendProcessor(config, topics, store, durability, store_host, ids.next_id, send_back),
                PullProcessor(
                    config,
                    topics,
                    groups,
                    clients,
                    offsets,
                    store,
                    self.arrivals,
                    positions=positions,
                    on_fetched=self.counters.fetched,
                ),
                ClientProcessor(topics, groups, clients, locks, now_millis),
                OffsetProcessor(offsets, store, positions),
                QueryProcessor(store),
                send_back,
                TransactionProcessor(config, store, store_host, now_millis),
            )
            | admin.routes()
        )
        nursery.start_soon(durability.run)
        nursery.start_soon(durability.run_thoroughly)
        nursery.start_soon(_save_offsets, offsets, config.number("flushConsumerOffsetInterval") / 1000)
        nursery.start_soon(_expire_clients, clients)
        nursery.start_soon(_sample_counters, self.counters)
        nursery.start_soon(delayed.run)
        nursery.start_soon(TransactionCheck(config, topics, clients, offsets, store, now_millis).run)
        await nursery.start(_serve_clients, listener, router, clients)
        await nursery.start(registration.run, pool)
        nursery.start_soon(self._leave_in_order, registration, topics, groups, offsets, delayed)

    async def _leave_in_order(
        self,
        registration: Registration,
        *tables: TopicTable | GroupTable | ConsumerOffsets | DelayedDelivery,
    ) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self.arrivals.release_all()
            with trio.move_on_after(3, shield=True):
                await registration.unregister()
            for table in tables:
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


async def _sample_counters(counters: Counters) -> None:
    while True:
        counters.sample()
        await trio.sleep(_SAMPLING_SECONDS)


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
