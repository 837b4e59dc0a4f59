"""What a consumer makes of pulled bytes."""

from __future__ import annotations

import pytest

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.compression import CompressionType, compress
from rocketmq_protocol.message import Message, MessageExt
from rocketmq_protocol.message_batch import encode_batch, mark_inner_batch
from rocketmq_protocol.message_record import encode_record
from rocketmq_protocol.pulled import iter_pulled
from rocketmq_protocol.sysflag import MessageSysFlag
from tests.message_samples import bodies_of_records, count_refusals


def packed(kind: CompressionType, body: bytes) -> MessageExt:
    return MessageExt("topic", compress(body, kind), sys_flag=kind.sys_flag | 0x8)


@pytest.mark.parametrize("kind", list(CompressionType))
def test_compressed_body_arrives_plain_and_unmarked(kind: CompressionType) -> None:
    [message] = iter_pulled(encode_record(packed(kind, b"plain")))
    assert message.body == b"plain"
    assert message.sys_flag == kind << 8 | 0x8


def test_empty_body_needs_no_unpacking_whatever_the_flags_say() -> None:
    [message] = iter_pulled(encode_record(MessageExt("topic", b"", sys_flag=CompressionType.LZ4.sys_flag)))
    assert message.body == b""
    assert message.sys_flag & MessageSysFlag.COMPRESSED_FLAG


def test_inner_batches_arrive_as_their_messages_among_the_others() -> None:
    batch = MessageExt(
        "topic", encode_batch([Message("topic", b"1"), Message("topic", b"2")]), queue_offset=7
    )
    mark_inner_batch(batch)
    batch.body = compress(batch.body, CompressionType.ZSTD)
    batch.sys_flag |= CompressionType.ZSTD.sys_flag
    data = b"".join(map(encode_record, [MessageExt("topic", b"0"), batch, MessageExt("topic", b"3")]))
    assert [message.body for message in iter_pulled(data)] == [b"0", b"1", b"2", b"3"]


def test_unpacked_size_is_limited() -> None:
    data = encode_record(packed(CompressionType.ZLIB, bytes(101)))
    with pytest.raises(RemoteProtocolError, match="at most 100 unpacked"):
        list(iter_pulled(data, max_body_size=100))


def test_golden_pull_bodies_arrive() -> None:
    messages = [message for _, body in bodies_of_records() for message in iter_pulled(body)]
    assert len(messages) == 852
    assert not any(message.sys_flag & MessageSysFlag.COMPRESSED_FLAG for message in messages)


def test_damaged_pull_bodies_are_refused_or_harmless() -> None:
    samples = [body for _, body in bodies_of_records() if len(body) < 4000]
    assert count_refusals(samples, lambda body: list(iter_pulled(body, max_body_size=10**6)), 2000) > 1000
