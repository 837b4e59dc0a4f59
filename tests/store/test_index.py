"""Finding messages by key, by unique key and by tag."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol.hashing import index_hash, message_index_keys
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.config import StoreConfig
from rocketpy.store.index_file import IndexFile
from rocketpy.store.key_hash import index_hashes
from rocketpy.store.key_index import KeyIndex
from rocketpy.store.message_store import MessageStore
from tests.store.conftest import Clock
from tests.store.samples import FOREVER, fill, found_by_key, message, numbered


def bodies(
    store: MessageStore,
    key: str,
    *,
    topic: str = "T",
    count: int = 64,
    begin: int = 0,
    end: int = FOREVER,
    by_tag: bool = False,
) -> list[bytes]:
    found = store.query(topic, key, count, begin, end, by_tag=by_tag)
    return [decode_record(record).body for record in found]


def put(store: MessageStore, body: bytes, properties: bytes, topic: str = "T", sys_flag: int = 0) -> None:
    store.append(message(body, topic, properties=properties, sys_flag=sys_flag))


def test_a_message_is_found_by_each_of_its_keys(store: MessageStore) -> None:
    put(store, b"one", b"KEYS\x01a bb  c\x02UNIQ_KEY\x01u1\x02")
    put(store, b"two", b"UNIQ_KEY\x01u2\x02KEYS\x01bb")
    assert bodies(store, "a") == [b"one"]
    assert bodies(store, "bb") == [b"two", b"one"]
    assert bodies(store, "c") == [b"one"]
    assert bodies(store, "u1") == [b"one"]
    assert bodies(store, "u2") == [b"two"]
    assert bodies(store, "") == []
    assert bodies(store, "nobody") == []


def test_newest_comes_first_and_no_more_than_asked_for(store: MessageStore) -> None:
    for number in range(10):
        put(store, b"%d" % number, b"KEYS\x01k\x02")
    assert bodies(store, "k", count=3) == [b"9", b"8", b"7"]
    assert len(bodies(store, "k", count=64)) == 10


def test_no_more_than_the_store_allows(small_config: StoreConfig) -> None:
    with MessageStore(replace(small_config, query_max_num=5)) as store:
        for number in range(10):
            put(store, b"%d" % number, b"KEYS\x01k\x02")
        assert len(bodies(store, "k", count=64)) == 5


def test_other_topics_are_not_found(store: MessageStore) -> None:
    put(store, b"mine", b"KEYS\x01k\x02", "Mine")
    put(store, b"yours", b"KEYS\x01k\x02", "Yours")
    assert bodies(store, "k", topic="Mine") == [b"mine"]


def test_keys_with_the_same_hash_are_told_apart(store: MessageStore) -> None:
    assert index_hash("T#Aa") == index_hash("T#BB")
    put(store, b"Aa", b"KEYS\x01Aa\x02")
    put(store, b"BB", b"KEYS\x01BB\x02")
    assert bodies(store, "Aa") == [b"Aa"]
    assert bodies(store, "BB") == [b"BB"]


def test_keys_that_share_a_slot_are_told_apart(small_config: StoreConfig) -> None:
    with MessageStore(replace(small_config, index_slots=1)) as store:
        for number in range(30):
            put(store, b"%d" % number, b"KEYS\x01k%d\x02" % (number % 3))
        assert bodies(store, "k1") == [b"%d" % number for number in range(28, -1, -3)]


def test_a_tag_finds_its_messages_and_is_no_key(store: MessageStore) -> None:
    put(store, b"red", b"TAGS\x01red\x02KEYS\x01k\x02")
    put(store, b"blue", b"TAGS\x01blue\x02KEYS\x01red\x02")
    assert bodies(store, "red", by_tag=True) == [b"red"]
    assert bodies(store, "red") == [b"blue"]


def test_only_the_span_of_time_asked_for_is_searched(store: MessageStore, clock: Clock) -> None:
    start = clock.now
    for second in range(10):
        clock.now = start + second * 1000 + 700
        put(store, b"%d" % second, b"KEYS\x01k\x02")
    assert bodies(store, "k", begin=start + 2700, end=start + 4700) == [b"4", b"3", b"2"]
    assert bodies(store, "k", begin=start + 2701, end=start + 4699) == [b"3"]
    assert bodies(store, "k", end=start + 700) == [b"0"]
    assert bodies(store, "k", begin=start + 9701) == []
    assert bodies(store, "k", end=start + 699) == []


def test_the_span_may_reach_over_several_files(store: MessageStore, clock: Clock) -> None:
    start = clock.now
    for number in range(900):
        clock.now = start + number * 1000
        put(store, b"%d" % number, b"KEYS\x01k%d\x02UNIQ_KEY\x01u%d\x02" % (number % 9, number))
    assert store.index is not None
    assert len(store.index.files) > 3
    for number in range(0, 900, 37):
        assert bodies(store, f"u{number}") == [b"%d" % number]
    found = bodies(store, "k5", begin=start + 300_000, end=start + 600_000)
    assert found == [b"%d" % number for number in range(599, 300, -9)]


def test_rollbacks_are_not_indexed_but_halves_are(store: MessageStore) -> None:
    put(store, b"half", b"KEYS\x01k\x02", sys_flag=MessageSysFlag.TRANSACTION_PREPARED_TYPE)
    put(store, b"back", b"KEYS\x01k\x02", sys_flag=MessageSysFlag.TRANSACTION_ROLLBACK_TYPE)
    assert bodies(store, "k") == [b"half"]


def test_messages_that_are_gone_are_not_found(store: MessageStore) -> None:
    fill(store, 500)
    assert found_by_key(store, numbered(0), "Topic0") == [numbered(0)]
    store.log.delete_first()
    assert found_by_key(store, numbered(0), "Topic0") == []
    assert found_by_key(store, numbered(499), "Topic1") == [numbered(499)]


def test_index_files_whose_messages_are_gone_are_deleted(store: MessageStore) -> None:
    fill(store, 1000)
    index = store.index
    assert index is not None
    files = len(index.files)
    deleted = index.delete_expired_files(store.log.segments[2].base)
    assert 0 < deleted == files - len(index.files)
    assert found_by_key(store, numbered(999), "Topic1") == [numbered(999)]
    assert index.delete_expired_files(FOREVER) == files - deleted - 1  # the last one stays
    assert len(index.files) == 1


def test_without_an_index_nothing_is_found(small_config: StoreConfig) -> None:
    with MessageStore(replace(small_config, message_index_enable=False)) as store:
        fill(store, 3)
        assert found_by_key(store, numbered(0), "Topic0") == []


def test_an_entry_that_points_at_no_record_is_passed_over(store: MessageStore) -> None:
    """Java leaves such entries behind when it cuts its log."""
    put(store, b"good", b"KEYS\x01k\x02")
    end = store.log.max_offset
    assert store.index is not None
    put(store, bytes(500), b"")
    store.index.put([index_hash("T#k")], end + 57, FOREVER // 10**6)
    assert bodies(store, "k") == [b"good"]


# One file


def test_a_full_file_takes_what_fits(tmp_path: Path) -> None:
    file = IndexFile(tmp_path / "index", 7, 5)
    assert (file.put([1, 2, 3], 100, 1000), file.is_full) == (3, False)
    assert (file.put([4, 5], 200, 2000), file.is_full) == (1, True)
    assert (file.put([6], 300, 3000), file.is_full) == (0, True)
    assert (file.count, file.end_physical, file.end_timestamp) == (4, 200, 2000)
    file.close()


def test_a_file_comes_back_as_it_was(tmp_path: Path) -> None:
    file = IndexFile(tmp_path / "index", 7, 50)
    for number in range(20):
        file.put([number % 4, 77], number * 10, 1000 + number)
    file.close()
    again = IndexFile(tmp_path / "index", 7, 50)
    assert (again.count, again.begin_physical, again.end_physical) == (40, 0, 190)
    assert (again.begin_timestamp, again.end_timestamp) == (1000, 1019)
    assert list(again.find(2, 0, FOREVER)) == [180, 140, 100, 60, 20]
    assert list(again.find(77, 0, FOREVER)) == [number * 10 for number in range(19, -1, -1)]
    again.close()


@pytest.mark.parametrize("cut", [0, 1, 100, 105, 190, 191])
def test_a_file_forgets_what_lies_behind_a_cut(tmp_path: Path, cut: int) -> None:
    file = IndexFile(tmp_path / "index", 7, 50)
    for number in range(20):
        file.put([number % 4, 77], number * 10, 1000 + number)
    file.truncate(cut)
    assert list(file.find(77, 0, FOREVER)) == [
        number * 10 for number in range(19, -1, -1) if number * 10 < cut
    ]
    assert list(file.find(3, 0, FOREVER)) == [
        number * 10 for number in range(19, -1, -4) if number * 10 < cut
    ]
    file.put([3], 500, 2000)
    assert next(file.find(3, 0, FOREVER)) == 500
    file.close()


def test_files_made_in_one_millisecond_have_names_in_order(tmp_path: Path) -> None:
    index = KeyIndex(tmp_path / "index", 5, 3)
    for number in range(20):
        index.put([number], number * 100, 1_700_000_000_000)
    names = [file.path.name for file in index.files if file.path is not None]
    assert len(names) == 10
    assert names == sorted(set(names))
    assert all(len(name) == 17 for name in names)
    index.close()


def test_the_keys_of_one_message_may_lie_in_two_files(tmp_path: Path) -> None:
    index = KeyIndex(tmp_path / "index", 5, 4)
    index.put([1, 2], 100, 1_700_000_000_000)
    index.put([3, 4, 5], 200, 1_700_000_000_001)
    assert len(index.files) == 2
    for key_hash in (3, 4, 5):
        assert [physical for file in index.files for physical in file.find(key_hash, 0, FOREVER)] == [200]
    index.put([3, 4, 5], 200, 1_700_000_000_001)  # once more, as a recovery may do
    assert sum(file.count for file in index.files) == 5
    index.close()


# Hashes


PRINTABLE = st.text(st.characters(codec="utf-8", exclude_characters=" \x01\x02"), min_size=1, max_size=40)


@given(
    topic=PRINTABLE,
    unique_key=st.none() | PRINTABLE,
    keys=st.lists(PRINTABLE, max_size=3),
    tags=st.none() | PRINTABLE,
)
def test_hashes_of_raw_keys_are_those_of_their_text(
    topic: str, unique_key: str | None, keys: list[str], tags: str | None
) -> None:
    raw = [text.encode() if text is not None else None for text in (unique_key, " ".join(keys) or None, tags)]
    expected = [index_hash(key) for key in message_index_keys(topic, unique_key, " ".join(keys), tags)]
    assert index_hashes(topic, *raw) == expected


@pytest.mark.parametrize("length", [1, 255, 256, 257, 5000])
def test_keys_of_any_length_are_hashed_alike(length: int) -> None:
    key = "Zz~!" * (length // 4) + "x" * (length % 4)
    assert index_hashes("T", key.encode(), None, None) == [index_hash(f"T#{key}")]


def test_the_one_hash_without_an_absolute_value_is_zero() -> None:
    # "T#" + this text hashes to -2^31.
    for text in _texts_hashing_to_int_min():
        assert index_hash(text) == 0
        topic, _, key = text.partition("#")
        assert index_hashes(topic, key.encode(), None, None) == [0]


def _texts_hashing_to_int_min() -> list[str]:
    """Solve hash("T#" + six characters) = -2^31 digit by digit."""
    target = 2**31 - (ord("T") * 31 + ord("#")) * 31**7
    for multiple in range(40, 400):
        left, characters = target % 2**32 + multiple * 2**32, []
        for _ in range(7):
            character = left % 31 + 62 if left % 31 + 62 < 127 else left % 31 + 31
            characters.append(character)
            left = (left - character) // 31
        if left == 0:
            return ["T#" + "".join(map(chr, reversed(characters)))]
    return []
