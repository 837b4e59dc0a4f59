"""Topics, as operators see and change them (AdminBrokerProcessor)."""

from __future__ import annotations

from dataclasses import fields, replace

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import (
    CreateTopicListRequestBody,
    DataVersion,
    JavaSet,
    JavaTable,
    MessageQueue,
    TopicConfig,
    TopicConfigAndMappingSerializeWrapper,
    TopicConfigAndQueueMapping,
    TopicFilterType,
    TopicList,
    TopicOffset,
    TopicStatsTable,
)
from rocketmq_protocol.bodies.register_broker import PAGE_OF_TOPICS
from rocketmq_protocol.bodies.topic_config import TOPICS_OF_BROKER
from rocketmq_protocol.headers import (
    CreateTopicRequestHeader,
    DeleteTopicRequestHeader,
    GetAllTopicConfigRequestHeader,
    GetAllTopicConfigResponseHeader,
    GetTopicConfigRequestHeader,
    GetTopicStatsInfoRequestHeader,
)
from rocketmq_protocol.javaisms.maps import HashMap
from rocketpy.broker.answers import NO_REMARK
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state import names
from rocketpy.broker.state.attributes import (
    MESSAGE_TYPE,
    TOPIC_ATTRIBUTES,
    AttributeRefused,
    changed_attributes,
    parse_changes,
)
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.paging import page
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.system_topics import SystemTopics
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.message_store import MessageStore

_PAGE_FIELDS = ("topicSeq", "dataVersion", "maxTopicNum")


