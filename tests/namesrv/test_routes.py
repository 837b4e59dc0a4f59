"""What clients and admin tools are shown."""

from __future__ import annotations

from typing import Any

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode, SerializeType
from rocketmq_protocol.bodies import (
    GetBrokerMemberGroupResponseBody,
    QueueData,
    TopicConfig,
    TopicList,
    TopicQueueMappingInfo,
    TopicRouteData,
)
from rocketpy.namesrv.kv_config import ORDER_TOPIC_CONFIG
from tests.namesrv.server import CLUSTER, Asker, Server

A, A_SLAVE, B = "192.0.2.1:10911", "192.0.2.2:10911", "192.0.2.3:10911"


def names(server: Server, code: RequestCode, **ext: Any) -> set[str]:
    return set(TopicList.decode(server.get(code, **ext).body).topic_list)


def route(server: Server, topic: str = "TopicA", version: int = 513, **ext: Any) -> bytes:
    return server.get(RequestCode.GET_ROUTEINFO_BY_TOPIC, version=version, topic=topic, **ext).body


@pytest.mark.parametrize(
    ("version", "only_standard", "is_quoted"),
    [
        (513, "false", True),
        (401, "false", True),
        (400, "false", False),
        (0, "false", False),
        (0, "true", True),
    ],
)
def test_old_clients_get_ids_without_quotes(version: int, only_standard: str, is_quoted: bool) -> None:
    server = Server()
    server.register()
    body = route(server, version=version, acceptStandardJsonOnly=only_standard)
    assert (b'{"0":"192.0.2.1:10911"}' in body) == is_quoted
    assert (b'{0:"192.0.2.1:10911"}' in body) != is_quoted


def test_a_topic_that_is_not_there_is_refused_with_javas_remark() -> None:
    request = RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, ext_fields={"topic": "Nope"})
    answer = Server().ask(request)
    assert answer.code == ResponseCode.TOPIC_NOT_EXIST
    assert answer.remark == (
        "No topic route info in name server for the topic: Nope\n"
        "See https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details."
    )


def test_no_routes_are_told_for_a_while_after_the_start_if_so_set() -> None:
    server = Server(needWaitForService="true", waitSecondsForService="45")
    server.register()
    request = RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, ext_fields={"topic": "TopicA"})
    server.now += 44
    answer = server.ask(request)
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "name server not ready")
    server.now += 1
    assert server.ask(request).code == ResponseCode.SUCCESS


def test_the_queues_of_an_ordered_topic_are_told_if_so_set() -> None:
    server = Server()
    server.register()
    server.kv_config.put(ORDER_TOPIC_CONFIG, "TopicA", "broker-a:4")
    assert TopicRouteData.decode(route(server)).order_topic_conf is None
    server.config.set("orderMessageEnable", "true")
    assert TopicRouteData.decode(route(server)).order_topic_conf == "broker-a:4"


def test_a_slave_that_acts_as_master_has_the_masters_id_in_routes() -> None:
    server = Server(supportActingMaster="true")
    for broker_id, address in ((2, A), (1, A_SLAVE)):
        server.register(address=address, broker_id=broker_id, enable_acting_master=True)
    # Each was the lowest when it came: its topics may only be read.
    assert TopicRouteData.decode(route(server)).broker_datas[0].broker_addrs == {0: A_SLAVE, 2: A}
    server.config.set("supportActingMaster", "false")
    assert TopicRouteData.decode(route(server)).broker_datas[0].broker_addrs == {1: A_SLAVE, 2: A}


def test_slaves_that_ask_for_their_group_see_who_is_there_as_they_are() -> None:
    topic = "rmq_sys_SYNC_BROKER_MEMBER_broker-a"
    server = Server(supportActingMaster="true")
    server.register(topics=[topic], address=A, broker_id=1, enable_acting_master=True)
    assert TopicRouteData.decode(route(server, topic)).broker_datas[0].broker_addrs == {1: A}


def test_who_asks_for_a_zone_sees_its_brokers_and_those_without_a_master() -> None:
    server = Server()
    server.register("near", address=A, zone="Z1")
    server.register("far", address=B, zone="z2", filter_servers=["f"])
    server.register("orphan", address=A_SLAVE, broker_id=1, zone="z2", enable_acting_master=False)
    found = TopicRouteData.decode(route(server, __ZONE_MODE="true", __ZONE_NAME="z1"))
    assert {broker.broker_name for broker in found.broker_datas} == {"near", "orphan"}
    assert {queues.broker_name for queues in found.queue_datas} == {"near", "orphan"}
    assert found.filter_server_table == {}
    for mode, zone in (("false", "z1"), ("true", " ")):
        found = TopicRouteData.decode(route(server, __ZONE_MODE=mode, __ZONE_NAME=zone))
        assert len(found.broker_datas) == 3


def test_filter_servers_and_static_topics_are_in_the_route() -> None:
    mapping = TopicQueueMappingInfo(topic="TopicA", bname="broker-a", total_queues=8)
    server = Server()
    server.register(filter_servers=["f1", "f2"], mappings={"TopicA": mapping})
    found = TopicRouteData.decode(route(server))
    assert found.filter_server_table == {A: ["f1", "f2"]}
    assert found.topic_queue_mapping_by_broker == {"broker-a": mapping}
    server.register()
    assert TopicRouteData.decode(route(server)).filter_server_table == {}


