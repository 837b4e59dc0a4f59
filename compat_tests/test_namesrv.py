"""Our name server between real Java brokers, clients and admin tools, and beside a real Java name server."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from compat_tests.conversation import RandomConversation, Talk
from compat_tests.java.cluster import Broker, NameServer
from compat_tests.java.driver import JavaDriver
from compat_tests.java.versions import CURRENT, OLD, Version
from compat_tests.python_namesrv import PythonNamesrv, running_namesrv
from rocketmq_protocol import Connection, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import ClusterInfo, TopicList, TopicRouteData
from rocketpy.remoting.properties import parse_properties

# What the two name servers tell of themselves.
OWN_SETTINGS: Final = {"listenPort", "kvConfigPath", "configStorePath", "rocketmqHome"}
# Java takes a broker out in a thread of its own, after it has answered.
SETTLE_SECONDS: Final = 0.02


@dataclass(frozen=True)
class Surroundings:
    """Both name servers, and both Java brokers registered at each."""

    java: NameServer
    ours: PythonNamesrv
    brokers: dict[Version, Broker]


@pytest.fixture(scope="module")
def both(java_directory: Path) -> Iterator[Surroundings]:
    directory = java_directory / "namesrv"
    with (
        NameServer(directory / "java") as java,
        running_namesrv(directory / "ours") as ours,
    ):
        names = f"{java.address};{ours.address}"
        new = Broker(directory / "b550", names, broker_name="broker-new")
        # 4.9.7 does what 5.5.0 forgets: it says that it compressed its topics.
        old = Broker(
            directory / "b497",
            names,
            version=OLD,
            broker_name="broker-old",
            config={"compressedRegister": True},
        )
        with new, old:
            yield Surroundings(java, ours, {CURRENT: new, OLD: old})


@contextmanager
def name_servers(directory: Path, **config: bool) -> Iterator[tuple[NameServer, PythonNamesrv]]:
    """One of each kind, that know no one yet."""
    with (
        NameServer(directory / "java", config=config) as java,
        running_namesrv(directory / "ours", config) as ours,
    ):
        yield java, ours


def ask(address: str, code: RequestCode, **fields: str) -> RemotingCommand:
    with Talk(address) as talk:
        return talk.ask(RemotingCommand.request(code, ext_fields=fields or None))


def route(address: str, topic: str) -> TopicRouteData | None:
    answer = ask(address, RequestCode.GET_ROUTEINFO_BY_TOPIC, topic=topic)
    return TopicRouteData.decode(answer.body) if answer.code == ResponseCode.SUCCESS else None


def all_topics(address: str) -> set[str]:
    return set(TopicList.decode(ask(address, RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER).body).topic_list)


def test_java_brokers_of_both_versions_are_in_our_routes(both: Surroundings) -> None:
    found = route(both.ours.address, "TBW102")
    assert found is not None
    addresses = {broker.broker_name: broker.broker_addrs for broker in found.broker_datas}
    assert addresses == {broker.broker_name: {0: broker.address} for broker in both.brokers.values()}


@pytest.mark.parametrize("version", [513, 407, 400])
def test_every_route_is_the_same_byte_for_byte(both: Surroundings, version: int) -> None:
    topics = all_topics(both.java.address)
    assert len(topics) > 10
    with Talk(both.java.address) as java, Talk(both.ours.address) as ours:
        for topic in topics:
            request = RemotingCommand.request(
                RequestCode.GET_ROUTEINFO_BY_TOPIC, ext_fields={"topic": topic}, version=version
            )
            assert ours.ask(request).encode() == java.ask(request).encode()


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        (RequestCode.GET_BROKER_CLUSTER_INFO, {}),
        (RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER, {}),
        (RequestCode.GET_TOPICS_BY_CLUSTER, {"cluster": "DefaultCluster"}),
        (RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS, {}),
        (RequestCode.GET_UNIT_TOPIC_LIST, {}),
        (RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST, {}),
        (RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST, {}),
        (RequestCode.GET_BROKER_MEMBER_GROUP, {"clusterName": "DefaultCluster", "brokerName": "broker-old"}),
        (RequestCode.GET_KVLIST_BY_NAMESPACE, {"namespace": "none"}),
        (RequestCode.GET_ROUTEINFO_BY_TOPIC, {"topic": "NoSuchTopic"}),
        (RequestCode.SEND_MESSAGE, {}),
    ],
)
def test_an_answer_is_the_same_byte_for_byte(
    both: Surroundings, code: RequestCode, fields: dict[str, str]
) -> None:
    assert ask(both.ours.address, code, **fields).encode() == ask(both.java.address, code, **fields).encode()


def test_data_versions_are_the_same(both: Surroundings) -> None:
    for broker in both.brokers.values():
        fields = {
            "clusterName": broker.cluster_name,
            "brokerName": broker.broker_name,
            "brokerAddr": broker.address,
            "brokerId": "0",
        }
        java, ours = (
            ask(server.address, RequestCode.QUERY_DATA_VERSION, **fields) for server in (both.java, both.ours)
        )
        assert ours.encode() == java.encode()
        assert b'"counter"' in ours.body


@pytest.mark.parametrize("version", [CURRENT, OLD])
def test_java_clients_send_and_receive_through_our_name_server(
    both: Surroundings, java_driver: JavaDriver, version: Version
) -> None:
    topic = f"Made-by-{version.replace('.', '-')}"
    printed = java_driver("SendAndReceive", both.ours.address, topic, "12", version=version)
    *sent, received = [json.loads(line) for line in printed]
    assert {row["status"] for row in sent} == {"SEND_OK"}
    assert len(sent) == 12
    assert received["received"] == sorted(f"message {number}" for number in range(12))
    # The brokers told both name servers of the topic when it was made.
    assert {topic} <= all_topics(both.ours.address) & all_topics(both.java.address)


COMMANDS: Final = {
    "clusters": "clusterList",
    "topics": "topicList",
    "topics of a cluster": "topicList -c",
    "route": "topicRoute -t TBW102",
    "clusters of a topic": "topicClusterList -t TBW102",
    "put": "updateKvConfig -s NS -k key -v value",
    "delete": "deleteKvConfig -s NS -k key",
    "delete nothing": "deleteKvConfig -s NONE -k nothing",
    "settings": "getNamesrvConfig",
    "change a setting": "updateNamesrvConfig -k orderMessageEnable -v true",
    "change a forbidden setting": "updateNamesrvConfig -k kvConfigPath -v elsewhere",
    "settings again": "getNamesrvConfig",
    "wipe": "wipeWritePerm -b broker-old",
    "route after wipe": "topicRoute -t TBW102",
    "add": "addWritePerm -b broker-old",
    "route after add": "topicRoute -t TBW102",
    "wipe nothing": "wipeWritePerm -b no-such-broker",
    "unknown topic": "topicRoute -t NoSuchTopic",
}


@pytest.fixture(scope="module")
def printed(both: Surroundings, java_driver: JavaDriver) -> dict[str, dict[str, str]]:
    """What mqadmin prints for each command, by kind of name server, with the server's address masked."""
    found = {}
    for kind, address in (("java", both.java.address), ("ours", both.ours.address)):
        lines = ["\t".join((*command.split(), "-n", address)) for command in COMMANDS.values()]
        answers = java_driver("AdminBatch", stdin="".join(f"{line}\n" for line in lines))
        texts = ["".join(json.loads(answer)).replace(address, "NAMESRV") for answer in answers]
        found[kind] = dict(zip(COMMANDS, texts, strict=True))
    return found


