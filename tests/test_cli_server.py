"""`rocketpy server` and `rocketpy broker` as a person starts them."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rocketmq_protocol import Connection, RemotingCommand, RequestCode
from rocketmq_protocol.headers import GetRouteInfoRequestHeader
from rocketpy.cli import main


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rocketpy", "server", "--host", "127.0.0.1", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ask(port: int, request: RemotingCommand) -> RemotingCommand:
    connection = Connection()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as stream:
        stream.sendall(request.encode())
        while (answer := connection.next_command()) is None:
            connection.receive_data(stream.recv(65536))
    return answer


@pytest.mark.parametrize("where", ["memory", "files"])
def test_server_says_when_it_is_ready_serves_routes_and_stops_in_order(where: str, tmp_path: Path) -> None:
    kept = ["--memory"] if where == "memory" else ["--store", str(tmp_path / "data")]
    with start("--port", "0", "--namesrv-port", "0", *kept) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        assert ready.startswith("rocketpy server ready: nameserver 127.0.0.1:")
        port = int(ready.split(",")[0].rpartition(":")[2])
        request = RemotingCommand.request(
            RequestCode.GET_ROUTEINFO_BY_TOPIC, GetRouteInfoRequestHeader(topic="TBW102")
        )
        answer = ask(port, request)
        assert answer.code == 0
        assert ready.rpartition(" ")[2].strip().encode() in answer.body
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert (tmp_path / "data" / "commitlog").exists() == (where == "files")
    assert not (tmp_path / "data" / "abort").exists()


def test_a_port_in_use_is_said_plainly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start("--memory", "--port", "0", "--namesrv-port", str(taken.getsockname()[1]))
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "Error: cannot start" in errors


def test_a_bad_setting_is_named_with_exit_code_2(tmp_path: Path) -> None:
    conf = tmp_path / "broker.conf"
    conf.write_text("listenPort = many\n")
    result = CliRunner().invoke(main, ["broker", "-c", str(conf)])
    assert result.exit_code == 2
    assert "listenPort = 'many': a whole number was expected" in result.output


def test_the_settings_are_printed_on_demand() -> None:
    important = CliRunner().invoke(main, ["broker", "-m"]).output.splitlines()
    everything = CliRunner().invoke(main, ["broker", "-p"]).output.splitlines()
    assert "autoCreateTopicEnable=true" in important
    assert set(important) < set(everything)
