"""Reading and writing the JSON of fastjson."""

from __future__ import annotations

import gzip
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.fastjson_reader import MAX_DEPTH, MAX_SIZE, loads
from rocketmq_protocol.fastjson_writer import BROWSER_COMPATIBLE, COMPACT, PRETTY, double, text
from rocketmq_protocol.javaisms.doubles import double_text

DOUBLES: Final = Path(__file__).parent / "bodies" / "data" / "doubles.tsv.gz"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{0:"127.0.0.1:10911",1:"b"}', {"0": "127.0.0.1:10911", "1": "b"}),
        (b'{"a":{-7:{8:[{9:1},{"b":2}]}}}', {"a": {"-7": {"8": [{"9": 1}, {"b": 2}]}}}),
        (b'{{"queueId":0,"topic":"t"}:5}', {'{"queueId":0,"topic":"t"}': 5}),
        (b'{1:2,{"topic":"a}b{\\"c"}:{}}', {"1": 2, '{"topic":"a}b{\\"c"}': {}}),
        (b"{{}:1}", {"{}": 1}),
        (b'{\n\t0:"a",\n\t{\n\t\t"b":1\n\t}:2\n}', {"0": "a", '{\n\t\t"b":1\n\t}': 2}),
        (b"{0 : 1 , 1 :2}", {"0": 1, "1": 2}),
        ('{0:"é中🚀"}'.encode(), {"0": "é中🚀"}),
        (b'{0:"\\u00E9\\ud83d\\ude80\\n"}', {"0": "é🚀\n"}),
    ],
)
def test_keys_without_quotes_are_read_as_text(data: bytes, value: Any) -> None:
    assert loads(data) == value


def test_text_that_looks_like_a_key_is_left_alone() -> None:
    assert loads(b'{0:"x,1:y",2:"{3:","k{4:":"\\",5:"}') == {"0": "x,1:y", "2": "{3:", "k{4:": '",5:'}


def test_a_number_beyond_64_bits_is_a_float_as_in_plain_json() -> None:
    assert loads(b"{0:18446744073709551616}") == {"0": loads(b"18446744073709551616")}


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "JSON is wrong at character 0, near ''"),
        (b"{0:1", "JSON is wrong at character 4, near ''"),
        (b"{0:1} x", "JSON is wrong at character 6, near 'x': unexpected content after document"),
        (b"{0:1,}", "JSON is wrong at character 4, near ',}': trailing comma"),
        (b'{0:1,{"a":2}:3,x:4}', "JSON is wrong at character 15, near 'x:4}'"),
        ('{0:"é",{"é":1}:x}'.encode(), "JSON is wrong at character 15, near 'x}'"),
        (b"{true:1}", "JSON is wrong at character 1, near 'true:1}'"),
        (b"{[1]:1}", r"JSON is wrong at character 1, near '\[1\]:1}'"),
        (b'{{"a":{}}:1}', "JSON is wrong at character 1"),
        (b'{0:"a\x01"}', "JSON is wrong at character 5"),
        (b"{0:1e999}", "JSON is wrong at character 3, near '1e999}': number is infinity"),
        (b"{0:" + b"9" * 5000 + b"}", "JSON is wrong at character 3, near '99999999999999999999'"),
        (b'{0:"\xff"}', "JSON is not UTF-8 at byte 4: invalid start byte"),
        (b'{"a":"\xed\xa0\x80"}', "JSON is not UTF-8 at byte 6"),
    ],
)
def test_wrong_text_is_refused_with_what_and_where(data: bytes, complaint: str) -> None:
    with pytest.raises(RemoteProtocolError, match=complaint):
        loads(data)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b"{0:"])
