"""Commands that we built: Java reads from their bytes the values we put in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from compat_tests.java.driver import JavaDriver
from compat_tests.java.versions import CURRENT, OLD, Version
from rocketmq_protocol import LanguageCode, RemotingCommand, SerializeType, javaisms
from rocketmq_protocol.headers import HEADERS, BoundaryType, Header

SEED: Final = 20_260_402
ROUNDS: Final = 3
ABSTRACT: Final = {"RpcRequestHeader", "TopicRequestHeader", "TopicQueueRequestHeader"}

TEXT_PIECES: Final = [
    *'aZ0 %_"\\/<>&{}:,\x00\x01\x02\b\t\n\f\r\x1b\x1f\x7f\x80\x85\x9f\xa0\xadéÿĀ߿ࠀ中あ한م',
    *"\u200b\u2027\u2028\u2029\u202a\ud7ff\ue000\ufeff\ufffd\uffff🚀\U00010000\U0010ffff",
    *"\ud83d\ude80",
]
INTS: Final = [0, 1, -1, 32767, 32768, javaisms.INT_MAX, javaisms.INT_MIN]
LONGS: Final = [*INTS, 1_700_000_000_000, javaisms.LONG_MAX, javaisms.LONG_MIN]
# Java refuses other values of these.
CHOICES: Final[dict[str, list[object]]] = {
    "commitOrRollback": [8, 12],
    "maxCount": [1, javaisms.INT_MAX],
    "topicFilterType": ["SINGLE_TAG", "MULTI_TAG"],
}
UNKNOWN_TO_49: Final = LanguageCode.NODE_JS


@dataclass(frozen=True)
class Sent:
    """A command of ours and the header it was built from."""

    command: RemotingCommand
    header: Header | None

    @property
    def line(self) -> str:
        """As DecodeCommands takes it."""
        name = type(self.header).__name__ if self.header else "-"
        return f"{self.command.encode().hex()} {name}"


@pytest.fixture(scope="module")
def sent() -> list[Sent]:
    return list(random_commands(random.Random(SEED)))


@pytest.mark.parametrize("version", [CURRENT, OLD])
def test_java_reads_the_values_we_wrote(java_driver: JavaDriver, sent: list[Sent], version: Version) -> None:
    answers = java_driver("DecodeCommands", version=version, stdin="\n".join(one.line for one in sent))
    assert len(answers) == len(sent) >= 800
    headers_read = 0
    for one, answer in zip(sent, map(json.loads, answers), strict=True):
        assert answer is not None, f"Java could not read {one}"
        assert answer["refusal"] is None
        expected = command_facts(one, version)
        assert {name: answer[name] for name in expected} == expected
        if answer["header"] is not None:
            expected = header_facts(one)
            assert version == OLD or expected.keys() <= answer["header"].keys()
            common = expected.keys() & answer["header"].keys()
            assert {name: answer["header"][name] for name in common} == {
                name: expected[name] for name in common
            }
            headers_read += 1
    # 4.9 has half of today's header classes.
    assert headers_read == ROUNDS * len(SerializeType) * (143 if version == CURRENT else 72)


def random_commands(dice: random.Random) -> Iterator[Sent]:
    """For each round, one command for every header and one without, in both serializations."""
    headers = [HEADERS[name] for name in sorted(HEADERS.keys() - ABSTRACT)]
    for _ in range(ROUNDS):
        for header_type in [*headers, None]:
            for serializer in SerializeType:
                header = None if header_type is None else random_header(dice, header_type)
                yield Sent(random_command(dice, header, serializer), header)


def random_command(dice: random.Random, header: Header | None, serializer: SerializeType) -> RemotingCommand:
    names = [f"added{number}" for number in range(dice.choice([0, 0, 1, 20]))]
    command = RemotingCommand.request(
        dice.randrange(1100),
        header,
        body=dice.randbytes(dice.choice([0, 1, 100])),
        ext_fields={name: random_text(dice) for name in names} or None,
        opaque=dice.choice(INTS),
        serializer=serializer,
        language=dice.choice(list(LanguageCode)),
    )
    return replace(command, flag=dice.choice([0, 1, 2, 3]), remark=dice.choice([None, random_text(dice)]))


def random_header(dice: random.Random, header_type: type[Header]) -> Header:
    """All required fields, and about half of the others, with random values."""
    values: dict[str, Any] = {}
    for item in header_type.wire_fields():
        if item.required or dice.random() < 0.5:
            values[item.attribute] = random_value(dice, item.java_type, item.name)
    return header_type(**values)


def random_value(dice: random.Random, java_type: str, name: str) -> object:
    if name in CHOICES:
        return dice.choice(CHOICES[name])
    match java_type:
        case "string":
            return random_text(dice)
        case "int":
            return dice.choice(INTS)
        case "long":
            return dice.choice(LONGS)
        case "boolean":
            return dice.random() < 0.5
    assert java_type == "BoundaryType"
    return dice.choice(list(BoundaryType))


def random_text(dice: random.Random) -> str:
    return "".join(dice.choices(TEXT_PIECES, k=dice.choice([0, 1, 5, 300])))


def command_facts(one: Sent, version: Version) -> dict[str, object]:
    """What Java must see of a command."""
    command = one.command
    assert command.language is not None
    unknown_language = version == OLD and command.language is UNKNOWN_TO_49
    return {
        "code": command.code,
        "language": None if unknown_language else command.language.name,
        "version": command.version,
        "opaque": command.opaque,
        "flag": command.flag,
        "remark": seen_by_java(command.remark, command.serializer),
        "ext_fields": ext_field_facts(command),
        "body": command.body.hex() or None,
    }


def ext_field_facts(command: RemotingCommand) -> dict[str, str | None] | None:
    """What Java must see of the ext fields; a binary header cannot tell none from null."""
    if command.ext_fields is None or (
        not command.ext_fields and command.serializer is SerializeType.ROCKETMQ
    ):
        return None
    return {name: seen_by_java(text, command.serializer) for name, text in command.ext_fields.items()}


def header_facts(one: Sent) -> dict[str, object]:
    """What Java must see of a header: the values of the fields that reach it.

    SendMessageRequestHeaderV2, which has a codec of its own, does not look for those it inherits.
    """
    assert one.header is not None
    facts: dict[str, object] = {}
    for item in one.header.wire_fields():
        if one.header.fast == "own" and item.declared_in != one.header.java_class:
            continue
        text = (one.command.ext_fields or {}).get(item.name)
        if seen_by_java(text, one.command.serializer) is not None:
            value = getattr(one.header, item.attribute)
            facts[item.name] = javaisms.utf8(value).decode() if isinstance(value, str) else value
    return facts


def seen_by_java(text: str | None, serializer: SerializeType) -> str | None:
    """A string after its journey: no lone surrogates (now `?`), and in binary form no empty strings."""
    if text is None or (not text and serializer is SerializeType.ROCKETMQ):
        return None
    return javaisms.utf8(text).decode()
