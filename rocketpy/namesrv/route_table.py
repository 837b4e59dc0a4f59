"""Who is alive, and which topics they hold: what Java's RouteInfoManager knows, as plain tables.

Times are seconds of whatever clock the caller has. The tables are dicts in the order of their puts: from
that follows the order of Java's hash tables, which the answers show.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from rocketmq_protocol.bodies import DataVersion, QueueData, TopicConfig, TopicQueueMappingInfo
from rocketmq_protocol.javaisms import string_hash
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.members import (
    MASTER_ID,
    Broker,
    LiveBroker,
    LowestIdChange,
    Member,
    Registered,
    Registration,
)

logger = logging.getLogger(__name__)

PERM_READ: Final = 4
PERM_WRITE: Final = 2

# TopicConfigSerializeWrapper.topicConfigTable, as it is decoded: the order in which topics are put.
_DECODED_TOPICS: Final = ConcurrentHashMap()


class RouteTable:
    """The tables, and the few ways in which they change."""

    def __init__(self, config: NamesrvConfig) -> None:
        self._config = config
        self.topics: Final[dict[str, dict[str, QueueData]]] = {}  # by topic, then by broker name
        self.brokers: Final[dict[str, Broker]] = {}
        self.clusters: Final[dict[str, dict[str, None]]] = {}  # their broker names, in order
        self.live: Final[dict[Member, LiveBroker]] = {}
        self.filter_servers: Final[dict[Member, list[str]]] = {}
        # Static topics, by topic and broker name. As in Java, nothing is ever taken out.
        self.mappings: Final[dict[str, dict[str, TopicQueueMappingInfo]]] = {}

    def register(self, new: Registration, now: float) -> Registered | None:
        """A broker tells of itself and its topics; None if it tells of one topic before all the others."""
        member = new.member
        self.clusters.setdefault(member.cluster, {})[new.name] = None
        is_first = new.name not in self.brokers
        broker = self.brokers.setdefault(new.name, Broker(member.cluster, new.name))
        broker.acting_master = bool(new.acting_master)
        broker.zone = new.zone
        is_lowest_now = new.broker_id < broker.lowest_id
        _forget_other_ids(broker, member.address, new.broker_id)
        known_address = broker.addresses.get(new.broker_id)
        if known_address not in (None, member.address) and self._is_outdated(new, known_address):
            self.live.pop(member, None)
            return Registered()
        if known_address is None and len(new.topics.topic_config_table) == 1:
            return None
        broker.addresses[new.broker_id] = member.address
        self._take_topics(new, broker, is_first=is_first or not known_address)
        self._remember(new, now)
        change = None
        if is_lowest_now:
            change = LowestIdChange(dict(broker.addresses), ha_address=new.ha_address)
        return self._registered(new, broker, change)

    def unregister(self, name: str, member: Member, broker_id: int) -> LowestIdChange | None:
        """A broker leaves; without master, what is left may only be read."""
        self.live.pop(member, None)
        self.filter_servers.pop(member, None)
        broker = self.brokers.get(name)
        if broker is None:
            return None
        was_lowest = bool(broker.addresses) and broker_id == broker.lowest_id
        for number in [number for number, address in broker.addresses.items() if address == member.address]:
            del broker.addresses[number]
        if not broker.addresses:
            self._remove_broker(broker, member.cluster)
            return None
        if not broker.acting_master:
            return None
        if broker.lowest_id > MASTER_ID:
            for queues in self._queues_of(name):
                queues.perm &= ~PERM_WRITE
        return LowestIdChange(dict(broker.addresses), offline_address=member.address) if was_lowest else None

    def unregister_lost(self, member: Member) -> LowestIdChange | None:
        """A broker fell silent, or its connection ended."""
        for broker in self.brokers.values():
            if broker.cluster == member.cluster:
                for broker_id, address in broker.addresses.items():
                    if address == member.address:
                        return self.unregister(broker.name, member, broker_id)
        self.live.pop(member, None)
        return None

    def expired(self, now: float) -> list[Member]:
        """Who was not heard of for too long."""
        return [
            member for member, broker in self.live.items() if broker.heard_at + broker.expiry_seconds < now
        ]

    def members_on(self, connection: object) -> list[Member]:
        """Who registered through a connection."""
        return [member for member, broker in self.live.items() if broker.connection is connection]

    def heard_of(self, member: Member, now: float) -> None:
        """A broker is alive."""
        if member in self.live:
            self.live[member].heard_at = now

    def version_of(self, member: Member) -> DataVersion | None:
        """The age of a broker's topics, as it told last."""
        broker = self.live.get(member)
        return None if broker is None else broker.version

    def register_topic(self, topic: str, queues: Sequence[QueueData]) -> None:
        """REGISTER_TOPIC_IN_NAMESRV: one broker that is not there, and the rest of the list is dropped."""
        known = self.topics.get(topic)
        added: dict[str, QueueData] = {} if known is None else known
        for one in queues:
            if one.broker_name is None or one.broker_name not in self.brokers:
                logger.warning("topic %s is told of for a broker that is not there: %s", topic, one)
                return
            added[one.broker_name] = one
        self.topics[topic] = added

    def delete_topic(self, topic: str, cluster: str | None = None) -> None:
        """Forget a topic everywhere, or in one cluster."""
        if not cluster:
            self.topics.pop(topic, None)
            return
        for name in self.clusters.get(cluster, {}):
            self._delete_queues(topic, name)

    def wipe_write_perm(self, name: str | None) -> int:
        """Take a broker out of all routes for writing; how many topics it has."""
        return self._change_perm(name, lambda perm: perm & ~PERM_WRITE)

    def add_write_perm(self, name: str | None) -> int:
        """Put a broker back into all routes; how many topics it has."""
        return self._change_perm(name, lambda perm: PERM_READ | PERM_WRITE)

    def _is_outdated(self, new: Registration, known_address: str | None) -> bool:
        """Whether another process with the same id has a newer right to it."""
        known = self.live.get(Member(new.member.cluster, known_address or ""))
        if known is None or known.version.state_version <= new.version.state_version:
            return False
        logger.warning("%s has registered with the id of %s, but is outdated", new.member, known_address)
        return True

    def _take_topics(self, new: Registration, broker: Broker, *, is_first: bool) -> None:
        """A master tells of topics; where there is none, so does the slave that acts as one."""
        acts_as_master = new.acting_master is not None and new.broker_id == broker.lowest_id
        if new.broker_id != MASTER_ID and not acts_as_master:
            return
        is_read_only = new.broker_id != MASTER_ID and broker.acting_master
        configs, mappings = new.topics.topic_config_table, new.topics.topic_queue_mapping_info_map
        if self._config.flag("deleteTopicWithBrokerRegistration") and not mappings:
            for topic in [topic for topic, known in self.topics.items() if new.name in known]:
                if topic not in configs:
                    self._delete_queues(topic, new.name)
        is_changed = is_first or self.version_of(new.member) != new.version
        for key in _DECODED_TOPICS.arrange(configs, string_hash):
            topic = configs[key].topic_name or key
            if is_changed or new.name not in self.topics.get(topic, {}):
                queues = _queue_data(new.name, configs[key])
                if is_read_only:
                    queues.perm &= ~PERM_WRITE
                self.topics.setdefault(topic, {})[new.name] = queues
        if is_changed:
            for topic, mapping in mappings.items():
                self.mappings.setdefault(topic, {})[mapping.bname or new.name] = mapping

    def _remember(self, new: Registration, now: float) -> None:
        if new.member not in self.live:
            logger.info("new broker: %s, %s", new.name, new.member)
        self.live[new.member] = LiveBroker(
            now, new.expiry_seconds, new.version, new.connection, new.ha_address
        )
        if new.filter_servers:
            self.filter_servers[new.member] = new.filter_servers
        else:
            self.filter_servers.pop(new.member, None)

    def _registered(self, new: Registration, broker: Broker, change: LowestIdChange | None) -> Registered:
        """A slave learns where its master is."""
        master_address = broker.addresses.get(MASTER_ID)
        if new.broker_id == MASTER_ID or master_address is None:
            return Registered(change=change)
        master = self.live.get(Member(new.member.cluster, master_address))
        if master is None:
            return Registered(change=change)
        return Registered(master.ha_address, master_address, change)

    def _remove_broker(self, broker: Broker, cluster: str) -> None:
        logger.info("broker %s is gone", broker.name)
        del self.brokers[broker.name]
        names = self.clusters.get(cluster, {})
        names.pop(broker.name, None)
        if not names:
            self.clusters.pop(cluster, None)
        for topic in list(self.topics):
            self._delete_queues(topic, broker.name)

    def _delete_queues(self, topic: str, name: str) -> None:
        known = self.topics.get(topic)
        if known is not None:
            known.pop(name, None)
            if not known:
                del self.topics[topic]

    def _queues_of(self, name: str | None) -> list[QueueData]:
        return [known[name] for known in self.topics.values() if name is not None and name in known]

    def _change_perm(self, name: str | None, change: Callable[[int], int]) -> int:
        found = self._queues_of(name)
        for queues in found:
            queues.perm = change(queues.perm)
        return len(found)


def _forget_other_ids(broker: Broker, address: str, broker_id: int) -> None:
    """A slave that became master keeps its address, under another id."""
    for number in [number for number, known in broker.addresses.items() if known == address]:
        if number != broker_id:
            del broker.addresses[number]


def _queue_data(name: str, config: TopicConfig) -> QueueData:
    return QueueData(
        broker_name=name,
        read_queue_nums=config.read_queue_nums,
        write_queue_nums=config.write_queue_nums,
        perm=config.perm,
        topic_sys_flag=config.topic_sys_flag,
    )
