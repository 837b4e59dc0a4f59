"""Who is connected: consumers and producers by group, and what consumers subscribe to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from rocketmq_protocol import LanguageCode
from rocketmq_protocol.bodies import (
    ConsumeFromWhere,
    ConsumerData,
    ConsumeType,
    MessageModel,
    SubscriptionData,
)

# ConsumerManager: a client that sent no heartbeat for so long is gone.
EXPIRY_MILLIS: Final = 120_000


class Peer(Protocol):
    """The connection of a client, as far as this table cares: one object for each."""

    @property
    def remote(self) -> str: ...


@dataclass(slots=True)
class Client:
    """One client in one group."""

    client_id: str
    channel: Peer
    language: LanguageCode | None
    version: int
    last_seen: int


@dataclass(slots=True)
class ConsumerGroup:
    """The members of a group and what they consume."""

    name: str
    consume_type: ConsumeType | None = None
    message_model: MessageModel | None = None
    consume_from_where: ConsumeFromWhere | None = None
    members: dict[str, Client] = field(default_factory=dict)
    subscriptions: dict[str, SubscriptionData] = field(default_factory=dict)

    def update_subscriptions(self, wanted: Iterable[SubscriptionData]) -> bool:
        """Take in a heartbeat's subscriptions; True if they differ from what was known."""
        changed = False
        topics = set()
        for data in wanted:
            topic = data.topic or ""
            topics.add(topic)
            known = self.subscriptions.get(topic)
            if known is None:
                self.subscriptions[topic] = data
                changed = True
            elif data.sub_version > known.sub_version:
                self.subscriptions[topic] = data
        for topic in self.subscriptions.keys() - topics:
            del self.subscriptions[topic]
            changed = True
        return changed


class ClientTable:
    """All clients of a broker. `on_members_changed` is told when a consumer group gains or loses someone."""

    def __init__(self, on_members_changed: Callable[[ConsumerGroup], None]) -> None:
        self._on_members_changed = on_members_changed
        self.consumers: dict[str, ConsumerGroup] = {}
        self.producers: dict[str, dict[str, Client]] = {}

    def register_consumer(self, data: ConsumerData, client: Client) -> bool:
        """A consumer's heartbeat; True if the group changed by it."""
        name = data.group_name or ""
        group = self.consumers.get(name)
        if group is None:
            group = self.consumers[name] = ConsumerGroup(name)
        group.consume_type = data.consume_type
        group.message_model = data.message_model
        group.consume_from_where = data.consume_from_where
        known = group.members.get(client.client_id)
        joined = known is None or known.channel is not client.channel
        group.members[client.client_id] = client
        changed = group.update_subscriptions(data.subscription_data_set)
        if joined or changed:
            self._on_members_changed(group)
        return joined or changed

    def register_producer(self, group: str, client: Client) -> None:
        """A producer's heartbeat."""
        self.producers.setdefault(group, {})[client.client_id] = client

    def unregister(self, client_id: str, producer_group: str | None, consumer_group: str | None) -> None:
        """A client leaves its groups."""
        if producer_group:
            self._drop_producer(producer_group, client_id)
        if consumer_group:
            self._drop_consumer(consumer_group, client_id)

    def connection_closed(self, channel: Peer) -> None:
        """Everyone who spoke over this connection is gone."""
        self._drop_where(lambda client: client.channel is channel)

    def expire(self, now_millis: int) -> None:
        """Drop the clients that have been silent for too long."""
        self._drop_where(lambda client: now_millis - client.last_seen > EXPIRY_MILLIS)

    def subscription(self, group: str, topic: str) -> SubscriptionData | None:
        """What a group wants of a topic."""
        found = self.consumers.get(group)
        return found.subscriptions.get(topic) if found is not None else None

    def _drop_where(self, gone: Callable[[Client], bool]) -> None:
        for name, group in list(self.consumers.items()):
            for client in [client for client in group.members.values() if gone(client)]:
                self._drop_consumer(name, client.client_id)
        for name, producers in list(self.producers.items()):
            for client in [client for client in producers.values() if gone(client)]:
                self._drop_producer(name, client.client_id)

    def _drop_consumer(self, name: str, client_id: str) -> None:
        group = self.consumers.get(name)
        if group is None or group.members.pop(client_id, None) is None:
            return
        if not group.members:
            del self.consumers[name]
        self._on_members_changed(group)

    def _drop_producer(self, name: str, client_id: str) -> None:
        producers = self.producers.get(name)
        if producers is not None:
            producers.pop(client_id, None)
            if not producers:
                del self.producers[name]
