"""What controllers and brokers say about which replicas are in sync."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Annotated

from rocketmq_protocol.bodies._base import ArrayBody, Body, body
from rocketmq_protocol.bodies._codecs import HashSet, Int, Long
from rocketmq_protocol.bodies.cluster import BrokerMemberGroup
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import HashMap


@body(
    "remoting.protocol.body.SyncStateSet",
    requests=(RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET, RequestCode.NOTIFY_BROKER_ROLE_CHANGED),
    answers=(
        RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET,
        RequestCode.CONTROLLER_REGISTER_BROKER,
        RequestCode.CONTROLLER_GET_REPLICA_INFO,
    ),
)
class SyncStateSet(Body):
    """The ids of the brokers that hold everything."""

    sync_state_set: Annotated[AbstractSet[Long], HashMap(copied=True)] | None = None
    sync_state_set_epoch: Int = 0


@body("remoting.protocol.body.ElectMasterResponseBody", answers=(RequestCode.CONTROLLER_ELECT_MASTER,))
class ElectMasterResponseBody(Body):
    """Who belongs to the broker name that got a new master."""

    broker_member_group: BrokerMemberGroup | None = None
    sync_state_set: HashSet[Long] = frozenset()


@body("remoting.protocol.body.RoleChangeNotifyEntry")
class RoleChangeNotifyEntry(Body):
    """A change of master that a controller has yet to tell the brokers."""

    broker_member_group: BrokerMemberGroup | None = None
    master_address: str | None = None
    master_broker_id: Long | None = None
    master_epoch: Int = 0
    sync_state_set_epoch: Int = 0
    sync_state_set: HashSet[Long] | None = None


@body("remoting.protocol.body.BrokerReplicasInfo$ReplicaIdentity")
class ReplicaIdentity(Body):
    """One replica of a broker name."""

    broker_name: str | None = None
    broker_id: Long | None = None
    broker_address: str | None = None
    alive: bool | None = None


@body("remoting.protocol.body.BrokerReplicasInfo$ReplicasInfo")
class ReplicasInfo(Body):
    """The replicas of a broker name: which is master, which are in sync."""

    master_broker_id: Long | None = None
    master_address: str | None = None
    master_epoch: Int | None = None
    sync_state_set_epoch: Int | None = None
    in_sync_replicas: list[ReplicaIdentity] | None = None
    not_in_sync_replicas: list[ReplicaIdentity] | None = None


@body("remoting.protocol.body.BrokerReplicasInfo", answers=(RequestCode.CONTROLLER_GET_SYNC_STATE_DATA,))
class BrokerReplicasInfo(Body):
    """The replicas of several broker names."""

    replicas_info_table: dict[str, ReplicasInfo] = field(default_factory=dict)


@body(requests=(RequestCode.CONTROLLER_GET_SYNC_STATE_DATA,))
class BrokerNameList(ArrayBody):
    """The broker names that are asked about."""

    broker_names: list[str] = field(default_factory=list)
