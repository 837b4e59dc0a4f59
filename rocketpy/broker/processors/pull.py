"""Pulling: PULL_MESSAGE and LITE_PULL_MESSAGE, with long polling (PullMessageProcessor)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import SubscriptionData, SubscriptionGroupConfig
from rocketmq_protocol.headers import PullMessageRequestHeader, PullMessageResponseHeader
from rocketmq_protocol.sysflag import PullSysFlag
from rocketpy.broker.answers import SEE_FAQ
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.services.arrivals import Arrivals
from rocketpy.broker.state.clients import ClientTable
from rocketpy.broker.state.filters import parse_tags, tag_filter
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.broker.state.topics import READ, TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.store.fetch import Fetched, FetchStatus, TagFilter
from rocketpy.store.message_store import MessageStore

# PullMessageProcessor.composeResponseHeader
_CODES: Final = {
    FetchStatus.FOUND: ResponseCode.SUCCESS,
    FetchStatus.MESSAGE_WAS_REMOVING: ResponseCode.PULL_RETRY_IMMEDIATELY,
    FetchStatus.NO_MATCHED_MESSAGE: ResponseCode.PULL_RETRY_IMMEDIATELY,
    FetchStatus.NO_MATCHED_LOGIC_QUEUE: ResponseCode.PULL_NOT_FOUND,
    FetchStatus.NO_MESSAGE_IN_QUEUE: ResponseCode.PULL_NOT_FOUND,
    FetchStatus.OFFSET_OVERFLOW_ONE: ResponseCode.PULL_NOT_FOUND,
    FetchStatus.OFFSET_OVERFLOW_BADLY: ResponseCode.PULL_OFFSET_MOVED,
    FetchStatus.OFFSET_TOO_SMALL: ResponseCode.PULL_OFFSET_MOVED,
}
# Told of each fetch: group, topic, and how many messages and bytes were found.
Fetches = Callable[[str, str, int, int], None]

_EMPTY_QUEUE: Final = (FetchStatus.NO_MATCHED_LOGIC_QUEUE, FetchStatus.NO_MESSAGE_IN_QUEUE)


class PullProcessor:
    """Reads a queue, and lets a pull at its end sleep until a message comes."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        groups: GroupTable,
        clients: ClientTable,
        offsets: ConsumerOffsets,
        store: MessageStore,
        arrivals: Arrivals,
        *,
        positions: PullPositions | None = None,
        on_fetched: Fetches = lambda group, topic, messages, size: None,
    ) -> None:
        self._config = config
        self._topics = topics
        self._groups = groups
        self._clients = clients
        self._offsets = offsets
        self._store = store
        self._arrivals = arrivals
        self._positions = positions or PullPositions()
        self._on_fetched = on_fetched

    def pull(
        self, channel: Channel, request: RemotingCommand
    ) -> RemotingCommand | Awaitable[RemotingCommand | None] | None:
        """Answer at once with messages, or later."""
        header = request.read_header(PullMessageRequestHeader)
        try:
            group = self._check(header, channel)
            wants_tag = tag_filter(self._subscription(header, group))
        except RequestRefused as refused:
            return request.reply(refused.code, remark=refused.remark, ext_fields={})
        moved = self._reset_answer(request, header, group)
        if moved is not None:
            return moved
        found = self._fetch(header, wants_tag)
        self._note(header, found)
        if header.sys_flag & PullSysFlag.FLAG_COMMIT_OFFSET:
            self._offsets.commit(header.consumer_group, header.topic, header.queue_id, header.commit_offset)
        if _code(found, header) is ResponseCode.PULL_NOT_FOUND and header.sys_flag & PullSysFlag.FLAG_SUSPEND:
            return self._later(request, header, wants_tag, group)
        return self._answer(request, header, found, group)

    async def _later(
        self,
        request: RemotingCommand,
        header: PullMessageRequestHeader,
        wants_tag: TagFilter | None,
        group: SubscriptionGroupConfig,
    ) -> RemotingCommand:
        """Sleep at the queue's end until a wanted message comes or the client's patience ends."""
        seconds = header.suspend_timeout_millis / 1000
        if not self._config.flag("longPollingEnable"):
            seconds = self._config.number("shortPollingTimeMills") / 1000
        # No await between a read and the next sleep, so no message is missed.
        found = self._fetch(header, wants_tag)
        with trio.move_on_after(seconds):
            while found.status is not FetchStatus.FOUND:
                if not await self._arrivals.wait(header.topic, header.queue_id):
                    break
                if self._positions.is_reset(header.topic, header.consumer_group, header.queue_id):
                    break
                header.queue_offset = max(header.queue_offset, found.next_offset)
                found = self._fetch(header, wants_tag)
        self._note(header, found)
        return self._reset_answer(request, header, group) or self._answer(request, header, found, group)

    def _fetch(self, header: PullMessageRequestHeader, wants_tag: TagFilter | None) -> Fetched:
        return self._store.fetch(
            header.topic,
            header.queue_id,
            header.queue_offset,
            header.max_msg_nums,
            header.max_msg_bytes or (1 << 31) - 1,
            wants_tag,
        )

    def _note(self, header: PullMessageRequestHeader, found: Fetched) -> None:
        """Count a fetch, and where the next one will begin."""
        self._on_fetched(header.consumer_group, header.topic, found.count, found.size)
        self._positions.note(header.topic, header.consumer_group, header.queue_id, found.next_offset)

    def _check(self, header: PullMessageRequestHeader, channel: Channel) -> SubscriptionGroupConfig:
        group = self._groups.find(header.consumer_group)
        if group is None:
            raise RequestRefused(
                ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                f"subscription group [{header.consumer_group}] does not exist, {SEE_FAQ}",
            )
        if not group.consume_enable:
            raise RequestRefused(
                ResponseCode.NO_PERMISSION, f"subscription group no permission, {header.consumer_group}"
            )
        topic = self._topics.get(header.topic)
        if topic is None:
            raise RequestRefused(
                ResponseCode.TOPIC_NOT_EXIST,
                f"topic[{header.topic}] not exist, apply first please! {SEE_FAQ}",
            )
        if not topic.perm & READ:
            raise RequestRefused(
                ResponseCode.NO_PERMISSION, f"the topic[{header.topic}] pulling message is forbidden"
            )
        if not 0 <= header.queue_id < topic.read_queue_nums:
            raise RequestRefused(
                ResponseCode.INVALID_PARAMETER,
                f"queueId[{header.queue_id}] is illegal, topic:[{header.topic}] "
                f"topicConfig.readQueueNums:[{topic.read_queue_nums}] consumer:[/{channel.remote}]",
            )
        return group

    def _subscription(
        self, header: PullMessageRequestHeader, group: SubscriptionGroupConfig
    ) -> SubscriptionData:
        """What the pull wants: told with it, or known from heartbeats."""
        if header.sys_flag & PullSysFlag.FLAG_SUBSCRIPTION:
            try:
                return parse_tags(header.topic, header.subscription)
            except ValueError:
                raise RequestRefused(
                    ResponseCode.SUBSCRIPTION_PARSE_FAILED, "parse the consumer's subscription failed"
                ) from None
        known = self._clients.consumers.get(header.consumer_group)
        if known is None:
            raise RequestRefused(
                ResponseCode.SUBSCRIPTION_NOT_EXIST, f"the consumer's group info not exist{SEE_FAQ}"
            )
        subscription = known.subscriptions.get(header.topic)
        if subscription is None:
            raise RequestRefused(
                ResponseCode.SUBSCRIPTION_NOT_EXIST, f"the consumer's subscription not exist{SEE_FAQ}"
            )
        if subscription.sub_version < header.sub_version:
            raise RequestRefused(
                ResponseCode.SUBSCRIPTION_NOT_LATEST, "the consumer's subscription not latest"
            )
        return subscription

    def _reset_answer(
        self, request: RemotingCommand, header: PullMessageRequestHeader, group: SubscriptionGroupConfig
    ) -> RemotingCommand | None:
        """Where to go on, if an operator has moved the group (GetMessageStatus.OFFSET_RESET)."""
        offset = self._positions.take_reset(header.topic, header.consumer_group, header.queue_id)
        if offset is None:
            return None
        return request.reply(
            ResponseCode.PULL_OFFSET_MOVED,
            PullMessageResponseHeader(
                suggest_which_broker_id=group.broker_id,
                next_begin_offset=offset,
                min_offset=self._store.min_offset(header.topic, header.queue_id),
                max_offset=self._store.max_offset(header.topic, header.queue_id),
                topic_sys_flag=0,
                group_sys_flag=group.group_sys_flag,
            ),
            remark="OFFSET_RESET",
        )

    def _answer(
        self,
        request: RemotingCommand,
        header: PullMessageRequestHeader,
        found: Fetched,
        group: SubscriptionGroupConfig,
    ) -> RemotingCommand:
        return request.reply(
            _code(found, header),
            PullMessageResponseHeader(
                suggest_which_broker_id=group.broker_id,
                next_begin_offset=found.next_offset,
                min_offset=found.min_offset,
                max_offset=found.max_offset,
                topic_sys_flag=0,
                group_sys_flag=group.group_sys_flag,
            ),
            remark=found.status.name,
            body=b"".join(found.views),
        )


def _code(found: Fetched, header: PullMessageRequestHeader) -> ResponseCode:
    if found.status in _EMPTY_QUEUE and header.queue_offset != 0:
        return ResponseCode.PULL_OFFSET_MOVED
    return _CODES[found.status]
