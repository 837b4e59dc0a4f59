"""Sending: SEND_MESSAGE, SEND_MESSAGE_V2, SEND_BATCH_MESSAGE (SendMessageProcessor)."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import TopicConfig
from rocketmq_protocol.headers import (
    SendMessageRequestHeader,
    SendMessageRequestHeaderV2,
    SendMessageResponseHeader,
)
from rocketmq_protocol.hosts import host_bytes
from rocketmq_protocol.message_batch import iter_batch
from rocketpy.broker.answers import SEE_FAQ
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.processors import transaction
from rocketpy.broker.processors.send_back import SendBackProcessor
from rocketpy.broker.services.delay import postpone
from rocketpy.broker.services.durability import Durability
from rocketpy.broker.state import names
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.append import Appended, AppendRefused, NewMessage, PutStatus
from rocketpy.store.message_store import MessageStore

SendHeader = SendMessageRequestHeader | SendMessageRequestHeaderV2

_REFUSALS: Final = {
    PutStatus.SERVICE_NOT_AVAILABLE: ResponseCode.SERVICE_NOT_AVAILABLE,
    PutStatus.MESSAGE_ILLEGAL: ResponseCode.MESSAGE_ILLEGAL,
    PutStatus.PROPERTIES_SIZE_EXCEEDED: ResponseCode.MESSAGE_ILLEGAL,
}
_UNIQUE_KEY: Final = "UNIQ_KEY\x01"


class SendProcessor:
    """Checks a message, stores it, and says where."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        store: MessageStore,
        durability: Durability,
        store_host: bytes,
        new_unique_id: Callable[[], str],
        send_back: SendBackProcessor,
    ) -> None:
        self._config = config
        self._topics = topics
        self._store = store
        self._durability = durability
        self._store_host = store_host
        self._new_unique_id = new_unique_id
        self._send_back = send_back
        region, trace = config.text("regionId"), config.text("traceOn")
        # What every answer to a send carries beside its header.
        self._marks = {"MSG_REGION": region, "TRACE_ON": trace}
        # What the broker adds to every message (AbstractSendMessageProcessor.buildMsgContext).
        cluster = config.text("brokerClusterName")
        self._stamp = f"MSG_REGION\x01{region}\x02TRACE_ON\x01{trace}\x02CLUSTER\x01{cluster}\x02"

    def send(
        self, channel: Channel, request: RemotingCommand
    ) -> RemotingCommand | Awaitable[RemotingCommand | None] | None:
        """Store the message of a request."""
        try:
            header = _read_header(request)
            topic = self._check(header, channel)
            batch = header.batch or request.code == RequestCode.SEND_BATCH_MESSAGE
            messages = (
                self._batch(header, topic, request, channel)
                if batch
                else [self._message(header, topic, request.body, header.properties or "", channel)]
            )
            queue_id = messages[0].queue_id
            if not batch:
                self._divert(messages[0], header, request.version)
            appended = self._store.append_batch(messages) if batch else [self._store.append(messages[0])]
        except RequestRefused as refused:
            return self._reply(request, refused.code, remark=refused.remark)
        except AppendRefused as refused:
            return self._reply(request, _REFUSALS[refused.status], remark=str(refused))
        reply = self._stored(request, queue_id, messages, appended)
        if self._durability.must_wait(messages[-1]):
            return self._when_safe(reply, appended[-1])
        return reply

    async def _when_safe(self, reply: RemotingCommand, appended: Appended) -> RemotingCommand:
        if await self._durability.wait(appended) is PutStatus.FLUSH_DISK_TIMEOUT:
            reply.code = ResponseCode.FLUSH_DISK_TIMEOUT
        return reply

    def _check(self, header: SendHeader, channel: Channel) -> TopicConfig:
        """AbstractSendMessageProcessor.msgCheck; gives the topic, made on first use where that is allowed."""
        if problem := names.topic_problem(header.topic):
            raise RequestRefused(ResponseCode.INVALID_PARAMETER, problem)
        if header.topic in names.NOT_ALLOWED_TO_SEND:
            raise RequestRefused(
                ResponseCode.NO_PERMISSION, f"Sending message to topic[{header.topic}] is forbidden."
            )
        topic = self._topics.get(header.topic) or self._create(header)
        if topic is None:
            raise RequestRefused(
                ResponseCode.TOPIC_NOT_EXIST, f"topic[{header.topic}] not exist, apply first please!{SEE_FAQ}"
            )
        if header.queue_id >= max(topic.write_queue_nums, topic.read_queue_nums):
            raise RequestRefused(
                ResponseCode.INVALID_PARAMETER,
                f"request queueId[{header.queue_id}] is illegal, {_java_text(topic)} "
                f"Producer: {channel.remote}",
            )
        return topic

    def _create(self, header: SendHeader) -> TopicConfig | None:
        is_retry = header.topic.startswith(names.RETRY_PREFIX)
        sys_flag = (2 if is_retry else 1) if header.unit_mode else 0
        created = self._topics.create_on_send(
            header.topic, header.default_topic, header.default_topic_queue_nums, sys_flag
        )
        if created is None and is_retry:
            created = self._topics.create_on_send_back(header.topic, 1, sys_flag=sys_flag)
        return created

    def _message(
        self, header: SendHeader, topic: TopicConfig, body: bytes, properties: str, channel: Channel
    ) -> NewMessage:
        if properties and not properties.endswith("\x02"):
            properties += "\x02"
        if _UNIQUE_KEY not in properties:
            properties += f"{_UNIQUE_KEY}{self._new_unique_id()}\x02"
        queue_id = header.queue_id if header.queue_id >= 0 else random.randrange(topic.write_queue_nums)
        return NewMessage(
            topic=header.topic,
            queue_id=queue_id,
            body=body,
            properties=(properties + self._stamp).encode("utf-8", "replace"),
            flag=header.flag,
            sys_flag=header.sys_flag,
            born_timestamp=header.born_timestamp,
            born_host=_born_host(channel.remote),
            store_host=self._store_host,
            reconsume_times=header.reconsume_times or 0,
        )

    def _batch(
        self, header: SendHeader, topic: TopicConfig, request: RemotingCommand, channel: Channel
    ) -> list[NewMessage]:
        """The messages of a client batch, each with its own properties."""
        if header.topic.startswith(names.RETRY_PREFIX):
            raise RequestRefused(ResponseCode.MESSAGE_ILLEGAL, "batch request does not support retry group ")
        try:
            entries = list(iter_batch(request.body))
        except RemoteProtocolError as error:
            raise RequestRefused(ResponseCode.MESSAGE_ILLEGAL, str(error)) from None
        if not entries:
            raise RequestRefused(ResponseCode.MESSAGE_ILLEGAL, "the batch holds no message")
        messages = [
            self._message(header, topic, entry.body, entry.properties_text, channel) for entry in entries
        ]
        for message, entry in zip(messages, entries, strict=True):
            message.flag = entry.flag
        return messages

    def _divert(self, message: NewMessage, header: SendHeader, version: int) -> None:
        """Send elsewhere what does not go to its topic at once: dead letters, halves, delayed messages."""
        if message.topic.startswith(names.RETRY_PREFIX):
            self._send_back.redirect_dead(message, header, version)
        if not transaction.is_half(message):
            postpone(message, len(self._store.config.delay_levels))
            return
        if self._config.flag("rejectTransactionMessage"):
            raise RequestRefused(
                ResponseCode.NO_PERMISSION,
                f"the broker[{self._config.text('brokerIP1')}] sending transaction message is forbidden",
            )
        transaction.hide(message)

    def _stored(
        self,
        request: RemotingCommand,
        queue_id: int,
        messages: list[NewMessage],
        appended: list[Appended],
    ) -> RemotingCommand:
        first = appended[0]
        ids = ",".join((self._store_host + item.offset.to_bytes(8, "big")).hex().upper() for item in appended)
        header = SendMessageResponseHeader(
            msg_id=ids,
            queue_id=queue_id,
            queue_offset=first.queue_offset,
            transaction_id=_unique_key(messages[0].properties),
        )
        return request.reply(ResponseCode.SUCCESS, header, ext_fields=self._marks)

    def _reply(self, request: RemotingCommand, code: ResponseCode, remark: str | None) -> RemotingCommand:
        return request.reply(code, remark=remark, ext_fields=self._marks)


