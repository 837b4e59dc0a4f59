"""The wire format's description says what the code says, and shows what really crossed the wire."""

from __future__ import annotations

import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, SerializeType, services
from rocketmq_protocol.headers import HEADERS, request_header
from tests.vectors import golden_frames

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "protocol" / "README.md"
GENERATOR = runpy.run_path(str(ROOT / "tools" / "spec_readme.py"))

PYTHON_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
FRAME_HEX = re.compile(r"<!-- generated: frame-hex (\S+) -->\n\n```text\n(.*?)```", re.DOTALL)


def shown_frames() -> dict[str, bytes]:
    found = FRAME_HEX.findall(README.read_text(encoding="utf-8"))
    return {frame_id: bytes.fromhex(text) for frame_id, text in found}


@pytest.mark.parametrize("path", GENERATOR["DOCUMENTS"], ids=lambda path: str(path.relative_to(ROOT)))
def test_generated_parts_are_up_to_date(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert GENERATOR["updated"](text) == text, "run python tools/spec_readme.py"


def test_a_stale_part_is_noticed() -> None:
    text = README.read_text(encoding="utf-8")
    stale = text.replace("`SEND_MESSAGE_V2`", "`SEND_MESSAGE_V3`", 1)
    assert stale != text
    assert GENERATOR["updated"](stale) == text


def test_shown_frames_are_golden_and_one_of_each_serializer() -> None:
    golden = {item.id: item.frame for item in golden_frames()}
    shown = shown_frames()
    assert {frame_id: golden[frame_id] for frame_id in shown} == shown
    assert {RemotingCommand.decode(frame).serializer for frame in shown.values()} == set(SerializeType)


def test_the_signing_recipe_gives_every_golden_signature() -> None:
    (recipe,) = (code for code in PYTHON_CODE.findall(README.read_text(encoding="utf-8")) if "hmac" in code)
    names: dict[str, Any] = {}
    exec(recipe, names)
    commands = [
        RemotingCommand.decode(item.frame) for item in golden_frames() if item.scenario == "acl-signed"
    ]
    signed = [
        (fields, command.body) for command in commands if "Signature" in (fields := command.ext_fields or {})
    ]
    assert signed
    for fields, body in signed:
        assert names["signature"](fields, body, b"goldenSecret12") == fields["Signature"]


def test_every_request_code_says_who_serves_it() -> None:
    assert set(services.SERVED_BY) == set(RequestCode)
    assert {name for served in services.SERVED_BY.values() for name in served} == set(services.SERVERS)


def test_services_are_as_many_as_java_registers() -> None:
    counted = Counter(
        name
        for code, served in services.SERVED_BY.items()
        if code not in services.ONLY_4_9
        for name in served
    )
    assert counted == {
        "namesrv": 23,
        "broker": 108,
        "client": 8,
        "controller": 12,
        "proxy": 24,
        "container": 4,
    }


def test_a_response_header_belongs_to_its_request_or_stands_alone() -> None:
    assert services.response_header(RequestCode.SEND_MESSAGE_V2) is HEADERS["SendMessageResponseHeader"]
    assert services.response_header(RequestCode.GET_BROKER_CONFIG) is HEADERS["GetBrokerConfigResponseHeader"]
    assert request_header(RequestCode.GET_BROKER_CONFIG) is None
    assert services.response_header(RequestCode.GET_BROKER_CLUSTER_INFO) is None


def test_golden_responses_come_from_servers_of_their_request() -> None:
    servers = {"broker-5.5.0": "broker", "broker-5.5.0-slave": "broker", "namesrv-5.5.0": "namesrv"}
    for item in golden_frames():
        if item.kind == "response" and item.code == 0 and item.peer in servers:
            assert servers[item.peer] in services.SERVED_BY[RequestCode(item.request_code)], item.id
