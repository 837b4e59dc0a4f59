"""What askers are shown of the route table, in the order in which Java's tables would give it.

A broker that registers as 0.0.0.0 leaves it to the name server to say where it is: on the same machine, so
that it is reached at whatever address the asker reached the name server at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, TypeVar

from rocketmq_protocol.bodies import (
    BrokerData,
    BrokerMemberGroup,
    ClusterInfo,
    JavaSet,
    JavaTable,
    QueueData,
    TopicList,
    TopicRouteData,
)
from rocketmq_protocol.javaisms import long_hash, string_hash
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, HashMap
from rocketpy.namesrv.members import MASTER_ID, Broker, Member
from rocketpy.namesrv.route_table import PERM_WRITE, RouteTable

# TopicValidator.SYNC_BROKER_MEMBER_GROUP_PREFIX: slaves ask for its route to learn who else is there.
_MEMBER_GROUP_PREFIX: Final = "rmq_sys_SYNC_BROKER_MEMBER_"
# TopicSysFlag
_UNIT: Final = 1
_UNIT_SUB: Final = 2

# MixAll: ext fields of clients and brokers that know in which zone they are.
ZONE_NAME: Final = "__ZONE_NAME"
ZONE_MODE: Final = "__ZONE_MODE"

_ANYWHERE: Final = "0.0.0.0:"

_TOPICS: Final = ConcurrentHashMap(1024)
_CLUSTERS: Final = ConcurrentHashMap(32)
_BROKERS: Final = ConcurrentHashMap(128)
_HASH_MAP: Final = HashMap()
# A copied HashMap is as small as it can be, a HashSet made of a collection has 16 buckets at least.
_COPIED_MAP: Final = HashMap(1, copied=True)
_COPIED_SET: Final = HashMap(copied=True)


def host_of(address: str) -> str:
    """The host of `host:port`."""
    return address.rpartition(":")[0]


T = TypeVar("T", str, str | None)


def reachable(address: T, seen_at: str) -> T:
    """A broker's address for someone who reached the name server at `seen_at`."""
    if address is not None and address.startswith(_ANYWHERE):
        return f"{seen_at}:{address.removeprefix(_ANYWHERE)}"
    return address


def route(table: RouteTable, topic: str, seen_at: str, *, with_acting_master: bool) -> TopicRouteData | None:
    """Where a topic lives, or None. With `with_acting_master`, a slave without master is shown as one."""
    queues = table.topics.get(topic)
    if queues is None:
        return None
    names = _HASH_MAP.arrange(queues, string_hash)
    copied_names = _COPIED_SET.arrange(names, string_hash)
    brokers = [table.brokers[name] for name in copied_names if name in table.brokers]
    if not brokers:
        return None
    found = TopicRouteData(
        queue_datas=[queues[name] for name in names],
        broker_datas=[_broker_data(broker, _copied(_seen(broker, seen_at))) for broker in brokers],
        filter_server_table=_filter_servers(table, brokers),
        topic_queue_mapping_by_broker=table.mappings.get(topic),
    )
    if with_acting_master and not topic.startswith(_MEMBER_GROUP_PREFIX):
        for data in found.broker_datas:
            _promote_slave(data, queues)
    return found


def in_zone(route_json: bytes, zone: str) -> TopicRouteData:
    """ZoneRouteRPCHook: of a route as it would be sent, the brokers of a zone and those without a master.

    Java decodes the route for that, so its maps are filled anew.
    """
    found = TopicRouteData.decode(route_json)
    far = [data for data in found.broker_datas if _is_far(data, zone)]
    far_names = {data.broker_name for data in far}
    far_addresses = {address for data in far for address in (data.broker_addrs or {}).values()}
    mappings = found.topic_queue_mapping_by_broker
    return TopicRouteData(
        order_topic_conf=found.order_topic_conf,
        queue_datas=[queues for queues in found.queue_datas if queues.broker_name not in far_names],
        broker_datas=[
            replace(data, broker_addrs=dict(data.broker_addrs or {}))
            for data in found.broker_datas
            if data not in far
        ],
        filter_server_table={
            address: servers
            for address, servers in found.filter_server_table.items()
            if address not in far_addresses
        },
        topic_queue_mapping_by_broker=None if mappings is None else dict(mappings),
    )


def _is_far(data: BrokerData, zone: str) -> bool:
    """Whether a broker is of another zone; one without a master is always near enough."""
    return MASTER_ID in (data.broker_addrs or {}) and (data.zone_name or "").lower() != zone.lower()


def cluster_info(table: RouteTable, seen_at: str) -> ClusterInfo:
    """All brokers and clusters."""
    return ClusterInfo(
        broker_addr_table={
            name: _broker_data(broker, _seen(broker, seen_at)) for name, broker in table.brokers.items()
        },
        cluster_addr_table={cluster: JavaSet(names, _HASH_MAP) for cluster, names in table.clusters.items()},
    )