def _read_header(request: RemotingCommand) -> SendHeader:
    if request.code == RequestCode.SEND_MESSAGE:
        return request.read_header(SendMessageRequestHeader)
    return request.read_header(SendMessageRequestHeaderV2)


@lru_cache(maxsize=4096)
def _born_host(remote: str) -> bytes:
    ip, _, port = remote.rpartition(":")
    return host_bytes((ip.strip("[]"), int(port)))


def _unique_key(properties: bytes) -> str:
    start = properties.rfind(b"UNIQ_KEY\x01") + 9
    return properties[start : properties.find(b"\x02", start)].decode()


def _java_text(topic: TopicConfig) -> str:
    """TopicConfig.toString."""
    perm = "".join(letter if topic.perm & bit else "-" for letter, bit in (("R", 4), ("W", 2), ("X", 1)))
    return (
        f"TopicConfig [topicName={topic.topic_name}, readQueueNums={topic.read_queue_nums}, "
        f"writeQueueNums={topic.write_queue_nums}, perm={perm}, topicFilterType={topic.topic_filter_type}, "
        f"topicSysFlag={topic.topic_sys_flag}, order={str(topic.order).lower()}, "
        f"attributes={{{', '.join(f'{key}={value}' for key, value in (topic.attributes or {}).items())}}}]"
    )
