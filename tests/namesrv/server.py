"""A name server without sockets: requests in, answers out, a clock that the test sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import trio.testing

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    DataVersion,
    RegisterBrokerBody,
    TopicConfig,
    TopicConfigAndMappingSerializeWrapper,
    TopicQueueMappingInfo,
    TopicRouteData,
)
from rocketmq_protocol.headers import RegisterBrokerRequestHeader, UnRegisterBrokerRequestHeader
from rocketpy.namesrv.broker_processor import BrokerProcessor
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.kv_config import KvConfig
from rocketpy.namesrv.liveness import Liveness
from rocketpy.namesrv.members import LowestIdChange
from rocketpy.namesrv.processors import ConfigProcessor, KvProcessor, RouteProcessor, routes
from rocketpy.namesrv.route_table import RouteTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.router import Router

CLUSTER = "DefaultCluster"
# Topics that every broker has; a registration with one topic only is refused the first time.
EVERYWHERE = ("TBW102", "SELF_TEST_TOPIC")


class Asker(Channel):
    """A connection that keeps what it is answered."""

    def __init__(self, local: str = "127.0.0.1:9876") -> None:
        super().__init__(trio.testing.memory_stream_pair()[0], "127.0.0.1:50000", local)
        self.answers: list[RemotingCommand] = []

    def queue(self, command: RemotingCommand) -> None:
        self.answers.append(command)


class Server:
    """All parts of a name server, wired as the app does it."""

    def __init__(self, **settings: str) -> None:
        in_memory = {"kvConfigPath": "", "configStorePath": "", "rocketmqHome": "/rocketmq"}
        self.config = NamesrvConfig(in_memory | settings)
        self.now = 1000.0
        self.told: list[LowestIdChange] = []
        self.table = RouteTable(self.config)
        self.kv_config = KvConfig(self.config.kv_config_path)
        self.kv_config.load()
        self.liveness = Liveness(self.config, self.table, self.told.append, self.clock)
        self.connection = Asker()
        self.handlers = routes(
            BrokerProcessor(self.config, self.table, self.kv_config, self.told.append, self.clock),
            RouteProcessor(self.config, self.table, self.kv_config, self.clock),
            KvProcessor(self.kv_config),
            ConfigProcessor(self.config),
        )
        self.router = Router(self.handlers)

    def clock(self) -> float:
        return self.now

    def ask(self, request: RemotingCommand, connection: Asker | None = None) -> RemotingCommand:
        """The answer to a request."""
        connection = connection or self.connection
        connection.answers.clear()
        self.router.handle(connection, request)
        (answer,) = connection.answers
        return answer

    def get(self, code: RequestCode, *, version: int = 513, body: bytes = b"", **ext: Any) -> RemotingCommand:
        """The answer to a request with these ext fields, which must be a success."""
        answer = self.ask(RemotingCommand.request(code, ext_fields=ext or None, version=version, body=body))
        assert answer.code == ResponseCode.SUCCESS, answer
        return answer

    def route(self, topic: str) -> TopicRouteData | None:
        """Where a topic lives."""
        answer = self.ask(
            RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, ext_fields={"topic": topic})
        )
        return None if answer.code == ResponseCode.TOPIC_NOT_EXIST else TopicRouteData.decode(answer.body)

    def register(
        self, name: str = "broker-a", topics: Iterable[str | TopicConfig] = ("TopicA",), **changes: Any
    ) -> RemotingCommand:
        """A broker registers; see `registration`."""
        connection = changes.pop("connection", None)
        assert connection is None or isinstance(connection, Asker)
        return self.ask(registration(name, topics, **changes), connection)

    def unregister(self, name: str, broker_id: int, address: str, cluster: str = CLUSTER) -> None:
        """A broker leaves."""
        header = UnRegisterBrokerRequestHeader(
            broker_name=name, broker_addr=address, cluster_name=cluster, broker_id=broker_id
        )
        assert self.ask(RemotingCommand.request(RequestCode.UNREGISTER_BROKER, header)).code == 0


def registration(
    name: str,
    topics: Iterable[str | TopicConfig] = ("TopicA",),
    *,
    broker_id: int = 0,
    address: str = "192.0.2.1:10911",
    cluster: str = CLUSTER,
    version: DataVersion | None = None,
    mappings: Mapping[str, TopicQueueMappingInfo] | None = None,
    filter_servers: Iterable[str] = (),
    zone: str | None = None,
    only_these: bool = False,
    **header: Any,
) -> RemotingCommand:
    """What a broker sends to register."""
    configs = [TopicConfig(topic_name=name) for name in EVERYWHERE if not only_these]
    configs += [TopicConfig(topic_name=topic) if isinstance(topic, str) else topic for topic in topics]
    wrapper = TopicConfigAndMappingSerializeWrapper(
        topic_config_table={config.topic_name or "": config for config in configs},
        topic_queue_mapping_info_map=dict(mappings or {}),
        data_version=version or DataVersion(),
    )
    body = RegisterBrokerBody(topic_config_serialize_wrapper=wrapper, filter_server_list=list(filter_servers))
    fields = RegisterBrokerRequestHeader(
        broker_name=name,
        broker_addr=address,
        cluster_name=cluster,
        ha_server_addr=address.replace("1091", "1092"),
        broker_id=broker_id,
        **header,
    )
    zone_field = None if zone is None else {"__ZONE_NAME": zone}
    return RemotingCommand.request(
        RequestCode.REGISTER_BROKER, fields, body=body.encode(), ext_fields=zone_field
    )
