"""Queues of an orderly consumer: locked by it, or assigned to it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import field
from enum import StrEnum
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body, wire
from rocketmq_protocol.bodies._codecs import HashSet, Int
from rocketmq_protocol.bodies.heartbeat import MessageModel
from rocketmq_protocol.bodies.message_queue import MessageQueue
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, SizedHashSet


class MessageRequestMode(StrEnum):
    """How the consumers of a group ask for the messages of a topic."""

    PULL = "PULL"
    POP = "POP"


@body("remoting.protocol.body.LockBatchRequestBody", requests=(RequestCode.LOCK_BATCH_MQ,))
class LockBatchRequestBody(Body):
    """Queues that an orderly consumer wants for itself."""

    consumer_group: str | None = None
    client_id: str | None = None
    only_this_broker: bool = False
    mq_set: HashSet[MessageQueue] = frozenset()


@body("remoting.protocol.body.LockBatchResponseBody", answers=(RequestCode.LOCK_BATCH_MQ,))
class LockBatchResponseBody(Body):
    """Those of the queues that it got."""

    # RebalanceLockManager.tryLockBatch sizes the set for the queues asked for.
    lock_ok_mq_set: Annotated[AbstractSet[MessageQueue], SizedHashSet()] = wire(
        "lockOKMQSet", default=frozenset()
    )


@body("remoting.protocol.body.UnlockBatchRequestBody", requests=(RequestCode.UNLOCK_BATCH_MQ,))
class UnlockBatchRequestBody(Body):
    """Queues that a consumer gives back."""

    consumer_group: str | None = None
    client_id: str | None = None
    only_this_broker: bool = False
    mq_set: HashSet[MessageQueue] = frozenset()


@body("common.message.MessageQueueAssignment")
class MessageQueueAssignment(Body):
    """A queue that a consumer is to ask for messages, and how."""

    message_queue: MessageQueue | None = None
    mode: MessageRequestMode | None = MessageRequestMode.PULL
    attachments: dict[str, str] | None = None


@body("remoting.protocol.body.QueryAssignmentRequestBody", requests=(RequestCode.QUERY_ASSIGNMENT,))
class QueryAssignmentRequestBody(Body):
    """Which queues are mine?"""

    topic: str | None = None
    consumer_group: str | None = None
    client_id: str | None = None
    strategy_name: str | None = None
    message_model: MessageModel | None = None


@body("remoting.protocol.body.QueryAssignmentResponseBody", answers=(RequestCode.QUERY_ASSIGNMENT,))
class QueryAssignmentResponseBody(Body):
    """These queues; a list here, as the order of their set is chance in Java."""

    message_queue_assignments: list[MessageQueueAssignment] | None = None


@body(
    "remoting.protocol.body.SetMessageRequestModeRequestBody",
    requests=(RequestCode.SET_MESSAGE_REQUEST_MODE,),
)
class SetMessageRequestModeRequestBody(Body):
    """How the consumers of a group are to ask for the messages of a topic."""

    topic: str | None = None
    consumer_group: str | None = None
    mode: MessageRequestMode | None = MessageRequestMode.PULL
    pop_share_queue_num: Int = 0


ModesByGroup = Annotated[dict[str, SetMessageRequestModeRequestBody], ConcurrentHashMap()]


@body(
    "remoting.protocol.body.MessageRequestModeSerializeWrapper",
    answers=(RequestCode.GET_ALL_MESSAGE_REQUEST_MODE,),
)
class MessageRequestModeSerializeWrapper(Body):
    """All of these settings, by topic and group."""

    message_request_mode_map: Annotated[dict[str, ModesByGroup], ConcurrentHashMap()] = field(
        default_factory=dict
    )
