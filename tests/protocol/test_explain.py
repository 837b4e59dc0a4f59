"""explain(): every byte of a frame has one row, and the rows say what decoding says."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, RequestCode, SerializeType
from rocketmq_protocol.explain import Explained, Meaning, explain, format_explained
from rocketmq_protocol.explain.meanings import version_name
from rocketmq_protocol.headers import GetRouteInfoRequestHeader
from rocketmq_protocol.message_record import iter_records
from tests.vectors import GoldenFrame, golden_frames

ROUTE_REQUEST = RemotingCommand.request(
    RequestCode.GET_ROUTEINFO_BY_TOPIC,
    GetRouteInfoRequestHeader(topic="TopicTest"),
    opaque=5,
    serializer=SerializeType.ROCKETMQ,
).encode()


def golden(kind: str, request_code: RequestCode, serialize: str = "JSON", size: int = 8) -> GoldenFrame:
    """The first captured frame of that kind whose body has at least `size` bytes."""
    return next(
        frame
        for frame in golden_frames()
        if (frame.kind, frame.request_code, frame.serialize) == (kind, request_code, serialize)
        and frame.scenario != "error-send"
        and len(RemotingCommand.decode(frame.frame).body) >= size
    )


def values(rows: list[Explained]) -> dict[str, object]:
    return {row.name: row.value for row in rows}


def raw(value: object) -> object:
    return value.raw if isinstance(value, Meaning) else value


def assert_covers(frame: bytes, rows: list[Explained]) -> None:
    """Row by row from the first byte to the last; only an error may be empty."""
    position = 0
    for row in rows:
        assert row.span.start == position, row
        assert row.span or row.name == "error", row
        position = row.span.stop
    assert position == len(frame)
    assert all(row.name != "error" for row in rows[:-1])


def test_every_byte_of_every_golden_frame_is_explained_once() -> None:
    broken = []
    for frame in golden_frames():
        rows = explain(frame.frame, request_code=frame.request_code)
        assert_covers(frame.frame, rows)
        if rows[-1].name == "error":
            broken.append(frame)
    # Batches that are none were sent on purpose.
    assert [(frame.scenario, frame.code) for frame in broken] == [("error-send", 320)] * 12


def test_rows_say_what_decoding_says() -> None:
    for frame in golden_frames():
        command = RemotingCommand.decode(frame.frame)
        found = {name.partition(" (")[0]: raw(value) for name, value in values(explain(frame.frame)).items()}
        for name in ("code", "version", "opaque", "flag", "remark"):
            assert found.get(name) == getattr(command, name), frame.id
        for name, text in (command.ext_fields or {}).items():
            # An empty value of a binary header takes no bytes, and so has no row.
            assert found.get(f"extFields.{name}", "") == text, frame.id


def test_a_row_unpacks_into_byte_range_name_and_value() -> None:
    span, name, value = explain(ROUTE_REQUEST)[0]
    assert (span, name, value) == (range(4), "total_length", len(ROUTE_REQUEST) - 4)


def test_a_binary_header_has_a_row_for_every_field() -> None:
    rows = explain(ROUTE_REQUEST)
    assert [tuple(row) for row in rows[3:]] == [
        (range(8, 10), "code", Meaning(105, "GET_ROUTEINFO_BY_TOPIC")),
        (range(10, 11), "language", Meaning(0, "JAVA")),
        (range(11, 13), "version", Meaning(513, "V5_5_0")),
        (range(13, 17), "opaque", 5),
        (range(17, 21), "flag", Meaning(0, "request")),
        (range(21, 25), "remark_length", 0),
        (range(25, 29), "ext_length", 20),
        (range(29, 31), "extFields.topic key_length", 5),
        (range(31, 36), "extFields.topic key", "topic"),
        (range(36, 40), "extFields.topic value_length", 9),
        (range(40, 49), "extFields.topic", "TopicTest"),
    ]


def test_a_json_member_takes_the_comma_before_it_and_braces_stand_alone() -> None:
    header = '{"code":105, "extFields":{"topic":"Tö"} ,"flag":0}'.encode()
    frame = (len(header) + 4).to_bytes(4, "big") + len(header).to_bytes(4, "big") + header
    rows = explain(frame)
    assert [(frame[row.span.start : row.span.stop].decode(), row.name) for row in rows[3:]] == [
        ("{", "header"),
        ('"code":105', "code"),
        (', "extFields":{', "extFields"),
        ('"topic":"Tö"', "extFields.topic"),
        ("} ", "end of extFields"),
        (',"flag":0', "flag"),
        ("}", "end of header"),
    ]


def test_one_letter_names_of_a_send_get_their_long_form_and_their_meaning() -> None:
    for serialize in ("JSON", "ROCKETMQ"):
        found = values(explain(golden("request", RequestCode.SEND_MESSAGE_V2, serialize).frame))
        assert "extFields.a (producerGroup)" in found
        assert "extFields.b (topic)" in found
        born = found["extFields.g (bornTimestamp)"]
        assert isinstance(born, Meaning)
        assert born.text.startswith("20")


def test_a_pull_tells_its_sys_flag_bits() -> None:
    found = values(explain(golden("request", RequestCode.PULL_MESSAGE, size=0).frame))
    flags = found["extFields.sysFlag"]
    assert isinstance(flags, Meaning)
    assert "FLAG_SUBSCRIPTION" in flags.text.split("|")


@pytest.mark.parametrize("request_code", [RequestCode.PULL_MESSAGE, None])
def test_stored_messages_are_taken_apart_with_the_request_known_or_not(request_code: int | None) -> None:
    frame = golden("response", RequestCode.PULL_MESSAGE).frame
    message = next(iter_records(RemotingCommand.decode(frame).body))
    found = values(explain(frame, request_code=request_code))
    assert found["code"] == Meaning(0, "SUCCESS")
    assert found["message[0].magic"] == Meaning(-626843481, "V1")
    assert found["message[0].topic"] == message.topic
    assert found["message[0].properties"] == message.properties
    assert found["message[0].store_ip"] == message.store_host.ip
    assert raw(found["message[0].store_timestamp"]) == message.store_timestamp
    assert found["message[0].queue_offset"] == message.queue_offset


def test_a_compressed_message_names_the_bits_of_its_sys_flag() -> None:
    flags = {
        value
        for frame in golden_frames()
        if frame.kind == "response" and frame.request_code == RequestCode.PULL_MESSAGE
        for name, value in values(explain(frame.frame)).items()
        if name.endswith(".sys_flag")
    }
    assert Meaning(0x301, "COMPRESSED_FLAG|COMPRESSION_ZLIB_TYPE") in flags


def test_a_body_that_only_looks_like_a_record_stays_one_row_when_the_request_is_known() -> None:
    looks_alike = bytes.fromhex("00000063 daa320a7 0000")
    frame = RemotingCommand.request(RequestCode.SEND_MESSAGE_V2, body=looks_alike).encode()
    assert explain(frame)[-1].value == looks_alike


def test_a_batch_is_taken_apart_entry_by_entry() -> None:
    rows = explain(golden("request", RequestCode.SEND_BATCH_MESSAGE).frame)
    bodies = [row.name for row in rows if row.name.endswith("].body")]
    assert bodies == [f"batch[{number}].body" for number in range(len(bodies))]
    assert len(bodies) > 1


def test_a_timer_checkpoint_is_taken_apart() -> None:
    frame = golden("response", RequestCode.GET_TIMER_CHECK_POINT)
    found = values(explain(frame.frame, request_code=frame.request_code))
    assert sum(name.startswith("checkpoint.") for name in found) == 7
    assert explain(frame.frame)[-1].name == "body"


def test_json_bodies_are_parsed_in_javas_dialect_too() -> None:
    frame = golden("response", RequestCode.GET_BROKER_CLUSTER_INFO)
    body = explain(frame.frame, request_code=frame.request_code)[-1]
    assert body.name == "body"
    assert isinstance(body.value, dict)
    assert "brokerAddrTable" in body.value


def test_versions_are_named_as_java_names_them() -> None:
    names = [version_name(ordinal) for ordinal in (193, 194, 401, 407, 409, 513, 512, 611, 612)]
    assert names == [
        "", "V3_9_1_SNAPSHOT", "V4_9_4", "V4_9_7", "V4_9_8", "V5_5_0", "V5_5_0_SNAPSHOT", "V5_9_9", "",
    ]  # fmt: skip


def json_frame(header: bytes) -> bytes:
    return (len(header) + 4).to_bytes(4, "big") + len(header).to_bytes(4, "big") + header


@pytest.mark.parametrize(
    ("frame", "start", "reason"),
    [
        (b"", 0, "total_length at byte 0"),
        (ROUTE_REQUEST[:3], 0, "total_length at byte 0"),
        (ROUTE_REQUEST[:4] + b"\x07" + ROUTE_REQUEST[5:], 8, "unknown header serializer 7"),
        (b"\x00\x00\x00\x04" + ROUTE_REQUEST[4:], 8, "header length 41 does not fit total length 4"),
        (b"\xff\xff\xff\xff" + ROUTE_REQUEST[4:], 8, "does not fit total length -1"),
        (ROUTE_REQUEST[:-1], 29, "value at byte 40"),
        (ROUTE_REQUEST[:28] + b"\x15" + ROUTE_REQUEST[29:], 49, "ext fields should take 21 bytes"),
        (ROUTE_REQUEST[:28] + b"\0" + ROUTE_REQUEST[29:], 29, "ext fields should take 0 bytes"),
        (ROUTE_REQUEST[:40] + b"\xff" + ROUTE_REQUEST[41:], 29, "value at byte 40: not UTF-8"),
        (ROUTE_REQUEST + b"!!", 49, "2 bytes are left over"),
        (json_frame(b'{"code":1,"flag":}'), 17, "Expecting value"),
        (json_frame(b'{"code":1 "flag":0}'), 18, "',' is missing"),
        (json_frame(b'{"code":1,2:0}'), 17, "2 is no key"),
        (json_frame(b'{"code":1}{}'), 18, "text follows"),
        (json_frame(b'{"code":1,"remark":"\xff"}'), 17, "not UTF-8"),
        (json_frame(b'{"code":NaN}'), 9, "NaN is not JSON"),
        (json_frame(b'{"code":' + b"[" * 100_000), 9, "recursion"),
        (json_frame(b"[]"), 8, "'{' is missing"),
    ],
)
def test_what_cannot_be_read_is_the_last_row_and_says_why(frame: bytes, start: int, reason: str) -> None:
    rows = explain(frame)
    assert_covers(frame, rows)
    assert (rows[-1].name, rows[-1].span) == ("error", range(start, len(frame)))
    assert reason in str(rows[-1].value)


def test_a_code_is_not_named_when_request_and_response_cannot_be_told_apart() -> None:
    frame = json_frame(b'{"code":11,"extFields":{},"flag":1}')
    assert values(explain(frame))["code"] == Meaning(11, "SLAVE_NOT_AVAILABLE")
    assert values(explain(json_frame(b'{"code":11}')))["code"] == Meaning(11, "PULL_MESSAGE")
    assert values(explain(frame[:-3]))["code"] == 11


def test_messages_before_a_broken_one_are_explained() -> None:
    frame = next(
        frame.frame
        for frame in golden_frames()
        if frame.kind == "response"
        and frame.request_code == RequestCode.PULL_MESSAGE
        and len(list(iter_records(RemotingCommand.decode(frame.frame).body))) > 1
    )
    body = RemotingCommand.decode(frame).body
    second = len(frame) - len(body) + int.from_bytes(body[:4], "big")
    rows = explain(frame[: second + 4] + b"\0\0\0\0" + frame[second + 8 :])
    assert rows[-3].name == "message[0].properties"
    assert (rows[-1].name, rows[-1].span.start) == ("error", second + 4)


def test_a_frame_cut_anywhere_is_explained_up_to_the_cut() -> None:
    for frame in (
        golden("response", RequestCode.PULL_MESSAGE).frame,
        golden("request", RequestCode.SEND_BATCH_MESSAGE, "ROCKETMQ").frame,
    ):
        whole = explain(frame)
        for size in range(len(frame)):
            rows = explain(frame[:size])
            assert_covers(frame[:size], rows)
            assert rows[-1].name == "error"
            names = [row.name.partition(" (")[0] for row in rows[:-1]]
            assert names == [row.name.partition(" (")[0] for row in whole[: len(names)]]


NOISE = (b"", b"\0", b"\x7f", b"\xff\xff\xff\xff", b"\x80\0\0\0", b'{"', b"\\", b"[" * 2000, b"9" * 5000)


def mutated(frame: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, cut out or put in; half of the time behind a sound total length."""
    broken = bytearray(frame)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(broken) + 1)
        broken[at : at + dice.randint(0, 4)] = dice.choice((dice.randbytes(1), *NOISE))
    if dice.random() < 0.5:
        broken[:4] = max(len(broken) - 4, 0).to_bytes(4, "big")
    return bytes(broken)


