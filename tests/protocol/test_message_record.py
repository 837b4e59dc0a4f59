"""Stored-message records: identical bytes in both directions, and no surprises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import LocalProtocolError, RemoteProtocolError
from rocketmq_protocol.crc import crc_from_property, java_crc32
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.message import MessageExt, MessageVersion
from rocketmq_protocol.message_record import decode_record, encode_record, iter_records
from rocketmq_protocol.properties import PROPERTY_CRC32
from rocketmq_protocol.sysflag import MessageSysFlag
from tests.message_samples import bodies_of_records, count_refusals, messages, replicated_log

# A record written by a 5.5.0 broker, the first of the replication stream.
SAMPLE_SIZE = 219


def test_every_golden_record_is_written_again_byte_for_byte() -> None:
    bodies = [body for _, body in bodies_of_records()]
    found = [list(iter_records(body)) for body in bodies]
    assert [b"".join(map(encode_record, records)) for records in found] == bodies
    assert sum(map(len, found)) == 852


def test_every_replicated_record_is_written_again_byte_for_byte() -> None:
    log = replicated_log()
    records = list(iter_records(log))
    assert b"".join(map(encode_record, records)) == log
    assert len(records) == 395
    position = 0
    for record in records:
        assert record.commit_log_offset == position
        assert java_crc32(record.body) == record.body_crc
        position += record.store_size


def test_golden_record_reads_as_the_broker_meant_it() -> None:
    message = decode_record(replicated_log())
    assert message.store_size == SAMPLE_SIZE
    assert message.version is MessageVersion.V1
    assert (message.queue_id, message.queue_offset, message.commit_log_offset) == (1, 0, 0)
    assert (message.born_host.ip, message.store_host.ip) == ("127.0.0.1", "127.0.0.1")
    assert message.properties["CLUSTER"] == "DefaultCluster"


@given(messages())
def test_any_message_survives_its_record(message: MessageExt) -> None:
    record = encode_record(message)
    again = decode_record(record)
    message.store_size = len(record)
    message.sys_flag = again.sys_flag
    assert again == message
    assert encode_record(again) == record


@given(messages())
def test_ipv6_bits_follow_from_the_hosts(message: MessageExt) -> None:
    message.sys_flag |= 0x30
    flags = decode_record(encode_record(message)).sys_flag
    assert bool(flags & MessageSysFlag.BORNHOST_V6_FLAG) == (":" in message.born_host.ip)
    assert bool(flags & MessageSysFlag.STOREHOSTADDRESS_V6_FLAG) == (":" in message.store_host.ip)


@given(st.lists(messages(), max_size=5), st.sampled_from([bytes, bytearray, memoryview]))
def test_records_lie_one_behind_the_other_in_any_buffer(
    several: list[MessageExt], buffer: type[bytes | bytearray | memoryview]
) -> None:
    data = b"".join(map(encode_record, several))
    read = list(iter_records(buffer(data)))
    assert [each.body for each in read] == [each.body for each in several]
    assert all(type(each.body) is bytes for each in read)
    assert b"".join(map(encode_record, read)) == data


def test_body_can_be_left_where_it_is() -> None:
    message = decode_record(replicated_log(), read_body=False)
    assert message.body == b""
    assert message.topic == decode_record(replicated_log()).topic


def test_checksum_property_ends_the_record_it_covers() -> None:
    message = MessageExt("topic", b"body", properties_text="TAGS\x01t")
    record = encode_record(message, append_crc=True)
    read = decode_record(record)
    assert read.properties_text.startswith("TAGS\x01t\x02__CRC32#\x01")
    assert crc_from_property(read.properties[PROPERTY_CRC32]) == java_crc32(record[:-20])
    assert encode_record(read) == record
    assert decode_record(encode_record(MessageExt("topic", b""), append_crc=True)).tags is None


FIXED = 88  # bytes before the body, with IPv4 hosts


@pytest.mark.parametrize(
    ("at", "value", "complaint"),
    [
        (0, b"\0\0\0\x5b", r"byte 7, body length: 4 does not fit a record of 91 bytes"),
        (0, b"\0\0\1\0", r"byte 7, size: 256 bytes announced, 107 are left"),
        (0, b"\xff\xff\xff\xff", r"byte 7, body length: 4 does not fit a record of -1 bytes"),
        (4, b"\xcb\xd4\x31\x94", r"byte 7, magic: 0xCBD43194 is not that of a message"),
        (52, b"\0\1\0\0", r"byte 7, born host: port 65536 is outside"),
        (68, b"\xff\xff\xff\xff", r"byte 7, store host: port 4294967295 is outside"),
        (84, b"\x7f\xff\xff\xff", r"byte 7, body length: 2147483647 does not fit"),
        (84, b"\xff\xff\xff\xff", r"byte 7, body length: -1 does not fit"),
        (FIXED + 4, b"\x80", r"byte 7, topic length: 128 does not fit"),
        (FIXED + 4, b"\x0f", r"byte 7, topic length: 15 does not fit: 12 bytes are left"),
        (FIXED + 5, b"\xff", r"topic at byte 100: not UTF-8"),
        (FIXED + 10, b"\xff\xff", r"byte 7, properties length: 65535, but 7 bytes are left"),
        (FIXED + 10, b"\0\6", r"byte 7, properties length: 6, but 7 bytes are left"),
        (FIXED + 18, b"\xc3", r"properties at byte 113: not UTF-8"),
    ],
)
def test_malformed_record_is_refused_with_place_and_field(at: int, value: bytes, complaint: str) -> None:
    record = bytearray(encode_record(MessageExt("topic", b"body", properties_text="TAGS\x01tt")))
    record[at : at + len(value)] = value
    with pytest.raises(RemoteProtocolError, match=complaint):
        decode_record(b"seven b" + record, 7)


@pytest.mark.parametrize("host", ["10.0.0.1", "2001:db8::1"])
def test_record_cut_anywhere_is_refused(host: str) -> None:
    record = encode_record(MessageExt("topic", b"body", store_host=HostAddress(host, 1)))
    for size in range(1, len(record)):
        with pytest.raises(RemoteProtocolError, match="message record at byte 0"):
            list(iter_records(record[:size]))


def test_text_that_is_not_utf8_can_be_read_as_java_reads_it() -> None:
    record = bytearray(encode_record(MessageExt("topic", b"", properties_text="TAGS\x01t\x02")))
    record[-2] = 0xFF
    with pytest.raises(RemoteProtocolError, match="not UTF-8"):
        decode_record(record)
    assert decode_record(record, errors="replace").tags == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (MessageExt("t" * 128, b""), "topic of 128 bytes: a V1 record holds 127"),
        (MessageExt("t", b"", properties_text="p" * 32768), "properties of 32768 bytes"),
        (MessageExt("t", b"", queue_id=2**31), "a number does not fit"),
        (MessageExt("t", b"", born_host=HostAddress("nowhere", 1)), "not an IP address"),
    ],
)
def test_what_no_record_can_hold_is_refused(message: MessageExt, complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        encode_record(message)


def read_and_write(data: bytes) -> None:
    records = list(iter_records(data))
    assert b"".join(map(encode_record, records)) == data
    for record in records:
        assert record.properties is not None


def test_damaged_records_are_refused_or_harmless() -> None:
    samples = [body for _, body in bodies_of_records() if len(body) < 4000]
    assert count_refusals(samples, read_and_write, 5000) > 2000


@pytest.mark.slow
def test_many_damaged_records_are_refused_or_harmless() -> None:
    samples = [body for _, body in bodies_of_records() if len(body) < 4000]
    assert count_refusals(samples, read_and_write, 100_000) > 40_000
