"""The harness itself: what later tests rely on when they start, crash and restart Java servers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from compat_tests.java.cluster import Broker, Cluster, NameServer, Proxy
from compat_tests.java.driver import JavaDriver, sources_of
from compat_tests.java.jars import JarsUnavailable, fill_once, jar_directory
from compat_tests.java.mqadmin import AdminFailed, MqAdmin
from compat_tests.java.ports import free_ports
from compat_tests.java.process import JavaFailed
from compat_tests.java.toolchain import ToolMissing, check_java
from compat_tests.java.versions import CURRENT, OLD, Version
from rocketmq_protocol import RemotingCommand


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("version", [CURRENT, OLD])
def test_a_killed_broker_comes_back_with_its_topics(
    java_dir: Path, mqadmin: MqAdmin, version: Version
) -> None:
    with (
        NameServer(java_dir / "namesrv", version=version) as name_server,
        Broker(java_dir / "broker", name_server.address, version=version) as broker,
    ):
        cluster = ("-c", broker.cluster_name)
        mqadmin(name_server.address, "updateTopic", "-t", "Kept", *cluster, version=version)
        assert broker.kill() == -signal.SIGKILL
        assert (broker.store / "abort").exists()
        broker.start()
        assert "Kept" in mqadmin(name_server.address, "topicList", version=version).stdout
        pid = broker.process.pid
    assert not is_running(pid)


def test_a_stopped_name_server_ends_cleanly(java_dir: Path) -> None:
    with NameServer(java_dir) as server:
        assert server.stop() == 128 + signal.SIGTERM
        assert not is_running(server.process.pid)


def test_a_slave_registers_beside_its_master(
    java_cluster_550: Cluster, java_dir: Path, mqadmin: MqAdmin
) -> None:
    name_server = java_cluster_550.name_server.address
    with Broker(java_dir, name_server, broker_id=1, role="SLAVE") as slave:
        listed = mqadmin(name_server, "clusterList").stdout
    assert java_cluster_550.broker.address in listed
    assert slave.address in listed


def test_the_proxy_serves_a_cluster(java_cluster_550: Cluster, java_dir: Path) -> None:
    with Proxy(java_dir, java_cluster_550.name_server.address) as proxy:
        assert len({proxy.port, proxy.grpc_port}) == 2


def test_a_server_that_cannot_start_shows_its_log(java_dir: Path) -> None:
    broker = Broker(java_dir, "no address at all")
    with pytest.raises(JavaFailed, match=r"(?s)broker-a-0 .* ended with status 253.* illegal, please set it"):
        broker.start()
    assert not is_running(broker.process.pid)


def test_mqadmin_failures_are_raised_with_their_output(java_cluster_550: Cluster, mqadmin: MqAdmin) -> None:
    address = java_cluster_550.name_server.address
    with pytest.raises(AdminFailed, match="TopicRouteSubCommand command failed"):
        mqadmin(address, "topicRoute", "-t", "NoSuchTopic")
    with pytest.raises(AdminFailed, match="The sub command noSuchCommand not exist"):
        mqadmin(address, "noSuchCommand")
    assert mqadmin(address, "topicRoute", check=False).failed


def test_a_driver_can_be_talked_to_line_by_line(java_driver: JavaDriver) -> None:
    with java_driver.start("DecodeCommands") as driver:
        for code in (105, 106):
            driver.say(f"{RemotingCommand.request(code).encode().hex()} -")
            assert f'"code":{code}' in driver.wait_for("{")
        with pytest.raises(JavaFailed, match="DecodeCommands did not say 'more' within 1 s"):
            driver.wait_for("more", timeout=1)


def test_a_driver_is_compiled_with_the_helpers_it_names() -> None:
    names = [source.stem for source in sources_of("EncodeCommands")]
    assert names[0] == "EncodeCommands"
    assert {"Headers", "Hex", "Json", "RandomText"} <= set(names)
    assert "DecodeCommands" not in names


def test_java_dies_with_the_process_that_started_it(java_driver: JavaDriver, java_dir: Path) -> None:
    starter = (
        "import sys, time; from pathlib import Path; from compat_tests.java.cluster import NameServer\n"
        "print(NameServer(Path(sys.argv[1])).start().process.pid, flush=True); time.sleep(60)"
    )
    root = Path(__file__).parent.parent
    with subprocess.Popen(
        [sys.executable, "-c", starter, str(java_dir)], cwd=root, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    for _ in range(100):
        if not is_running(pid):
            break
        time.sleep(0.05)
    assert not is_running(pid)


def test_ports_are_never_given_twice() -> None:
    ports = [port for _ in range(50) for port in free_ports(4)]
    assert len(set(ports)) == 200


def test_a_cached_directory_is_filled_once_and_whole(tmp_path: Path) -> None:
    """Two at a time: both get the same directory, and nothing half done is ever seen."""
    target = tmp_path / "cache" / "thing"
    both_started = threading.Barrier(2)

    def fill(draft: Path) -> None:
        both_started.wait(10)
        (draft / "first").write_text("1")
        (draft / "second").write_text("2")

    threads = [threading.Thread(target=fill_once, args=(target, fill)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.name for path in target.iterdir()) == ["first", "second"]
    assert [path.name for path in target.parent.iterdir()] == ["thing"]


def fake_tool(directory: Path, name: str, script: str) -> None:
    tool = directory / name
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)


def test_what_maven_says_is_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_tool(tmp_path, "mvn", "echo the moon is not reachable; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ROCKETPY_COMPAT_CACHE", str(tmp_path / "cache"))
    with pytest.raises(JarsUnavailable, match=r"5\.5\.0 .*\nthe moon is not reachable"):
        jar_directory(CURRENT)
    assert list((tmp_path / "cache" / "jars").iterdir()) == []


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    fake_tool(tmp_path / "bin", "javac", "exit 0")
    fake_tool(tmp_path / "bin", "java", """echo 'openjdk version "1.8.0_412"' >&2""")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ToolMissing, match="is Java 8; 17 or newer is needed"):
        check_java()


def test_a_failed_fill_leaves_nothing(tmp_path: Path) -> None:
    def fill(draft: Path) -> None:
        (draft / "half").touch()
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        fill_once(tmp_path / "thing", fill)
    assert list(tmp_path.iterdir()) == []
