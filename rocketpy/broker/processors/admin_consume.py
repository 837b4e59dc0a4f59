"""How far groups have consumed (AdminBrokerProcessor)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import (
    ConsumeQueueData,
    ConsumeStats,
    ConsumeStatsList,
    MessageQueue,
    OffsetWrapper,
    QueryConsumeQueueResponseBody,
    QueryConsumeTimeSpanBody,
    QueueTimeSpan,
)
from rocketmq_protocol.headers import (
    GetConsumeStatsInBrokerHeader,
    GetConsumeStatsRequestHeader,
    QueryConsumeQueueRequestHeader,
    QueryConsumeTimeSpanRequestHeader,
)
from rocketpy.broker.answers import NO_REMARK
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.clients import ClientTable
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.message_store import MessageStore


class ConsumeAdmin:
    """Compares what groups have consumed with what queues hold."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        groups: GroupTable,
        clients: ClientTable,
        offsets: ConsumerOffsets,
        positions: PullPositions,
        counters: Counters,
        store: MessageStore,
        clock: Callable[[], int],
        address: Callable[[], str],
    ) -> None:
        self._config = config
        self._topics = topics
        self._groups = groups
        self._clients = clients
        self._offsets = offsets
        self._positions = positions
        self._counters = counters
        self._store = store
        self._clock = clock
        self._address = address

    def stats(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """A group's progress in the topics named, or in all it has offsets for."""
        header = request.read_header(GetConsumeStatsRequestHeader)
        group = header.consumer_group
        stats = ConsumeStats()
        for name in self._topics_to_show(header):
            topic = self._topics.get(name)
            if topic is not None:
                stats.offset_table |= self._progress(group, name, topic.read_queue_nums)
                stats.consume_tps += self._counters.group_tps(group, name)
        return request.reply(ResponseCode.SUCCESS, body=stats.encode())

    def stats_of_all(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The progress of every group."""
        only_ordered = request.read_header(GetConsumeStatsInBrokerHeader).is_order
        body = ConsumeStatsList(broker_addr=self._address())
        for group in self._groups.all():
            listed = []
            for name in self._subscribed(group, self._offsets.topics_of(group)):
                topic = self._topics.get(name)
                if topic is None or (only_ordered and not topic.order):
                    continue
                stats = ConsumeStats(
                    offset_table=self._progress(group, name, topic.write_queue_nums),
                    consume_tps=self._counters.group_tps(group, name),
                )
                for queue in stats.offset_table.values():
                    # fetchAllConsumeStatsInBroker never looks at the pulls.
                    queue.pull_offset = 0
                    body.total_diff += queue.broker_offset - queue.consumer_offset
                    body.total_inflight_diff += queue.pull_offset - queue.consumer_offset
                listed.append(stats)
            body.consume_stats_list.append({group: listed})
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def time_span(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """When a topic's oldest, newest and last consumed messages were stored, queue by queue."""
        header = request.read_header(QueryConsumeTimeSpanRequestHeader)
        topic = self._topics.get(header.topic)
        if topic is None:
            raise RequestRefused(ResponseCode.TOPIC_NOT_EXIST, f"topic[{header.topic}] not exist")
        body = QueryConsumeTimeSpanBody(
            consume_time_span_set=[
                self._queue_time_span(header.group, header.topic, number)
                for number in range(topic.write_queue_nums)
            ]
        )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def queue_entries(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Some entries of a consume queue."""
        header = request.read_header(QueryConsumeQueueRequestHeader)
        topic = header.topic or ""
        queue = self._store.queues.get(topic, header.queue_id)
        if queue is None:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, f"{header.queue_id}@{header.topic} is not exist!")
        body = QueryConsumeQueueResponseBody(
            max_queue_index=queue.max_offset, min_queue_index=queue.min_offset
        )
        if header.consumer_group is not None:
            body.subscription_data = self._clients.subscription(header.consumer_group, topic)
            if body.subscription_data is None:
                body.filter_data = f"{header.consumer_group}@{header.topic} is not online!"
            else:
                body.filter_data = "null"  # of a tag filter, Java's broker keeps no data
        if not queue.min_offset <= header.index < queue.max_offset:
            missing = f"Index {header.index} of {header.queue_id}@{header.topic} is not exist!"
            return request.reply(ResponseCode.SUCCESS, remark=missing)
        body.queue_data = [
            ConsumeQueueData(physic_offset=physical, physic_size=size, tags_code=tags)
            for physical, size, tags in queue.entries(header.index, header.count)
        ]
        return request.reply(ResponseCode.SUCCESS, remark=NO_REMARK, body=body.encode())

    def _topics_to_show(self, header: GetConsumeStatsRequestHeader) -> Iterable[str]:
        if header.topic_list:
            return [topic for topic in header.topic_list.split(";") if topic]
        if header.topic and header.topic.strip():
            return self._subscribed(header.consumer_group, [header.topic])
        return self._subscribed(header.consumer_group, self._offsets.topics_of(header.consumer_group))

    def _subscribed(self, group: str, topics: Iterable[str]) -> Iterable[str]:
        """Of a group that is online, only the topics that it subscribes to."""
        online = self._clients.consumers.get(group)
        if online is None or not online.subscriptions:
            return topics
        return [topic for topic in topics if topic in online.subscriptions]

    def _progress(self, group: str, topic: str, queues: int) -> dict[MessageQueue, OffsetWrapper]:
        broker = self._config.broker_name
        return {
            MessageQueue(topic, broker, number): self._queue_progress(group, topic, number)
            for number in range(queues)
        }

    def _queue_progress(self, group: str, topic: str, queue_id: int) -> OffsetWrapper:
        consumed = max(self._offsets.query(group, topic, queue_id), 0)
        return OffsetWrapper(
            broker_offset=self._store.max_offset(topic, queue_id),
            consumer_offset=consumed,
            pull_offset=max(consumed, self._positions.pulled_to(topic, group, queue_id)),
            last_timestamp=max(self._time(topic, queue_id, consumed - 1), 0),
        )

    def _queue_time_span(self, group: str, topic: str, queue_id: int) -> QueueTimeSpan:
        first = self._time(topic, queue_id, self._store.min_offset(topic, queue_id))
        end = self._store.max_offset(topic, queue_id)
        consumed = self._offsets.query(group, topic, queue_id)
        span = QueueTimeSpan(
            message_queue=MessageQueue(topic, self._config.broker_name, queue_id),
            min_time_stamp=first,
            max_time_stamp=self._time(topic, queue_id, end - 1),
            consume_time_stamp=self._time(topic, queue_id, consumed - 1) if consumed > 0 else first,
        )
        if consumed < end:
            span.delay_time = self._clock() - self._time(topic, queue_id, consumed)
        return span

    def _time(self, topic: str, queue_id: int, offset: int) -> int:
        """When a message was stored; -1 where there is none."""
        queue = self._store.queues.get(topic, queue_id)
        return self._store.store_timestamp(queue, offset) if queue is not None else -1
