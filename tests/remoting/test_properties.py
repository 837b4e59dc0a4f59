"""Java's .properties text."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocketpy.remoting.properties import format_properties, parse_properties

ORACLE = Path(__file__).parent / "data" / "properties.tsv"


def text_of(octets: str) -> str:
    return bytes.fromhex(octets).decode("utf-16-be")


def java_results() -> list[tuple[str, dict[str, str] | None]]:
    """Texts, and what Java finds in them; None where it refuses them."""
    found: list[tuple[str, dict[str, str] | None]] = []
    for line in ORACLE.read_text(encoding="ascii").splitlines():
        if line.startswith("#"):
            continue
        text, result = line.split("\t")
        pairs = [pair.split("=") for pair in result.split(";") if pair]
        refused = result.startswith("ERR")
        expected = None if refused else {text_of(name): text_of(value) for name, value in pairs}
        found.append((text_of(text), expected))
    return found


def test_random_texts_are_read_as_java_reads_them() -> None:
    results = java_results()
    assert len(results) == 700
    for text, expected in results:
        if expected is None:
            with pytest.raises(ValueError, match="Malformed"):
                parse_properties(text)
        else:
            assert parse_properties(text) == expected, text


def test_a_file_as_operators_write_it() -> None:
    text = """
    # a comment
    ! another
    listenPort = 9876
    path : C:\\\\mq\\\\store
    longValue = one, \\
                two
    empty
    greeting=caf\\u00e9
    """
    assert parse_properties(text) == {
        "listenPort": "9876",
        "path": "C:\\mq\\store",
        "longValue": "one, two",
        "empty": "",
        "greeting": "café",
    }


def test_properties_are_written_sorted_and_as_they_are() -> None:
    assert format_properties({"b": "2", "B": "x=y", "a": "é"}) == "B=x=y\na=é\nb=2\n"
