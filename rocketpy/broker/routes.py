"""What this broker serves: request code to processor method. The map of what is supported."""

from __future__ import annotations

from rocketmq_protocol import RequestCode
from rocketpy.broker.processors.client import ClientProcessor
from rocketpy.broker.processors.offset import OffsetProcessor
from rocketpy.broker.processors.pull import PullProcessor
from rocketpy.broker.processors.query import QueryProcessor
from rocketpy.broker.processors.send import SendProcessor
from rocketpy.broker.processors.send_back import SendBackProcessor
from rocketpy.broker.processors.transaction import TransactionProcessor
from rocketpy.remoting.router import Handler


def routes(
    send: SendProcessor,
    pull: PullProcessor,
    client: ClientProcessor,
    offset: OffsetProcessor,
    query: QueryProcessor,
    send_back: SendBackProcessor,
    transaction: TransactionProcessor,
) -> dict[int, Handler]:
    """The table for the router."""
    return {
        RequestCode.SEND_MESSAGE: send.send,
        RequestCode.SEND_MESSAGE_V2: send.send,
        RequestCode.SEND_BATCH_MESSAGE: send.send,
        RequestCode.CONSUMER_SEND_MSG_BACK: send_back.send_back,
        RequestCode.END_TRANSACTION: transaction.end,
        RequestCode.PULL_MESSAGE: pull.pull,
        RequestCode.LITE_PULL_MESSAGE: pull.pull,
        RequestCode.HEART_BEAT: client.heartbeat,
        RequestCode.UNREGISTER_CLIENT: client.unregister,
        RequestCode.GET_CONSUMER_LIST_BY_GROUP: client.members,
        RequestCode.LOCK_BATCH_MQ: client.lock,
        RequestCode.UNLOCK_BATCH_MQ: client.unlock,
        RequestCode.QUERY_CONSUMER_OFFSET: offset.query,
        RequestCode.UPDATE_CONSUMER_OFFSET: offset.update,
        RequestCode.GET_MAX_OFFSET: offset.max_offset,
        RequestCode.GET_MIN_OFFSET: offset.min_offset,
        RequestCode.SEARCH_OFFSET_BY_TIMESTAMP: offset.by_time,
        RequestCode.GET_EARLIEST_MSG_STORETIME: offset.earliest_time,
        RequestCode.QUERY_MESSAGE: query.by_key,
        RequestCode.VIEW_MESSAGE_BY_ID: query.by_offset,
    }
