"""Clients, as operators see them; what only a client knows is asked of it and passed on."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from dataclasses import replace
from typing import Final

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    Connection,
    ConsumerConnection,
    GetConsumerStatusBody,
    MessageQueue,
    ProducerConnection,
    ProducerInfo,
    ProducerTableInfo,
)
from rocketmq_protocol.headers import (
    ConsumeMessageDirectlyResultRequestHeader,
    GetConsumerConnectionListRequestHeader,
    GetConsumerRunningInfoRequestHeader,
    GetConsumerStatusRequestHeader,
    GetProducerConnectionListRequestHeader,
)
from rocketmq_protocol.message_id import parse_offset_message_id
from rocketpy.broker.answers import NO_REMARK
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.clients import Client, ClientTable, ConsumerGroup
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError, RequestRefused, RequestTimeout
from rocketpy.store.message_store import MessageStore

# Broker2Client.callClient, and getConsumeStatus
_ASK_SECONDS: Final = 10.0
_STATUS_SECONDS: Final = 5.0
# MQVersion.V3_1_8_SNAPSHOT and V3_0_7_SNAPSHOT: older clients do not understand what they would be asked.
_KNOWS_ITSELF: Final = 62
_KNOWS_ITS_OFFSETS: Final = 28


class ClientAdmin:
    """Lists connections, and asks clients about themselves."""

    def __init__(
        self,
        config: BrokerConfig,
        topics: TopicTable,
        groups: GroupTable,
        clients: ClientTable,
        store: MessageStore,
    ) -> None:
        self._config = config
        self._topics = topics
        self._groups = groups
        self._clients = clients
        self._store = store

    def consumers(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The members of a consumer group and what they subscribe to."""
        name = request.read_header(GetConsumerConnectionListRequestHeader).consumer_group
        group = self._clients.consumers.get(name)
        if group is None:
            raise RequestRefused(ResponseCode.CONSUMER_NOT_ONLINE, f"the consumer group[{name}] not online")
        body = ConsumerConnection(
            connection_set=_connections(group.members.values()),
            subscription_table=dict(group.subscriptions),
            consume_type=group.consume_type,
            message_model=group.message_model,
            consume_from_where=group.consume_from_where,
        )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def producers(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The members of a producer group."""
        name = request.read_header(GetProducerConnectionListRequestHeader).producer_group
        members = self._clients.producers.get(name)
        if members is None:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, f"the producer group[{name}] not exist")
        body = ProducerConnection(connection_set=_connections(members.values()))
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def all_producers(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The members of all producer groups."""
        body = ProducerTableInfo(
            data={
                name: [
                    ProducerInfo(
                        client_id=client.client_id,
                        remote_ip=f"/{client.channel.remote}",
                        language=client.language,
                        version=client.version,
                        last_update_timestamp=client.last_seen,
                    )
                    for client in members.values()
                ]
                for name, members in self._clients.producers.items()
            }
        )
        return request.reply(ResponseCode.SUCCESS, body=body.encode())

    def running_info(self, channel: Channel, request: RemotingCommand) -> Awaitable[RemotingCommand]:
        """What a consumer tells about itself."""
        header = request.read_header(GetConsumerRunningInfoRequestHeader)
        return self._ask(request, request, header.consumer_group, header.client_id)

    def consume_directly(self, channel: Channel, request: RemotingCommand) -> Awaitable[RemotingCommand]:
        """Have one consumer handle one stored message now."""
        header = request.read_header(ConsumeMessageDirectlyResultRequestHeader)
        fields = {**(request.ext_fields or {}), "brokerName": self._config.broker_name}
        topic = self._topics.get(header.topic) if header.topic else None
        if topic is not None:
            fields["topicSysFlag"] = str(topic.topic_sys_flag)
        group = self._groups.find(header.consumer_group)
        if group is not None:
            fields["groupSysFlag"] = str(group.group_sys_flag)
        asked = replace(request, ext_fields=fields, body=self._message(header.msg_id or ""))
        return self._ask(request, asked, header.consumer_group, header.client_id or "")

    async def status(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The offsets that consumers hold in memory."""
        header = request.read_header(GetConsumerStatusRequestHeader)
        group = self._clients.consumers.get(header.group)
        if group is None:
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR, f"No Any Consumer online in the consumer group: [{header.group}]"
            )
        found = await self._statuses(header, group)
        return request.reply(
            ResponseCode.SUCCESS, remark=NO_REMARK, body=GetConsumerStatusBody(consumer_table=found).encode()
        )

    async def _statuses(
        self, header: GetConsumerStatusRequestHeader, group: ConsumerGroup
    ) -> dict[str, dict[MessageQueue, int]]:
        wanted = header.client_addr if header.client_addr and header.client_addr.strip() else None
        question = RemotingCommand.request(
            RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT,
            GetConsumerStatusRequestHeader(topic=header.topic, group=header.group),
        )
        found: dict[str, dict[MessageQueue, int]] = {}
        for client in list(group.members.values()):
            if client.version < _KNOWS_ITS_OFFSETS:
                raise RequestRefused(
                    ResponseCode.SYSTEM_ERROR,
                    f"the client does not support this feature. version={client.version}",
                )
            if wanted not in (None, client.client_id) or not isinstance(client.channel, Channel):
                continue
            try:
                answer = await client.channel.invoke(question, _STATUS_SECONDS)
                if answer.code == ResponseCode.SUCCESS and answer.body:
                    found[client.client_id] = GetConsumerStatusBody.decode(answer.body).message_queue_table
            except (RemotingError, RemoteProtocolError):
                continue
        return found

    async def _ask(
        self, request: RemotingCommand, question: RemotingCommand, group: str, client_id: str
    ) -> RemotingCommand:
        """Pass a question on to a consumer, and its answer back (AdminBrokerProcessor.callConsumer)."""
        channel = self._consumer_channel(group, client_id)
        passed_on = RemotingCommand.request(question.code, ext_fields=question.ext_fields, body=question.body)
        try:
            answer = await channel.invoke(passed_on, _ASK_SECONDS)
        except RequestTimeout as error:
            raise RequestRefused(
                ResponseCode.CONSUME_MSG_TIMEOUT, f"consumer <{group}> <{client_id}> Timeout: {error}"
            ) from None
        except RemotingError as error:
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR, f"invoke consumer <{group}> <{client_id}> Exception: {error}"
            ) from None
        return replace(answer, opaque=request.opaque, serializer=request.serializer)

    def _consumer_channel(self, group: str, client_id: str) -> Channel:
        known = self._clients.consumers.get(group)
        client = known.members.get(client_id) if known is not None else None
        if client is None or not isinstance(client.channel, Channel):
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR, f"The Consumer <{group}> <{client_id}> not online"
            )
        if client.version < _KNOWS_ITSELF:
            raise RequestRefused(
                ResponseCode.SYSTEM_ERROR,
                f"The Consumer <{client_id}> Version <{client.version}> too low to finish, "
                "please upgrade it to V3_1_8_SNAPSHOT",
            )
        return client.channel

    def _message(self, message_id: str) -> bytes:
        """The stored message with an id that names its place in the log."""
        record = self._store.lookup(parse_offset_message_id(message_id).offset)
        if record is None:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, f"can not find message by the id, {message_id}")
        return bytes(record)


def _connections(clients: Iterable[Client]) -> list[Connection]:
    return [
        Connection(
            client_id=client.client_id,
            client_addr=client.channel.remote,
            language=client.language,
            version=client.version,
        )
        for client in clients
    ]
