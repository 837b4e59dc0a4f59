"""Brokers register, change, and leave."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    ClusterInfo,
    DataVersion,
    KVTable,
    RegisterBrokerBody,
    TopicConfig,
    TopicConfigSerializeWrapper,
)
from rocketmq_protocol.crc import java_crc32
from rocketmq_protocol.headers import (
    QueryDataVersionResponseHeader,
    RegisterBrokerRequestHeader,
    RegisterBrokerResponseHeader,
)
from rocketpy.namesrv.kv_config import ORDER_TOPIC_CONFIG
from tests.namesrv.server import CLUSTER, EVERYWHERE, Server, registration

A, A_SLAVE, OTHER = "192.0.2.1:10911", "192.0.2.2:10911", "192.0.2.3:10911"


def perm_of(server: Server, topic: str = "TopicA") -> int:
    route = server.route(topic)
    assert route is not None
    return route.queue_datas[0].perm


def with_body(request: RemotingCommand, body: bytes, version: int = 513, **header: Any) -> RemotingCommand:
    """The registration with another body, and a header that fits it."""
    fields = request.read_header(RegisterBrokerRequestHeader)
    fields = replace(fields, body_crc32=java_crc32(body), **header)
    return replace(request, body=body, version=version, ext_fields=fields.to_ext_fields())


def test_a_broker_that_registered_is_in_routes_and_clusters() -> None:
    server = Server()
    assert server.register().code == ResponseCode.SUCCESS
    route = server.route("TopicA")
    assert route is not None
    assert route.broker_datas[0].broker_addrs == {0: A}
    info = ClusterInfo.decode(server.get(RequestCode.GET_BROKER_CLUSTER_INFO).body)
    assert info.cluster_addr_table == {CLUSTER: {"broker-a"}}


@pytest.mark.parametrize("version", [513, 413, 409, 317, 37])
@pytest.mark.parametrize("compressed", [False, True])
def test_topics_of_every_version_are_understood(version: int, compressed: bool) -> None:
    request = registration("broker-a", ["TopicA"])
    body = RegisterBrokerBody.decode(request.body)
    data = body.encode_compressed(version) if compressed else body.encode()
    server = Server()
    assert server.ask(with_body(request, data, version, compressed=compressed)).code == ResponseCode.SUCCESS
    assert set(server.table.topics) == {"TopicA", *EVERYWHERE}


def test_a_broker_before_3_0_11_sends_nothing_but_its_topics() -> None:
    topics = RegisterBrokerBody.decode(registration("broker-a").body).topic_config_serialize_wrapper
    old = TopicConfigSerializeWrapper(
        topic_config_table=topics.topic_config_table, data_version=topics.data_version
    )
    server = Server()
    request = with_body(registration("broker-a"), old.encode(), 36)
    assert server.ask(request).code == ResponseCode.SUCCESS
    assert server.route("TopicA") is not None


def test_a_body_that_does_not_match_its_checksum_is_refused() -> None:
    server = Server()
    answer = server.ask(replace(registration("broker-a", body_crc32=77)))
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "crc32 not match")
    assert answer.ext_fields == {}
    assert server.table.brokers == {}


@pytest.mark.parametrize("compressed", [False, True])
def test_a_body_that_cannot_be_read_is_refused_in_javas_words(compressed: bool) -> None:
    answer = Server().ask(with_body(registration("broker-a"), b"\x78junk", compressed=compressed))
    assert answer.code == ResponseCode.SYSTEM_ERROR
    assert answer.remark is not None
    assert "Failed to decode RegisterBrokerBody" in answer.remark


def test_a_compressed_body_that_says_it_is_not_is_refused() -> None:
    # As 5.5.0 sends it with compressedRegister.
    body = RegisterBrokerBody.decode(registration("broker-a").body).encode_compressed()
    answer = Server().ask(with_body(registration("broker-a"), body, compressed=False))
    assert answer.code == ResponseCode.SYSTEM_ERROR


def test_a_registration_that_lacks_a_field_is_refused_by_name() -> None:
    request = registration("broker-a")
    assert request.ext_fields is not None
    del request.ext_fields["brokerId"]
    answer = Server().ask(request)
    assert answer.code == ResponseCode.SYSTEM_ERROR
    assert answer.remark is not None
    assert "brokerId" in answer.remark


def test_one_topic_may_be_registered_only_after_all_the_others() -> None:
    server = Server()
    answer = server.register(topics=["TopicA"], only_these=True)
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "register broker failed")
    assert answer.ext_fields == {}
    server.register()
    assert server.register(topics=["TopicB"], only_these=True).code == ResponseCode.SUCCESS
    assert {"TopicA", "TopicB"} <= set(server.table.topics)


def test_a_slave_learns_where_its_master_is() -> None:
    server = Server()
    server.register(address=A)
    told = server.register(address=A_SLAVE, broker_id=1).read_header(RegisterBrokerResponseHeader)
    assert (told.master_addr, told.ha_server_addr) == (A, "192.0.2.1:10921")


def test_a_slave_without_master_learns_nothing() -> None:
    assert Server().register(broker_id=1).ext_fields == {}


def test_topics_of_a_slave_do_not_count_while_there_is_a_master() -> None:
    server = Server()
    server.register(address=A)
    server.register(topics=["OnlySlave"], address=A_SLAVE, broker_id=1, enable_acting_master=True)
    assert server.route("OnlySlave") is None


def test_brokers_learn_the_queues_of_ordered_topics_unless_switched_off() -> None:
    server = Server()
    assert server.register().body == b""
    server.kv_config.put(ORDER_TOPIC_CONFIG, "TopicA", "broker-a:4")
    assert KVTable.decode(server.register().body).table == {"TopicA": "broker-a:4"}
    server.config.set("returnOrderTopicConfigToBroker", "false")
    assert server.register().body == b""


def test_a_topic_changes_only_with_the_version_of_the_table() -> None:
    server = Server()
    server.register(topics=[TopicConfig(topic_name="TopicA", perm=6)], version=DataVersion(counter=1))
    changed = [TopicConfig(topic_name="TopicA", perm=4)]
    server.register(topics=changed, version=DataVersion(counter=1))
    assert perm_of(server) == 6
    server.register(topics=changed, version=DataVersion(counter=2))
    assert perm_of(server) == 4


def test_permissions_taken_away_by_an_operator_last_until_the_topics_change() -> None:
    server = Server()
    server.register(version=DataVersion(counter=1))
    wiped = server.get(RequestCode.WIPE_WRITE_PERM_OF_BROKER, brokerName="broker-a")
    assert wiped.ext_fields == {"wipeTopicCount": "3"}
    server.register(version=DataVersion(counter=1))
    assert perm_of(server) == 4
    server.get(RequestCode.ADD_WRITE_PERM_OF_BROKER, brokerName="broker-a")
    assert perm_of(server) == 6


def test_topics_that_a_broker_no_longer_tells_of_go_only_if_so_set() -> None:
    server = Server()
    server.register(topics=["TopicA", "TopicB"])
    server.register(topics=["TopicB"], version=DataVersion(counter=1))
    assert server.route("TopicA") is not None
    server.config.set("deleteTopicWithBrokerRegistration", "true")
    server.register(topics=["TopicB"], version=DataVersion(counter=2))
    assert server.route("TopicA") is None
    assert server.route("TopicB") is not None


def test_a_broker_may_take_over_an_id_unless_its_state_is_older() -> None:
    server = Server()
    server.register(address=A, version=DataVersion(state_version=5))
    assert server.register(address=OTHER, version=DataVersion(state_version=4)).code == ResponseCode.SUCCESS
    assert server.table.brokers["broker-a"].addresses == {0: A}
    server.register(address=OTHER, version=DataVersion(state_version=5))
    assert server.table.brokers["broker-a"].addresses == {0: OTHER}


def test_a_slave_that_becomes_master_keeps_its_address_under_the_new_id() -> None:
    server = Server()
    server.register(address=A, broker_id=1, enable_acting_master=True)
    server.register(address=A, broker_id=0, enable_acting_master=True)
    assert server.table.brokers["broker-a"].addresses == {0: A}


def test_a_broker_that_leaves_takes_its_topics_with_it() -> None:
    server = Server()
    server.register("broker-a", ["TopicA", "Both"], address=A)
    server.register("broker-b", ["Both"], address=OTHER)
    server.unregister("broker-a", 0, A)
    assert server.route("TopicA") is None
    both = server.route("Both")
    assert both is not None
    assert [queues.broker_name for queues in both.queue_datas] == ["broker-b"]
    assert server.table.clusters == {CLUSTER: {"broker-b": None}}
    server.unregister("broker-b", 0, OTHER)
    assert (server.table.brokers, server.table.clusters, server.table.topics) == ({}, {}, {})


def test_a_broker_that_is_not_there_may_leave() -> None:
    server = Server()
    server.register()
    server.unregister("never", 0, OTHER)
    assert server.ask(RemotingCommand.request(RequestCode.UNREGISTER_BROKER)).code == ResponseCode.SUCCESS
    assert server.route("TopicA") is not None


def test_without_master_what_is_left_may_only_be_read() -> None:
    server = Server()
    server.register(address=A, enable_acting_master=True)
    server.register(address=A_SLAVE, broker_id=1, enable_acting_master=True)
    server.unregister("broker-a", 0, A)
    assert perm_of(server) == 4
    server.register(address=A, enable_acting_master=True, version=DataVersion(counter=1))
    assert perm_of(server) == 6


def test_a_slave_that_acts_as_master_tells_of_its_topics_for_reading() -> None:
    server = Server()
    server.register(address=A_SLAVE, broker_id=1, enable_acting_master=True)
    assert perm_of(server) == 4


def test_members_are_told_when_another_has_the_lowest_id() -> None:
    server = Server()
    server.register(address=A_SLAVE, broker_id=1, enable_acting_master=True)
    server.register(address=A, broker_id=0, enable_acting_master=True)
    (came,) = server.told
    assert (came.lowest_id, came.to_tell) == (0, [A_SLAVE])
    assert (came.ha_address, came.offline_address) == ("192.0.2.1:10921", None)
    server.unregister("broker-a", 0, A)
    left = server.told[1]
    assert (left.lowest_id, left.to_tell, left.offline_address) == (1, [A_SLAVE], A)
    assert left.ha_address is None


def test_no_one_is_told_when_a_member_leaves_that_had_not_the_lowest_id() -> None:
    server = Server()
    server.register(address=A, enable_acting_master=True)
    server.register(address=A_SLAVE, broker_id=1, enable_acting_master=True)
    server.unregister("broker-a", 1, A_SLAVE)
    assert server.told == []
    assert perm_of(server) == 6


def test_a_broker_learns_whether_its_topics_are_known() -> None:
    server = Server()
    version = DataVersion(counter=3, timestamp=9)

    def ask(asked: bytes) -> RemotingCommand:
        return server.get(
            RequestCode.QUERY_DATA_VERSION, body=asked, brokerAddr=A, clusterName=CLUSTER, brokerName="b"
        )

    unknown = ask(version.encode())
    assert unknown.read_header(QueryDataVersionResponseHeader).changed
    assert unknown.body == b""
    server.register(address=A, version=version)
    assert not ask(version.encode()).read_header(QueryDataVersionResponseHeader).changed
    newer = ask(DataVersion(counter=4).encode())
    assert newer.read_header(QueryDataVersionResponseHeader).changed
    assert DataVersion.decode(newer.body) == version
    assert ask(b"").read_header(QueryDataVersionResponseHeader).changed


@pytest.mark.parametrize("code", [RequestCode.QUERY_DATA_VERSION, RequestCode.BROKER_HEARTBEAT])
def test_a_heartbeat_that_does_not_say_whose_is_refused(code: RequestCode) -> None:
    answer = Server().ask(RemotingCommand.request(code, ext_fields={"clusterName": CLUSTER}))
    assert answer.code == ResponseCode.SYSTEM_ERROR
