"""Offsets: of groups, of queues, by time (ConsumerManageProcessor, AdminBrokerProcessor)."""

from __future__ import annotations

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.headers import (
    BoundaryType,
    GetEarliestMsgStoretimeRequestHeader,
    GetEarliestMsgStoretimeResponseHeader,
    GetMaxOffsetRequestHeader,
    GetMaxOffsetResponseHeader,
    GetMinOffsetRequestHeader,
    GetMinOffsetResponseHeader,
    QueryConsumerOffsetRequestHeader,
    QueryConsumerOffsetResponseHeader,
    SearchOffsetRequestHeader,
    SearchOffsetResponseHeader,
    UpdateConsumerOffsetRequestHeader,
    UpdateConsumerOffsetResponseHeader,
)
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.remoting.channel import Channel
from rocketpy.store.message_store import MessageStore


class OffsetProcessor:
    """Answers where groups stand and where queues begin and end."""

    def __init__(
        self, offsets: ConsumerOffsets, store: MessageStore, positions: PullPositions | None = None
    ) -> None:
        self._offsets = offsets
        self._store = store
        self._positions = positions or PullPositions()

    def query(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """How far a group has consumed a queue; a new group begins at 0 where the first message still is."""
        header = request.read_header(QueryConsumerOffsetRequestHeader)
        offset = self._offsets.query(header.consumer_group, header.topic, header.queue_id)
        if offset < 0:
            if header.set_zero_if_not_found is False:
                return _not_found(request, "Not found, do not set to zero, maybe this group boot first")
            if not self._is_whole(header.topic, header.queue_id):
                return _not_found(request, "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first")
            offset = 0
        return request.reply(ResponseCode.SUCCESS, QueryConsumerOffsetResponseHeader(offset=offset))

    def _is_whole(self, topic: str, queue_id: int) -> bool:
        """Whether a queue has messages, from the first one on."""
        queue = self._store.queues.get(topic, queue_id)
        return queue is not None and queue.min_offset == 0 and queue.max_offset > 0

    def update(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Note how far a group has consumed a queue."""
        header = request.read_header(UpdateConsumerOffsetRequestHeader)
        if self._positions.is_reset(header.topic, header.consumer_group, header.queue_id):
            return request.reply(
                ResponseCode.SUCCESS,
                UpdateConsumerOffsetResponseHeader(),
                remark="Offset has been previously reset",
            )
        self._offsets.commit(header.consumer_group, header.topic, header.queue_id, header.commit_offset)
        return request.reply(ResponseCode.SUCCESS, UpdateConsumerOffsetResponseHeader())

    def max_offset(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Where a queue ends."""
        header = request.read_header(GetMaxOffsetRequestHeader)
        offset = self._store.max_offset(header.topic, header.queue_id)
        return request.reply(ResponseCode.SUCCESS, GetMaxOffsetResponseHeader(offset=offset))

    def min_offset(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Where a queue begins."""
        header = request.read_header(GetMinOffsetRequestHeader)
        offset = self._store.min_offset(header.topic, header.queue_id)
        return request.reply(ResponseCode.SUCCESS, GetMinOffsetResponseHeader(offset=offset))

    def by_time(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The offset that belongs to a time."""
        header = request.read_header(SearchOffsetRequestHeader)
        offset = self._store.offset_by_time(
            header.topic, header.queue_id, header.timestamp, header.boundary_type or BoundaryType.LOWER
        )
        return request.reply(ResponseCode.SUCCESS, SearchOffsetResponseHeader(offset=offset))

    def earliest_time(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """When the oldest message of a queue was stored; -1 where there is none."""
        header = request.read_header(GetEarliestMsgStoretimeRequestHeader)
        queue = self._store.queues.get(header.topic, header.queue_id)
        timestamp = self._store.store_timestamp(queue, queue.min_offset) if queue is not None else -1
        return request.reply(ResponseCode.SUCCESS, GetEarliestMsgStoretimeResponseHeader(timestamp=timestamp))


def _not_found(request: RemotingCommand, remark: str) -> RemotingCommand:
    return request.reply(ResponseCode.QUERY_NOT_FOUND, remark=remark, ext_fields={})
