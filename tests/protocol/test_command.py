"""Frames that Java wrote, and frames that we write as Java would."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rocketmq_protocol import (
    JsonDialect,
    LanguageCode,
    RemoteProtocolError,
    RemotingCommand,
    RequestCode,
    ResponseCode,
    SerializeType,
)
from rocketmq_protocol.headers import (
    GetRouteInfoRequestHeader,
    Header,
    PullMessageRequestHeader,
    SendMessageRequestHeaderV2,
    SendMessageResponseHeader,
    request_header,
)
from tests.vectors import GoldenFrame, golden_frames


def json_header(command: RemotingCommand) -> str:
    frame = replace(command, serializer=SerializeType.JSON).encode()
    return frame[8 : 8 + int.from_bytes(frame[5:8], "big")].decode()


def test_every_golden_frame_is_encoded_again_to_the_same_bytes() -> None:
    frames = golden_frames()
    changed = [
        golden.id for golden in frames if RemotingCommand.decode(golden.frame).encode() != golden.frame
    ]
    assert changed == []
    assert len(frames) == 11940


def test_what_a_golden_frame_says_is_what_its_capture_says() -> None:
    for golden in golden_frames():
        command = RemotingCommand.decode(golden.frame)
        assert (command.code, command.opaque) == (golden.code, golden.opaque), golden.id
        assert command.serializer.name == golden.serialize, golden.id
        kind = "response" if command.is_response else "oneway" if command.is_oneway else "request"
        assert kind == golden.kind, golden.id


# Scenarios whose ext fields were put together by hand, or by hooks outside the header.
BUILT_FROM_MAPS = ("error-", "acl-signed", "namespace-v2", "old-send-codes")


def typed_requests() -> list[tuple[GoldenFrame, RemotingCommand, Header]]:
    found = []
    for golden in golden_frames():
        if (
            golden.kind == "response"
            or "5.5.0" not in golden.peer
            or golden.scenario.startswith(BUILT_FROM_MAPS)
        ):
            continue
        command = RemotingCommand.decode(golden.frame)
        header_type = request_header(command.code) if command.code < 3442 or command.code > 3471 else None
        if header_type is not None and command.ext_fields is not None:
            found.append((golden, command, command.read_header(header_type)))
    return found


def test_requests_built_from_typed_headers_have_the_bytes_java_sent() -> None:
    requests = typed_requests()
    assert len(requests) > 1500
    for golden, command, header in requests:
        built = RemotingCommand.request(
            command.code,
            header,
            body=command.body,
            opaque=command.opaque,
            oneway=command.is_oneway,
            serializer=command.serializer,
            language=command.language,
            version=command.version,
        )
        assert built.encode() == golden.frame, golden.id


def test_send_responses_built_from_typed_headers_have_the_bytes_java_sent() -> None:
    checked = 0
    for golden in golden_frames():
        if golden.kind == "response" and golden.peer == "broker-5.5.0" and golden.request_code == 310:
            command = RemotingCommand.decode(golden.frame)
            if command.code != ResponseCode.SUCCESS or not command.ext_fields:
                continue
            request = RemotingCommand(310, opaque=command.opaque, serializer=command.serializer)
            header = command.read_header(SendMessageResponseHeader)
            built = request.reply(command.code, header, remark=command.remark, body=command.body)
            assert built.encode() == golden.frame, golden.id
            checked += 1
    assert checked > 100


def test_json_header_leaves_nulls_out_and_keeps_empty_values() -> None:
    bare = RemotingCommand(206, opaque=6)
    rest = '"flag":0,"language":"JAVA","opaque":6,'
    end = '"serializeTypeCurrentRPC":"JSON","version":513}'
    assert json_header(bare) == '{"code":206,' + rest + end
    assert json_header(replace(bare, ext_fields={})) == '{"code":206,"extFields":{},' + rest + end
    assert json_header(replace(bare, remark="")) == '{"code":206,' + rest + '"remark":"",' + end


def test_a_header_without_values_is_an_empty_object_in_json() -> None:
    command = RemotingCommand.request(RequestCode.HEART_BEAT, request_header(RequestCode.HEART_BEAT)())  # type: ignore[misc]
    assert '"extFields":{}' in json_header(command)


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (
            JsonDialect.FASTJSON1,
            r"\b\t\n\f\r\u0001\u001F\"\\\u007F\u0080\u009F\u2028\u2029 é漢😀/<>&'\\u001f",
        ),
        (
            JsonDialect.FASTJSON2,
            r"\b\t\n\f\r\u0001\u001f\"\\" + "\x7f\x80\x9f\u2028\u2029 é漢😀/<>&'" + r"\\u001f",
        ),
    ],
)
def test_each_dialect_escapes_as_its_library_does(dialect: JsonDialect, expected: str) -> None:
    text = "\b\t\n\f\r\x01\x1f\"\\\x7f\x80\x9f\u2028\u2029 é漢😀/<>&'\\u001f"
    command = RemotingCommand(1, remark=text, dialect=dialect)
    assert f'"remark":"{expected}"' in json_header(command)
    assert RemotingCommand.decode(command.encode()).remark == text


def test_the_dialect_follows_the_senders_version() -> None:
    decoded = {
        version: RemotingCommand.decode(RemotingCommand(1, version=version).encode()).dialect
        for version in (0, 401, 492, 493, 513)
    }
    assert decoded == {
        0: JsonDialect.FASTJSON1,
        401: JsonDialect.FASTJSON1,
        492: JsonDialect.FASTJSON1,
        493: JsonDialect.FASTJSON2,
        513: JsonDialect.FASTJSON2,
    }


@pytest.mark.parametrize("serializer", SerializeType)
def test_lone_surrogates_become_question_marks_and_pairs_are_joined(serializer: SerializeType) -> None:
    command = RemotingCommand(
        1, remark="\ud83d\ude00 \udc00", ext_fields={"k\ud800": "\ud800"}, serializer=serializer
    )
    decoded = RemotingCommand.decode(command.encode())
    assert decoded.remark == "😀 ?"
    assert decoded.ext_fields == {"k?": "?"}


def test_a_binary_header_cuts_the_code_to_sixteen_bits_as_java_does() -> None:
    pop = RemotingCommand(RequestCode.POP_MESSAGE, serializer=SerializeType.ROCKETMQ)
    assert RemotingCommand.decode(pop.encode()).code == 3442


def test_fast_codec_headers_go_in_declared_order_in_binary_and_in_hash_order_in_json() -> None:
    header = PullMessageRequestHeader(
        consumer_group="g",
        topic="t",
        queue_id=1,
        queue_offset=2,
        max_msg_nums=32,
        sys_flag=3,
        commit_offset=4,
        suspend_timeout_millis=5,
        sub_version=6,
        bname="b",
    )
    binary = RemotingCommand.request(RequestCode.PULL_MESSAGE, header, serializer=SerializeType.ROCKETMQ)
    in_json = RemotingCommand.request(RequestCode.PULL_MESSAGE, header)
    assert list(binary.ext_fields or ()) == [
        "consumerGroup",
        "topic",
        "queueId",
        "queueOffset",
        "maxMsgNums",
        "sysFlag",
        "commitOffset",
        "suspendTimeoutMillis",
        "subVersion",
        "bname",
    ]
    assert binary.ext_fields == in_json.ext_fields
    assert list(binary.ext_fields or ()) != list(in_json.ext_fields or ())


def test_a_reply_keeps_opaque_and_serializer_of_its_request() -> None:
    request = RemotingCommand.request(
        105, GetRouteInfoRequestHeader(topic="t"), opaque=7, serializer=SerializeType.ROCKETMQ
    )
    reply = RemotingCommand.decode(request.reply(17, remark="No topic route info").encode())
    assert (reply.opaque, reply.code, reply.serializer) == (7, 17, SerializeType.ROCKETMQ)
    assert reply.is_response
    assert not reply.is_oneway


def test_signed_binary_requests_carry_their_fast_header_twice() -> None:
    signed = [
        command
        for golden in golden_frames()
        if golden.scenario == "acl-signed" and golden.serialize == "ROCKETMQ" and golden.code == 310
        for command in [RemotingCommand.decode(golden.frame)]
        if command.repeated_fields
    ]
    assert signed
    for command in signed:
        assert {"AccessKey", "Signature"} <= (command.ext_fields or {}).keys()
        header = command.read_header(SendMessageRequestHeaderV2)
        assert list(command.repeated_fields) == list(replace(header, extra=None).to_fast_ext_fields())


def test_json_headers_are_read_as_leniently_as_fastjson_reads_them() -> None:
    def read(text: str) -> RemotingCommand:
        header = text.encode()
        return RemotingCommand.decode(
            (4 + len(header)).to_bytes(4, "big") + len(header).to_bytes(4, "big") + header
        )

    command = read(
        '{"code":"12","extFields":{"a":1,"b":true,"c":null,"d":{"x":[1,2]},"e":1.5},"language":"ZZ","version":""}'
    )
    assert command.code == 12
    assert command.ext_fields == {"a": "1", "b": "true", "d": '{"x":[1,2]}', "e": "1.5"}
    assert command.language is None
    assert '"language"' not in json_header(command)
    assert read('{"code":1.5,"language":3,"remark":5}') == RemotingCommand(
        1, LanguageCode.PYTHON, 0, remark="5", dialect=JsonDialect.FASTJSON1
    )


def test_an_unknown_request_code_has_no_header() -> None:
    assert request_header(RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER) is None
    with pytest.raises(RemoteProtocolError, match="9999"):
        request_header(9999)
