"""`rocketpy namesrv`: what it prints, and how it starts and stops."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rocketpy.cli import main


def test_settings_are_printed_all_or_only_those_that_have_an_effect() -> None:
    important = CliRunner().invoke(main, ["namesrv", "-m", "--port", "7"]).output.splitlines()
    assert "listenPort=7" in important
    assert "supportActingMaster=false" in important
    assert "defaultThreadPoolNums=16" not in important
    every = CliRunner().invoke(main, ["namesrv", "-p"]).output.splitlines()
    assert set(important) - {"listenPort=7"} < set(every)
    assert "defaultThreadPoolNums=16" in every


def test_a_wrong_setting_ends_with_exit_code_2_and_a_clear_word(tmp_path: Path) -> None:
    conf = tmp_path / "namesrv.conf"
    conf.write_text("listenPort=http\n")
    result = CliRunner().invoke(main, ["namesrv", "-c", str(conf)])
    assert result.exit_code == 2
    assert "listenPort = 'http': a whole number was expected" in result.output


def test_a_port_that_is_taken_ends_with_exit_code_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(main, ["namesrv", "--host", "127.0.0.1", "--port", str(port)])
    assert result.exit_code == 1
    assert "cannot start" in result.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_when_it_is_ready_and_stops_on_a_signal(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "rocketpy", "namesrv", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        host, _, port = line.rstrip("\n").removeprefix("rocketpy namesrv ready: ").partition(":")
        with socket.create_connection((host, int(port)), timeout=5):
            process.send_signal(number)
            assert process.wait(10) == 0