def test_mutated_golden_frames_are_explained_and_those_decoding_refuses_end_with_an_error() -> None:
    dice = random.Random(11)
    frames = [frame for frame in golden_frames() if len(frame.frame) < 4000]
    refused = 0
    for _ in range(4000):
        frame = dice.choice(frames)
        data = mutated(frame.frame, dice)
        rows = explain(data, request_code=dice.choice((frame.request_code, None)))
        assert_covers(data, rows)
        assert format_explained(data, rows)
        try:
            RemotingCommand.decode(data)
        except RemoteProtocolError:
            refused += 1
            assert rows[-1].name == "error", data.hex()
    assert refused > 1000


@given(
    number=st.integers(0, 11939),
    at=st.integers(0, 600),
    cut=st.integers(0, 40),
    noise=st.binary(max_size=12),
    know_request=st.booleans(),
)
def test_a_golden_frame_with_other_bytes_anywhere_is_explained(
    number: int, at: int, cut: int, noise: bytes, know_request: bool
) -> None:
    frame = golden_frames()[number]
    data = frame.frame[:at] + noise + frame.frame[at + cut :]
    assert_covers(data, explain(data, request_code=frame.request_code if know_request else None))


@given(st.binary(max_size=200), st.none() | st.integers())
def test_any_bytes_are_explained(data: bytes, request_code: int | None) -> None:
    assert_covers(data, explain(data, request_code=request_code))


