"""Offsets of groups, moved and copied by operators (AdminBrokerProcessor, Broker2Client)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from rocketmq_protocol import LanguageCode, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    MessageQueue,
    MessageQueueForC,
    ResetOffsetBody,
    ResetOffsetBodyForC,
    TopicConfig,
)
from rocketmq_protocol.headers import (
    CloneGroupOffsetRequestHeader,
    ResetOffsetRequestHeader,
)
from rocketpy.broker.answers import NO_REMARK
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.clients import ClientTable, Peer
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError, RequestRefused
from rocketpy.store.message_store import MessageStore

logger = logging.getLogger(__name__)

# MQVersion.V3_0_7_SNAPSHOT: clients before it cannot be told.
_OLDEST_CLIENT: Final = 28


class OffsetAdmin:
    """Moves groups to other offsets. `wake` has the pulls that wait at a queue look again."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        groups: GroupTable,
        clients: ClientTable,
        offsets: ConsumerOffsets,
        positions: PullPositions,
        store: MessageStore,
        wake: Callable[[str, int], None] = lambda topic, queue_id: None,
    ) -> None:
        self._config = config
        self._topics = topics
        self._groups = groups
        self._clients = clients
        self._offsets = offsets
        self._positions = positions
        self._store = store
        self._wake = wake

    def reset(
        self, channel: Channel, request: RemotingCommand
    ) -> RemotingCommand | Awaitable[RemotingCommand]:
        """Move a group to a time or to one offset; consumers learn of it with their next pull.

        Without useServerSideResetOffset, consumers are told at once, and must be online.
        """
        header = request.read_header(ResetOffsetRequestHeader)
        if not self._config.flag("useServerSideResetOffset"):
            return self._tell_consumers(request, header)
        topic = self._topics.get(header.topic)
        if topic is None:
            raise RequestRefused(ResponseCode.TOPIC_NOT_EXIST, f"Topic {header.topic} does not exist")
        if header.group not in self._groups.all():
            raise RequestRefused(
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, f"Group {header.group} does not exist"
            )
        targets = self._targets(header, topic)
        if not targets:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "No queues to reset.")
        for queue_id, offset in targets.items():
            self._positions.reset(header.topic, header.group, queue_id, offset)
            self._offsets.commit(header.group, header.topic, queue_id, offset)
            self._wake(header.topic, queue_id)
        body = ResetOffsetBody(offset_table=self._by_queue(header.topic, targets))
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def clone(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Give a group the offsets that another has, in one topic or, as Java means to, in all."""
        header = request.read_header(CloneGroupOffsetRequestHeader)
        named = header.topic if header.topic and header.topic.strip() else None
        source = self._clients.consumers.get(header.src_group)
        for topic in [named] if named else self._offsets.topics_of(header.src_group):
            if self._topics.get(topic) is None:
                continue
            if not header.offline and source and source.subscriptions and topic not in source.subscriptions:
                continue
            for queue_id, offset in self._offsets.of_group(header.src_group, topic).items():
                self._offsets.commit(header.dest_group, topic, queue_id, offset)
        return request.reply(ResponseCode.SUCCESS)

    def all(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The offsets of all groups, for a slave."""
        return request.reply(ResponseCode.SUCCESS, body=self._offsets.wrapper().encode())

    def _targets(self, header: ResetOffsetRequestHeader, topic: TopicConfig) -> dict[int, int]:
        """Where each queue is to go on (AdminBrokerProcessor.resetOffsetInner)."""
        if header.queue_id < 0:
            return {
                number: self._offset_at(header.topic, number, header.timestamp)
                for number in range(topic.read_queue_nums)
            }
        if header.offset is None or header.offset == -1:
            return {header.queue_id: self._offset_at(header.topic, header.queue_id, header.timestamp)}
        begin = self._store.min_offset(header.topic, header.queue_id)
        end = self._store.max_offset(header.topic, header.queue_id)
        if not begin <= header.offset <= end + 1:
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR,
                f"Target offset {header.offset} not in consume queue range [{begin}-{end}]",
            )
        return {header.queue_id: header.offset}

    def _offset_at(self, topic: str, queue_id: int, timestamp: int) -> int:
        if timestamp < 0:
            return self._store.max_offset(topic, queue_id)
        return self._store.offset_by_time(topic, queue_id, timestamp)

    async def _tell_consumers(
        self, request: RemotingCommand, header: ResetOffsetRequestHeader
    ) -> RemotingCommand:
        """Broker2Client.resetOffset."""
        targets = self._targets_online(header)
        told = ResetOffsetRequestHeader(
            topic=header.topic, group=header.group, timestamp=header.timestamp, is_force=False
        )
        body = ResetOffsetBody(offset_table=targets).encode()
        message = RemotingCommand.request(
            RequestCode.RESET_CONSUMER_CLIENT_OFFSET,
            told,
            body=_for_c(targets) if request.language is LanguageCode.CPP else body,
            oneway=True,
        )
        group = self._clients.consumers.get(header.group)
        if group is None:
            raise RequestRefused(
                ResponseCode.CONSUMER_NOT_ONLINE,
                f"Consumer not online, so can not reset offset, Group: {header.group} "
                f"Topic: {header.topic} Timestamp: {header.timestamp}",
            )
        for client in list(group.members.values()):
            if client.version < _OLDEST_CLIENT:
                raise RequestRefused(
                    ResponseCode.SYSTEM_ERROR,
                    f"the client does not support this feature. version={client.version}",
                )
            await _send(client.channel, message)
        return request.reply(ResponseCode.SUCCESS, remark=NO_REMARK, body=body)

    def _targets_online(self, header: ResetOffsetRequestHeader) -> dict[MessageQueue, int]:
        topic = self._topics.get(header.topic)
        if topic is None:
            raise RequestRefused(
                ResponseCode.TOPIC_NOT_EXIST,
                f"[reset-offset] reset offset failed, no topic in this broker. topic={header.topic}",
            )
        targets: dict[int, int] = {}
        for number in range(topic.write_queue_nums):
            consumed = self._offsets.query(header.group, header.topic, number)
            if consumed == -1:
                raise RequestRefused(
                    ResponseCode.SYSTEM_ERROR, f"THe consumer group <{header.group}> not exist"
                )
            wanted = self._offset_at(header.topic, number, header.timestamp)
            targets[number] = wanted if header.is_force else min(wanted, consumed)
        return self._by_queue(header.topic, targets)

    def _by_queue(self, topic: str, offsets: dict[int, int]) -> dict[MessageQueue, int]:
        broker = self._config.broker_name
        return {MessageQueue(topic, broker, number): offset for number, offset in offsets.items()}


def _for_c(targets: dict[MessageQueue, int]) -> bytes:
    queues = [
        MessageQueueForC(
            topic=queue.topic, broker_name=queue.broker_name, queue_id=queue.queue_id, offset=offset
        )
        for queue, offset in targets.items()
    ]
    return ResetOffsetBodyForC(offset_table=queues).encode()


async def _send(peer: Peer, message: RemotingCommand) -> None:
    if isinstance(peer, Channel):
        try:
            await peer.send(message)
        except RemotingError as error:
            logger.warning("%s: not told of its new offsets: %s", peer.remote, error)
