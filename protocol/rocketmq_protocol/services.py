"""Which process answers which request, and what the bodies are that no class of `bodies` describes.

Read from what the servers and the client of 5.5.0 register, and for the codes that only 4.9 has, from 4.9.7.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers import (
    GetBrokerConfigResponseHeader,
    GetMetaDataResponseHeader,
    Header,
    request_header,
)

SERVERS: Final = ("namesrv", "broker", "client", "controller", "proxy", "container")

# Gone from 5.x, where files no longer hold the ACL rules.
ONLY_4_9: Final = frozenset(
    {
        RequestCode.UPDATE_AND_CREATE_ACL_CONFIG,
        RequestCode.DELETE_ACL_CONFIG,
        RequestCode.GET_BROKER_CLUSTER_ACL_INFO,
        RequestCode.UPDATE_GLOBAL_WHITE_ADDRS_CONFIG,
        RequestCode.GET_BROKER_CLUSTER_ACL_CONFIG,
    }
)

# Entries of the controllers' own Raft log: they have codes, but no connection ever carries them.
RAFT_LOG_ONLY: Final = frozenset(
    {
        RequestCode.BROKER_CLOSE_CHANNEL_REQUEST,
        RequestCode.CHECK_NOT_ACTIVE_BROKER_REQUEST,
        RequestCode.GET_BROKER_LIVE_INFO_REQUEST,
        RequestCode.GET_SYNC_STATE_DATA_REQUEST,
        RequestCode.RAFT_BROKER_HEART_BEAT_EVENT_REQUEST,
    }
)


class BodyText(NamedTuple):
    """What the bodies of a request and its response hold beside, or instead of, JSON; empty for nothing."""

    request: str = ""
    response: str = ""


_MESSAGE: Final = "the message's own bytes"
_RECORD: Final = "one message record"
_RECORDS: Final = "message records, one after the other"
_SETTINGS: Final = "`key=value` lines"

OTHER_BODIES: Final = MappingProxyType(
    {
        RequestCode.SEND_MESSAGE: BodyText(_MESSAGE),
        RequestCode.SEND_MESSAGE_V2: BodyText(_MESSAGE),
        RequestCode.SEND_REPLY_MESSAGE: BodyText(_MESSAGE),
        RequestCode.SEND_REPLY_MESSAGE_V2: BodyText(_MESSAGE),
        RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT: BodyText(_MESSAGE),
        RequestCode.SEND_BATCH_MESSAGE: BodyText("batch entries, one after the other"),
        RequestCode.PULL_MESSAGE: BodyText(response=_RECORDS),
        RequestCode.LITE_PULL_MESSAGE: BodyText(response=_RECORDS),
        RequestCode.POP_MESSAGE: BodyText(response=_RECORDS),
        RequestCode.POP_LITE_MESSAGE: BodyText(response=_RECORDS),
        RequestCode.PEEK_MESSAGE: BodyText(response=_RECORDS),
        RequestCode.QUERY_MESSAGE: BodyText(response=_RECORDS),
        RequestCode.VIEW_MESSAGE_BY_ID: BodyText(response=_RECORD),
        RequestCode.CHECK_TRANSACTION_STATE: BodyText(_RECORD),
        RequestCode.CONSUME_MESSAGE_DIRECTLY: BodyText(f"{_RECORD} (broker to client only)"),
        RequestCode.GET_TIMER_CHECK_POINT: BodyText(response="seven int64"),
        RequestCode.UPDATE_BROKER_CONFIG: BodyText(_SETTINGS),
        RequestCode.GET_BROKER_CONFIG: BodyText(response=_SETTINGS),
        RequestCode.UPDATE_NAMESRV_CONFIG: BodyText(_SETTINGS),
        RequestCode.GET_NAMESRV_CONFIG: BodyText(response=_SETTINGS),
        RequestCode.UPDATE_CONTROLLER_CONFIG: BodyText(_SETTINGS),
        RequestCode.GET_CONTROLLER_CONFIG: BodyText(response=_SETTINGS),
        RequestCode.UPDATE_COLD_DATA_FLOW_CTR_CONFIG: BodyText("`group=threshold` lines"),
        RequestCode.REMOVE_COLD_DATA_FLOW_CTR_CONFIG: BodyText("a consumer group's name"),
        RequestCode.GET_COLD_DATA_FLOW_CTR_INFO: BodyText(response="JSON, an object without a class"),
        RequestCode.REGISTER_BROKER: BodyText("its packed form"),
        RequestCode.RESET_CONSUMER_CLIENT_OFFSET: BodyText("`ResetOffsetBodyForC` for clients in C++"),
    }
)

# A response's header is that of its request (`Header.reply`), except where the request has none.
_REPLIES_TO_BARE_REQUESTS: Final[dict[int, type[Header]]] = {
    RequestCode.GET_BROKER_CONFIG: GetBrokerConfigResponseHeader,
    RequestCode.CONTROLLER_GET_METADATA_INFO: GetMetaDataResponseHeader,
}


def response_header(request_code: int) -> type[Header] | None:
    """The header that the response to a request of this code carries, or None where it carries none."""
    asked_with = request_header(request_code)
    return asked_with.reply if asked_with else _REPLIES_TO_BARE_REQUESTS.get(request_code)


SERVED_BY: Final[dict[RequestCode, tuple[str, ...]]] = {
    RequestCode.SEND_MESSAGE: ("broker", "proxy"),
    RequestCode.PULL_MESSAGE: ("broker", "proxy"),
    RequestCode.QUERY_MESSAGE: ("broker",),
    RequestCode.QUERY_BROKER_OFFSET: (),
    RequestCode.QUERY_CONSUMER_OFFSET: ("broker", "proxy"),
    RequestCode.UPDATE_CONSUMER_OFFSET: ("broker", "proxy"),
    RequestCode.UPDATE_AND_CREATE_TOPIC: ("broker",),
    RequestCode.UPDATE_AND_CREATE_TOPIC_LIST: ("broker",),
    RequestCode.GET_ALL_TOPIC_CONFIG: ("broker",),
    RequestCode.GET_TOPIC_CONFIG_LIST: (),
    RequestCode.GET_TOPIC_NAME_LIST: (),
    RequestCode.UPDATE_BROKER_CONFIG: ("broker", "container"),
    RequestCode.GET_BROKER_CONFIG: ("broker", "container"),
    RequestCode.TRIGGER_DELETE_FILES: (),
    RequestCode.GET_BROKER_RUNTIME_INFO: ("broker",),
    RequestCode.SEARCH_OFFSET_BY_TIMESTAMP: ("broker", "proxy"),
    RequestCode.GET_MAX_OFFSET: ("broker", "proxy"),
    RequestCode.GET_MIN_OFFSET: ("broker", "proxy"),
    RequestCode.GET_EARLIEST_MSG_STORETIME: ("broker",),
    RequestCode.VIEW_MESSAGE_BY_ID: ("broker",),
    RequestCode.HEART_BEAT: ("broker", "proxy"),
    RequestCode.UNREGISTER_CLIENT: ("broker", "proxy"),
    RequestCode.CONSUMER_SEND_MSG_BACK: ("broker", "proxy"),
    RequestCode.END_TRANSACTION: ("broker", "proxy"),
    RequestCode.GET_CONSUMER_LIST_BY_GROUP: ("broker", "proxy"),
    RequestCode.CHECK_TRANSACTION_STATE: ("client",),
    RequestCode.NOTIFY_CONSUMER_IDS_CHANGED: ("client",),
    RequestCode.LOCK_BATCH_MQ: ("broker", "proxy"),
    RequestCode.UNLOCK_BATCH_MQ: ("broker", "proxy"),
    RequestCode.GET_ALL_CONSUMER_OFFSET: ("broker",),
    RequestCode.GET_ALL_DELAY_OFFSET: ("broker",),
    RequestCode.CHECK_CLIENT_CONFIG: ("broker", "proxy"),
    RequestCode.GET_CLIENT_CONFIG: (),
    RequestCode.GET_TIMER_CHECK_POINT: ("broker",),
    RequestCode.GET_TIMER_METRICS: ("broker",),
    RequestCode.PUT_KV_CONFIG: ("namesrv",),
    RequestCode.GET_KV_CONFIG: ("namesrv",),
    RequestCode.DELETE_KV_CONFIG: ("namesrv",),
    RequestCode.REGISTER_BROKER: ("namesrv",),
    RequestCode.UNREGISTER_BROKER: ("namesrv",),
    RequestCode.GET_ROUTEINFO_BY_TOPIC: ("namesrv", "proxy"),
    RequestCode.GET_BROKER_CLUSTER_INFO: ("namesrv",),
    RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP: ("broker",),
    RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG: ("broker",),
    RequestCode.GET_TOPIC_STATS_INFO: ("broker",),
    RequestCode.GET_CONSUMER_CONNECTION_LIST: ("broker", "proxy"),
    RequestCode.GET_PRODUCER_CONNECTION_LIST: ("broker",),
    RequestCode.WIPE_WRITE_PERM_OF_BROKER: ("namesrv",),
    RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER: ("namesrv",),
    RequestCode.DELETE_SUBSCRIPTIONGROUP: ("broker",),
    RequestCode.GET_CONSUME_STATS: ("broker",),
    RequestCode.SUSPEND_CONSUMER: (),
    RequestCode.RESUME_CONSUMER: (),
    RequestCode.RESET_CONSUMER_OFFSET_IN_CONSUMER: (),
    RequestCode.RESET_CONSUMER_OFFSET_IN_BROKER: (),
    RequestCode.ADJUST_CONSUMER_THREAD_POOL: (),
    RequestCode.WHO_CONSUME_THE_MESSAGE: (),
    RequestCode.DELETE_TOPIC_IN_BROKER: ("broker",),
    RequestCode.DELETE_TOPIC_IN_NAMESRV: ("namesrv",),
    RequestCode.REGISTER_TOPIC_IN_NAMESRV: ("namesrv",),
    RequestCode.GET_KVLIST_BY_NAMESPACE: ("namesrv",),
    RequestCode.RESET_CONSUMER_CLIENT_OFFSET: ("client",),
    RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT: ("client",),
    RequestCode.INVOKE_BROKER_TO_RESET_OFFSET: ("broker",),
    RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS: ("broker",),
    RequestCode.GET_TOPICS_BY_CLUSTER: ("namesrv",),
    RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST: ("broker",),
    RequestCode.QUERY_TOPIC_CONSUME_BY_WHO: ("broker",),
    RequestCode.REGISTER_FILTER_SERVER: (),
    RequestCode.REGISTER_MESSAGE_FILTER_CLASS: (),
    RequestCode.QUERY_CONSUME_TIME_SPAN: ("broker",),
    RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS: ("namesrv",),
    RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER: ("broker",),
    RequestCode.CLEAN_EXPIRED_CONSUMEQUEUE: ("broker",),
    RequestCode.GET_CONSUMER_RUNNING_INFO: ("broker", "client"),
    RequestCode.QUERY_CORRECTION_OFFSET: ("broker",),
    RequestCode.CONSUME_MESSAGE_DIRECTLY: ("broker", "client"),
    RequestCode.SEND_MESSAGE_V2: ("broker", "proxy"),
    RequestCode.GET_UNIT_TOPIC_LIST: ("namesrv",),
    RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST: ("namesrv",),
    RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST: ("namesrv",),
    RequestCode.CLONE_GROUP_OFFSET: ("broker",),
    RequestCode.VIEW_BROKER_STATS_DATA: ("broker",),
    RequestCode.CLEAN_UNUSED_TOPIC: ("broker",),
    RequestCode.GET_BROKER_CONSUME_STATS: ("broker",),
    RequestCode.UPDATE_NAMESRV_CONFIG: ("namesrv",),
    RequestCode.GET_NAMESRV_CONFIG: ("namesrv",),
    RequestCode.SEND_BATCH_MESSAGE: ("broker", "proxy"),
    RequestCode.QUERY_CONSUME_QUEUE: ("broker",),
    RequestCode.QUERY_DATA_VERSION: ("namesrv",),
    RequestCode.RESUME_CHECK_HALF_MESSAGE: ("broker",),
    RequestCode.SEND_REPLY_MESSAGE: ("broker",),
    RequestCode.SEND_REPLY_MESSAGE_V2: ("broker",),
    RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT: ("client",),
    RequestCode.ADD_WRITE_PERM_OF_BROKER: ("namesrv",),
    RequestCode.GET_ALL_PRODUCER_INFO: ("broker",),
    RequestCode.DELETE_EXPIRED_COMMITLOG: ("broker",),
    RequestCode.QUERY_TOPICS_BY_CONSUMER: ("broker",),
    RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER: ("broker",),
    RequestCode.GET_TOPIC_CONFIG: ("broker",),
    RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG: ("broker",),
    RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN: ("broker",),
    RequestCode.CHECK_ROCKSDB_CQ_WRITE_PROGRESS: ("broker",),
    RequestCode.EXPORT_ROCKSDB_CONFIG_TO_JSON: ("broker",),
    RequestCode.LITE_PULL_MESSAGE: ("broker", "proxy"),
    RequestCode.RECALL_MESSAGE: ("broker", "proxy"),
    RequestCode.QUERY_ASSIGNMENT: ("broker",),
    RequestCode.SET_MESSAGE_REQUEST_MODE: ("broker",),
    RequestCode.GET_ALL_MESSAGE_REQUEST_MODE: ("broker",),
    RequestCode.UPDATE_AND_CREATE_STATIC_TOPIC: ("broker",),
    RequestCode.GET_BROKER_MEMBER_GROUP: ("namesrv",),
    RequestCode.ADD_BROKER: ("container",),
    RequestCode.REMOVE_BROKER: ("container",),
    RequestCode.BROKER_HEARTBEAT: ("namesrv", "controller"),
    RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE: ("broker",),
    RequestCode.EXCHANGE_BROKER_HA_INFO: ("broker",),
    RequestCode.GET_BROKER_HA_STATUS: ("broker",),
    RequestCode.RESET_MASTER_FLUSH_OFFSET: ("broker",),
    RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET: ("controller",),
    RequestCode.CONTROLLER_ELECT_MASTER: ("controller",),
    RequestCode.CONTROLLER_REGISTER_BROKER: ("controller",),
    RequestCode.CONTROLLER_GET_REPLICA_INFO: ("controller",),
    RequestCode.CONTROLLER_GET_METADATA_INFO: ("controller",),
    RequestCode.CONTROLLER_GET_SYNC_STATE_DATA: ("controller",),
    RequestCode.GET_BROKER_EPOCH_CACHE: ("broker",),
    RequestCode.NOTIFY_BROKER_ROLE_CHANGED: ("broker",),
    RequestCode.UPDATE_CONTROLLER_CONFIG: ("controller",),
    RequestCode.GET_CONTROLLER_CONFIG: ("controller",),
    RequestCode.CLEAN_BROKER_DATA: ("controller",),
    RequestCode.CONTROLLER_GET_NEXT_BROKER_ID: ("controller",),
    RequestCode.CONTROLLER_APPLY_BROKER_ID: ("controller",),
    RequestCode.BROKER_CLOSE_CHANNEL_REQUEST: (),
    RequestCode.CHECK_NOT_ACTIVE_BROKER_REQUEST: (),
    RequestCode.GET_BROKER_LIVE_INFO_REQUEST: (),
    RequestCode.GET_SYNC_STATE_DATA_REQUEST: (),
    RequestCode.RAFT_BROKER_HEART_BEAT_EVENT_REQUEST: (),
    RequestCode.UPDATE_COLD_DATA_FLOW_CTR_CONFIG: ("broker",),
    RequestCode.REMOVE_COLD_DATA_FLOW_CTR_CONFIG: ("broker",),
    RequestCode.GET_COLD_DATA_FLOW_CTR_INFO: ("broker",),
    RequestCode.SET_COMMITLOG_READ_MODE: ("broker",),
    RequestCode.AUTH_CREATE_USER: ("broker",),
    RequestCode.AUTH_UPDATE_USER: ("broker",),
    RequestCode.AUTH_DELETE_USER: ("broker",),
    RequestCode.AUTH_GET_USER: ("broker",),
    RequestCode.AUTH_LIST_USER: ("broker",),
    RequestCode.AUTH_CREATE_ACL: ("broker",),
    RequestCode.AUTH_UPDATE_ACL: ("broker",),
    RequestCode.AUTH_DELETE_ACL: ("broker",),
    RequestCode.AUTH_GET_ACL: ("broker",),
    RequestCode.AUTH_LIST_ACL: ("broker",),
    RequestCode.SWITCH_TIMER_ENGINE: ("broker",),
    RequestCode.POP_MESSAGE: ("broker", "proxy"),
    RequestCode.ACK_MESSAGE: ("broker", "proxy"),
    RequestCode.PEEK_MESSAGE: ("broker",),
    RequestCode.CHANGE_MESSAGE_INVISIBLETIME: ("broker", "proxy"),
    RequestCode.NOTIFICATION: ("broker",),
    RequestCode.POLLING_INFO: ("broker",),
    RequestCode.POP_ROLLBACK: ("broker",),
    RequestCode.POP_LITE_MESSAGE: ("broker",),
    RequestCode.LITE_SUBSCRIPTION_CTL: ("broker",),
    RequestCode.ACK_LITE_MESSAGE: (),
    RequestCode.NOTIFY_UNSUBSCRIBE_LITE: ("client",),
    RequestCode.GET_BROKER_LITE_INFO: ("broker",),
    RequestCode.GET_PARENT_TOPIC_INFO: ("broker",),
    RequestCode.GET_LITE_TOPIC_INFO: ("broker",),
    RequestCode.GET_LITE_CLIENT_INFO: ("broker",),
    RequestCode.GET_LITE_GROUP_INFO: ("broker",),
    RequestCode.TRIGGER_LITE_DISPATCH: ("broker",),
    RequestCode.BATCH_ACK_MESSAGE: ("broker",),
    RequestCode.UPDATE_AND_CREATE_ACL_CONFIG: ("broker",),
    RequestCode.DELETE_ACL_CONFIG: ("broker",),
    RequestCode.GET_BROKER_CLUSTER_ACL_INFO: ("broker",),
    RequestCode.UPDATE_GLOBAL_WHITE_ADDRS_CONFIG: ("broker",),
    RequestCode.GET_BROKER_CLUSTER_ACL_CONFIG: ("broker",),
}
