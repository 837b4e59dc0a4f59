"""Tag hashes and index keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol.hashing import index_hash, message_index_keys, tag_hash
from rocketmq_protocol.javaisms import INT_MIN, string_hash


@pytest.mark.parametrize(("tags", "hashed"), [(None, 0), ("", 0), ("TagA", 2598919), ("标签", 857175)])
def test_tag_hash_is_javas_string_hash(tags: str | None, hashed: int) -> None:
    assert tag_hash(tags) == hashed


def test_index_hash_is_never_negative() -> None:
    assert index_hash("orders#key-17") == tag_hash("orders#key-17") == 179510194
    assert index_hash("orders#order-4711") == -tag_hash("orders#order-4711") == 747360416
    # The well-known word whose Java hash is the one number that has no absolute value.
    assert tag_hash("polygenelubricants") == -(2**31)
    assert index_hash("polygenelubricants") == 0


@given(st.text(), st.text(st.characters(codec="ascii"), max_size=20))
def test_index_hash_of_any_key_is_its_string_hash_without_sign(beginning: str, end: str) -> None:
    hashed = string_hash(beginning + end)
    assert index_hash(beginning + end) == (0 if hashed == INT_MIN else abs(hashed))


def test_message_is_indexed_by_unique_id_each_key_and_tag() -> None:
    assert message_index_keys("T", "U1", "k1  k2 ", "TagA") == ["T#U1", "T#k1", "T#k2", "T#T#TagA"]
    assert message_index_keys("T", None, None, None) == []
    assert message_index_keys("T", None, "", "") == []
