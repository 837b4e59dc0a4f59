"""Properties text, as Java reads and writes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from rocketmq_protocol import LocalProtocolError, RequestCode
from rocketmq_protocol.javaisms import DEFAULT_CAPACITY
from rocketmq_protocol.properties import (
    PARSED_CAPACITY,
    check_user_property,
    delete_property,
    format_properties,
    parse_properties,
)
from tests.message_samples import PROPERTIES, decoded

SENDS = {
    RequestCode.SEND_MESSAGE,
    RequestCode.SEND_MESSAGE_V2,
    RequestCode.SEND_BATCH_MESSAGE,
    RequestCode.SEND_REPLY_MESSAGE,
    RequestCode.SEND_REPLY_MESSAGE_V2,
    RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT,
}


def golden_properties() -> Iterator[str]:
    for _, command in decoded({"request", "oneway"}, SENDS):
        ext_fields = command.ext_fields or {}
        text = ext_fields.get("i", ext_fields.get("properties"))
        if text and "\x01" in text:
            yield text


def test_golden_properties_are_in_hash_map_order() -> None:
    texts = list(golden_properties())
    assert len(texts) > 700
    by_hand = 0
    for text in texts:
        closing = text.endswith("\x02")
        # Unlike a reader of Java's, keep an empty value: one client had set KEYS to "".
        put = dict(entry.split("\x01", 1) for entry in text.split("\x02") if entry)
        written = {
            capacity: format_properties(put, capacity=capacity, closing_separator=closing)
            for capacity in (DEFAULT_CAPACITY, PARSED_CAPACITY)
        }
        assert text in written.values()
        by_hand += text == written[DEFAULT_CAPACITY]
    assert by_hand > len(texts) * 0.9  # the rest had been parsed by a 5.x reader before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("a\x01b\x02", {"a": "b"}),
        ("a\x01b", {"a": "b"}),
        ("a\x01b\x01c\x02", {"a": "b\x01c"}),
        ("a\x01\x02\x01b\x02ab\x02\x02c\x01d", {"c": "d"}),
        ("a\x011\x02b\x012\x02a\x013\x02", {"a": "3", "b": "2"}),
    ],
)
def test_entries_without_name_value_or_separator_are_dropped(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


@given(PROPERTIES)
def test_what_is_written_reads_back(properties: dict[str, str]) -> None:
    for closing in (True, False):
        assert parse_properties(format_properties(properties, closing_separator=closing)) == properties


def test_closing_separator_is_the_only_difference_between_releases() -> None:
    properties = {"TAGS": "t", "WAIT": "true"}
    assert format_properties(properties) == format_properties(properties, closing_separator=False) + "\x02"
    assert format_properties({}, closing_separator=False) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\x011\x02b\x012\x02", "b\x012\x02"),
        ("b\x012\x02a\x011\x02", "b\x012\x02"),
        ("b\x012\x02a\x011", "b\x012\x02"),
        ("a\x011\x02b\x012\x02a\x013\x02", "b\x012\x02"),
        ("aa\x011\x02b\x01a\x02", "aa\x011\x02b\x01a\x02"),
        ("a\x011", ""),
        ("", ""),
    ],
)
def test_deleting_a_property_leaves_the_others_as_they_stood(text: str, left: str) -> None:
    assert delete_property(text, "a") == left


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("TAGS", "x", "used by the system"),
        (" ", "x", "blank"),
        ("a", "\t", "blank"),
        ("a\x01", "x", "separate"),
        ("a", "x\x02y\x01z", "separate"),
    ],
)
def test_user_properties_that_would_not_arrive_are_refused(name: str, value: str, complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        check_user_property(name, value)


def test_ordinary_user_properties_are_welcome() -> None:
    check_user_property("город", "Москва \x01")
