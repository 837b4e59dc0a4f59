"""Subscription groups, as operators see and change them (AdminBrokerProcessor)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import (
    GroupList,
    JavaSet,
    JavaTable,
    QuerySubscriptionResponseBody,
    SubscriptionGroupConfig,
    SubscriptionGroupList,
    SubscriptionGroupWrapper,
    TopicList,
)
from rocketmq_protocol.bodies.groups import GROUPS_OF_BROKER
from rocketmq_protocol.headers import (
    DeleteSubscriptionGroupRequestHeader,
    GetAllSubscriptionGroupRequestHeader,
    GetAllSubscriptionGroupResponseHeader,
    GetSubscriptionGroupConfigRequestHeader,
    QuerySubscriptionByConsumerRequestHeader,
    QueryTopicConsumeByWhoRequestHeader,
    QueryTopicsByConsumerRequestHeader,
)
from rocketmq_protocol.javaisms.maps import HashMap
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.attributes import GROUP_ATTRIBUTES, AttributeRefused, changed_attributes
from rocketpy.broker.state.clients import ClientTable
from rocketpy.broker.state.counters import Counters
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.names import group_problem
from rocketpy.broker.state.offsets import ConsumerOffsets
from rocketpy.broker.state.paging import page
from rocketpy.broker.state.pull_positions import PullPositions
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused

_PAGE_FIELDS: Final = ("groupSeq", "dataVersion", "maxGroupNum")


class GroupAdmin:
    """Creates, changes, deletes and describes groups."""

    def __init__(
        self,
        config: BrokerConfig,
        groups: GroupTable,
        clients: ClientTable,
        offsets: ConsumerOffsets,
        positions: PullPositions,
        counters: Counters,
        address: Callable[[], str],
    ) -> None:
        self._config = config
        self._groups = groups
        self._clients = clients
        self._offsets = offsets
        self._positions = positions
        self._counters = counters
        self._address = address

    def update(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Create a group or change its settings."""
        self._put(_checked(SubscriptionGroupConfig.decode(request.body)))
        return request.reply(ResponseCode.SUCCESS)

    def update_many(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Create or change a list of groups; all names are checked before any group is touched."""
        listed = SubscriptionGroupList.decode(request.body).group_config_list or []
        for group in [_checked(group) for group in listed]:
            self._put(group)
        return request.reply(ResponseCode.SUCCESS)

    def delete(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Delete a group, and its offsets where that is asked for."""
        header = request.read_header(DeleteSubscriptionGroupRequestHeader)
        self._groups.delete(header.group_name)
        if header.clean_offset:
            self._offsets.remove_group(header.group_name)
            self._positions.group_deleted(header.group_name)
        if self._config.flag("autoDeleteUnusedStats"):
            self._counters.group_deleted(header.group_name)
        return request.reply(ResponseCode.SUCCESS)

    def all(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Every group, or a page of them for a slave that asks for one."""
        known = self._groups.wrapper()
        groups, version = known.subscription_group_table, self._groups.version
        body = SubscriptionGroupWrapper(
            subscription_group_table=JavaTable(groups, GROUPS_OF_BROKER),
            forbidden_table=known.forbidden_table,
            data_version=version,
        )
        asked = request.ext_fields or {}
        if self._config.flag("enableSplitMetadata") and any(name in asked for name in _PAGE_FIELDS):
            header = request.read_header(GetAllSubscriptionGroupRequestHeader)
            size = self._config.number("splitMetadataSize")
            count = size if header.max_group_num is None else min(size, header.max_group_num)
            found = page(groups, header.group_seq, count, header.data_version, version)
            body.subscription_group_table = found
            body.forbidden_table = {
                group: topics for group, topics in known.forbidden_table.items() if group in found
            }
        answer = GetAllSubscriptionGroupResponseHeader(total_group_num=len(groups))
        return request.reply(ResponseCode.SUCCESS, answer, body=body.encode())

    def one(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """One group's settings; like a consumer's first pull, this makes it where that is allowed."""
        header = request.read_header(GetSubscriptionGroupConfigRequestHeader)
        group = self._groups.find(header.group)
        if group is None:
            raise RequestRefused(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, "No group in this broker")
        return request.reply(ResponseCode.SUCCESS, body=group.encode())

    def consumers_of(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Groups that subscribe to a topic now, or have consumed it."""
        topic = request.read_header(QueryTopicConsumeByWhoRequestHeader).topic
        online = {name for name, group in self._clients.consumers.items() if topic in group.subscriptions}
        body = GroupList(group_list=online | self._offsets.groups_of(topic))
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def topics_of(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Topics that a group has consumed."""
        group = request.read_header(QueryTopicsByConsumerRequestHeader).group
        topics = JavaSet(self._offsets.topics_of(group), HashMap())
        body = TopicList(topic_list=topics, broker_addr=self._address())
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def subscription(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """What a group wants of a topic, if one of its members is online."""
        header = request.read_header(QuerySubscriptionByConsumerRequestHeader)
        body = QuerySubscriptionResponseBody(
            group=header.group,
            topic=header.topic,
            subscription_data=self._clients.subscription(header.group, header.topic or ""),
        )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def _put(self, wanted: SubscriptionGroupConfig) -> None:
        known = self._groups.all().get(wanted.group_name or "")
        try:
            attributes = changed_attributes(
                GROUP_ATTRIBUTES,
                (known.attributes or {}) if known is not None else None,
                wanted.attributes or {},
            )
        except AttributeRefused as refused:
            # Java lets this exception pass, and so its class stands in the remark.
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR, f"java.lang.RuntimeException: {refused}"
            ) from None
        self._groups.put(replace(wanted, attributes=attributes))


def _checked(group: SubscriptionGroupConfig) -> SubscriptionGroupConfig:
    if problem := group_problem(group.group_name or ""):
        raise RequestRefused(ResponseCode.INVALID_PARAMETER, problem)
    return group