class TopicAdmin:
    """Creates, changes, deletes and describes topics."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        system_topics: SystemTopics,
        offsets: ConsumerOffsets,
        positions: PullPositions,
        counters: Counters,
        store: MessageStore,
    ) -> None:
        self._config = config
        self._topics = topics
        self._system_topics = system_topics
        self._offsets = offsets
        self._positions = positions
        self._counters = counters
        self._store = store

    def update(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Create a topic or change its settings."""
        header = request.read_header(CreateTopicRequestHeader)
        self._check_name(header.topic)
        try:
            changes = parse_changes(header.attributes)
        except AttributeRefused as refused:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, str(refused)) from None
        wanted = TopicConfig(
            topic_name=header.topic,
            read_queue_nums=header.read_queue_nums,
            write_queue_nums=header.write_queue_nums,
            perm=header.perm,
            topic_filter_type=TopicFilterType(header.topic_filter_type),
            topic_sys_flag=header.topic_sys_flag or 0,
            order=header.order,
            attributes=changes,
        )
        self._check_type(wanted)
        self._put(wanted)
        return request.reply(ResponseCode.SUCCESS, remark=NO_REMARK)

    def update_many(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Create or change a list of topics; all are checked before any is touched."""
        wanted = CreateTopicListRequestBody.decode(request.body).topic_config_list or []
        for topic in wanted:
            self._check_name(topic.topic_name or "")
            self._check_type(topic)
            if topic == self._topics.get(topic.topic_name or ""):
                # Java stops here, and creates none of the others.
                return request.reply(ResponseCode.SUCCESS, remark=NO_REMARK)
        for topic in wanted:
            self._put(topic)
        return request.reply(ResponseCode.SUCCESS, remark=NO_REMARK)

    def delete(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Delete a topic with its queues and offsets, and the topics in which it is retried after POP."""
        topic = request.read_header(DeleteTopicRequestHeader).topic
        if not topic.strip():
            raise RequestRefused(ResponseCode.INVALID_PARAMETER, "The specified topic is blank.")
        self._check_not_system(topic)
        gone = [topic]
        if self._config.flag("clearRetryTopicWhenDeleteTopic"):
            gone += [retry for retry in self._pop_retry_topics(topic) if self._topics.get(retry) is not None]
        for name in gone:
            self._topics.delete(name)
            self._offsets.remove_topic(name)
            self._positions.topic_deleted(name)
            self._counters.topic_deleted(name)
        self._store.delete_topics(gone)
        return request.reply(ResponseCode.SUCCESS)

    def all(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Every topic, or a page of them for a slave that asks for one."""
        topics, version = self._topics.all(), self._topics.version
        table = JavaTable(topics, TOPICS_OF_BROKER)
        asked = request.ext_fields or {}
        if self._config.flag("enableSplitMetadata") and any(name in asked for name in _PAGE_FIELDS):
            header = request.read_header(GetAllTopicConfigRequestHeader)
            size = self._config.number("splitMetadataSize")
            count = size if header.max_topic_num is None else min(size, header.max_topic_num)
            table = JavaTable(
                page(topics, header.topic_seq, count, header.data_version, version), PAGE_OF_TOPICS
            )
        body = TopicConfigAndMappingSerializeWrapper(
            topic_config_table=table,
            data_version=version,
            mapping_data_version=DataVersion(timestamp=self._counters.boot_time),
        )
        header_out = GetAllTopicConfigResponseHeader(total_topic_num=len(topics))
        return request.reply(ResponseCode.SUCCESS, header_out, body=body.encode())

    def one(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """One topic's settings."""
        name = request.read_header(GetTopicConfigRequestHeader).topic
        topic = self._topics.get(name)
        if topic is None:
            raise RequestRefused(ResponseCode.TOPIC_NOT_EXIST, f"No topic in this broker. topic: {name}")
        values = {item.name: getattr(topic, item.name) for item in fields(TopicConfig)}
        return request.reply(ResponseCode.SUCCESS, body=TopicConfigAndQueueMapping(**values).encode())

    def system(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The names of the system's topics."""
        body = TopicList(
            topic_list=JavaSet(self._system_topics.names | self._topics.system_topics, HashMap())
        )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def stats(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The offsets of a topic's queues."""
        name = request.read_header(GetTopicStatsInfoRequestHeader).topic
        topic = self._topics.get(name)
        if topic is None:
            raise RequestRefused(ResponseCode.TOPIC_NOT_EXIST, f"topic[{name}] not exist")
        queues = max(topic.write_queue_nums, topic.read_queue_nums)
        broker = self._config.broker_name
        body = TopicStatsTable(
            topic_put_tps=self._counters.topic_tps(name),
            offset_table={
                MessageQueue(name, broker, number): self._span(name, number) for number in range(queues)
            },
        )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def clean_unused(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Remove the queues of topics that are no more (MessageStore.cleanUnusedTopic)."""
        stored = {queue.topic for queue in self._store.queues}
        self._store.delete_topics(
            topic for topic in stored - self._topics.all().keys() if topic not in self._system_topics
        )
        return request.reply(ResponseCode.SUCCESS)

    def _span(self, topic: str, queue_id: int) -> TopicOffset:
        queue = self._store.queues.get(topic, queue_id)
        if queue is None:
            return TopicOffset()
        end = queue.max_offset
        return TopicOffset(
            min_offset=queue.min_offset,
            max_offset=end,
            last_update_timestamp=self._store.store_timestamp(queue, end - 1) if end > 0 else 0,
        )

    def _put(self, wanted: TopicConfig) -> None:
        known = self._topics.get(wanted.topic_name or "")
        if wanted == known:
            return
        changes = wanted.attributes or {}
        try:
            attributes = changed_attributes(
                TOPIC_ATTRIBUTES, (known.attributes or {}) if known is not None else None, changes
            )
        except AttributeRefused as refused:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, str(refused)) from None
        self._topics.put(replace(wanted, attributes=attributes))

    def _check_name(self, topic: str) -> None:
        if problem := names.topic_problem(topic):
            raise RequestRefused(ResponseCode.INVALID_PARAMETER, problem)
        self._check_not_system(topic)

    def _check_not_system(self, topic: str) -> None:
        if self._config.flag("validateSystemTopicWhenUpdateTopic") and topic in self._system_topics:
            raise RequestRefused(
                ResponseCode.INVALID_PARAMETER, f"The topic[{topic}] is conflict with system topic."
            )

    def _check_type(self, wanted: TopicConfig) -> None:
        if (wanted.attributes or {}).get(f"+{MESSAGE_TYPE}") == "MIXED" and not self._config.flag(
            "enableMixedMessageType"
        ):
            raise RequestRefused(ResponseCode.INVALID_PARAMETER, "MIXED message type is not supported.")

    def _pop_retry_topics(self, topic: str) -> list[str]:
        """KeyBuilder.buildPopRetryTopic, in both spellings."""
        return [
            f"{names.RETRY_PREFIX}{group}{between}{topic}"
            for group in self._offsets.groups_of(topic)
            for between in "+_"
        ]
