"""What clients and admin tools ask, answered with Java's codes and remarks; and the table of all requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import BROWSER_COMPATIBLE, COMPACT, TopicList, TopicRouteData
from rocketmq_protocol.codes import VERSION_4_9_4
from rocketmq_protocol.headers import (
    AddWritePermOfBrokerResponseHeader,
    GetKVConfigResponseHeader,
    WipeWritePermOfBrokerResponseHeader,
)
from rocketmq_protocol.javaisms import parse_boolean
from rocketpy.namesrv import fields, views
from rocketpy.namesrv.broker_processor import BrokerProcessor
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.kv_config import ORDER_TOPIC_CONFIG, KvConfig
from rocketpy.namesrv.liveness import Clock
from rocketpy.namesrv.route_table import RouteTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.remoting.properties import parse_properties
from rocketpy.remoting.router import Handler

# FAQUrl.suggestTodo
_SEE_FAQ: Final = "\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details."


class RouteProcessor:
    """Routes, clusters and lists of topics."""

    def __init__(self, config: NamesrvConfig, table: RouteTable, kv_config: KvConfig, clock: Clock) -> None:
        self._config = config
        self._table = table
        self._kv_config = kv_config
        self._clock = clock
        self._started_at = clock()

    def route(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_ROUTEINFO_BY_TOPIC: without quotes around keys for clients before 4.9.4, and for one zone."""
        self._check_ready()
        topic = fields.text(request, "topic")
        found = None if topic is None else self._find(topic, channel)
        if found is None:
            remark = f"No topic route info in name server for the topic: {fields.shown(topic)}{_SEE_FAQ}"
            raise RequestRefused(ResponseCode.TOPIC_NOT_EXIST, remark)
        is_standard = parse_boolean(fields.text(request, "acceptStandardJsonOnly") or "")
        body = found.encode(
            BROWSER_COMPATIBLE if is_standard or request.version >= VERSION_4_9_4 else COMPACT
        )
        zone = fields.text(request, views.ZONE_NAME) or ""
        if zone.strip() and parse_boolean(fields.text(request, views.ZONE_MODE) or ""):
            body = views.in_zone(body, zone).encode(COMPACT)
        return request.reply(ResponseCode.SUCCESS, body=body)

    def cluster_info(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_BROKER_CLUSTER_INFO."""
        info = views.cluster_info(self._table, views.host_of(channel.local))
        return request.reply(ResponseCode.SUCCESS, body=info.encode())

    def all_topics(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_ALL_TOPIC_LIST_FROM_NAMESERVER."""
        return self._topics(request, "enableAllTopicList", views.all_topics)

    def topics_of_cluster(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_TOPICS_BY_CLUSTER."""
        cluster = fields.text(request, "cluster")
        return self._topics(request, "enableTopicList", lambda table: views.topics_of_cluster(table, cluster))

    def system_topics(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_SYSTEM_TOPIC_LIST_FROM_NS."""
        found = views.system_topics(self._table, views.host_of(channel.local))
        return request.reply(ResponseCode.SUCCESS, body=found.encode())

    def unit_topics(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_UNIT_TOPIC_LIST."""
        return self._topics(request, "enableTopicList", views.unit_topics)

    def unit_sub_topics(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_HAS_UNIT_SUB_TOPIC_LIST."""
        return self._topics(request, "enableTopicList", views.unit_sub_topics)

    def unit_sub_un_unit_topics(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST."""
        return self._topics(request, "enableTopicList", views.unit_sub_un_unit_topics)

    def register_topic(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """REGISTER_TOPIC_IN_NAMESRV: the queues that brokers are said to have of a topic."""
        topic = fields.text(request, "topic")
        told = TopicRouteData.decode(request.body) if request.body else TopicRouteData()
        if topic is not None and told.queue_datas:
            self._table.register_topic(topic, told.queue_datas)
        return request.reply(ResponseCode.SUCCESS)

    def delete_topic(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """DELETE_TOPIC_IN_NAMESRV."""
        topic = fields.text(request, "topic")
        if topic is not None:
            self._table.delete_topic(topic, fields.text(request, "clusterName"))
        return request.reply(ResponseCode.SUCCESS)

    def wipe_write_perm(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """WIPE_WRITE_PERM_OF_BROKER."""
        count = self._table.wipe_write_perm(fields.text(request, "brokerName"))
        return request.reply(
            ResponseCode.SUCCESS, WipeWritePermOfBrokerResponseHeader(wipe_topic_count=count)
        )

    def add_write_perm(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """ADD_WRITE_PERM_OF_BROKER."""
        count = self._table.add_write_perm(fields.text(request, "brokerName"))
        return request.reply(ResponseCode.SUCCESS, AddWritePermOfBrokerResponseHeader(add_topic_count=count))

    def _check_ready(self) -> None:
        if not self._config.flag("needWaitForService"):
            return
        if self._clock() - self._started_at < self._config.number("waitSecondsForService"):
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "name server not ready")

    def _find(self, topic: str, channel: Channel) -> TopicRouteData | None:
        found = views.route(
            self._table,
            topic,
            views.host_of(channel.local),
            with_acting_master=self._config.flag("supportActingMaster"),
        )
        if found is not None and self._config.flag("orderMessageEnable"):
            found.order_topic_conf = self._kv_config.get(ORDER_TOPIC_CONFIG, topic)
        return found

    def _topics(
        self, request: RemotingCommand, switch: str, view: Callable[[RouteTable], TopicList]
    ) -> RemotingCommand:
        if not self._config.flag(switch):
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "disable")
        return request.reply(ResponseCode.SUCCESS, body=view(self._table).encode())


class KvProcessor:
    """Key-value settings."""

    def __init__(self, kv_config: KvConfig) -> None:
        self._kv_config = kv_config

    def put(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """PUT_KV_CONFIG."""
        namespace, key = fields.text(request, "namespace"), fields.text(request, "key")
        if namespace is None or key is None:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "namespace or key is null")
        self._kv_config.put(namespace, key, fields.text(request, "value"))
        return request.reply(ResponseCode.SUCCESS)

    def get(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_KV_CONFIG."""
        namespace, key = fields.text(request, "namespace"), fields.text(request, "key")
        value = self._kv_config.get(namespace, key)
        if value is None:
            remark = f"No config item, Namespace: {fields.shown(namespace)} Key: {fields.shown(key)}"
            raise RequestRefused(ResponseCode.QUERY_NOT_FOUND, remark, GetKVConfigResponseHeader())
        return request.reply(ResponseCode.SUCCESS, GetKVConfigResponseHeader(value=value))

    def delete(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """DELETE_KV_CONFIG."""
        self._kv_config.delete(fields.text(request, "namespace"), fields.text(request, "key"))
        return request.reply(ResponseCode.SUCCESS)

    def all_of_namespace(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_KVLIST_BY_NAMESPACE."""
        namespace = fields.text(request, "namespace")
        table = self._kv_config.table(namespace)
        if table is None:
            remark = f"No config item, Namespace: {fields.shown(namespace)}"
            raise RequestRefused(ResponseCode.QUERY_NOT_FOUND, remark)
        return request.reply(ResponseCode.SUCCESS, body=table.encode())


class ConfigProcessor:
    """The name server's own settings."""

    def __init__(self, config: NamesrvConfig) -> None:
        self._config = config

    def get(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """GET_NAMESRV_CONFIG."""
        return request.reply(ResponseCode.SUCCESS, body=self._config.described().encode())

    def update(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """UPDATE_NAMESRV_CONFIG. Java reads properties as Latin-1, whatever they are written in."""
        if not request.body:
            return request.reply(ResponseCode.SUCCESS)
        try:
            told = parse_properties(request.body.decode("latin-1"))
        except ValueError:
            raise RequestRefused(ResponseCode.SYSTEM_ERROR, "string2Properties error") from None
        if self._config.is_forbidden(told):
            raise RequestRefused(ResponseCode.NO_PERMISSION, "Can not update config in black list.")
        self._config.update(told)
        return request.reply(ResponseCode.SUCCESS)


def routes(
    broker: BrokerProcessor, route: RouteProcessor, kv: KvProcessor, config: ConfigProcessor
) -> dict[int, Handler]:
    """The table for the router: everything that the name server of 5.5.0 serves."""
    return {
        RequestCode.PUT_KV_CONFIG: kv.put,
        RequestCode.GET_KV_CONFIG: kv.get,
        RequestCode.DELETE_KV_CONFIG: kv.delete,
        RequestCode.GET_KVLIST_BY_NAMESPACE: kv.all_of_namespace,
        RequestCode.REGISTER_BROKER: broker.register,
        RequestCode.UNREGISTER_BROKER: broker.unregister,
        RequestCode.BROKER_HEARTBEAT: broker.heartbeat,
        RequestCode.QUERY_DATA_VERSION: broker.query_data_version,
        RequestCode.GET_BROKER_MEMBER_GROUP: broker.member_group,
        RequestCode.GET_ROUTEINFO_BY_TOPIC: route.route,
        RequestCode.GET_BROKER_CLUSTER_INFO: route.cluster_info,
        RequestCode.WIPE_WRITE_PERM_OF_BROKER: route.wipe_write_perm,
        RequestCode.ADD_WRITE_PERM_OF_BROKER: route.add_write_perm,
        RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER: route.all_topics,
        RequestCode.REGISTER_TOPIC_IN_NAMESRV: route.register_topic,
        RequestCode.DELETE_TOPIC_IN_NAMESRV: route.delete_topic,
        RequestCode.GET_TOPICS_BY_CLUSTER: route.topics_of_cluster,
        RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS: route.system_topics,
        RequestCode.GET_UNIT_TOPIC_LIST: route.unit_topics,
        RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST: route.unit_sub_topics,
        RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST: route.unit_sub_un_unit_topics,
        RequestCode.UPDATE_NAMESRV_CONFIG: config.update,
        RequestCode.GET_NAMESRV_CONFIG: config.get,
    }