def test_a_broker_that_says_it_is_anywhere_is_where_the_asker_found_the_name_server() -> None:
    server = Server()
    server.register(address="0.0.0.0:10911")
    for host in ("127.0.0.1", "192.0.2.77"):
        asker = Asker(f"{host}:9876")
        for code in (
            RequestCode.GET_ROUTEINFO_BY_TOPIC,
            RequestCode.GET_BROKER_CLUSTER_INFO,
            RequestCode.GET_BROKER_MEMBER_GROUP,
            RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS,
        ):
            fields = {"topic": "TopicA", "brokerName": "broker-a", "clusterName": CLUSTER}
            answer = server.ask(RemotingCommand.request(code, ext_fields=fields), asker)
            assert f"{host}:10911".encode() in answer.body
        slave = server.register(address=A_SLAVE, broker_id=1, connection=asker)
        assert (slave.ext_fields or {})["masterAddr"] == f"{host}:10911"
        server.unregister("broker-a", 1, A_SLAVE)


def test_the_members_of_a_broker_name_come_with_javas_remark() -> None:
    server = Server()
    server.register(address=A)
    server.register(address=A_SLAVE, broker_id=1)
    answer = server.get(RequestCode.GET_BROKER_MEMBER_GROUP, brokerName="broker-a", clusterName=CLUSTER)
    group = GetBrokerMemberGroupResponseBody.decode(answer.body).broker_member_group
    assert group is not None
    assert group.broker_addrs == {0: A, 1: A_SLAVE}
    assert answer.remark == "not set any response code"


def test_lists_of_topics() -> None:
    flags = {"plain": 0, "unit": 1, "sub": 2, "unit-sub": 3}
    topics = [TopicConfig(topic_name=name, topic_sys_flag=flag) for name, flag in flags.items()]
    server = Server()
    server.register(topics=topics, only_these=True)
    server.register("broker-b", ["elsewhere"], cluster="Other", address=B)
    every = set(flags) | {"elsewhere", "TBW102", "SELF_TEST_TOPIC"}
    assert names(server, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER) == every
    assert names(server, RequestCode.GET_TOPICS_BY_CLUSTER, cluster=CLUSTER) == set(flags)
    assert names(server, RequestCode.GET_TOPICS_BY_CLUSTER, cluster="none") == set()
    assert names(server, RequestCode.GET_UNIT_TOPIC_LIST) == {"unit", "unit-sub"}
    assert names(server, RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST) == {"sub", "unit-sub"}
    assert names(server, RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST) == {"sub"}
    system = {CLUSTER, "broker-a", "Other", "broker-b"}
    assert names(server, RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS) == system


@pytest.mark.parametrize(
    ("code", "switch"),
    [
        (RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, "enableAllTopicList"),
        (RequestCode.GET_TOPICS_BY_CLUSTER, "enableTopicList"),
        (RequestCode.GET_UNIT_TOPIC_LIST, "enableTopicList"),
        (RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST, "enableTopicList"),
        (RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST, "enableTopicList"),
    ],
)
def test_lists_may_be_switched_off(code: RequestCode, switch: str) -> None:
    answer = Server(**{switch: "false"}).ask(RemotingCommand.request(code))
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "disable")


def test_a_topic_may_be_registered_by_hand_for_brokers_that_are_there() -> None:
    server = Server()
    server.register()
    told = TopicRouteData(queue_datas=[QueueData(broker_name="broker-a", read_queue_nums=3)])
    server.get(RequestCode.REGISTER_TOPIC_IN_NAMESRV, topic="ByHand", body=told.encode())
    found = server.route("ByHand")
    assert found is not None
    assert found.queue_datas == told.queue_datas
    told.queue_datas[0].broker_name = "stranger"
    server.get(RequestCode.REGISTER_TOPIC_IN_NAMESRV, topic="Strange", body=told.encode())
    assert server.route("Strange") is None


def test_a_topic_may_be_deleted_everywhere_or_in_one_cluster() -> None:
    server = Server()
    server.register("broker-a", address=A)
    server.register("broker-b", address=B, cluster="Other")
    server.get(RequestCode.DELETE_TOPIC_IN_NAMESRV, topic="TopicA", clusterName="Other")
    found = server.route("TopicA")
    assert found is not None
    assert [queues.broker_name for queues in found.queue_datas] == ["broker-a"]
    server.get(RequestCode.DELETE_TOPIC_IN_NAMESRV, topic="TopicA")
    assert server.route("TopicA") is None


@pytest.mark.parametrize(
    "code",
    [
        RequestCode.DELETE_KV_CONFIG,
        RequestCode.UNREGISTER_BROKER,
        RequestCode.WIPE_WRITE_PERM_OF_BROKER,
        RequestCode.ADD_WRITE_PERM_OF_BROKER,
        RequestCode.DELETE_TOPIC_IN_NAMESRV,
        RequestCode.REGISTER_TOPIC_IN_NAMESRV,
        RequestCode.GET_TOPICS_BY_CLUSTER,
        RequestCode.GET_BROKER_MEMBER_GROUP,
        RequestCode.UPDATE_NAMESRV_CONFIG,
    ],
)
@pytest.mark.parametrize("serializer", SerializeType)
def test_java_makes_nothing_of_fields_that_are_left_out(code: RequestCode, serializer: SerializeType) -> None:
    server = Server()
    server.register()
    assert server.ask(RemotingCommand.request(code, serializer=serializer)).code == ResponseCode.SUCCESS
    assert server.route("TopicA") is not None
