"""What the Java name server of 5.5.0 was asked and answered, and the state that an answer implies.

Brokers and topics came and went while frames were captured, and of exchanges that look alike only a few were
kept. So what an answer tells of brokers, topics, keys and settings is put into a fresh server before it is
asked the same: as registrations where Java had registrations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, NamedTuple

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.bodies import (
    BrokerData,
    ClusterInfo,
    DataVersion,
    GetBrokerMemberGroupResponseBody,
    KVTable,
    RegisterBrokerBody,
    TopicConfig,
    TopicList,
    TopicRouteData,
)
from rocketmq_protocol.headers import (
    AddWritePermOfBrokerResponseHeader,
    QueryDataVersionRequestHeader,
    RegisterBrokerRequestHeader,
    RegisterBrokerResponseHeader,
    WipeWritePermOfBrokerResponseHeader,
)
from rocketpy.namesrv.kv_config import ORDER_TOPIC_CONFIG
from rocketpy.remoting.properties import parse_properties
from tests.namesrv.server import Server
from tests.vectors import VECTORS, rows

SERVER: Final = "namesrv-5.5.0"
# Where the two brokers of the capture were.
ADDRESSES: Final = {"broker-a": "127.0.0.1:20911", "broker-b": "127.0.0.1:22911"}
# Topics that broker-b did not have: the other's name, and one that a client made at the other.
ONLY_ON_A: Final = ("broker-a", "NS1%TopicNs")


class Exchange(NamedTuple):
    """A request and its answer."""

    id: str
    request: RemotingCommand
    answer: RemotingCommand
    answer_frame: bytes


@cache
def exchanges() -> tuple[Exchange, ...]:
    """Everything that was asked and answered."""
    found = [row for path in sorted(VECTORS.glob("frames-*.jsonl.gz")) for row in rows(path.name)]
    asked = {row["id"]: bytes.fromhex(str(row["frame_hex"])) for row in found if row["to"] == SERVER}
    answered = [row for row in found if row.get("reply_to") in asked]
    return tuple(
        Exchange(
            str(row["reply_to"]),
            RemotingCommand.decode(asked[row["reply_to"]]),
            RemotingCommand.decode(bytes.fromhex(str(row["frame_hex"]))),
            bytes.fromhex(str(row["frame_hex"])),
        )
        for row in answered
    )


def server_for(exchange: Exchange) -> Server:
    """A server that knows what the answer implies."""
    if exchange.request.code == RequestCode.GET_NAMESRV_CONFIG:
        return Server(**parse_properties(exchange.answer.body.decode()))
    server = Server()
    if exchange.answer.code == 0 and exchange.request.code in _IMPLIED:
        _IMPLIED[exchange.request.code](server, exchange.request, exchange.answer)
    return server


def _register(
    server: Server, broker: BrokerData, topics: Iterable[TopicConfig] = (), version: DataVersion | None = None
) -> None:
    """All members of a broker name, the master with its topics first."""
    for broker_id, address in sorted((broker.broker_addrs or {}).items()):
        answer = server.register(
            broker.broker_name or "",
            topics,
            broker_id=broker_id,
            address=address,
            cluster=broker.cluster or "",
            zone=broker.zone_name,
            enable_acting_master=broker.enable_acting_master,
            version=version,
        )
        assert answer.code == 0


def _route(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    found = TopicRouteData.decode(answer.body)
    brokers = {broker.broker_name: broker for broker in found.broker_datas}
    for queues in found.queue_datas:
        config = TopicConfig(
            topic_name=(request.ext_fields or {})["topic"],
            read_queue_nums=queues.read_queue_nums,
            write_queue_nums=queues.write_queue_nums,
            perm=queues.perm,
            topic_sys_flag=queues.topic_sys_flag,
        )
        _register(server, brokers[queues.broker_name], [config])


def _cluster_info(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    for broker in (ClusterInfo.decode(answer.body).broker_addr_table or {}).values():
        _register(server, broker)


def _member_group(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    group = GetBrokerMemberGroupResponseBody.decode(answer.body).broker_member_group
    assert group is not None
    _register(
        server,
        BrokerData(broker_name=group.broker_name, cluster=group.cluster, broker_addrs=group.broker_addrs),
    )


def _topics(flag: int) -> Callable[[Server, RemotingCommand, RemotingCommand], None]:
    def register(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
        names = TopicList.decode(answer.body).topic_list
        configs = [TopicConfig(topic_name=name, topic_sys_flag=flag) for name in names]
        if configs:
            server.register("broker-a", configs, only_these=flag == 0)

    return register


def _topics_of_cluster(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    """Java goes through the brokers one by one, so the order shows who has which topic."""
    names = list(TopicList.decode(answer.body).topic_list)
    if names:
        server.register("broker-b", [name for name in names if name not in ONLY_ON_A], only_these=True)
        server.register("broker-a", [name for name in names if name != "broker-b"], only_these=True)


def _system_topics(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    for name in TopicList.decode(answer.body).topic_list:
        if name in ADDRESSES:
            server.register(name, [], address=ADDRESSES[name], only_these=True)


def _data_version(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    header = request.read_header(QueryDataVersionRequestHeader)
    broker = BrokerData(
        broker_name=header.broker_name, cluster=header.cluster_name, broker_addrs={0: header.broker_addr}
    )
    _register(server, broker, [TopicConfig(topic_name="T")], DataVersion.decode(answer.body))


def _registered(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    header = request.read_header(RegisterBrokerRequestHeader)
    told = answer.read_header(RegisterBrokerResponseHeader)
    if told.master_addr is not None:
        server.register(header.broker_name, address=told.master_addr, cluster=header.cluster_name)
        (master,) = server.table.live.values()
        master.ha_address = told.ha_server_addr or ""
    topics = RegisterBrokerBody.decode(request.body or b"{}").topic_config_serialize_wrapper
    if len(topics.topic_config_table) == 1:  # the one that changed: it had registered all of them before
        server.register(
            header.broker_name,
            broker_id=header.broker_id,
            address=header.broker_addr,
            cluster=header.cluster_name,
        )
    if answer.body:
        for key, value in KVTable.decode(answer.body).table.items():
            server.kv_config.put(ORDER_TOPIC_CONFIG, key, value)


def _perms(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    if request.code == RequestCode.WIPE_WRITE_PERM_OF_BROKER:
        count = answer.read_header(WipeWritePermOfBrokerResponseHeader).wipe_topic_count
    else:
        count = answer.read_header(AddWritePermOfBrokerResponseHeader).add_topic_count
    if count:
        topics = [f"Topic{number}" for number in range(count)]
        server.register((request.ext_fields or {})["brokerName"], topics, only_these=True)


def _value(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    asked = request.ext_fields or {}
    server.kv_config.put(asked["namespace"], asked["key"], (answer.ext_fields or {})["value"])


def _values(server: Server, request: RemotingCommand, answer: RemotingCommand) -> None:
    for key, value in KVTable.decode(answer.body).table.items():
        server.kv_config.put((request.ext_fields or {})["namespace"], key, value)


_IMPLIED: Final[dict[int, Callable[[Server, RemotingCommand, RemotingCommand], None]]] = {
    RequestCode.GET_ROUTEINFO_BY_TOPIC: _route,
    RequestCode.GET_BROKER_CLUSTER_INFO: _cluster_info,
    RequestCode.GET_BROKER_MEMBER_GROUP: _member_group,
    RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER: _topics(0),
    RequestCode.GET_TOPICS_BY_CLUSTER: _topics_of_cluster,
    RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS: _system_topics,
    RequestCode.GET_UNIT_TOPIC_LIST: _topics(1),
    RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST: _topics(2),
    RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST: _topics(2),
    RequestCode.QUERY_DATA_VERSION: _data_version,
    RequestCode.REGISTER_BROKER: _registered,
    RequestCode.WIPE_WRITE_PERM_OF_BROKER: _perms,
    RequestCode.ADD_WRITE_PERM_OF_BROKER: _perms,
    RequestCode.GET_KV_CONFIG: _value,
    RequestCode.GET_KVLIST_BY_NAMESPACE: _values,
}