def member_group(table: RouteTable, cluster: str | None, name: str | None, seen_at: str) -> BrokerMemberGroup:
    """The members of a broker name."""
    broker = None if name is None else table.brokers.get(name)
    addresses = {} if broker is None else _seen(broker, seen_at)
    return BrokerMemberGroup(cluster=cluster, broker_name=name, broker_addrs=_copied(addresses))


def all_topics(table: RouteTable) -> TopicList:
    """Every topic."""
    return _topic_list(_TOPICS.arrange(table.topics, string_hash))


def topics_of_cluster(table: RouteTable, cluster: str | None) -> TopicList:
    """The topics of a cluster's brokers, one broker after the other."""
    members = {} if cluster is None else table.clusters.get(cluster, {})
    names = _HASH_MAP.arrange(members, string_hash)
    topics = _TOPICS.arrange(table.topics, string_hash)
    return _topic_list(topic for name in names for topic in topics if name in table.topics[topic])


def system_topics(table: RouteTable, seen_at: str) -> TopicList:
    """Names of clusters and brokers, which are topics, too; and a broker that can tell more."""
    names: list[str] = []
    for cluster in _CLUSTERS.arrange(table.clusters, string_hash):
        names += cluster, *_HASH_MAP.arrange(table.clusters[cluster], string_hash)
    found = _topic_list(names)
    for name in _BROKERS.arrange(table.brokers, string_hash):
        addresses = _seen(table.brokers[name], seen_at)
        for broker_id in _HASH_MAP.arrange(addresses, long_hash):
            found.broker_addr = addresses[broker_id]
            return found
    return found


def unit_topics(table: RouteTable) -> TopicList:
    """Topics of one unit."""
    return _flagged_topics(table, lambda flag: bool(flag & _UNIT))


def unit_sub_topics(table: RouteTable) -> TopicList:
    """Topics with consumers in several units."""
    return _flagged_topics(table, lambda flag: bool(flag & _UNIT_SUB))


def unit_sub_un_unit_topics(table: RouteTable) -> TopicList:
    """Topics with consumers in several units that are not of one unit themselves."""
    return _flagged_topics(table, lambda flag: flag & (_UNIT | _UNIT_SUB) == _UNIT_SUB)


def _flagged_topics(table: RouteTable, is_meant: Callable[[int], bool]) -> TopicList:
    """Those whose first broker, in Java's order, has such a flag."""
    return _topic_list(
        topic
        for topic in _TOPICS.arrange(table.topics, string_hash)
        if is_meant(_sys_flag(table.topics[topic]))
    )


def _sys_flag(queues: dict[str, QueueData]) -> int:
    names = _HASH_MAP.arrange(queues, string_hash)
    return next((queues[name].topic_sys_flag for name in names), 0)


def _topic_list(topics: Iterable[str]) -> TopicList:
    """TopicList keeps its names in a concurrent set, filled one by one."""
    return TopicList(topic_list=JavaSet(topics, ConcurrentHashMap()))


def _broker_data(broker: Broker, addresses: dict[int, str]) -> BrokerData:
    return BrokerData(
        cluster=broker.cluster,
        broker_name=broker.name,
        broker_addrs=addresses,
        zone_name=broker.zone,
        enable_acting_master=broker.acting_master,
    )


def _seen(broker: Broker, seen_at: str) -> dict[int, str]:
    return {number: reachable(address, seen_at) for number, address in broker.addresses.items()}


def _copied(addresses: dict[int, str]) -> JavaTable[int, str]:
    """A HashMap that took another one as a whole, as BrokerData's copy constructor makes it."""
    order = _HASH_MAP.arrange(addresses, long_hash)
    return JavaTable(((number, addresses[number]) for number in order), _COPIED_MAP)


def _filter_servers(table: RouteTable, brokers: list[Broker]) -> dict[str, list[str]]:
    """The relic of Java's filter servers, by broker address; the last of two equal addresses counts."""
    found = {
        address: table.filter_servers.get(Member(broker.cluster, address))
        for broker in brokers
        for address in broker.addresses.values()
    }
    return {address: servers for address, servers in found.items() if servers is not None}


def _promote_slave(data: BrokerData, queues: dict[str, QueueData]) -> None:
    """A slave that acts as master has the master's id in routes, where it may not be written to."""
    addresses = data.broker_addrs
    if not addresses or MASTER_ID in addresses or not data.enable_acting_master:
        return
    if not queues[data.broker_name or ""].perm & PERM_WRITE:
        addresses[MASTER_ID] = addresses.pop(min(addresses))
