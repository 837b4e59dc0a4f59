"""Commands that Java built: we build the same bytes from the same values, and read the values back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, TypeAlias

import pytest

from compat_tests.java.driver import JavaDriver
from compat_tests.java.versions import CURRENT, OLD, Version
from rocketmq_protocol import (
    JsonDialect,
    LanguageCode,
    RemoteProtocolError,
    RemotingCommand,
    SerializeType,
    javaisms,
)
from rocketmq_protocol.headers import HEADERS, Header

SEED: Final = "20260401"
ROUNDS: Final = "3"
CUT_BY_NETTY: Final = re.compile("[\ud800-\udbff](?=[^\x00-\x7f])")

# What EncodeCommands prints for one command: its values, and its bytes as `wire` and as `encode`.
Case: TypeAlias = dict[str, Any]


@pytest.fixture(scope="module")
def cases(java_driver: JavaDriver) -> list[Case]:
    return encoded_by_java(java_driver, CURRENT)


@pytest.fixture(scope="module")
def old_cases(java_driver: JavaDriver) -> list[Case]:
    return encoded_by_java(java_driver, OLD)


def encoded_by_java(java_driver: JavaDriver, version: Version) -> list[Case]:
    return [json.loads(line) for line in java_driver("EncodeCommands", SEED, ROUNDS, version=version)]


def test_the_cases_cover_every_header_in_both_serializations(cases: list[Case]) -> None:
    covered = {(header_name(case), case["serializer"]) for case in cases if case["header"]}
    abstract = {"RpcRequestHeader", "TopicRequestHeader", "TopicQueueRequestHeader"}
    assert covered == {(name, kind.name) for name in HEADERS.keys() - abstract for kind in SerializeType}
    assert len(cases) >= 800


def test_we_build_what_javas_pipeline_puts_on_the_wire(cases: list[Case]) -> None:
    compared = 0
    for case in cases:
        if not garbled_by_netty(case):
            assert on_the_wire(case).encode().hex() == case["wire"], case
            compared += 1
    assert compared > len(cases) * 2 / 3


def test_we_build_what_javas_encode_gives(cases: list[Case]) -> None:
    for case in cases:
        assert from_encode(case).encode().hex() == case["encode"], case


def test_we_write_the_text_of_4_9(old_cases: list[Case]) -> None:
    """The escapes of fastjson 1; the order of the ext fields is Java's, whose classes had other names."""
    for case in old_cases:
        texts, names = texts_of(case), case["ext_names"]
        ours = replace(
            on_the_wire(case | {"header": None, "hooked": False}),
            ext_fields=None if names is None else {name: texts[name] for name in names if name in texts},
            dialect=JsonDialect.FASTJSON1,
        )
        assert ours.encode().hex() == case["encode"], case


@pytest.mark.parametrize("version", [CURRENT, OLD])
@pytest.mark.parametrize("made_by", ["wire", "encode"])
def test_what_java_wrote_is_read_and_written_again_unchanged(
    version: Version, made_by: str, request: pytest.FixtureRequest
) -> None:
    cases: list[Case] = request.getfixturevalue("cases" if version == CURRENT else "old_cases")
    for case in cases:
        if case["language"] and (made_by == "encode" or not garbled_by_netty(case)):
            frame = bytes.fromhex(case[made_by])
            assert RemotingCommand.decode(frame).encode() == frame, case


@pytest.mark.parametrize("version", [CURRENT, OLD])
def test_the_values_are_read_back(version: Version, request: pytest.FixtureRequest) -> None:
    cases: list[Case] = request.getfixturevalue("cases" if version == CURRENT else "old_cases")
    for case in cases:
        command = RemotingCommand.decode(bytes.fromhex(case["encode"]))
        assert command_facts(command) == expected_facts(case), case
        assert (command.ext_fields or {}) == {
            arrived(name): arrived(text) for name, text in texts_of(case).items()
        }, case


