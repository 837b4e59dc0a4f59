"""Java's habits, as the real virtual machine has them."""

from __future__ import annotations

import pytest

from rocketmq_protocol import javaisms


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("TagA", 2598919), ("polygenelubricants", -(2**31)), ("漢字", 905333), ("😀", 1772899)],
)
def test_string_hash_goes_over_utf16_units(text: str, expected: int) -> None:
    assert javaisms.string_hash(text) == expected


@pytest.mark.parametrize(
    "text", ["", "+", "-", " 1", "1_0", "1.0", "0x1", "2147483648", "-2147483649", "9" * 5000]
)
def test_parse_int_takes_what_integer_parse_int_takes_and_no_more(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a decimal|is outside"):
        javaisms.parse_int(text)


@pytest.mark.parametrize(
    ("text", "value"), [("+5", 5), ("-0", 0), ("007", 7), ("٣", 3), ("-2147483648", -(2**31))]
)
def test_parse_int_reads_signs_and_any_decimal_digits(text: str, value: int) -> None:
    assert javaisms.parse_int(text) == value


def test_a_hash_map_grows_past_three_quarters() -> None:
    assert [javaisms.hash_map_capacity(size) for size in (0, 12, 13, 24, 25)] == [16, 16, 32, 32, 64]


def test_keys_of_one_bucket_keep_the_order_of_their_puts() -> None:
    assert javaisms.hash_order(["C", "Aa", "BB"]) == ["Aa", "BB", "C"]
    assert javaisms.hash_order(["BB", "C", "Aa"]) == ["BB", "Aa", "C"]
