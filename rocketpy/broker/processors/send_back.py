"""Retries and dead letters: CONSUMER_SEND_MSG_BACK, and sends to %RETRY% topics (SendMessageProcessor)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import SubscriptionGroupConfig
from rocketmq_protocol.headers import (
    ConsumerSendMsgBackRequestHeader,
    SendMessageRequestHeader,
    SendMessageRequestHeaderV2,
)
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.properties import (
    PROPERTY_DELAY_TIME_LEVEL,
    PROPERTY_ORIGIN_MESSAGE_ID,
    PROPERTY_RETRY_TOPIC,
    PROPERTY_WAIT_STORE_MSG_OK,
)
from rocketmq_protocol.sysflag import TopicSysFlag
from rocketpy.broker.answers import SEE_FAQ
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.services.delay import postpone
from rocketpy.broker.services.rewrite import properties_bytes, properties_of, renewed, stored_message
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.names import DLQ_PREFIX, RETRY_PREFIX
from rocketpy.broker.state.topics import WRITE, TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.append import AppendRefused, NewMessage
from rocketpy.store.message_store import MessageStore

# MQVersion.V3_4_9: older clients do not mean what stands in maxReconsumeTimes.
_SAYS_MAX_RECONSUME_TIMES: Final = 121
_DLQ_QUEUES: Final = 1
# The first retry comes at this delay level, the next ones at the levels behind it.
_FIRST_RETRY_LEVEL: Final = 3


class SendBackProcessor:
    """Gives messages another try later, or lays them aside as dead letters.

    `consumes_in_order` says whether some consumer of a group holds a lock on a queue.
    """

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        groups: GroupTable,
        store: MessageStore,
        store_host: bytes,
        consumes_in_order: Callable[[str], bool] = lambda group: False,
    ) -> None:
        self._config = config
        self._topics = topics
        self._groups = groups
        self._store = store
        self._store_host = store_host
        self._consumes_in_order = consumes_in_order

    def send_back(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """A consumer failed on a message (AbstractSendMessageProcessor.consumerSendMsgBack)."""
        header = request.read_header(ConsumerSendMsgBackRequestHeader)
        group = self._group(header.group)
        if not self._config.number("brokerPermission") & WRITE:
            raise RequestRefused(
                ResponseCode.NO_PERMISSION,
                f"the broker[{self._config.text('brokerIP1')}] sending message is forbidden",
            )
        if group.retry_queue_nums <= 0:
            return request.reply(ResponseCode.SUCCESS)
        topic = self._retry_topic(header, group)
        message = stored_message(self._store, header.offset)
        if message is None:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, f"look message by offset failed, {header.offset}")
        most = _max_reconsume_times(group, header.max_reconsume_times, request.version)
        if message.reconsume_times >= most or header.delay_level < 0:
            level, topic, queues = 0, self._dead_letter_topic(header.group), _DLQ_QUEUES
        else:
            level = header.delay_level or _FIRST_RETRY_LEVEL + message.reconsume_times
            queues = group.retry_queue_nums
        self._put(message, topic, random.randrange(queues), level)
        return request.reply(ResponseCode.SUCCESS)

    def redirect_dead(
        self,
        message: NewMessage,
        header: SendMessageRequestHeader | SendMessageRequestHeaderV2,
        version: int,
    ) -> None:
        """Turn a send to a retry topic into a dead letter if it was tried too often (handleRetryAndDLQ)."""
        name = message.topic.removeprefix(RETRY_PREFIX)
        group = self._group(name)
        most = _max_reconsume_times(group, header.max_reconsume_times, version)
        # A consumer in order has tried as often as it may before it sends anything here.
        if message.reconsume_times <= most and not self._consumes_in_order(name):
            return
        properties = properties_of(message)
        properties[PROPERTY_DELAY_TIME_LEVEL] = "-1"
        message.properties = properties_bytes(properties)
        message.topic = self._dead_letter_topic(name)
        message.queue_id = random.randrange(_DLQ_QUEUES)

    def _group(self, name: str) -> SubscriptionGroupConfig:
        group = self._groups.find(name)
        if group is None:
            raise RequestRefused(
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, f"subscription group not exist, {name} {SEE_FAQ}"
            )
        return group

    def _retry_topic(self, header: ConsumerSendMsgBackRequestHeader, group: SubscriptionGroupConfig) -> str:
        name = f"{RETRY_PREFIX}{header.group}"
        sys_flag = TopicSysFlag.FLAG_UNIT_SUB if header.unit_mode else 0
        topic = self._topics.create_on_send_back(name, group.retry_queue_nums, sys_flag=sys_flag)
        if not topic.perm & WRITE:
            raise RequestRefused(
                ResponseCode.NO_PERMISSION, f"the topic[{name}] sending message is forbidden"
            )
        return name

    def _dead_letter_topic(self, group: str) -> str:
        name = f"{DLQ_PREFIX}{group}"
        self._topics.create_on_send_back(name, _DLQ_QUEUES)
        return name

    def _put(self, message: MessageExt, topic: str, queue_id: int, level: int) -> None:
        properties = dict(message.properties)
        properties.setdefault(PROPERTY_RETRY_TOPIC, message.topic)
        properties.setdefault(PROPERTY_ORIGIN_MESSAGE_ID, message.offset_msg_id)
        properties[PROPERTY_WAIT_STORE_MSG_OK] = "false"
        properties[PROPERTY_DELAY_TIME_LEVEL] = str(level)
        again = renewed(message, topic, queue_id, properties)
        again.store_host = self._store_host
        again.reconsume_times += 1
        postpone(again, len(self._store.config.delay_levels))
        try:
            self._store.append(again)
        except AppendRefused as refused:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, refused.status.name) from None


def _max_reconsume_times(group: SubscriptionGroupConfig, told: int | None, version: int) -> int:
    if told is not None and version >= _SAYS_MAX_RECONSUME_TIMES:
        return told
    return group.retry_max_times