def test_the_headers_are_read_back(cases: list[Case]) -> None:
    for case in cases:
        if case["header"] is None:
            continue
        header_type = HEADERS[header_name(case)]
        command = RemotingCommand.decode(bytes.fromhex(case["encode"]))
        missing = [
            item for item in header_type.wire_fields() if item.required and value_of(case, item.name) is None
        ]
        if missing:
            with pytest.raises(RemoteProtocolError, match=rf"^{header_type.__name__}\.\w+: required"):
                command.read_header(header_type)
        else:
            header = command.read_header(header_type)
            for item in header_type.wire_fields():
                assert getattr(header, item.attribute) == value_of(case, item.name), (item, case)


def header_name(case: Case) -> str:
    return str(case["header"]).rpartition(".")[2]


def header_of(case: Case) -> Header | None:
    """Our header with the values Java gave its own; those it left null are None."""
    if case["header"] is None:
        return None
    header_type = HEADERS[header_name(case)]
    return header_type(**{item.attribute: case["values"][item.name] for item in header_type.wire_fields()})


def on_the_wire(case: Case) -> RemotingCommand:
    """The command as our callers build it."""
    header = header_of(case)
    language = case["language"]
    command = RemotingCommand.request(
        case["code"],
        header,
        ext_fields=case["before"] or None,
        body=bytes.fromhex(case["body"] or ""),
        opaque=case["opaque"],
        serializer=SerializeType[case["serializer"]],
        language=None if language is None else LanguageCode[language],
        version=case["version"],
    )
    command = replace(command, flag=case["flag"], remark=case["remark"])
    if not case["hooked"]:
        return command
    repeated = (
        header.to_fast_ext_fields() if header and header.fast and case["serializer"] == "ROCKETMQ" else ()
    )
    return replace(command, ext_fields=hooked_ext_fields(case), repeated_fields=tuple(repeated))


def hooked_ext_fields(case: Case) -> dict[str, str] | None:
    """The ext fields after a hook had the header put among them and added its own."""
    header, before, after = header_of(case), case["before"], case["after"]
    if header and not before:
        return javaisms.hash_map(header.to_ext_fields() | after)
    return javaisms.ext_field_map((header.to_ext_fields(before) if header else before) | after)


def from_encode(case: Case) -> RemotingCommand:
    """The command as RemotingCommand.encode() sees it: without the fast codec."""
    header = header_of(case)
    command = on_the_wire(case)
    if case["hooked"] or header is None:
        return replace(command, repeated_fields=())
    return replace(command, ext_fields=header.to_ext_fields(case["before"]))


def texts_of(case: Case) -> dict[str, str]:
    """Every ext field that travels, as text."""
    fields = {**case["before"], **case["after"], **(case["values"] or {})}
    return {name: java_text(value) for name, value in fields.items() if value is not None}


def java_text(value: object) -> str:
    return javaisms.boolean_text(value) if isinstance(value, bool) else str(value)


def value_of(case: Case, name: str) -> Any:
    value = case["values"][name]
    return arrived(value) if isinstance(value, str) else value


def arrived(text: str) -> str:
    """A string after its journey: lone surrogates have become question marks."""
    return javaisms.utf8(text).decode()


def command_facts(command: RemotingCommand) -> tuple[object, ...]:
    return (
        command.code,
        command.language,
        command.version,
        command.opaque,
        command.flag,
        command.remark,
        command.body,
        command.serializer,
    )


def expected_facts(case: Case) -> tuple[object, ...]:
    """What must be read: no language is Java; binary headers hold 16 bits of the code, no empty remark."""
    binary = case["serializer"] == "ROCKETMQ"
    code, remark = case["code"], case["remark"]
    return (
        (code + 0x8000 & 0xFFFF) - 0x8000 if binary else code,
        LanguageCode[case["language"] or "JAVA"],
        case["version"],
        case["opaque"],
        case["flag"],
        None if remark is None or (binary and not remark) else arrived(remark),
        bytes.fromhex(case["body"] or ""),
        SerializeType[case["serializer"]],
    )


def garbled_by_netty(case: Case) -> bool:
    """Whether Netty wrote no UTF-8: it cuts the character after a lone high surrogate to one byte."""
    return case["serializer"] == "ROCKETMQ" and any(map(CUT_BY_NETTY.search, strings_of(case)))


def strings_of(case: Case) -> Iterator[str]:
    yield case["remark"] or ""
    for field in texts_of(case).items():
        yield from field