def comparable(name: str, text: str) -> list[str]:
    """The lines that must be equal: without the figures of brokers, and the server's own paths and port."""
    lines = text.splitlines()
    if name == "clusters":
        return [" ".join(line.split()[:4]) for line in lines]
    if name.startswith("settings"):  # in the order of a hash table, which depends on the own ones
        return sorted(line for line in lines if line.partition(" ")[0] not in OWN_SETTINGS)
    return lines


@pytest.mark.parametrize("name", COMMANDS)
def test_mqadmin_prints_the_same(name: str, printed: dict[str, dict[str, str]]) -> None:
    ours, java = (comparable(name, printed[kind][name]) for kind in ("ours", "java"))
    assert ours == java
    assert ours


def test_mqadmin_has_changed_what_it_was_asked_to(both: Surroundings, printed: object) -> None:
    saved = parse_properties(both.ours.config.read_text())
    assert saved["orderMessageEnable"] == "true"
    assert both.ours.kv_config.read_text() == '{"configTable":{"NS":{}}}'


def test_settings_have_the_same_names_and_values(both: Surroundings, printed: object) -> None:
    java, ours = (
        parse_properties(ask(server.address, RequestCode.GET_NAMESRV_CONFIG).body.decode())
        for server in (both.java, both.ours)
    )
    differing = {name for name in java.keys() | ours.keys() if java.get(name) != ours.get(name)}
    assert differing <= OWN_SETTINGS


