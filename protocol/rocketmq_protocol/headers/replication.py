"""Replication and the controller that elects masters."""

from __future__ import annotations

from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.headers._base import Header, Int, Long, header


@header()
class ExchangeHAInfoResponseHeader(Header):
    """The master's side of the exchange."""

    master_ha_address: str | None = None
    master_flush_offset: Long | None = None
    master_address: str | None = None


@header(RequestCode.EXCHANGE_BROKER_HA_INFO, reply=ExchangeHAInfoResponseHeader)
class ExchangeHAInfoRequestHeader(Header):
    """Master and slave tell each other where they are."""

    master_ha_address: str | None = None
    master_flush_offset: Long | None = None
    master_address: str | None = None


@header(RequestCode.RESET_MASTER_FLUSH_OFFSET)
class ResetMasterFlushOffsetHeader(Header):
    """Set how far the master had flushed."""

    master_flush_offset: Long


@header(RequestCode.NOTIFY_BROKER_ROLE_CHANGED)
class NotifyBrokerRoleChangedRequestHeader(Header):
    """Tell a broker its role; the body is the set of replicas in sync."""

    master_address: str | None = None
    master_epoch: Int | None = None
    sync_state_set_epoch: Int | None = None
    master_broker_id: Long | None = None


@header(package="controller.")
class AlterSyncStateSetResponseHeader(Header):
    """The set's new epoch."""

    new_sync_state_set_epoch: Int = 0


@header(
    RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET, reply=AlterSyncStateSetResponseHeader, package="controller."
)
class AlterSyncStateSetRequestHeader(Header):
    """A master changes the set of replicas in sync."""

    broker_name: str | None = None
    master_broker_id: Long | None = None
    master_epoch: Int | None = None
    invoke_time: Long = 0  # Java sends the time of construction


@header(package="controller.")
class ElectMasterResponseHeader(Header):
    """Who is master now."""

    master_broker_id: Long | None = None
    master_address: str | None = None
    master_epoch: Int | None = None
    sync_state_set_epoch: Int | None = None


@header(RequestCode.CONTROLLER_ELECT_MASTER, reply=ElectMasterResponseHeader, package="controller.")
class ElectMasterRequestHeader(Header):
    """Ask for an election."""

    cluster_name: str
    broker_name: str
    broker_id: Long
    designate_elect: bool
    invoke_time: Long = 0  # Java sends the time of construction


@header(package="controller.")
class GetReplicaInfoResponseHeader(Header):
    """Who the master is."""

    master_broker_id: Long | None = None
    master_address: str | None = None
    master_epoch: Int | None = None


@header(RequestCode.CONTROLLER_GET_REPLICA_INFO, reply=GetReplicaInfoResponseHeader, package="controller.")
class GetReplicaInfoRequestHeader(Header):
    """Ask for a broker's replicas."""

    broker_name: str | None = None


@header(package="controller.")
class GetMetaDataResponseHeader(Header):
    """Who leads the controllers."""

    group: str | None = None
    controller_leader_id: str | None = None
    controller_leader_address: str | None = None
    is_leader: bool = False
    peers: str | None = None


@header(package="controller.register.")
class ApplyBrokerIdResponseHeader(Header):
    """The broker the id was applied to."""

    cluster_name: str | None = None
    broker_name: str | None = None


@header(
    RequestCode.CONTROLLER_APPLY_BROKER_ID, reply=ApplyBrokerIdResponseHeader, package="controller.register."
)
class ApplyBrokerIdRequestHeader(Header):
    """Claim a broker id."""

    cluster_name: str | None = None
    broker_name: str | None = None
    applied_broker_id: Long | None = None
    register_check_code: str | None = None


@header(package="controller.register.")
class GetNextBrokerIdResponseHeader(Header):
    """The id to claim."""

    cluster_name: str | None = None
    broker_name: str | None = None
    next_broker_id: Long | None = None


@header(
    RequestCode.CONTROLLER_GET_NEXT_BROKER_ID,
    reply=GetNextBrokerIdResponseHeader,
    package="controller.register.",
)
class GetNextBrokerIdRequestHeader(Header):
    """Ask for the next free broker id."""

    cluster_name: str | None = None
    broker_name: str | None = None


@header(package="controller.register.")
class RegisterBrokerToControllerResponseHeader(Header):
    """Who is master of the broker's group."""

    cluster_name: str | None = None
    broker_name: str | None = None
    master_broker_id: Long | None = None
    master_address: str | None = None
    master_epoch: Int | None = None
    sync_state_set_epoch: Int | None = None


@header(
    RequestCode.CONTROLLER_REGISTER_BROKER,
    reply=RegisterBrokerToControllerResponseHeader,
    package="controller.register.",
)
class RegisterBrokerToControllerRequestHeader(Header):
    """A broker announces itself to the controller."""

    cluster_name: str | None = None
    broker_name: str | None = None
    broker_id: Long | None = None
    broker_address: str | None = None
    invoke_time: Long = 0


@header(RequestCode.CLEAN_BROKER_DATA, package="controller.admin.")
class CleanControllerBrokerDataRequestHeader(Header):
    """Forget brokers that are gone."""

    cluster_name: str | None = None
    broker_name: str
    broker_controller_ids_to_clean: str | None = None
    is_clean_living_broker: bool = False
    invoke_time: Long = 0  # Java sends the time of construction
