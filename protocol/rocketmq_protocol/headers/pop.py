"""POP consumption: messages leased, acknowledged and revived by the broker."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, Long, TopicQueueRequestHeader, header


@header()
class PopMessageResponseHeader(Header):
    """The lease, and the offsets it covers, for each queue."""

    pop_time: Long
    invisible_time: Long
    revive_qid: Int
    rest_num: Long
    start_offset_info: str | None = None
    msg_offset_info: str | None = None
    order_count_info: str | None = None


@header(RequestCode.POP_MESSAGE, reply=PopMessageResponseHeader)
class PopMessageRequestHeader(TopicQueueRequestHeader):
    """Lease messages of a topic, whichever queue they are in."""

    consumer_group: str
    topic: str
    queue_id: Int
    max_msg_nums: Int
    invisible_time: Long
    poll_time: Long
    born_time: Long
    init_mode: Int
    exp_type: str | None = None
    exp: str | None = None
    order: bool = False
    attempt_id: str | None = None


@header(RequestCode.PEEK_MESSAGE, reply=PopMessageResponseHeader)
class PeekMessageRequestHeader(TopicQueueRequestHeader):
    """Look at the messages a pop would give, without a lease."""

    topic: str
    queue_id: Int
    max_msg_nums: Int
    consumer_group: str


@header(RequestCode.ACK_MESSAGE)
class AckMessageRequestHeader(TopicQueueRequestHeader):
    """Say that a leased message was consumed."""

    consumer_group: str
    topic: str
    queue_id: Int
    extra_info: str
    offset: Long
    lite_topic: str | None = None


@header()
class ChangeInvisibleTimeResponseHeader(Header):
    """The new lease."""

    pop_time: Long
    invisible_time: Long
    revive_qid: Int


@header(RequestCode.CHANGE_MESSAGE_INVISIBLETIME, reply=ChangeInvisibleTimeResponseHeader)
class ChangeInvisibleTimeRequestHeader(TopicQueueRequestHeader):
    """Prolong or shorten a lease."""

    consumer_group: str
    topic: str
    queue_id: Int
    extra_info: str
    offset: Long
    invisible_time: Long
    lite_topic: str | None = None
    suspend: bool = False


@header()
class NotificationResponseHeader(Header):
    """Whether messages are waiting."""

    has_msg: bool
    polling_full: bool = False


@header(RequestCode.NOTIFICATION, reply=NotificationResponseHeader)
class NotificationRequestHeader(TopicQueueRequestHeader):
    """Wait until a pop would find messages."""

    consumer_group: str
    topic: str
    queue_id: Int
    poll_time: Long
    born_time: Long
    order: bool = False
    attempt_id: str | None = None
    exp_type: str | None = None
    exp: str | None = None


@header()
class PollingInfoResponseHeader(Header):
    """How many requests are waiting."""

    polling_num: Int


@header(RequestCode.POLLING_INFO, reply=PollingInfoResponseHeader)
class PollingInfoRequestHeader(TopicQueueRequestHeader):
    """Ask how many pops wait for a queue."""

    consumer_group: str
    topic: str
    queue_id: Int
