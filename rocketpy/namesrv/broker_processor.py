"""What brokers say to the name server: that they are there, with which topics, and that they leave."""

from __future__ import annotations

import logging
from typing import Final

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import (
    DataVersion,
    GetBrokerMemberGroupResponseBody,
    RegisterBrokerBody,
    TopicConfigAndMappingSerializeWrapper,
    TopicConfigSerializeWrapper,
)
from rocketmq_protocol.crc import java_crc32
from rocketmq_protocol.headers import (
    QueryDataVersionResponseHeader,
    RegisterBrokerRequestHeader,
    RegisterBrokerResponseHeader,
    UnRegisterBrokerRequestHeader,
)
from rocketpy.namesrv import fields, views
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.kv_config import ORDER_TOPIC_CONFIG, KvConfig
from rocketpy.namesrv.liveness import Clock, Tell
from rocketpy.namesrv.members import EXPIRY_SECONDS, LowestIdChange, Member, Registration
from rocketpy.namesrv.route_table import RouteTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused

logger = logging.getLogger(__name__)

# MQVersion.V3_0_11: before it, a broker sent its topics and nothing else.
_VERSION_3_0_11: Final = 37
# The text of Java's exception, with the place where it comes from. A 5.5.0 broker with compressedRegister
# sees it, for it compresses what it sends and says that it did not.
_CANNOT_DECODE: Final = (
    "org.apache.rocketmq.remoting.exception.RemotingCommandException: Failed to decode RegisterBrokerBody, "
    "org.apache.rocketmq.namesrv.processor.DefaultRequestProcessor."
    "extractRegisterBrokerBodyFromRequest(DefaultRequestProcessor.java:305)"
)


class BrokerProcessor:
    """Keeps the route table up to date with what brokers say."""

    def __init__(
        self, config: NamesrvConfig, table: RouteTable, kv_config: KvConfig, tell: Tell, clock: Clock
    ) -> None:
        self._config = config
        self._table = table
        self._kv_config = kv_config
        self._tell = tell
        self._clock = clock

    def register(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """REGISTER_BROKER. The answer tells a slave its master, and everyone the queues of ordered topics."""
        header = request.read_header(RegisterBrokerRequestHeader)
        if header.body_crc32 and java_crc32(request.body) != header.body_crc32:
            logger.warning("%s: registers with a body that does not match its checksum", channel.remote)
            raise _not_registered("crc32 not match")
        body = _body(request, header)
        timeout = header.heartbeat_timeout_millis
        new = Registration(
            member=Member(header.cluster_name, header.broker_addr),
            name=header.broker_name,
            broker_id=header.broker_id,
            ha_address=header.ha_server_addr,
            connection=channel,
            topics=body.topic_config_serialize_wrapper,
            filter_servers=body.filter_server_list,
            zone=fields.text(request, views.ZONE_NAME),
            expiry_seconds=EXPIRY_SECONDS if timeout is None else timeout / 1000,
            acting_master=header.enable_acting_master,
        )
        registered = self._table.register(new, self._clock())
        if registered is None:
            raise _not_registered("register broker failed")
        self._report(registered.change)
        seen_at = views.host_of(channel.local)
        answer = RegisterBrokerResponseHeader(
            ha_server_addr=views.reachable(registered.ha_address, seen_at),
            master_addr=views.reachable(registered.master_address, seen_at),
        )
        return request.reply(ResponseCode.SUCCESS, answer, body=self._order_topics())

    def unregister(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """UNREGISTER_BROKER: Java answers before it looks at what it was told."""
        try:
            header = request.read_header(UnRegisterBrokerRequestHeader)
        except RemoteProtocolError as error:
            logger.warning("%s: a broker that cannot be unregistered: %s", channel.remote, error)
        else:
            member = Member(header.cluster_name, header.broker_addr)
            self._report(self._table.unregister(header.broker_name, member, header.broker_id))
        return request.reply(ResponseCode.SUCCESS)

    def heartbeat(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """BROKER_HEARTBEAT."""
        self._table.heard_of(fields.member(request), self._clock())
        return request.reply(ResponseCode.SUCCESS)

    def query_data_version(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """QUERY_DATA_VERSION: whether a broker has to register again. It counts as a heartbeat."""
        member = fields.member(request)
        told = DataVersion.decode(request.body) if request.body else None
        known = self._table.version_of(member)
        self._table.heard_of(member, self._clock())
        return request.reply(
            ResponseCode.SUCCESS,
            QueryDataVersionResponseHeader(changed=known is None or told != known),
            body=b"" if known is None else known.encode(),
        )

    def member_group(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_BROKER_MEMBER_GROUP. Java forgets to take back its first remark."""
        cluster, name = fields.text(request, "clusterName"), fields.text(request, "brokerName")
        group = views.member_group(self._table, cluster, name, views.host_of(channel.local))
        body = GetBrokerMemberGroupResponseBody(broker_member_group=group)
        return request.reply(ResponseCode.SUCCESS, remark="not set any response code", body=body.encode())

    def _order_topics(self) -> bytes:
        if not self._config.flag("returnOrderTopicConfigToBroker"):
            return b""
        table = self._kv_config.table(ORDER_TOPIC_CONFIG)
        return b"" if table is None else table.encode()

    def _report(self, change: LowestIdChange | None) -> None:
        if change is not None:
            self._tell(change)


def _not_registered(remark: str) -> RequestRefused:
    return RequestRefused(ResponseCode.SYSTEM_ERROR, remark, RegisterBrokerResponseHeader())


def _body(request: RemotingCommand, header: RegisterBrokerRequestHeader) -> RegisterBrokerBody:
    """A broker's topics, as its version writes them."""
    if not request.body:
        return RegisterBrokerBody()
    if request.version < _VERSION_3_0_11:
        old = TopicConfigSerializeWrapper.decode(request.body)
        wrapper = TopicConfigAndMappingSerializeWrapper(
            topic_config_table=old.topic_config_table, data_version=old.data_version
        )
        return RegisterBrokerBody(topic_config_serialize_wrapper=wrapper)
    try:
        if header.compressed:
            return RegisterBrokerBody.decode_compressed(request.body, request.version)
        return RegisterBrokerBody.decode(request.body)
    except RemoteProtocolError as error:
        logger.warning("broker %s at %s: %s", header.broker_name, header.broker_addr, error)
        raise RequestRefused(ResponseCode.SYSTEM_ERROR, _CANNOT_DECODE) from None
