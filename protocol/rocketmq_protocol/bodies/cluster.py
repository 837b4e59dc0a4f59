"""Clusters, their brokers, and how the members of one broker name replicate."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import HashSet, Int, Long
from rocketmq_protocol.bodies.admin import KVTable
from rocketmq_protocol.bodies.route import BrokerData
from rocketmq_protocol.codes import RequestCode
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, HashMap


@body("remoting.protocol.body.ClusterInfo", answers=(RequestCode.GET_BROKER_CLUSTER_INFO,))
class ClusterInfo(Body):
    """All brokers that a name server knows, and the clusters they form."""

    broker_addr_table: Annotated[dict[str, BrokerData], ConcurrentHashMap(128)] | None = None
    cluster_addr_table: Annotated[dict[str, HashSet[str]], ConcurrentHashMap(32)] | None = None


@body("remoting.protocol.body.BrokerMemberGroup")
class BrokerMemberGroup(Body):
    """Master and slaves of one broker name, by id."""

    cluster: str | None = None
    broker_name: str | None = None
    broker_addrs: Annotated[dict[Long, str], HashMap(1, copied=True)] = field(default_factory=dict)


@body(
    "remoting.protocol.body.GetBrokerMemberGroupResponseBody",
    answers=(RequestCode.GET_BROKER_MEMBER_GROUP,),
)
class GetBrokerMemberGroupResponseBody(Body):
    """The members of a broker name."""

    broker_member_group: BrokerMemberGroup | None = None


@body("remoting.protocol.namesrv.RegisterBrokerResult")
class RegisterBrokerResult(Body):
    """What a broker learns when it registers."""

    ha_server_addr: str | None = None
    master_addr: str | None = None
    kv_table: KVTable | None = None


@body("remoting.protocol.BrokerSyncInfo")
class BrokerSyncInfo(Body):
    """What master and slave tell each other before they replicate."""

    master_ha_address: str | None = None
    master_flush_offset: Long = 0
    master_address: str | None = None


@body("remoting.protocol.body.HARuntimeInfo$HAConnectionRuntimeInfo")
class HAConnectionRuntimeInfo(Body):
    """A master's view of one slave."""

    addr: str | None = None
    slave_ack_offset: Long = 0
    diff: Long = 0
    in_sync: bool = False
    transferred_byte_in_second: Long = 0
    transfer_from_where: Long = 0


@body("remoting.protocol.body.HARuntimeInfo$HAClientRuntimeInfo")
class HAClientRuntimeInfo(Body):
    """A slave's view of its master."""

    master_addr: str | None = None
    transferred_byte_in_second: Long = 0
    max_offset: Long = 0
    last_read_timestamp: Long = 0
    last_write_timestamp: Long = 0
    master_flush_offset: Long = 0


@body("remoting.protocol.body.HARuntimeInfo", answers=(RequestCode.GET_BROKER_HA_STATUS,))
class HARuntimeInfo(Body):
    """How replication goes, seen from one broker."""

    master: bool = False
    master_commit_log_max_offset: Long = 0
    in_sync_slave_nums: Int = 0
    ha_connection_info: list[HAConnectionRuntimeInfo] = field(default_factory=list)
    ha_client_runtime_info: HAClientRuntimeInfo | None = field(default_factory=HAClientRuntimeInfo)


@body("remoting.protocol.EpochEntry")
class EpochEntry(Body):
    """One reign of a master: from which offset on, and up to where."""

    epoch: Int = 0
    start_offset: Long = 0
    end_offset: Long = 2**63 - 1


@body("remoting.protocol.body.EpochEntryCache", answers=(RequestCode.GET_BROKER_EPOCH_CACHE,))
class EpochEntryCache(Body):
    """All reigns that a broker remembers."""

    cluster_name: str | None = None
    broker_name: str | None = None
    broker_id: Long = 0
    epoch_list: list[EpochEntry] | None = None
    max_offset: Long = 0