def test_nesting_has_a_limit(opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    assert loads(opening * (MAX_DEPTH - 1) + b"[]" + closing * (MAX_DEPTH - 1))
    with pytest.raises(RemoteProtocolError, match="depth limit exceeded"):
        loads(opening * MAX_DEPTH + b"[]" + closing * MAX_DEPTH)


def test_size_has_a_limit() -> None:
    with pytest.raises(RemoteProtocolError, match="JSON of 16777217 bytes"):
        loads(b" " * (MAX_SIZE + 1))


@pytest.mark.parametrize(
    "piece", [b'\\"', b",{", b'{"', b'{"a":1},', b'{{"a":1,', b"{0:1,", b", ", b"1", b'"\\']
)
def test_reading_takes_linear_time(piece: bytes) -> None:
    """Two megabytes that invite a regular expression to go back: done at once, or not in a lifetime."""
    with pytest.raises(RemoteProtocolError):
        loads(b'{"' + piece * (2_000_000 // len(piece)))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_plain_json_is_read_as_orjson_reads_it(value: Any) -> None:
    assert loads(orjson.dumps(value)) == value


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(RemoteProtocolError):
        loads(data)


@given(st.lists(st.sampled_from([*'{}[]:,"\\ 01-eé', "true", "null", '"a"', "\\u"])).map("".join))
def test_almost_json_is_read_or_refused(almost: str) -> None:
    with suppress(RemoteProtocolError):
        loads(almost.encode())


def test_text_is_escaped_as_fastjson_2_does() -> None:
    controls = "".join(map(chr, range(0x20)))
    assert text(controls) == (
        rb'"\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f'
        rb'\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f"'
    )
    assert text("\"\\/<>&'") == b'"\\"\\\\/<>&\'"'
    raw = "\x7f\x80é\u2028\u2029中🚀"
    assert text(raw) == f'"{raw}"'.encode()
    assert text("x\ud800y\udc00") == b'"x?y?"'


def test_numbers_that_javascript_cannot_hold_are_quoted_for_browsers() -> None:
    assert BROWSER_COMPATIBLE.integer(2**53 - 1) == b"9007199254740991"
    assert BROWSER_COMPATIBLE.integer(2**53) == b'"9007199254740992"'
    assert BROWSER_COMPATIBLE.integer(-(2**53)) == b'"-9007199254740992"'
    assert COMPACT.integer(2**63 - 1) == b"9223372036854775807"


def test_only_empty_maps_and_lists_in_maps_are_short_when_indented() -> None:
    assert PRETTY.table([], 1) == b"{}"
    assert PRETTY.bean([], 1) == b"{\n\t\t\n\t}"
    assert PRETTY.elements([], 1) == b"[\n\t\t\n\t]"
    assert PRETTY.elements([], 1, short_when_empty=True) == b"[]"
    assert PRETTY.elements([b"1", b"2"], 0) == b"[\n\t1,\n\t2\n]"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (0.001, "0.001"),
        (9.99e-4, "9.99E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1e23, "1.0E23"),
        (5e-324, "4.9E-324"),
        (705.363, "705.3630000000001"),
        (92872250634295968.0, "9.2872250634295968E16"),
    ],
)
def test_doubles_are_written_as_fastjson_2_does(value: float, written: str) -> None:
    assert double(value).decode() == written


def test_doubles_of_all_kinds_are_written_as_java_wrote_them() -> None:
    with gzip.open(DOUBLES, "rt", encoding="ascii") as lines:
        rows = [line.split() for line in lines]
    longer_than_need_be = 0
    for bits, written in rows:
        (value,) = struct.unpack(">d", bytes.fromhex(bits.zfill(16)))
        if 2.0**63 <= abs(value) < 2.0**64:  # fastjson takes another way there; see javaisms.doubles
            continue
        assert double(value).decode() == written
        longer_than_need_be += written != "null" and len(written.replace("E", "e")) > len(repr(value)) + 4
    assert len(rows) == 2800
    assert longer_than_need_be > 5


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_double_reads_back_as_itself(value: float) -> None:
    assert float(double_text(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_say_is_null(value: float) -> None:
    assert double(value) == b"null"
