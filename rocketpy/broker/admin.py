"""What operators may ask: the admin processors put together, and their part of the routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rocketmq_protocol import RequestCode
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.processors.admin_client import ClientAdmin
from rocketpy.broker.processors.admin_config import ConfigAdmin
from rocketpy.broker.processors.admin_consume import ConsumeAdmin
from rocketpy.broker.processors.admin_group import GroupAdmin
from rocketpy.broker.processors.admin_offset import OffsetAdmin
from rocketpy.broker.processors.admin_stats import StatsAdmin
from rocketpy.broker.processors.admin_topic import TopicAdmin
from rocketpy.broker.state.clients import ClientTable
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.system_topics import SystemTopics
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.router import Handler
from rocketpy.store.message_store import MessageStore


@dataclass(kw_only=True)
class Admin:
    """Everything that the admin processors look at."""

    config: BrokerConfig
    topics: TopicTable
    groups: GroupTable
    clients: ClientTable
    offsets: ConsumerOffsets
    positions: PullPositions
    counters: Counters
    store: MessageStore
    clock: Callable[[], int]
    address: Callable[[], str]
    delay_offsets: Callable[[], Mapping[int, int]] = dict
    wake_pulls: Callable[[str, int], None] = lambda topic, queue_id: None
    on_config_update: Callable[[Mapping[str, str]], None] = lambda changed: None

    def routes(self) -> dict[int, Handler]:
        """The admin part of the router's table."""
        return self._topic_routes() | self._group_routes() | self._client_routes() | self._broker_routes()

    def _topic_routes(self) -> dict[int, Handler]:
        topic = TopicAdmin(
            self.config,
            self.topics,
            SystemTopics(self.config),
            self.offsets,
            self.positions,
            self.counters,
            self.store,
        )
        return {
            RequestCode.UPDATE_AND_CREATE_TOPIC: topic.update,
            RequestCode.UPDATE_AND_CREATE_TOPIC_LIST: topic.update_many,
            RequestCode.DELETE_TOPIC_IN_BROKER: topic.delete,
            RequestCode.GET_ALL_TOPIC_CONFIG: topic.all,
            RequestCode.GET_TOPIC_CONFIG: topic.one,
            RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER: topic.system,
            RequestCode.GET_TOPIC_STATS_INFO: topic.stats,
            RequestCode.CLEAN_UNUSED_TOPIC: topic.clean_unused,
        }

    def _group_routes(self) -> dict[int, Handler]:
        group = GroupAdmin(
            self.config,
            self.groups,
            self.clients,
            self.offsets,
            self.positions,
            self.counters,
            self.address,
        )
        consume = ConsumeAdmin(
            self.config,
            self.topics,
            self.groups,
            self.clients,
            self.offsets,
            self.positions,
            self.counters,
            self.store,
            self.clock,
            self.address,
        )
        return {
            RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP: group.update,
            RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST: group.update_many,
            RequestCode.DELETE_SUBSCRIPTIONGROUP: group.delete,
            RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG: group.all,
            RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG: group.one,
            RequestCode.QUERY_TOPIC_CONSUME_BY_WHO: group.consumers_of,
            RequestCode.QUERY_TOPICS_BY_CONSUMER: group.topics_of,
            RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER: group.subscription,
            RequestCode.GET_CONSUME_STATS: consume.stats,
            RequestCode.GET_BROKER_CONSUME_STATS: consume.stats_of_all,
            RequestCode.QUERY_CONSUME_TIME_SPAN: consume.time_span,
            RequestCode.QUERY_CONSUME_QUEUE: consume.queue_entries,
        }

    def _client_routes(self) -> dict[int, Handler]:
        client = ClientAdmin(self.config, self.topics, self.groups, self.clients, self.store)
        offset = OffsetAdmin(
            self.config,
            self.topics,
            self.groups,
            self.clients,
            self.offsets,
            self.positions,
            self.store,
            self.wake_pulls,
        )
        return {
            RequestCode.GET_CONSUMER_CONNECTION_LIST: client.consumers,
            RequestCode.GET_PRODUCER_CONNECTION_LIST: client.producers,
            RequestCode.GET_ALL_PRODUCER_INFO: client.all_producers,
            RequestCode.GET_CONSUMER_RUNNING_INFO: client.running_info,
            RequestCode.CONSUME_MESSAGE_DIRECTLY: client.consume_directly,
            RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS: client.status,
            RequestCode.INVOKE_BROKER_TO_RESET_OFFSET: offset.reset,
            RequestCode.CLONE_GROUP_OFFSET: offset.clone,
            RequestCode.GET_ALL_CONSUMER_OFFSET: offset.all,
        }

    def _broker_routes(self) -> dict[int, Handler]:
        config = ConfigAdmin(self.config, self.clock, self.on_config_update)
        stats = StatsAdmin(self.config, self.counters, self.store, self.clock, self.delay_offsets)
        return {
            RequestCode.UPDATE_BROKER_CONFIG: config.update,
            RequestCode.GET_BROKER_CONFIG: config.get,
            RequestCode.GET_BROKER_RUNTIME_INFO: stats.runtime_info,
            RequestCode.VIEW_BROKER_STATS_DATA: stats.view,
        }
