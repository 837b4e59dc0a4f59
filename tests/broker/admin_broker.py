"""A small broker that operators can ask."""

from __future__ import annotations

from collections.abc import Callable

from rocketmq_protocol import LanguageCode, RemotingCommand, RequestCode
from rocketmq_protocol.bodies import (
    ConsumeFromWhere,
    ConsumerData,
    ConsumeType,
    MessageModel,
    SubscriptionData,
    SubscriptionGroupConfig,
    TopicConfig,
)
from rocketmq_protocol.headers import Header
from rocketpy.broker.admin import Admin
from rocketpy.broker.state.clients import Client, ClientTable, Peer
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.system_topics import SystemTopics
from tests.broker.small_broker import CLIENT, SmallBroker, call

ADDRESS = "127.0.0.1:10911"


class AdminBroker(SmallBroker):
    """Sending, and everything that the admin processors look at."""

    def __init__(
        self, settings: dict[str, str] | None = None, clock: Callable[[], int] | None = None
    ) -> None:
        super().__init__(settings, clock)
        self.clients = ClientTable(lambda group: None)
        self.offsets = ConsumerOffsets(self.files.offsets, self.clock)
        self.positions = PullPositions()
        self.counters = Counters(self.clock, SystemTopics(self.config).__contains__)
        self.config_updates: list[dict[str, str]] = []
        self.woken: list[tuple[str, int]] = []
        self.routes = Admin(
            config=self.config,
            topics=self.topics,
            groups=self.groups,
            clients=self.clients,
            offsets=self.offsets,
            positions=self.positions,
            counters=self.counters,
            store=self.store,
            clock=self.clock,
            address=lambda: ADDRESS,
            delay_offsets=lambda: {3: 7},
            wake_pulls=lambda topic, queue_id: self.woken.append((topic, queue_id)),
            on_config_update=lambda changed: self.config_updates.append(dict(changed)),
        ).routes()

    def ask(self, code: RequestCode, header: Header | None = None, body: bytes = b"") -> RemotingCommand:
        """What an operator gets as answer."""
        return call(self.routes[code], RemotingCommand.request(code, header, body=body))

    def topic(self, name: str, queues: int = 2, *, order: bool = False) -> None:
        """Make a topic."""
        self.topics.put(
            TopicConfig(topic_name=name, read_queue_nums=queues, write_queue_nums=queues, order=order)
        )

    def group(self, name: str) -> None:
        """Make a group."""
        self.groups.put(SubscriptionGroupConfig(group_name=name))

    def consumer(
        self, group: str, *topics: str, client_id: str = "c1", channel: Peer = CLIENT, version: int = 513
    ) -> None:
        """Have a consumer join a group."""
        data = ConsumerData(
            group_name=group,
            consume_type=ConsumeType.CONSUME_PASSIVELY,
            message_model=MessageModel.CLUSTERING,
            consume_from_where=ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET,
            subscription_data_set=frozenset(
                SubscriptionData(topic=topic, sub_string="*") for topic in topics
            ),
        )
        self.clients.register_consumer(data, self.client(client_id, channel, version))

    def client(self, client_id: str = "p1", channel: Peer = CLIENT, version: int = 513) -> Client:
        """A client that was seen just now."""
        return Client(client_id, channel, LanguageCode.JAVA, version, last_seen=self.clock())
