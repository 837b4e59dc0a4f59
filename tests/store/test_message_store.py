"""Appending and looking up: offsets, files, versions, hosts, transactions, delays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rocketmq_protocol.hosts import HostAddress, host_bytes
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.append import Appended, AppendRefused, NewMessage, PutStatus
from rocketpy.store.config import StoreConfig
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from tests.store.conftest import Clock
from tests.store.golden import small_files
from tests.store.samples import contents, fill, message, numbered, reopen

PREPARED = MessageSysFlag.TRANSACTION_PREPARED_TYPE
COMMIT = MessageSysFlag.TRANSACTION_COMMIT_TYPE
ROLLBACK = MessageSysFlag.TRANSACTION_ROLLBACK_TYPE


def test_a_message_is_given_back_as_it_was(store: MessageStore, clock: Clock) -> None:
    appended = store.append(
        NewMessage(
            topic="Orders",
            queue_id=3,
            body="büro".encode(),
            properties=b"KEYS\x01k1 k2\x02TAGS\x01new\x02",
            flag=7,
            born_timestamp=1_600_000_000_000,
            born_host=host_bytes(HostAddress("10.1.2.3", 4321)),
            store_host=host_bytes(HostAddress("10.4.5.6", 10911)),
            reconsume_times=2,
            prepared_offset=99,
        )
    )
    record = store.lookup(appended.offset)
    assert record is not None
    assert len(record) == appended.size
    found = decode_record(record)
    assert (found.topic, found.queue_id, found.body) == ("Orders", 3, "büro".encode())
    assert found.properties == {"KEYS": "k1 k2", "TAGS": "new"}
    assert (found.flag, found.reconsume_times, found.prepared_transaction_offset) == (7, 2, 99)
    assert (found.born_timestamp, found.store_timestamp) == (1_600_000_000_000, clock.now)
    assert (found.born_host, found.store_host) == (
        HostAddress("10.1.2.3", 4321),
        HostAddress("10.4.5.6", 10911),
    )


def test_each_queue_counts_its_own_messages(store: MessageStore) -> None:
    assert [store.append(message(b"a", "T", 0)).queue_offset for _ in range(3)] == [0, 1, 2]
    assert [store.append(message(b"b", "T", 1)).queue_offset for _ in range(2)] == [0, 1]
    assert [store.append(message(b"c", "U", 0)).queue_offset for _ in range(1)] == [0]
    assert (store.min_offset("T", 0), store.max_offset("T", 0)) == (0, 3)
    assert (store.min_offset("T", 9), store.max_offset("T", 9)) == (0, 0)


def test_records_lie_behind_each_other(store: MessageStore) -> None:
    first = store.append(message(b"first"))
    second = store.append(message(b"second", "Other"))
    assert first.offset == 0
    assert second.offset == first.end
    assert store.log.max_offset == second.end


def test_the_log_rolls_to_a_new_file_and_reads_on_across_it(store: MessageStore) -> None:
    fill(store, 500)
    assert [segment.base for segment in store.log.segments] == [0, 65536, 131072]
    assert sorted(body for _, listed in contents(store).values() for body in listed) == [
        numbered(number) for number in range(500)
    ]


def test_a_record_that_leaves_eight_bytes_fits_and_one_that_leaves_seven_does_not(tmp_path: Path) -> None:
    for spare, files in ((8, 1), (7, 2)):
        with MessageStore(small_files(tmp_path / str(spare))) as store:
            used = store.append(message(b"x")).end
            fixed = store.append(message(b"")).size
            used += fixed
            store.append(message(bytes(65536 - used - spare - fixed), properties=message(b"").properties))
            assert len(store.log.segments) == files


def test_a_message_that_fits_no_file_is_refused(store: MessageStore) -> None:
    with pytest.raises(AppendRefused, match="do not fit a commit log file") as refused:
        store.append(message(bytes(65536)))
    assert refused.value.status is PutStatus.MESSAGE_ILLEGAL
    assert store.append(message(b"next")).offset == 0


def test_a_body_above_the_limit_is_refused(small_config: StoreConfig) -> None:
    with MessageStore(replace(small_config, max_message_size=1000)) as store:
        store.append(message(bytes(1000)))
        with pytest.raises(AppendRefused, match="maxMessageSize is 1000") as refused:
            store.append(message(bytes(1001)))
        assert refused.value.status is PutStatus.MESSAGE_ILLEGAL


def test_properties_above_the_limit_are_refused(store: MessageStore) -> None:
    store.append(message(b"x", properties=bytes(32767)))
    with pytest.raises(AppendRefused) as refused:
        store.append(message(b"x", properties=bytes(32768)))
    assert refused.value.status is PutStatus.PROPERTIES_SIZE_EXCEEDED


@pytest.mark.parametrize("topic", ["", ".", "..", "a/b", "nul\0", "t" * 256, "ü" * 128, "\ud800"])
def test_a_topic_that_can_have_no_folder_is_refused(store: MessageStore, topic: str) -> None:
    with pytest.raises(AppendRefused) as refused:
        store.append(message(b"x", topic))
    assert refused.value.status is PutStatus.MESSAGE_ILLEGAL
    assert store.log.max_offset == 0


def test_a_queue_id_below_zero_is_refused(store: MessageStore) -> None:
    with pytest.raises(AppendRefused, match="queue id -1"):
        store.append(message(b"x", queue_id=-1))


def test_a_store_shut_for_writes_refuses_and_stores_nothing(store: MessageStore) -> None:
    store.writable = False
    with pytest.raises(AppendRefused) as refused:
        store.append(message(b"x"))
    assert refused.value.status is PutStatus.SERVICE_NOT_AVAILABLE
    store.writable = True
    assert store.append(message(b"x")).queue_offset == 0


@pytest.mark.parametrize(("length", "is_v2"), [(127, False), (128, True), (255, True)])
def test_long_topics_are_stored_in_version_two(store: MessageStore, length: int, is_v2: bool) -> None:
    topic = "%RETRY%" + "g" * (length - 7)
    store.append(message(b"before"))
    appended = store.append(message(b"long", topic))
    store.append(message(b"after"))
    record = store.lookup(appended.offset)
    assert record is not None
    assert record[4:8].hex() == ("daa320ab" if is_v2 else "daa320a7")
    assert contents(store) == {("T", 0): (0, [b"before", b"after"]), (topic, 0): (0, [b"long"])}


@pytest.mark.parametrize(
    ("born", "stored"), [("::1", "10.0.0.1"), ("10.0.0.1", "fe80::2"), ("::1", "fe80::2")]
)
def test_ipv6_hosts_are_kept_and_marked(store: MessageStore, clock: Clock, born: str, stored: str) -> None:
    hosts = HostAddress(born, 1234), HostAddress(stored, 10911)
    appended = store.append(
        message(b"six", born_host=host_bytes(hosts[0]), store_host=host_bytes(hosts[1]), queue_id=1)
    )
    record = store.lookup(appended.offset)
    assert record is not None
    found = decode_record(record)
    assert (found.born_host, found.store_host) == hosts
    assert bool(found.sys_flag & MessageSysFlag.BORNHOST_V6_FLAG) == (":" in born)
    assert bool(found.sys_flag & MessageSysFlag.STOREHOSTADDRESS_V6_FLAG) == (":" in stored)
    assert store.log.store_timestamp(appended.offset) == clock.now
    assert store.offset_by_time("T", 1, clock.now) == 0


def test_all_kinds_of_records_survive_a_restart(tmp_path: Path) -> None:
    config = small_files(tmp_path / "store")
    six = host_bytes(HostAddress("fe80::2", 10911))
    with MessageStore(config) as store:
        store.append(message(b"plain"))
        store.append(message(b"six", born_host=six, store_host=six))
        store.append(message(b"long", "%RETRY%" + "g" * 200))
        store.append(message(b""))
        store.append_batch([message(b"one"), message(b"two")])
        written = contents(store)
    assert reopen(config) == written


# Batches


def test_a_batch_takes_consecutive_offsets(store: MessageStore) -> None:
    store.append(message(b"before"))
    batch = store.append_batch([message(b"%d" % number) for number in range(4)])
    assert [appended.queue_offset for appended in batch] == [1, 2, 3, 4]
    assert [appended.offset for appended in batch[1:]] == [appended.end for appended in batch[:-1]]
    assert contents(store)["T", 0] == (0, [b"before", b"0", b"1", b"2", b"3"])


def test_a_batch_lies_in_one_file(store: MessageStore) -> None:
    store.append(message(bytes(60_000)))
    batch = store.append_batch([message(bytes(3000)) for _ in range(3)])
    assert batch[0].offset == 65536
    assert store.append(message(b"after")).offset == batch[-1].end


def test_a_batch_is_stored_wholly_or_not_at_all(store: MessageStore) -> None:
    with pytest.raises(AppendRefused):
        store.append_batch([message(b"good"), message(b"bad", properties=bytes(40_000))])
    with pytest.raises(AppendRefused):
        store.append_batch([message(bytes(30_000)) for _ in range(3)])
    with pytest.raises(AppendRefused, match="one queue"):
        store.append_batch([message(b"a", queue_id=0), message(b"b", queue_id=1)])
    assert store.log.max_offset == 0
    assert contents(store) == {}


# Transactions and delays


def test_halves_and_rollbacks_take_no_place_in_a_queue(store: MessageStore) -> None:
    assert store.append(message(b"1")).queue_offset == 0
    assert store.append(message(b"half", sys_flag=PREPARED)).queue_offset == 0
    assert store.append(message(b"rollback", sys_flag=ROLLBACK)).queue_offset == 0
    assert store.append(message(b"commit", sys_flag=COMMIT)).queue_offset == 1
    assert contents(store) == {("T", 0): (0, [b"1", b"commit"])}


def test_a_delayed_message_has_its_due_time_as_tag_code(store: MessageStore, clock: Clock) -> None:
    for level, seconds in ((1, 1), (3, 10), (18, 7200), (99, 7200)):
        appended = store.append(
            message(
                b"later", "SCHEDULE_TOPIC_XXXX", level, properties=b"DELAY\x01%d\x02TAGS\x01t\x02" % level
            )
        )
        queue = store.queues.get("SCHEDULE_TOPIC_XXXX", level)
        assert queue is not None
        assert queue.entry(0) == (appended.offset, appended.size, clock.now + seconds * 1000)


def test_a_delay_level_elsewhere_is_no_due_time(store: MessageStore) -> None:
    store.append(message(b"now", properties=b"DELAY\x013\x02TAGS\x01TagA\x02"))
    queue = store.queues.get("T", 0)
    assert queue is not None
    entry = queue.entry(0)
    assert entry is not None
    assert entry[2] == 2598919  # "TagA".hashCode()


def test_arrivals_are_told_but_not_halves(small_config: StoreConfig) -> None:
    seen = []
    store = MessageStore(small_config, on_arrival=lambda *arrival: seen.append(arrival))
    with store:
        store.append(message(b"1", "T", 2))
        store.append(message(b"half", "T", 2, sys_flag=PREPARED))
        store.append_batch([message(b"2", "T", 2), message(b"3", "T", 2)])
    assert seen == [("T", 2, 0), ("T", 2, 1), ("T", 2, 2)]


def test_recovery_tells_of_no_arrivals(tmp_path: Path) -> None:
    config = small_files(tmp_path / "store")
    with MessageStore(config) as store:
        fill(store, 10)
    seen = []
    with MessageStore(config, on_arrival=lambda *arrival: seen.append(arrival)):
        assert seen == []


# Looking up


def test_lookup_finds_nothing_outside_the_log(store: MessageStore) -> None:
    last = store.append(message(b"last"))
    assert store.lookup(-1) is None
    assert store.lookup(last.end) is None
    assert store.lookup(last.end + 10**9) is None


def test_a_view_outlives_its_file(store: MessageStore) -> None:
    appended = store.append(message(numbered(0)))
    fill(store, 500)
    view = store.fetch("T", 0, 0).views[0]
    kept = bytes(view)
    store.log.delete_first()
    store.queues.correct_min_offsets(store.log.min_offset)
    assert bytes(view) == kept
    assert decode_record(view).body == numbered(0)
    assert store.lookup(appended.offset) is None
    assert store.fetch("T", 0, 0).status is FetchStatus.OFFSET_TOO_SMALL


def test_a_view_outlives_the_store(small_config: StoreConfig) -> None:
    with MessageStore(small_config) as store:
        store.append(message(b"kept"))
        view = store.fetch("T", 0, 0).views[0]
    assert decode_record(view).body == b"kept"


def test_the_end_of_a_message_is_what_a_flush_must_reach(store: MessageStore) -> None:
    appended = store.append(message(b"x"))
    assert appended.end == Appended(*appended).offset + appended.size
    assert store.log.flushed < appended.end
    assert store.flush() == appended.end
    assert store.log.flushed == appended.end


def test_a_deleted_topic_begins_again_at_zero(store: MessageStore) -> None:
    fill(store, 100)
    store.flush(thorough=True)
    assert store.delete_topics(["Topic1", "Unknown"]) == 2
    assert store.fetch("Topic1", 0, 0).status is FetchStatus.NO_MATCHED_LOGIC_QUEUE
    assert store.append(message(b"again", "Topic1", 0)).queue_offset == 0
    assert contents(store)["Topic1", 0] == (0, [b"again"])