def test_a_broker_that_is_killed_is_out_of_our_routes_at_once(java_dir: Path) -> None:
    with running_namesrv(java_dir / "ours") as ours, Broker(java_dir / "broker", ours.address) as broker:
        assert route(ours.address, "TBW102") is not None
        broker.kill()
        deadline = time.monotonic() + 1
        while route(ours.address, "TBW102") is not None:
            assert time.monotonic() < deadline
        info = ClusterInfo.decode(ask(ours.address, RequestCode.GET_BROKER_CLUSTER_INFO).body)
        assert (info.broker_addr_table, info.cluster_addr_table) == ({}, {})


@pytest.mark.parametrize("switch", [False, True])
def test_a_random_conversation_gets_the_same_answers_byte_for_byte(java_dir: Path, switch: bool) -> None:
    names = ("supportActingMaster", "orderMessageEnable", "deleteTopicWithBrokerRegistration")
    answered = 0
    with (
        name_servers(java_dir, **dict.fromkeys(names, switch)) as (java, ours),
        Talk(java.address) as java_talk,
        Talk(ours.address) as our_talk,
    ):
        for request in RandomConversation(seed=20260713 + switch).requests(800):
            theirs = java_talk.ask(request)
            assert our_talk.ask(request).encode() == theirs.encode(), request
            answered += theirs.code == ResponseCode.SUCCESS
            if request.code == RequestCode.UNREGISTER_BROKER:
                time.sleep(SETTLE_SECONDS)
        assert ours.kv_config.read_bytes() == (java.directory / "kvConfig.json").read_bytes()
    assert answered > 600


def test_members_are_told_of_a_new_acting_master_in_the_same_words(java_dir: Path) -> None:
    with name_servers(java_dir, notifyMinBrokerIdChanged=True) as servers:
        java, ours = (notifications(server.address) for server in servers)
    assert ours == java
    assert len(ours) == 2


def notifications(name_server: str) -> list[bytes]:
    """What a slave hears when its master comes, and when it leaves; without the numbers of the commands."""
    with socket.create_server(("127.0.0.1", 0)) as slave, Talk(name_server) as talk:
        address = f"127.0.0.1:{slave.getsockname()[1]}"
        for code, broker_id, member in (
            (RequestCode.REGISTER_BROKER, "1", address),
            (RequestCode.REGISTER_BROKER, "0", "127.0.0.1:1"),
            (RequestCode.UNREGISTER_BROKER, "0", "127.0.0.1:1"),
        ):
            fields = {
                "clusterName": "C",
                "brokerName": "b",
                "brokerId": broker_id,
                "brokerAddr": member,
                "haServerAddr": "127.0.0.1:2",
                "enableActingMaster": "true",
            }
            assert talk.ask(RemotingCommand.request(code, ext_fields=fields)).code == ResponseCode.SUCCESS
        slave.settimeout(10)
        stream, _ = slave.accept()
        with stream:
            stream.settimeout(10)
            return [heard.replace(address.encode(), b"SLAVE") for heard in commands(stream, 2)]


def commands(stream: socket.socket, count: int) -> Iterator[bytes]:
    """The next commands that come, each numbered 0."""
    connection = Connection()
    while count:
        if (command := connection.next_command()) is None:
            connection.receive_data(stream.recv(65536))
        else:
            count -= 1
            yield replace(command, opaque=0).encode()
