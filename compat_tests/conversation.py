"""Talking to a server by hand, and a random conversation with a name server."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from rocketmq_protocol import Connection, RemotingCommand, RequestCode
from rocketmq_protocol.bodies import (
    DataVersion,
    QueueData,
    RegisterBrokerBody,
    TopicConfig,
    TopicConfigAndMappingSerializeWrapper,
    TopicQueueMappingInfo,
    TopicRouteData,
)
from rocketmq_protocol.crc import java_crc32

# Names with equal hash codes share a bucket of any hash table: "Aa" and "BB".
TOPIC_STEMS: Final = ("T", "%RETRY%g", "Zürich", "AaAa", "BBBB", "AaBB", "rmq_sys_SYNC_BROKER_MEMBER_b")
TOPICS: Final = tuple(f"{stem}{number}" for stem in TOPIC_STEMS for number in range(12))
BROKERS: Final = ("broker-a", "broker-b", "Aa", "BB", "b1", "b2", "b3")
CLUSTERS: Final = ("C1", "C2", "DefaultCluster")
NAMESPACES: Final = ("ORDER_TOPIC_CONFIG", "NS", "Aa", "BB")
SWITCHES: Final = (
    "orderMessageEnable",
    "supportActingMaster",
    "deleteTopicWithBrokerRegistration",
    "returnOrderTopicConfigToBroker",
    "enableTopicList",
    "noSuchSetting",
    "waitSecondsForService",
    "kvConfigPath",
)


class Talk:
    """One connection, one request at a time."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._stream = socket.create_connection((host, int(port)), timeout=10)
        self._connection = Connection()

    def ask(self, request: RemotingCommand) -> RemotingCommand:
        """Send a request and wait for its answer."""
        self._stream.sendall(request.encode())
        while (answer := self._connection.next_command()) is None:
            data = self._stream.recv(1 << 20)
            assert data, "the server closed the connection"
            self._connection.receive_data(data)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()


