"""Message ids: the client's and the broker's."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import LocalProtocolError, RemoteProtocolError, RequestCode
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.message_id import (
    UniqueId,
    UniqueIdGenerator,
    offset_message_id,
    parse_offset_message_id,
    parse_unique_id,
)
from rocketmq_protocol.message_record import iter_records
from tests.message_samples import HOSTS, INT64, bodies_of_records, decoded

SHANGHAI = ZoneInfo("Asia/Shanghai")


def millis(*moment: int, zone: ZoneInfo | None = None) -> int:
    return round(datetime(*moment, tzinfo=zone or UTC).timestamp() * 1000)  # type: ignore[arg-type,misc]


@given(HOSTS, INT64)
def test_offset_id_names_host_and_offset(host: HostAddress, offset: int) -> None:
    text = offset_message_id(host, offset)
    assert len(text) == (56 if ":" in host.ip else 32)
    assert parse_offset_message_id(text) == (host, offset)
    assert str(parse_offset_message_id(text.lower())) == text


def test_golden_send_responses_carry_offset_ids() -> None:
    sends = {RequestCode.SEND_MESSAGE, RequestCode.SEND_MESSAGE_V2, RequestCode.SEND_BATCH_MESSAGE}
    ids = [
        text
        for _, command in decoded({"response"}, sends)
        for text in (command.ext_fields or {}).get("msgId", "").split(",")
        if text
    ]
    assert len(ids) > 600
    for text in ids:
        assert str(parse_offset_message_id(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("C0A80001", "8 characters"),
        ("C0A8000100002A9F000000000001E24G", "not hexadecimal"),
        ("C0A8000100012A9F000000000001E240", "port 76447"),
        ("", "0 characters"),
    ],
)
def test_what_is_no_offset_id_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(RemoteProtocolError, match=complaint):
        parse_offset_message_id(text)


def test_offset_beyond_64_bits_is_our_own_mistake() -> None:
    with pytest.raises(LocalProtocolError, match="64 bits"):
        offset_message_id(("10.0.0.1", 1), 2**63)


def test_generator_writes_address_process_time_and_counter() -> None:
    now = millis(2026, 3, 1, 0, 0, 1, zone=SHANGHAI)
    generator = UniqueIdGenerator("192.0.2.1", 0x12345, -2, clock=lambda: now, zone=SHANGHAI)
    assert generator.next_id() == "C00002012345FFFFFFFE000003E80000"
    assert generator.next_id() == "C00002012345FFFFFFFE000003E80001"
    assert parse_unique_id(generator.next_id()) == UniqueId("192.0.2.1", 0x2345, -2, 1000, 2)


def test_generator_counts_time_from_the_start_of_each_month() -> None:
    times = iter(
        [millis(2026, 1, 31, 23, 59, 59), millis(2026, 1, 31, 23, 59, 59), millis(2026, 2, 1, 0, 0, 2)]
    )
    generator = UniqueIdGenerator("::1", 1, 1, clock=lambda: next(times), zone=ZoneInfo("UTC"))
    assert parse_unique_id(generator.next_id()).elapsed_millis == 31 * 86_400_000 - 1000
    assert parse_unique_id(generator.next_id()).elapsed_millis == 2000


def test_clock_set_back_a_little_before_the_month_counts_as_its_start() -> None:
    times = iter([millis(2026, 2, 1), millis(2026, 1, 31, 23, 59, 50), millis(2026, 1, 31, 0, 0, 0)])
    generator = UniqueIdGenerator("10.0.0.1", 1, 1, clock=lambda: next(times), zone=ZoneInfo("UTC"))
    assert parse_unique_id(generator.next_id()).elapsed_millis == 0
    assert parse_unique_id(generator.next_id()).elapsed_millis == 2**32 - 86_400_000


def test_counter_wraps_after_16_bits() -> None:
    generator = UniqueIdGenerator("10.0.0.1", 1, 1, clock=lambda: 0, zone=ZoneInfo("UTC"))
    ids = [generator.next_id() for _ in range(65537)]
    assert len(set(ids[:-1])) == 65536
    assert ids[-1] == ids[0]


def test_generator_needs_an_address() -> None:
    with pytest.raises(LocalProtocolError, match="localhost"):
        UniqueIdGenerator("localhost", 1, 1, clock=lambda: 0)


@given(st.integers(0, 4_000_000_000_000), st.integers(0, 27 * 86_400_000))
def test_birth_is_found_for_ids_younger_than_a_month(born: int, age: int) -> None:
    generator = UniqueIdGenerator("10.0.0.1", 1, 1, clock=lambda: born, zone=SHANGHAI)
    assert parse_unique_id(generator.next_id()).born_at(born + age + 1, SHANGHAI) == born


def test_golden_messages_were_born_when_their_unique_ids_say() -> None:
    checked = 0
    for _, body in bodies_of_records():
        for message in iter_records(body):
            if message.unique_id is not None:
                born = parse_unique_id(message.unique_id).born_at(message.born_timestamp + 5000, UTC)
                assert abs(born - message.born_timestamp) < 2000
                checked += 1
    assert checked > 700


def test_what_is_no_unique_id_is_refused() -> None:
    with pytest.raises(RemoteProtocolError, match="unique id 'order-17' has 8 characters"):
        parse_unique_id("order-17")
