"""Packed bodies, and those that only pretend."""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Callable

import lz4.frame
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.compression import CompressionType, compress, decompress
from rocketmq_protocol.message_record import iter_records
from rocketmq_protocol.sysflag import MessageSysFlag
from tests.message_samples import bodies_of_records, count_refusals

KINDS = list(CompressionType)


@given(st.binary(max_size=2000), st.sampled_from(KINDS), st.integers(1, 9))
def test_packed_bodies_unpack(body: bytes, kind: CompressionType, level: int) -> None:
    packed = compress(body, kind, level)
    assert decompress(packed, kind) == body
    assert decompress(packed, kind, len(body)) == body


@pytest.mark.parametrize("kind", KINDS)
def test_bodies_far_bigger_than_packed_unpack(kind: CompressionType) -> None:
    body = bytes(5_000_000)
    assert decompress(compress(body, kind), kind, len(body)) == body


def test_golden_bodies_of_each_kind_unpack() -> None:
    seen = set()
    for _, data in bodies_of_records():
        for message in iter_records(data):
            if message.sys_flag & MessageSysFlag.COMPRESSED_FLAG:
                kind = CompressionType.from_sys_flag(message.sys_flag)
                assert len(decompress(message.body, kind)) > len(message.body)
                seen.add(kind)
    assert seen == set(KINDS)


def test_flags_tell_the_kind_and_old_clients_mean_zlib() -> None:
    for kind in KINDS:
        assert CompressionType.from_sys_flag(kind.sys_flag) is kind
    assert CompressionType.ZLIB.sys_flag == 0x301
    assert CompressionType.from_sys_flag(MessageSysFlag.COMPRESSED_FLAG) is CompressionType.ZLIB
    with pytest.raises(RemoteProtocolError, match="unknown compression type 5"):
        CompressionType.from_sys_flag(0x501)


@pytest.mark.parametrize("kind", KINDS)
def test_body_above_the_limit_is_refused(kind: CompressionType) -> None:
    packed = compress(bytes(1000), kind)
    with pytest.raises(
        RemoteProtocolError, match=f"{kind.name} body of {len(packed)} bytes, at most 999 unpacked"
    ):
        decompress(packed, kind, 999)


BOMB = bytes(64 * 1024 * 1024)
BOMBS: dict[str, tuple[CompressionType, Callable[[], bytes]]] = {
    "zlib": (CompressionType.ZLIB, lambda: zlib.compress(BOMB, 9)),
    "lz4": (CompressionType.LZ4, lambda: lz4.frame.compress(BOMB, store_size=False)),
    "lz4, size told": (CompressionType.LZ4, lambda: lz4.frame.compress(BOMB)),
    "zstd": (CompressionType.ZSTD, lambda: zstandard.ZstdCompressor(write_content_size=False).compress(BOMB)),
    "zstd, size told": (CompressionType.ZSTD, lambda: zstandard.ZstdCompressor().compress(BOMB)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bomb_is_stopped_before_it_takes_memory(name: str) -> None:
    kind, pack = BOMBS[name]
    bomb = pack()
    limit = 1024 * 1024
    tracemalloc.start()
    try:
        with pytest.raises(RemoteProtocolError):
            decompress(bomb, kind, limit)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * limit


@pytest.mark.parametrize("kind", KINDS)
def test_body_cut_anywhere_is_refused(kind: CompressionType) -> None:
    packed = compress(bytes(range(256)) * 20, kind)
    for size in range(len(packed)):
        with pytest.raises(RemoteProtocolError, match=kind.name):
            decompress(packed[:size], kind)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bodies_are_refused_or_harmless(kind: CompressionType) -> None:
    samples = [
        compress(b"again and again " * 20, kind),
        compress(b"", kind),
        compress(bytes(range(256)), kind),
    ]
    assert count_refusals(samples, lambda body: decompress(body, kind, 10_000), 1000) > 500
