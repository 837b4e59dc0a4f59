"""Batches: as clients send them, and as brokers of BatchCQ topics store them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import LocalProtocolError, RemoteProtocolError, RemotingCommand, RequestCode
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.message import Message, MessageExt
from rocketmq_protocol.message_batch import (
    BatchEntry,
    check_batch,
    encode_batch,
    is_inner_batch,
    iter_batch,
    mark_inner_batch,
    unwrap_inner_batch,
)
from rocketmq_protocol.message_record import decode_record, encode_record
from rocketmq_protocol.properties import format_properties, parse_properties
from tests.message_samples import INT32, PROPERTIES, count_refusals, decoded

ENTRIES = st.builds(BatchEntry, INT32, st.binary(max_size=50), PROPERTIES.map(format_properties))


def golden_batches() -> list[tuple[str, RemotingCommand]]:
    """All but those that a test of the broker's refusals had sent."""
    return [
        (golden.peer, command)
        for golden, command in decoded({"request", "oneway"}, {RequestCode.SEND_BATCH_MESSAGE})
        if command.body not in (b"not a batch", b"x")
    ]


def test_golden_batches_are_written_again_byte_for_byte() -> None:
    batches = golden_batches()
    assert len(batches) == 55
    for _, command in batches:
        assert b"".join(entry.encode() for entry in iter_batch(command.body)) == command.body


def test_golden_batches_are_what_we_make_of_their_messages() -> None:
    count = 0
    for peer, command in golden_batches():
        messages = []
        for entry in iter_batch(command.body):
            message = Message("topic", entry.body, flag=entry.flag)
            message.properties.clear()
            message.properties.update(parse_properties(entry.properties_text))
            messages.append(message)
        assert encode_batch(messages, closing_separator=peer.endswith("5.5.0")) == command.body
        count += len(messages)
    assert count == 211


def test_smallest_batch_is_the_one_java_writes() -> None:
    body = encode_batch([Message("topic", b"b")])
    assert body.hex() == "000000210000000000000000000000000000000162000a57414954017472756502"


@given(st.lists(ENTRIES, max_size=5), st.sampled_from([bytes, memoryview]))
def test_entries_survive_their_batch(entries: list[BatchEntry], buffer: type[bytes | memoryview]) -> None:
    assert list(iter_batch(buffer(b"".join(entry.encode() for entry in entries)))) == entries


@pytest.mark.parametrize(
    ("at", "value", "complaint"),
    [
        (0, b"\0\0\1\0", "entry at byte 33, size: 256 bytes announced, 33 are left"),
        (0, b"\xff\xff\xff\xff", "entry at byte 33, body length: 1 does not fit an entry of -1 bytes"),
        (16, b"\xff\xff\xff\xff", "entry at byte 33, body length: -1 does not fit"),
        (16, b"\0\0\0\x10", "entry at byte 33, body length: 16 does not fit|properties length"),
        (21, b"\0\x0b", "entry at byte 33, properties length: 11, but 10 bytes are left"),
        (23, b"\xff", "properties at byte 56: not UTF-8"),
    ],
)
def test_malformed_entry_is_refused_with_place_and_field(at: int, value: bytes, complaint: str) -> None:
    entry = bytearray(BatchEntry(0, b"b", "WAIT\x01true\x02").encode())
    sound = bytes(entry)
    entry[at : at + len(value)] = value
    with pytest.raises(RemoteProtocolError, match=complaint):
        list(iter_batch(sound + entry))


def test_batch_cut_anywhere_is_refused() -> None:
    entry = BatchEntry(1, b"body", "a\x01b\x02").encode()
    for size in range(1, len(entry)):
        with pytest.raises(RemoteProtocolError, match="entry at byte 0"):
            list(iter_batch(entry[:size]))


def test_damaged_batches_are_refused_or_harmless() -> None:
    samples = [command.body for _, command in golden_batches()]
    assert count_refusals(samples, lambda body: list(iter_batch(body)), 2000) > 1000


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([], "at least one"),
        ([Message("a", b""), Message("b", b"")], "topics 'a' and 'b'"),
        ([Message("%RETRY%g", b"")], "retry topic"),
        ([Message("a", b""), Message("a", b"", wait_store_ok=False)], "agree on waiting"),
        ([Message("a", b"", delay_level=1)], "delayed"),
    ],
)
def test_messages_that_cannot_travel_together_are_refused(messages: list[Message], complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        check_batch(messages)


def test_messages_of_one_topic_travel_together() -> None:
    check_batch([Message("a", b"1"), Message("a", b"2", tags="t")])


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (BatchEntry(2**31, b"", ""), "flag 2147483648"),
        (BatchEntry(0, b"", "p" * 32768), "properties of 32768 bytes"),
    ],
)
def test_what_no_entry_can_hold_is_refused(entry: BatchEntry, complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        entry.encode()


def inner_batch() -> MessageExt:
    message = MessageExt(
        "topic",
        encode_batch(
            [Message("topic", b"one", tags="t1", flag=1), Message("topic", b"two", tags="t2", flag=2)]
        ),
        properties_text="UNIQ_KEY\x01outer\x02WAIT\x01false\x02",
        queue_id=3,
        queue_offset=100,
        commit_log_offset=5000,
        born_timestamp=1,
        born_host=HostAddress("10.0.0.1", 1),
        store_timestamp=2,
        store_host=HostAddress("::1", 2),
        reconsume_times=1,
    )
    mark_inner_batch(message)
    return decode_record(encode_record(message))


def test_inner_batch_says_how_many_messages_it_holds_from_where() -> None:
    message = inner_batch()
    assert is_inner_batch(message)
    assert (message.properties["INNER_NUM"], message.properties["INNER_BASE"]) == ("2", "100")
    assert message.sys_flag & 0xC0 == 0xC0
    assert not is_inner_batch(MessageExt("topic", b"", sys_flag=0x80))


def test_messages_of_an_inner_batch_share_its_place_and_keep_their_own() -> None:
    outer = inner_batch()
    one, two = unwrap_inner_batch(outer)
    assert (one.queue_offset, two.queue_offset) == (100, 101)
    assert (one.body, two.body) == (b"one", b"two")
    assert (one.flag, two.flag) == (1, 2)
    assert one.properties == {"TAGS": "t1", "WAIT": "false"}  # the batch waits or does not, as a whole
    for message in (one, two):
        for name in ("topic", "queue_id", "commit_log_offset", "sys_flag", "born_host", "store_host"):
            assert getattr(message, name) == getattr(outer, name)
        assert (message.born_timestamp, message.store_timestamp, message.reconsume_times) == (1, 2, 0)