class RandomConversation:
    """Requests of every kind that a name server serves, about a few brokers and topics."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._kinds = (
            (self._registration, 35),
            (self._unregistration, 8),
            (self._route, 20),
            (self._list, 14),
            (self._broker_question, 7),
            (self._perm, 3),
            (self._topic_change, 5),
            (self._key, 6),
            (self._setting, 2),
        )

    def requests(self, count: int) -> Iterator[RemotingCommand]:
        """So many requests."""
        kinds, weights = zip(*self._kinds, strict=True)
        for _ in range(count):
            (kind,) = self._random.choices(kinds, weights)
            yield kind()

    def _happens(self, share: float) -> bool:
        return self._random.random() < share

    def _broker(self) -> dict[str, str]:
        choose = self._random.choice
        return {
            "brokerName": choose(BROKERS),
            "brokerAddr": f"10.0.0.{self._random.randrange(8)}:10911",
            "clusterName": choose(CLUSTERS),
            "brokerId": choose(("0", "0", "0", "1", "2", "9", "16", "17")),
        }

    def _version(self) -> DataVersion:
        number = self._random.randrange
        return DataVersion(counter=number(3), timestamp=number(3), state_version=number(2))

    def _registration(self) -> RemotingCommand:
        choose, number = self._random.choice, self._random.randrange
        fields = self._broker()
        topics = {
            name: TopicConfig(
                topic_name=name,
                read_queue_nums=number(1, 9),
                write_queue_nums=number(1, 9),
                perm=choose((2, 4, 6, 6)),
                topic_sys_flag=choose((0, 0, 1, 2, 3)),
            )
            for name in self._random.sample(TOPICS, number(14))
        }
        mappings = {
            name: TopicQueueMappingInfo(topic=name, bname=fields["brokerName"], total_queues=4)
            for name in topics
            if self._happens(0.1)
        }
        body = RegisterBrokerBody(
            topic_config_serialize_wrapper=TopicConfigAndMappingSerializeWrapper(
                topic_config_table=topics,
                data_version=self._version(),
                topic_queue_mapping_info_map=mappings,
            ),
            filter_server_list=choose(([], [], [], ["f1", "f2"])),
        )
        version = choose((513, 513, 413, 409, 401, 317))
        is_compressed = self._happens(0.3)
        data = body.encode_compressed(version) if is_compressed else body.encode()
        if self._happens(0.06):
            data = data[: choose((0, len(data) // 2))]
        is_told = is_compressed and self._happens(0.95)
        fields |= {
            "haServerAddr": f"{fields['brokerAddr']}9",
            "compressed": str(is_told).lower(),
            "bodyCrc32": str(java_crc32(data) if self._happens(0.97) else 5),
        }
        if self._happens(0.6):
            fields["enableActingMaster"] = choose(("true", "false"))
        if self._happens(0.3):
            fields["__ZONE_NAME"] = choose(("z1", "Z1", "z2"))
        return RemotingCommand.request(
            RequestCode.REGISTER_BROKER, ext_fields=fields, body=data, version=version
        )

    def _unregistration(self) -> RemotingCommand:
        return RemotingCommand.request(RequestCode.UNREGISTER_BROKER, ext_fields=self._broker())

    def _route(self) -> RemotingCommand:
        choose = self._random.choice
        fields = {"topic": choose((*TOPICS, "NoSuchTopic"))}
        for name, values in (
            ("acceptStandardJsonOnly", ("true", "false")),
            ("__ZONE_MODE", ("true", "true", "false")),
            ("__ZONE_NAME", ("z1", "z2", " ", "nowhere")),
        ):
            if self._happens(0.3):
                fields[name] = choose(values)
        version = choose((513, 401, 400, 317, 0))
        return RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, ext_fields=fields, version=version)

    def _list(self) -> RemotingCommand:
        code = self._random.choice(
            (
                RequestCode.GET_BROKER_CLUSTER_INFO,
                RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER,
                RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS,
                RequestCode.GET_UNIT_TOPIC_LIST,
                RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST,
                RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST,
                RequestCode.GET_TOPICS_BY_CLUSTER,
            )
        )
        return RemotingCommand.request(code, ext_fields={"cluster": self._random.choice((*CLUSTERS, "none"))})

    def _broker_question(self) -> RemotingCommand:
        code = self._random.choice(
            (
                RequestCode.QUERY_DATA_VERSION,
                RequestCode.GET_BROKER_MEMBER_GROUP,
                RequestCode.BROKER_HEARTBEAT,
            )
        )
        body = b""
        if code is RequestCode.QUERY_DATA_VERSION and self._happens(0.7):
            body = self._version().encode()
        return RemotingCommand.request(code, ext_fields=self._broker(), body=body)

    def _perm(self) -> RemotingCommand:
        code = self._random.choice(
            (RequestCode.WIPE_WRITE_PERM_OF_BROKER, RequestCode.ADD_WRITE_PERM_OF_BROKER)
        )
        return RemotingCommand.request(code, ext_fields=self._broker())

    def _topic_change(self) -> RemotingCommand:
        choose = self._random.choice
        fields = {"topic": choose(TOPICS)}
        if self._happens(0.5):
            queues = [
                QueueData(broker_name=choose(BROKERS), perm=6) for _ in range(self._random.randrange(3))
            ]
            body = TopicRouteData(queue_datas=queues).encode()
            return RemotingCommand.request(
                RequestCode.REGISTER_TOPIC_IN_NAMESRV, ext_fields=fields, body=body
            )
        if self._happens(0.6):
            fields["clusterName"] = choose(CLUSTERS)
        return RemotingCommand.request(RequestCode.DELETE_TOPIC_IN_NAMESRV, ext_fields=fields)

    def _key(self) -> RemotingCommand:
        choose = self._random.choice
        code = choose(
            (
                RequestCode.PUT_KV_CONFIG,
                RequestCode.PUT_KV_CONFIG,
                RequestCode.GET_KV_CONFIG,
                RequestCode.DELETE_KV_CONFIG,
                RequestCode.GET_KVLIST_BY_NAMESPACE,
            )
        )
        fields = {
            "namespace": choose(NAMESPACES),
            "key": choose(TOPICS),
            "value": f"{self._random.randrange(9)} é",
        }
        if self._happens(0.1):
            del fields[choose(tuple(fields))]
        return RemotingCommand.request(code, ext_fields=fields)

    def _setting(self) -> RemotingCommand:
        choose = self._random.choice
        text = f"{choose(SWITCHES)}={choose(('true', 'true', 'false', 'TRUE', '8'))}\n"
        return RemotingCommand.request(RequestCode.UPDATE_NAMESRV_CONFIG, body=text.encode())