def test_the_dump_shows_offset_hex_name_and_value() -> None:
    dump = format_explained(ROUTE_REQUEST, explain(ROUTE_REQUEST)).splitlines()
    assert dump[0] == (
        "00000000  00 00 00 2d                                      total_length                  45"
    )
    assert dump[3] == (
        "00000008  00 69                                            "
        "code                          105 GET_ROUTEINFO_BY_TOPIC"
    )
    assert dump[-1] == (
        "00000028  54 6f 70 69 63 54 65 73 74                       extFields.topic               'TopicTest'"
    )
    assert len(dump) == 14


def test_the_dump_wraps_what_is_long_and_cuts_what_is_very_long() -> None:
    def lines_of(body: bytes) -> list[str]:
        frame = RemotingCommand.request(RequestCode.SEND_MESSAGE, body=body).encode()
        rows = explain(frame)[-1:]
        return [line[10:] for line in format_explained(frame, rows).splitlines()]

    full = " ".join(["61"] * 16)
    assert lines_of(b"a" * 62) == [
        f"{full}  body  '{'a' * 59}",
        f"{full}        aaa'",
        full,
        " ".join(["61"] * 14),
    ]
    assert lines_of(b"a" * 1000)[2:] == [
        f"{full}        {'a' * 60}",
        f"{'... 1000 bytes in all':47}        ... 1002 characters in all",
    ]
