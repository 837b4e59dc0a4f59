"""Clients: heartbeats, leaving, who is in a group (ClientManageProcessor, ConsumerManageProcessor)."""

from __future__ import annotations

from collections.abc import Callable

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import (
    GetConsumerListByGroupResponseBody,
    HeartbeatData,
    LockBatchRequestBody,
    LockBatchResponseBody,
    UnlockBatchRequestBody,
)
from rocketmq_protocol.headers import (
    GetConsumerListByGroupRequestHeader,
    GetConsumerListByGroupResponseHeader,
    UnregisterClientRequestHeader,
    UnregisterClientResponseHeader,
)
from rocketpy.broker.state.clients import Client, ClientTable
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.names import RETRY_PREFIX
from rocketpy.broker.state.queue_locks import QueueLocks
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel


class ClientProcessor:
    """Keeps the table of clients, and the locks of orderly consumers."""

    def __init__(
        self,
        topics: TopicTable,
        groups: GroupTable,
        clients: ClientTable,
        locks: QueueLocks,
        clock: Callable[[], int],
    ) -> None:
        self._topics = topics
        self._groups = groups
        self._clients = clients
        self._locks = locks
        self._clock = clock

    def heartbeat(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """A client is alive and says what it does."""
        data = HeartbeatData.decode(request.body)
        client = Client(
            data.client_id or "", channel, request.language, request.version, last_seen=self._clock()
        )
        changed = False
        for consumer in data.consumer_data_set:
            group = self._groups.find(consumer.group_name or "")
            if group is None:
                continue
            self._topics.create_on_send_back(f"{RETRY_PREFIX}{consumer.group_name}", group.retry_queue_nums)
            changed |= self._clients.register_consumer(consumer, client)
        for producer in data.producer_data_set:
            self._clients.register_producer(producer.group_name or "", client)
        marks = {"IS_SUPPORT_HEART_BEAT_V2": "true", "IS_SUB_CHANGE": str(changed).lower()}
        return request.reply(ResponseCode.SUCCESS, ext_fields=marks)

    def unregister(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """A client leaves."""
        header = request.read_header(UnregisterClientRequestHeader)
        self._clients.unregister(header.client_id, header.producer_group, header.consumer_group)
        return request.reply(ResponseCode.SUCCESS, UnregisterClientResponseHeader())

    def members(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Who consumes in a group."""
        header = request.read_header(GetConsumerListByGroupRequestHeader)
        group = self._clients.consumers.get(header.consumer_group)
        if group is None:
            return request.reply(
                ResponseCode.SYSTEM_ERROR,
                GetConsumerListByGroupResponseHeader(),
                remark=f"no consumer for this group, {header.consumer_group}",
            )
        body = GetConsumerListByGroupResponseBody(consumer_id_list=list(group.members))
        return request.reply(ResponseCode.SUCCESS, GetConsumerListByGroupResponseHeader(), body=body.encode())

    def lock(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Lock queues for an orderly consumer."""
        wanted = LockBatchRequestBody.decode(request.body)
        held = self._locks.lock(wanted.consumer_group or "", wanted.mq_set, wanted.client_id or "")
        return request.reply(ResponseCode.SUCCESS, body=LockBatchResponseBody(lock_ok_mq_set=held).encode())

    def unlock(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Give locked queues back."""
        wanted = UnlockBatchRequestBody.decode(request.body)
        self._locks.unlock(wanted.consumer_group or "", wanted.mq_set, wanted.client_id or "")
        return request.reply(ResponseCode.SUCCESS)
