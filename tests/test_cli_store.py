"""`rocketpy store` on directories that Java wrote."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rocketpy.cli import main
from tests.store.golden import GOLDEN_STORES, expected, unpack


@pytest.fixture(params=GOLDEN_STORES)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    config = unpack(request.param, tmp_path)
    assert config.path is not None
    return request.param, config.path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["store", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_verify_finds_golden_stores_sound_and_leaves_them_alone(golden: tuple[str, Path]) -> None:
    name, path = golden
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    shown = run("verify", str(path))
    assert f"{expected(name)['commitLogMessages']} records" in shown
    assert "problems     0" in shown
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def test_cat_prints_every_message_of_the_log_as_json(golden: tuple[str, Path]) -> None:
    name, path = golden
    shown = [json.loads(line) for line in run("cat", str(path), "--json").splitlines()]
    listed = {message["physicOffset"]: message for message in expected(name)["messages"]}
    assert len(shown) == len(listed)
    for message in shown:
        java = listed[message["commitLogOffset"]]
        assert message["topic"] == java["storedTopic"]
        assert message["queueOffset"] == java["storedQueueOffset"]
        assert message["properties"] == java["properties"]
        assert len(base64.b64decode(message["bodyBase64"])) == java["bodyLength"]


def test_cat_takes_topic_queue_and_offset(golden: tuple[str, Path]) -> None:
    _, path = golden
    lines = run("cat", str(path), "--topic", "GoldA", "--queue", "1", "--from", "5").splitlines()
    assert lines
    assert all(" GoldA/1@" in line for line in lines)
    assert " GoldA/1@5 " in lines[0]


def test_stats_counts_the_messages_of_each_topic(golden: tuple[str, Path]) -> None:
    name, path = golden
    rows = dict(line.split()[:2] for line in run("stats", str(path)).splitlines()[1:])
    listed = [message["storedTopic"] for message in expected(name)["messages"]]
    assert rows == {topic: str(listed.count(topic)) for topic in set(listed)}


def test_verify_names_what_is_wrong(tmp_path: Path) -> None:
    path = unpack("clean-5.5.0", tmp_path).path
    assert path is not None
    log = path / "commitlog" / "00000000000000000000"
    damaged = bytearray(log.read_bytes())
    damaged[2500] ^= 1  # inside a body
    log.write_bytes(damaged)
    result = CliRunner().invoke(main, ["store", "verify", str(path)])
    assert result.exit_code == 1
    assert "bytes at 2392 are no whole record" in result.stdout


def test_a_folder_that_is_no_store_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["store", "verify", str(tmp_path)])
    assert result.exit_code == 1
    assert "not a store" in result.output
