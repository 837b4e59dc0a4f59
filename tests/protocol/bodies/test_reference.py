"""Every body class writes the text that Java writes, and has Java's defaults."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Final

import pytest

from rocketmq_protocol import bodies
from rocketmq_protocol.bodies import BROWSER_COMPATIBLE, COMPACT, PRETTY
from tests.protocol.bodies.reference import BY_JAVA_CLASS, lines, random_body

ROWS: Final[list[dict[str, Any]]] = [json.loads(line) for line in lines("bodies.jsonl")]
BODY_ROWS: Final = [row for row in ROWS if "enum" not in row]
ENUM_ROWS: Final = [row for row in ROWS if "enum" in row]

# Java fills these with the time of day, which a codec does not know: they start at 0 here.
CLOCK_FIELDS: Final = re.compile(r'("(?:timestamp|updateTime|subVersion)":)[0-9]{13}')
RENAMED_ENUMS: Final = {"OffsetOption$Type": "OffsetOptionType"}


def short_name(row: dict[str, Any]) -> str:
    return str(row["class"]).rpartition(".")[2]


def test_the_reference_holds_every_class_of_java() -> None:
    assert (len(BODY_ROWS), len(ENUM_ROWS)) == (109, 11)
    beside = BY_JAVA_CLASS.keys() - {row["class"] for row in BODY_ROWS}
    assert {name.rpartition(".")[2] for name in beside} == {
        "DelayOffsetSerializeWrapper",
        "TimerMetrics$Metric",
        "TimerMetrics$TimerMetricsSerializeWrapper",
    }


@pytest.mark.parametrize("row", BODY_ROWS, ids=short_name)
def test_a_decoded_sample_is_encoded_to_javas_text(row: dict[str, Any]) -> None:
    body = BY_JAVA_CLASS[row["class"]].decode(row["sample"].encode())
    assert body.encode(COMPACT).decode() == row["sample"]
    assert body.encode(BROWSER_COMPATIBLE).decode() == row["sample_browser_compatible"]
    assert body.encode(PRETTY).decode() == row["sample_pretty"]


@pytest.mark.parametrize("row", [row for row in BODY_ROWS if row["default"]], ids=short_name)
def test_a_new_body_has_javas_defaults(row: dict[str, Any]) -> None:
    body = BY_JAVA_CLASS[row["class"]]()
    assert body.encode(COMPACT).decode() == CLOCK_FIELDS.sub(r"\g<1>0", row["default"])
    assert body.encode(PRETTY).decode() == CLOCK_FIELDS.sub(r"\g<1>0", row["default_pretty"])


@pytest.mark.parametrize("row", BODY_ROWS, ids=short_name)
def test_an_empty_object_is_read_as_javas_defaults(row: dict[str, Any]) -> None:
    body = BY_JAVA_CLASS[row["class"]]
    assert body.decode(b"{}") == body()


@pytest.mark.parametrize("row", ENUM_ROWS, ids=short_name)
def test_an_enum_has_javas_names_in_javas_order(row: dict[str, Any]) -> None:
    name = short_name(row)
    enum: type[Enum] = getattr(bodies, RENAMED_ENUMS.get(name, name))
    assert [member.name for member in enum] == row["enum"]


def test_random_bodies_of_every_class_are_encoded_to_javas_text() -> None:
    written = [random_body(line) for line in lines("random_bodies.tsv.gz")]
    for body, compact, browser_compatible, pretty in written:
        decoded = body.decode(compact)
        assert decoded.encode(COMPACT) == compact
        assert decoded.encode(BROWSER_COMPATIBLE) == browser_compatible
        assert decoded.encode(PRETTY) == pretty
        assert body.decode(pretty) == decoded
    assert {body for body, *_ in written} == set(BY_JAVA_CLASS.values())
    assert len(written) == 2 * len(BY_JAVA_CLASS) == 224
