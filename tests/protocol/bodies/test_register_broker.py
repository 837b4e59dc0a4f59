"""REGISTER_BROKER's body in its compressed form."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import pytest

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, RequestCode, bodies
from rocketmq_protocol.bodies import RegisterBrokerBody
from rocketmq_protocol.bodies.register_broker import MAX_INFLATED
from rocketmq_protocol.crc import java_crc32
from tests.vectors import golden_frames


def compressed_registrations() -> Iterator[RemotingCommand]:
    for frame in golden_frames():
        if frame.request_code == RequestCode.REGISTER_BROKER and frame.kind != "response":
            command = RemotingCommand.decode(frame.frame)
            if command.body.startswith(b"x\xda"):
                yield command


def test_golden_registrations_are_read_and_written_to_the_same_bytes() -> None:
    versions = []
    for command in compressed_registrations():
        body = RegisterBrokerBody.decode_compressed(command.body, command.version)
        assert body.encode_compressed(command.version) == command.body
        versions.append(command.version)
    assert sorted(versions) == [407] * 12 + [513]


def test_content_alone_decides_the_bytes_of_a_registration() -> None:
    for command in compressed_registrations():
        body = RegisterBrokerBody.decode_compressed(command.body, command.version)
        topics = body.topic_config_serialize_wrapper
        topics.topic_config_table = dict(sorted(topics.topic_config_table.items()))
        assert body.encode_compressed(command.version) == command.body


def test_the_header_holds_the_checksum_of_the_compressed_bytes() -> None:
    for command in compressed_registrations():
        assert command.ext_fields is not None
        assert command.ext_fields["bodyCrc32"] == str(java_crc32(command.body))


def registration() -> RegisterBrokerBody:
    return RegisterBrokerBody(
        topic_config_serialize_wrapper=bodies.TopicConfigAndMappingSerializeWrapper(
            topic_config_table={
                "T": bodies.TopicConfig(topic_name="T", perm=4, attributes={"+message.type": "FIFO"}),
                "中": bodies.TopicConfig(topic_name="中"),
            },
            topic_queue_mapping_info_map={
                "S": bodies.TopicQueueMappingInfo(topic="S", bname="b", curr_id_map={0: 1})
            },
            data_version=bodies.DataVersion(state_version=3, timestamp=2, counter=1),
        ),
        filter_server_list=["127.0.0.1:1"],
    )


def test_brokers_since_5_0_send_attributes_and_mappings() -> None:
    body = registration()
    inflated = zlib.decompress(body.encode_compressed())
    mapping = (
        b'{"bname":"b","currIdMap":{0:1},"dirty":false,"epoch":0,'
        b'"scope":"__global__","topic":"S","totalQueues":0}'
    )
    assert inflated.startswith(piece(b'{"counter":1,"stateVersion":3,"timestamp":2}') + b"\0\0\0\2")
    assert piece(b'T 16 16 4 SINGLE_TAG {"+message.type":"FIFO"}') in inflated
    assert piece("中 16 16 6 SINGLE_TAG {}".encode()) in inflated
    assert inflated.endswith(piece(b'["127.0.0.1:1"]') + b"\0\0\0\1" + piece(mapping))
    assert RegisterBrokerBody.decode_compressed(body.encode_compressed()) == body


def test_brokers_before_5_0_send_neither() -> None:
    body = registration()
    inflated = zlib.decompress(body.encode_compressed(407))
    assert inflated.startswith(b'\0\0\0\x1b{"counter":1,"timestamp":2}\0\0\0\2\0\0\0')
    assert inflated.endswith(b'SINGLE_TAG\0\0\0\x0f["127.0.0.1:1"]')
    topics = RegisterBrokerBody.decode_compressed(
        body.encode_compressed(407), 407
    ).topic_config_serialize_wrapper
    assert topics.topic_config_table["T"] == bodies.TopicConfig(topic_name="T", perm=4)
    assert topics.topic_queue_mapping_info_map == {}


def test_attributes_with_blanks_are_lost_as_in_java() -> None:
    body = RegisterBrokerBody()
    body.topic_config_serialize_wrapper.topic_config_table["T"] = bodies.TopicConfig(
        topic_name="T", attributes={"a": "b c"}
    )
    topics = RegisterBrokerBody.decode_compressed(body.encode_compressed()).topic_config_serialize_wrapper
    assert topics.topic_config_table["T"].attributes == {}


def piece(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def one_topic(line: bytes) -> bytes:
    return piece(b"{}") + struct.pack(">i", 1) + piece(line) + piece(b"[]") + struct.pack(">i", 0)


@pytest.mark.parametrize(
    ("inflated", "complaint"),
    [
        (b"\0\0", "ends at 2, within a length"),
        (b"\0\0\0\5{}", "a piece of 5 bytes at 4, where 2 are left"),
        (b"\xff\xff\xff\xff", "a piece of -1 bytes at 4, where 0 are left"),
        (piece(b"{}") + b"\x7f\xff\xff\xff", "ends at 10, within a length"),
        (piece(b"[]"), "DataVersion: expected an object, got an array"),
        (one_topic(b"T 1 2 3"), "b'T 1 2 3' is not a topic"),
        (one_topic(b"T 1 x 6 SINGLE_TAG"), "b'T 1 x 6 SINGLE_TAG' is not a topic"),
        (one_topic(b"T 1 2 6 NO_TAG"), "b'T 1 2 6 NO_TAG' is not a topic"),
        (one_topic(b"T 1 2 6 SINGLE_TAG []"), "attributes: expected an object, got an array"),
        (
            piece(b"{}") + struct.pack(">i", 0) + piece(b"{}"),
            "filterServerList: expected an array, got an object",
        ),
    ],
)
def test_wrong_pieces_are_refused(inflated: bytes, complaint: str) -> None:
    with pytest.raises(RemoteProtocolError, match=complaint):
        RegisterBrokerBody.decode_compressed(zlib.compress(inflated))


def test_what_is_not_whole_is_refused() -> None:
    data = registration().encode_compressed()
    with pytest.raises(RemoteProtocolError, match="is cut off"):
        RegisterBrokerBody.decode_compressed(data[:-5])
    with pytest.raises(RemoteProtocolError, match="is not a zlib stream"):
        RegisterBrokerBody.decode_compressed(b"{" + data)


def test_what_inflates_without_end_is_refused() -> None:
    bomb = zlib.compress(b"\0" * (MAX_INFLATED + 1), 9)
    assert len(bomb) < 100_000
    with pytest.raises(RemoteProtocolError, match=f"inflates to more than {MAX_INFLATED} bytes"):
        RegisterBrokerBody.decode_compressed(bomb)
