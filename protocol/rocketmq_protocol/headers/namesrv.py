"""Nameserver: brokers that come and go, key-value settings."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, Long, header


@header(package="namesrv.")
class RegisterBrokerResponseHeader(Header):
    """Where the broker's master is, and whom to replicate from."""

    ha_server_addr: str | None = None
    master_addr: str | None = None


@header(RequestCode.REGISTER_BROKER, reply=RegisterBrokerResponseHeader, package="namesrv.")
class RegisterBrokerRequestHeader(Header):
    """A broker announces itself; the body holds its topics."""

    broker_name: str
    broker_addr: str
    cluster_name: str
    ha_server_addr: str
    broker_id: Long
    heartbeat_timeout_millis: Long | None = None
    enable_acting_master: bool | None = None
    compressed: bool = False
    body_crc32: Int = 0


@header(RequestCode.UNREGISTER_BROKER, package="namesrv.")
class UnRegisterBrokerRequestHeader(Header):
    """A broker leaves."""

    broker_name: str
    broker_addr: str
    cluster_name: str
    broker_id: Long


@header(RequestCode.BROKER_HEARTBEAT, package="namesrv.")
class BrokerHeartbeatRequestHeader(Header):
    """A broker is alive."""

    cluster_name: str
    broker_addr: str
    broker_name: str
    broker_id: Long | None = None
    epoch: Int | None = None
    max_offset: Long | None = None
    confirm_offset: Long | None = None
    heartbeat_timeout_mills: Long | None = None
    election_priority: Int | None = None


@header(package="namesrv.")
class QueryDataVersionResponseHeader(Header):
    """Whether the nameserver's copy is out of date."""

    changed: bool


@header(RequestCode.QUERY_DATA_VERSION, reply=QueryDataVersionResponseHeader, package="namesrv.")
class QueryDataVersionRequestHeader(Header):
    """Ask whether a broker must register anew; the body is its data version."""

    broker_name: str
    broker_addr: str
    cluster_name: str
    broker_id: Long


@header(RequestCode.GET_BROKER_MEMBER_GROUP)
class GetBrokerMemberGroupRequestHeader(Header):
    """Ask for the brokers that share a name."""

    cluster_name: str
    broker_name: str


@header(RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE)
class NotifyMinBrokerIdChangeRequestHeader(Header):
    """Tell brokers that the acting master changed."""

    min_broker_id: Long | None = None
    broker_name: str | None = None
    min_broker_addr: str | None = None
    offline_broker_addr: str | None = None
    ha_broker_addr: str | None = None


@header(package="namesrv.")
class WipeWritePermOfBrokerResponseHeader(Header):
    """How many topics were changed."""

    wipe_topic_count: Int


@header(RequestCode.WIPE_WRITE_PERM_OF_BROKER, reply=WipeWritePermOfBrokerResponseHeader, package="namesrv.")
class WipeWritePermOfBrokerRequestHeader(Header):
    """Take a broker out of every route for writing."""

    broker_name: str


@header(package="namesrv.")
class AddWritePermOfBrokerResponseHeader(Header):
    """How many topics were changed."""

    add_topic_count: Int


@header(RequestCode.ADD_WRITE_PERM_OF_BROKER, reply=AddWritePermOfBrokerResponseHeader, package="namesrv.")
class AddWritePermOfBrokerRequestHeader(Header):
    """Put a broker back into routes for writing."""

    broker_name: str


@header(RequestCode.PUT_KV_CONFIG, package="namesrv.")
class PutKVConfigRequestHeader(Header):
    """Set a key."""

    namespace: str
    key: str
    value: str


@header(package="namesrv.")
class GetKVConfigResponseHeader(Header):
    """The key's value."""

    value: str | None = None


@header(RequestCode.GET_KV_CONFIG, reply=GetKVConfigResponseHeader, package="namesrv.")
class GetKVConfigRequestHeader(Header):
    """Ask for a key's value."""

    namespace: str
    key: str


@header(RequestCode.DELETE_KV_CONFIG, package="namesrv.")
class DeleteKVConfigRequestHeader(Header):
    """Delete a key."""

    namespace: str
    key: str


@header(RequestCode.GET_KVLIST_BY_NAMESPACE, package="namesrv.")
class GetKVListByNamespaceRequestHeader(Header):
    """Ask for all keys of a namespace."""

    namespace: str
