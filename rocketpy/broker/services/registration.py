"""Registration: telling the nameservers who we are and which topics we hold."""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.bodies import RegisterBrokerBody, TopicConfigAndMappingSerializeWrapper
from rocketmq_protocol.crc import java_crc32
from rocketmq_protocol.headers import RegisterBrokerRequestHeader, UnRegisterBrokerRequestHeader
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.errors import RemotingError
from rocketpy.remoting.pool import Pool
from rocketpy.remoting.router import Router

logger = logging.getLogger(__name__)


class Registration:
    """Registers every 30 seconds, and at once when a topic changed."""

    def __init__(self, config: BrokerConfig, topics: TopicTable, address: Callable[[], str]) -> None:
        self._config = config
        self._topics = topics
        self._address = address
        self._wanted = trio.Event()

    @property
    def nameservers(self) -> list[str]:
        """The nameservers' addresses."""
        return [address for address in self._config.text("namesrvAddr").split(";") if address.strip()]

    def soon(self) -> None:
        """Something changed: register again without waiting."""
        self._wanted.set()

    async def run(self, pool: Pool, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Register once, then again and again."""
        await self.register(pool)
        task_status.started()
        while True:
            with trio.move_on_after(self._config.number("registerNameServerPeriod") / 1000):
                await self._wanted.wait()
            self._wanted = trio.Event()
            await self.register(pool)

    async def register(self, pool: Pool) -> None:
        """Tell every nameserver; one that does not answer is tried again next time."""
        wrapper = TopicConfigAndMappingSerializeWrapper(
            topic_config_table=dict(self._topics.all()), data_version=self._topics.version
        )
        body = RegisterBrokerBody(topic_config_serialize_wrapper=wrapper).encode()
        header = RegisterBrokerRequestHeader(
            broker_name=self._config.broker_name,
            broker_addr=self._address(),
            cluster_name=self._config.text("brokerClusterName"),
            ha_server_addr=self._ha_address(),
            broker_id=self._config.number("brokerId"),
            body_crc32=java_crc32(body),
        )
        await self._tell_all(pool, RemotingCommand.request(RequestCode.REGISTER_BROKER, header, body=body))

    async def unregister(self) -> None:
        """Tell every nameserver that the broker leaves, over connections that outlive the others."""
        header = UnRegisterBrokerRequestHeader(
            broker_name=self._config.broker_name,
            broker_addr=self._address(),
            cluster_name=self._config.text("brokerClusterName"),
            broker_id=self._config.number("brokerId"),
        )
        async with trio.open_nursery() as nursery:
            pool = Pool(nursery, Router({}))
            await self._tell_all(pool, RemotingCommand.request(RequestCode.UNREGISTER_BROKER, header))
            nursery.cancel_scope.cancel()

    async def _tell_all(self, pool: Pool, request: RemotingCommand) -> None:
        async with trio.open_nursery() as nursery:
            for address in self.nameservers:
                nursery.start_soon(self._tell, pool, address, request)

    @staticmethod
    async def _tell(pool: Pool, address: str, request: RemotingCommand) -> None:
        try:
            answer = await pool.invoke(address, request, 3.0)
        except (RemotingError, trio.TooSlowError) as error:
            logger.warning("nameserver %s: %s", address, error)
        else:
            if answer.code:
                logger.warning("nameserver %s refused %d: %s", address, request.code, answer.remark)

    def _ha_address(self) -> str:
        host, _, _ = self._address().rpartition(":")
        return f"{host}:{self._config.number('haListenPort')}"
