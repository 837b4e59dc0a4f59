"""Checksums of stored messages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol.crc import CRC_PROPERTY_SIZE, crc_from_property, crc_property, java_crc32


def test_checksum_loses_its_highest_bit() -> None:
    assert java_crc32(b"123456789") == 0xCBF43926 & 0x7FFFFFFF
    assert java_crc32(memoryview(b"")) == 0


def test_property_has_its_digits_backwards() -> None:
    assert crc_property(907060870) == b"__CRC32#\x010780607090\x02"
    assert crc_property(0) == b"__CRC32#\x010000000000\x02"


@given(st.integers(0, 2**31 - 1))
def test_checksum_is_found_again_in_its_property(checksum: int) -> None:
    written = crc_property(checksum)
    assert len(written) == CRC_PROPERTY_SIZE == 20
    assert crc_from_property(written[9:19].decode()) == checksum


@pytest.mark.parametrize("value", ["", "12a", "٣", "12345678901", "-1"])
def test_what_is_no_checksum_is_none(value: str) -> None:
    assert crc_from_property(value) is None
