"""Real clusters of both releases start, and our Connection can talk to them."""

from __future__ import annotations

import socket

import pytest

from compat_tests.java.cluster import Cluster
from compat_tests.java.mqadmin import MqAdmin
from compat_tests.java.versions import CURRENT, OLD
from rocketmq_protocol import Connection, RemotingCommand, RequestCode, ResponseCode, SerializeType
from rocketmq_protocol.bodies import BROWSER_COMPATIBLE, ClusterInfo, TopicRouteData
from rocketmq_protocol.headers import GetRouteInfoRequestHeader

# Every broker registers it, as the model of topics created on demand.
DEFAULT_TOPIC = "TBW102"


@pytest.fixture(params=["java_cluster_550", "java_cluster_49"])
def cluster(request: pytest.FixtureRequest) -> Cluster:
    found: Cluster = request.getfixturevalue(request.param)
    return found


def exchange(address: str, request: RemotingCommand) -> RemotingCommand:
    """Send one request and return its answer, which must be written again as it came."""
    host, _, port = address.rpartition(":")
    connection = Connection()
    received = b""
    with socket.create_connection((host, int(port)), timeout=10) as stream:
        stream.sendall(request.encode())
        while (answer := connection.next_command()) is None:
            data = stream.recv(65536)
            assert data, f"{address} closed the connection after {received!r}"
            received += data
            connection.receive_data(data)
    assert answer.is_response
    assert answer.opaque == request.opaque
    assert answer.encode() == received
    return answer


def test_mqadmin_lists_the_broker(cluster: Cluster, mqadmin: MqAdmin) -> None:
    shown = mqadmin(cluster.name_server.address, "clusterList", version=cluster.version).stdout
    (row,) = [line.split() for line in shown.splitlines() if cluster.broker.address in line]
    assert row[:3] == [cluster.broker.cluster_name, cluster.broker.broker_name, "0"]


@pytest.mark.parametrize("serializer", SerializeType)
def test_name_server_gives_the_route_of_a_topic(cluster: Cluster, serializer: SerializeType) -> None:
    header = GetRouteInfoRequestHeader(topic=DEFAULT_TOPIC)
    request = RemotingCommand.request(
        RequestCode.GET_ROUTEINFO_BY_TOPIC, header, opaque=7, serializer=serializer
    )
    answer = exchange(cluster.name_server.address, request)
    assert answer.code == ResponseCode.SUCCESS
    # 5.5 answers in its own serialization, 4.9 in that of the request.
    assert answer.serializer is (SerializeType.JSON if cluster.version == CURRENT else serializer)
    route = TopicRouteData.decode(answer.body)
    # Our bodies have the fields of 5.5; those of 4.9 are read all the same.
    assert cluster.version == OLD or route.encode(BROWSER_COMPATIBLE) == answer.body
    (broker,) = route.broker_datas
    assert broker.broker_name == cluster.broker.broker_name
    assert broker.broker_addrs == {0: cluster.broker.address}


def test_name_server_does_not_know_a_topic_that_is_not_there(cluster: Cluster) -> None:
    header = GetRouteInfoRequestHeader(topic="NoSuchTopic")
    answer = exchange(
        cluster.name_server.address, RemotingCommand.request(RequestCode.GET_ROUTEINFO_BY_TOPIC, header)
    )
    assert answer.code == ResponseCode.TOPIC_NOT_EXIST
    assert "NoSuchTopic" in (answer.remark or "")


def test_name_server_lists_the_cluster(cluster: Cluster) -> None:
    request = RemotingCommand.request(RequestCode.GET_BROKER_CLUSTER_INFO, opaque=8)
    answer = exchange(cluster.name_server.address, request)
    assert answer.code == ResponseCode.SUCCESS
    assert f'{{0:"{cluster.broker.address}"}}'.encode() in answer.body
    info = ClusterInfo.decode(answer.body)
    assert cluster.version == OLD or info.encode() == answer.body
    assert info.cluster_addr_table == {cluster.broker.cluster_name: {cluster.broker.broker_name}}


def test_broker_tells_its_configuration(cluster: Cluster) -> None:
    answer = exchange(cluster.broker.address, RemotingCommand.request(RequestCode.GET_BROKER_CONFIG))
    assert answer.code == ResponseCode.SUCCESS
    assert f"brokerName={cluster.broker.broker_name}".encode() in answer.body


def test_broker_refuses_a_code_that_is_not_there(cluster: Cluster) -> None:
    answer = exchange(cluster.broker.address, RemotingCommand.request(9999, opaque=9))
    assert answer.code == ResponseCode.REQUEST_CODE_NOT_SUPPORTED
    assert answer.remark == " request type 9999 not supported"
