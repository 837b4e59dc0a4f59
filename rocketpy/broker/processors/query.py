"""Looking messages up: by key and by id (QueryMessageProcessor)."""

from __future__ import annotations

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.headers import (
    QueryMessageRequestHeader,
    QueryMessageResponseHeader,
    ViewMessageRequestHeader,
)
from rocketpy.remoting.channel import Channel
from rocketpy.store.message_store import MessageStore


class QueryProcessor:
    """Finds stored messages."""

    def __init__(self, store: MessageStore) -> None:
        self._store = store

    def by_key(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Messages of a topic that carry a key, a unique key or a tag."""
        header = request.read_header(QueryMessageRequestHeader)
        records = list(
            self._store.query(
                header.topic,
                header.key,
                header.max_num,
                header.begin_timestamp,
                header.end_timestamp,
                by_tag=header.index_type == "T",
            )
        )
        timestamp, physical = self._store.index.last_update if self._store.index is not None else (0, 0)
        answer = QueryMessageResponseHeader(
            index_last_update_timestamp=timestamp, index_last_update_phyoffset=physical
        )
        if not records:
            return request.reply(
                ResponseCode.QUERY_NOT_FOUND,
                answer,
                remark="can not find message, maybe time range not correct",
            )
        return request.reply(ResponseCode.SUCCESS, answer, body=b"".join(records))

    def by_offset(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The message at a commit log offset."""
        header = request.read_header(ViewMessageRequestHeader)
        record = self._store.lookup(header.offset)
        if record is None:
            return request.reply(
                ResponseCode.SYSTEM_ERROR, remark=f"can not find message by the offset, {header.offset}"
            )
        return request.reply(ResponseCode.SUCCESS, body=bytes(record))
