"""The topics of a broker: settings, creation on first use, topics.json."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rocketmq_protocol.bodies import DataVersion, TopicConfig, TopicConfigSerializeWrapper
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state import names
from rocketpy.broker.state.versions import next_version
from rocketpy.store.config_files import ConfigFile

INHERIT: Final = 1
WRITE: Final = 2
READ: Final = 4


class TopicTable:
    """Topics by name. `on_change` is told of each topic that came, changed or went (None for many)."""

    def __init__(
        self,
        config: BrokerConfig,
        file: ConfigFile[TopicConfigSerializeWrapper],
        clock: Callable[[], int],
        on_change: Callable[[TopicConfig | None], None] = lambda changed: None,
    ) -> None:
        self._config = config
        self._file = file
        self._clock = clock
        self._on_change = on_change
        self._topics: dict[str, TopicConfig] = {}
        self.version = DataVersion(timestamp=clock())
        self.system_topics = frozenset(_system_topics(config))
        self._topics.update(_system_topics(config))

    def load(self) -> None:
        """Take in what the file holds; the broker's own topics are there whatever it says."""
        loaded = self._file.load()
        if loaded is not None:
            self._topics.update(loaded.topic_config_table)
            self.version = loaded.data_version or self.version

    def save(self) -> None:
        """Write the file."""
        self._file.save(self.wrapper())

    def wrapper(self) -> TopicConfigSerializeWrapper:
        """All topics with the table's version."""
        return TopicConfigSerializeWrapper(topic_config_table=dict(self._topics), data_version=self.version)

    def get(self, topic: str) -> TopicConfig | None:
        """A topic's settings."""
        return self._topics.get(topic)

    def all(self) -> dict[str, TopicConfig]:
        """Every topic."""
        return self._topics

    def put(self, config: TopicConfig) -> None:
        """Create a topic or replace its settings."""
        assert config.topic_name is not None
        self._topics[config.topic_name] = config
        self._changed(config)

    def delete(self, topic: str) -> bool:
        """Forget a topic; False if there is none."""
        if self._topics.pop(topic, None) is None:
            return False
        self._changed(None)
        return True

    def create_on_send(
        self, topic: str, default_topic: str, client_queues: int, sys_flag: int
    ) -> TopicConfig | None:
        """Make a topic after the template that the client names, if that allows it."""
        template = self._topics.get(default_topic)
        if template is None or not template.perm & INHERIT:
            return None
        if default_topic == names.AUTO_CREATE_TOPIC and not self._config.flag("autoCreateTopicEnable"):
            return None
        queues = max(min(client_queues, template.write_queue_nums), 0)
        created = replace(
            template,
            topic_name=topic,
            read_queue_nums=queues,
            write_queue_nums=queues,
            perm=template.perm & ~INHERIT,
            topic_sys_flag=sys_flag,
            attributes={},
        )
        self.put(created)
        return created

    def create_on_send_back(
        self, topic: str, queues: int, perm: int = READ | WRITE, sys_flag: int = 0
    ) -> TopicConfig:
        """A retry or dead letter topic, made on first use."""
        found = self._topics.get(topic)
        if found is None:
            found = TopicConfig(
                topic_name=topic,
                read_queue_nums=queues,
                write_queue_nums=queues,
                perm=perm,
                topic_sys_flag=sys_flag,
            )
            self.put(found)
        return found

    def _changed(self, config: TopicConfig | None) -> None:
        self.version = next_version(self.version, self._clock())
        self.save()
        self._on_change(config)


def _system_topics(config: BrokerConfig) -> dict[str, TopicConfig]:
    """TopicConfigManager.init."""
    cluster, broker = config.text("brokerClusterName"), config.broker_name
    queues = config.number("defaultTopicQueueNums")
    perm = READ | WRITE
    found = [
        _topic(names.SELF_TEST_TOPIC, 1),
        _topic(names.BENCHMARK_TOPIC, 1024),
        _topic(cluster, 16, perm | (INHERIT if config.flag("clusterTopicEnable") else 0)),
        _topic(broker, 1, perm | (INHERIT if config.flag("brokerTopicEnable") else 0)),
        _topic(names.OFFSET_MOVED_TOPIC, 1),
        _topic(names.SCHEDULE_TOPIC, 18),
        _topic(f"{cluster}_REPLY_TOPIC", 1),
        _topic(f"rmq_sys_REVIVE_LOG_{cluster}", config.number("reviveQueueNum")),
        _topic(f"rmq_sys_SYNC_BROKER_MEMBER_{broker}", 1, INHERIT),
        _topic(names.HALF_TOPIC, 1),
        _topic(names.OP_HALF_TOPIC, 1),
        _topic("RMQ_SYS_ROCKSDB_TRANS_HALF_TOPIC", 1),
        _topic("RMQ_SYS_ROCKSDB_TRANS_OP_HALF_TOPIC", 1),
    ]
    if config.flag("autoCreateTopicEnable"):
        found.append(_topic(names.AUTO_CREATE_TOPIC, queues, perm | INHERIT))
    if config.flag("traceTopicEnable"):
        found.append(_topic(config.text("msgTraceTopicName"), 1))
    if config.flag("timerWheelEnable"):
        found.append(_topic(names.TIMER_TOPIC, 1))
    return {topic.topic_name: topic for topic in found if topic.topic_name is not None}


def _topic(name: str, queues: int, perm: int = READ | WRITE) -> TopicConfig:
    return TopicConfig(topic_name=name, read_queue_nums=queues, write_queue_nums=queues, perm=perm)
