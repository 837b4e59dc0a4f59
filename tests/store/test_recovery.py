"""Opening a store after a stop, a crash, or damage: what is whole is kept, the rest is cut off or rebuilt."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from struct import Struct

import pytest

from rocketmq_protocol.message_record import decode_record
from rocketpy.store.checkpoint import Checkpoint
from rocketpy.store.config import StoreConfig
from rocketpy.store.consume_queue import ENTRY, ENTRY_SIZE
from rocketpy.store.errors import StoreCorrupt, StoreLocked
from rocketpy.store.message_store import MessageStore
from rocketpy.store.record_scan import Dispatch
from rocketpy.store.recovery import Recovery
from tests.store.golden import small_files
from tests.store.samples import (
    Contents,
    assert_agrees,
    assert_all_found_by_key,
    contents,
    copy_as_killed,
    fill,
    found_by_key,
    message,
    numbered,
    reopen,
)

INDEX_HEADER = Struct(">qqqqii")


@pytest.fixture
def config(tmp_path: Path) -> StoreConfig:
    return small_files(tmp_path / "store")


def stopped(config: StoreConfig, count: int = 100) -> Contents:
    """Write a store and stop it in order; gives what is in it."""
    with MessageStore(config) as store:
        fill(store, count)
        return contents(store)


def killed(config: StoreConfig, tmp_path: Path, count: int = 100) -> tuple[StoreConfig, Contents]:
    """Write a store, part of it flushed, and kill it."""
    with MessageStore(config) as store:
        fill(store, count // 2)
        store.flush(thorough=True)
        fill(store, count - count // 2, first=count // 2)
        return copy_as_killed(store, tmp_path / "killed"), contents(store)


def log_files(config: StoreConfig) -> list[Path]:
    assert config.path is not None
    return sorted((config.path / "commitlog").iterdir())


def queue_folder(config: StoreConfig, topic: str, queue_id: int) -> Path:
    assert config.path is not None
    return config.path / "consumequeue" / topic / str(queue_id)


def index_files(config: StoreConfig) -> list[Path]:
    assert config.path is not None
    return sorted((config.path / "index").iterdir())


def overwrite(path: Path, position: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(position)
        file.write(data)


def records(config: StoreConfig) -> list[tuple[int, int]]:
    """Offset and size of each record in the log, in order."""
    with MessageStore(config) as store:
        return [(record.physical, record.size) for record in store.log.scan(0, check_crc=True)]


def bodies(found: Contents) -> list[bytes]:
    """All bodies in the order they were appended."""
    return sorted(body for _, listed in found.values() for body in listed)


def first(count: int) -> list[bytes]:
    return [numbered(number) for number in range(count)]


# Stops and kills


def test_a_store_stopped_in_order_comes_back_as_it_was(config: StoreConfig) -> None:
    written = stopped(config, 400)
    with MessageStore(config) as store:
        assert store.recovered is not None
        assert store.recovered.clean
        assert not store.recovered.cut_off
        assert store.recovered.scanned_from > 0  # old files are not looked at again
        assert contents(store) == written
        assert_all_found_by_key(store)
    assert_agrees(config.path)


def test_a_killed_store_comes_back_whole(config: StoreConfig, tmp_path: Path) -> None:
    config, written = killed(config, tmp_path, 400)
    with MessageStore(config) as store:
        assert store.recovered is not None
        assert not store.recovered.clean
        assert contents(store) == written
        assert_all_found_by_key(store)
    assert_agrees(config.path)
    with MessageStore(config) as store:
        assert store.recovered is not None
        assert store.recovered.clean
        assert contents(store) == written


def test_a_store_killed_before_its_first_flush_comes_back_whole(config: StoreConfig, tmp_path: Path) -> None:
    with MessageStore(config) as store:
        fill(store, 400)
        written, config = contents(store), copy_as_killed(store, tmp_path / "killed")
    assert reopen(config) == written


def test_a_store_killed_again_and_again_goes_on(config: StoreConfig, tmp_path: Path) -> None:
    for life in range(5):
        with MessageStore(config) as store:
            assert bodies(contents(store)) == first(life * 60)
            fill(store, 60, first=life * 60)
            if life % 2:
                store.flush(thorough=True)
            config = copy_as_killed(store, tmp_path / f"life-{life}")
    assert bodies(reopen(config)) == first(300)


@pytest.mark.parametrize(
    "step", ["_truncate_derived", "_rebuild", "_scan_tail", "_catch_up", "_has_something_behind"]
)
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_store_killed_while_it_recovers_recovers_again(
    config: StoreConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_killed: bool, step: str
) -> None:
    if is_killed:
        config, written = killed(config, tmp_path, 400)
    else:
        written = stopped(config, 400)
    assert config.path is not None
    shutil.rmtree(config.path / "index")
    shutil.rmtree(queue_folder(config, "Topic1", 1))
    overwrite(log_files(config)[-1], 60_000, b"rubbish")

    def die(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patch:
        patch.setattr(Recovery, step, die)
        with pytest.raises(InterruptedError):
            MessageStore(config).open()
    assert reopen(config) == written
    reopen(config, assert_all_found_by_key)


def test_an_empty_store_opens_and_closes(config: StoreConfig) -> None:
    assert stopped(config, 0) == {}
    assert reopen(config) == {}


def test_appending_goes_on_where_it_ended(config: StoreConfig) -> None:
    stopped(config, 50)
    with MessageStore(config) as store:
        fill(store, 50, first=50)
    assert bodies(reopen(config)) == first(100)


def test_a_second_process_is_refused(config: StoreConfig) -> None:
    def try_to_open(answer: multiprocessing.SimpleQueue[str]) -> None:
        try:
            MessageStore(config).open()
        except StoreLocked as refused:
            answer.put(str(refused))

    with MessageStore(config) as store:
        fill(store, 1)
        context = multiprocessing.get_context("fork")
        answer = context.SimpleQueue()
        child = context.Process(target=try_to_open, args=(answer,))
        child.start()
        child.join()
        assert str(config.path) in answer.get()


def test_the_same_process_is_refused_too_and_the_lock_holds(config: StoreConfig) -> None:
    with MessageStore(config):
        for _ in range(2):
            with pytest.raises(StoreLocked):
                MessageStore(config).open()
    with MessageStore(config):
        pass


# Damage at the end of the log


def test_a_torn_last_record_is_cut_off(config: StoreConfig, tmp_path: Path) -> None:
    config, _ = killed(config, tmp_path)
    offset, size = records(config)[-1]
    for cut in (4, 8, 20, 60, size // 2):  # behind the body only whole sectors can be missing
        torn = replace(config, path=tmp_path / f"torn-{cut}")
        assert torn.path is not None
        assert config.path is not None
        shutil.copytree(config.path, torn.path)
        (torn.path / "abort").write_text("1")
        overwrite(log_files(torn)[0], offset + cut, bytes(size - cut))
        with MessageStore(torn) as store:
            assert store.recovered is not None
            assert store.recovered.cut_off
            assert store.recovered.end == offset
            assert bodies(contents(store)) == first(99)
            assert found_by_key(store, numbered(99), "Topic1") == []
            assert_all_found_by_key(store)
        assert_agrees(torn.path)


def test_pages_that_did_not_reach_the_disk_never_show(config: StoreConfig, tmp_path: Path) -> None:
    """Any sector of the last records may be missing, in any part of a record; no half record is ever seen."""
    with MessageStore(config) as store:
        for number in range(12):
            # Long properties, so that whole sectors lie behind the body.
            properties = b"KEYS\x01m%05d\x02long\x01%s\x02" % (number, b"p" * 700)
            body = numbered(number, 100 * number)
            store.append(message(body, properties=properties))
        store.flush(thorough=True)
        end = store.log.max_offset
        config = copy_as_killed(store, tmp_path / "killed")
        (_, written) = contents(store)["T", 0]
        whole = {bytes(record) for number in range(12) if (record := _record(store, number)) is not None}
    log = log_files(config)[0].read_bytes()
    for sector in range(0, end, 512):
        log_files(config)[0].write_bytes(log[:sector] + bytes(512) + log[sector + 512 :])
        with MessageStore(config) as store:
            (_, found) = contents(store).get(("T", 0), (0, []))
            assert found == written[: len(found)]
            assert {_record(store, number) for number in range(len(found))} <= whole
            config = copy_as_killed(store, tmp_path / f"killed-{sector}")


def _record(store: MessageStore, queue_offset: int) -> bytes | None:
    views = store.fetch("T", 0, queue_offset, 1).views
    return bytes(views[0]) if views else None


def test_zeroed_pages_in_the_tail_are_cut_off(config: StoreConfig, tmp_path: Path) -> None:
    config, _ = killed(config, tmp_path)
    path, where = log_files(config)[0], records(config)
    page = where[-1][0] // 4096 * 4096
    overwrite(path, page, bytes(65536 - page))
    assert config.path is not None
    (config.path / "abort").write_text("1")
    left = sum(offset + size <= page for offset, size in where)
    assert 0 < left < 100
    assert bodies(reopen(config)) == first(left)


def test_a_flipped_bit_in_a_body_cuts_the_log_there(config: StoreConfig) -> None:
    stopped(config)
    offset, size = records(config)[70]
    overwrite(log_files(config)[0], offset + size // 2, b"\xff")
    assert bodies(reopen(config)) == first(70)


def test_a_file_of_the_wrong_size_is_refused_with_advice(config: StoreConfig) -> None:
    stopped(config, 300)
    cut_short = log_files(config)[-1]
    data = cut_short.read_bytes()
    cut_short.write_bytes(data[:5000])
    with pytest.raises(
        StoreCorrupt, match=f"{cut_short.name}: 5000 bytes.*mappedFileSizeCommitLog.*truncate -s"
    ):
        MessageStore(config).open()
    # The advice helps: what is left of the file is found, and the queues follow.
    cut_short.write_bytes(data[:5000] + bytes(65536 - 5000))
    found = bodies(reopen(config))
    assert found == first(len(found))
    assert 200 < len(found) < 300


def test_an_empty_last_file_is_no_damage(config: StoreConfig) -> None:
    """The process died between creating a file and giving it its size."""
    written = stopped(config)
    assert config.path is not None
    for folder, name in (("commitlog", f"{65536:020d}"), ("index", "99999999999999999")):
        (config.path / folder / name).touch()
    (queue_folder(config, "Topic0", 0) / f"{30 * ENTRY_SIZE:020d}").touch()
    assert reopen(config) == written


def test_a_file_made_ahead_is_no_damage(config: StoreConfig) -> None:
    """AllocateMappedFileService makes the next file before it is needed."""
    written = stopped(config)
    (log_files(config)[0].parent / f"{65536:020d}").write_bytes(bytes(65536))
    assert reopen(config) == written
    assert len(log_files(config)) == 1


def test_a_missing_file_in_the_middle_of_the_log_is_refused(config: StoreConfig) -> None:
    stopped(config, 600)
    log_files(config)[1].unlink()
    with pytest.raises(StoreCorrupt, match="one is missing"):
        MessageStore(config).open()


def test_files_behind_the_cut_go_with_it(config: StoreConfig) -> None:
    """Leftovers of an earlier life hold whole records, but nothing leads to them."""
    written = stopped(config, 400)
    leftovers = [(path, path.read_bytes()) for path in log_files(config)[1:]]
    assert leftovers
    assert config.path is not None
    shutil.rmtree(config.path)
    written = stopped(config)
    for path, data in leftovers:
        path.write_bytes(data)
    assert reopen(config) == written
    assert len(log_files(config)) == 1


def test_stale_bytes_behind_the_cut_never_come_back(config: StoreConfig) -> None:
    stopped(config)
    where = records(config)
    log = log_files(config)[0]
    stale = log.read_bytes()
    overwrite(log, where[50][0] + 150, b"\xff")
    with MessageStore(config) as store:
        assert bodies(contents(store)) == first(50)
        # The new message ends where an old one begins.
        store.append(message(numbered(50), "Topic0", 1))
        assert store.log.max_offset == where[51][0]
    assert bodies(reopen(config)) == first(51)
    assert stale[where[51][0] :].strip(b"\0")
    assert not log.read_bytes()[where[51][0] :].strip(b"\0")


def test_an_old_broken_record_does_not_take_the_newer_files_with_it(config: StoreConfig) -> None:
    """Only the tail is cut; damage in older files shows where queues have to be rebuilt from them."""
    stopped(config, 800)
    where = records(config)
    middle = next(number for number, (offset, _) in enumerate(where) if offset > 65536 + 30_000)
    overwrite(log_files(config)[1], where[middle][0] - 65536 + 4, b"\xff")
    config = replace(config, commit_log_recover_max_num=1)
    assert config.path is not None
    shutil.rmtree(config.path / "consumequeue")
    with MessageStore(config) as store:
        found = set(bodies(contents_with_gaps(store)))
    lost = sum(where[middle][0] <= offset < 2 * 65536 for offset, _ in where)
    assert len(found) == 800 - lost
    assert numbered(799) in found


def contents_with_gaps(store: MessageStore) -> Contents:
    """As `contents`, but messages may be missing in between."""
    found: Contents = {}
    for queue in store.queues:
        bodies = []
        for offset in range(queue.min_offset, queue.max_offset):
            fetched = store.fetch(queue.topic, queue.queue_id, offset, 1)
            if fetched.count and fetched.next_offset == offset + 1:
                bodies.append(decode_record(fetched.views[0]).body)
        found[queue.topic, queue.queue_id] = queue.min_offset, bodies
    return found


# Missing or damaged queues


@pytest.mark.parametrize("is_killed", [False, True])
def test_missing_queues_are_rebuilt_from_the_log(
    config: StoreConfig, tmp_path: Path, is_killed: bool
) -> None:
    if is_killed:
        config, written = killed(config, tmp_path, 400)
    else:
        written = stopped(config, 400)
    assert config.path is not None
    shutil.rmtree(config.path / "consumequeue")
    assert reopen(config) == written


@pytest.mark.parametrize("is_killed", [False, True])
def test_one_missing_queue_is_rebuilt_from_the_log(
    config: StoreConfig, tmp_path: Path, is_killed: bool
) -> None:
    if is_killed:
        config, written = killed(config, tmp_path, 400)
    else:
        written = stopped(config, 400)
    shutil.rmtree(queue_folder(config, "Topic1", 0))
    assert reopen(config) == written


def test_a_missing_topic_is_rebuilt_from_the_log(config: StoreConfig) -> None:
    written = stopped(config, 400)
    shutil.rmtree(queue_folder(config, "Topic1", 0).parent)
    assert reopen(config) == written


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_missing_queue_file_is_rebuilt_from_the_log(
    config: StoreConfig, tmp_path: Path, is_killed: bool
) -> None:
    if is_killed:
        config, written = killed(config, tmp_path, 800)
    else:
        written = stopped(config, 400)
    files = sorted(queue_folder(config, "Topic1", 0).iterdir())
    assert len(files) >= 3
    files[1].unlink()
    assert reopen(config) == written


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_hole_in_a_queue_is_filled_from_the_log(
    config: StoreConfig, tmp_path: Path, is_killed: bool
) -> None:
    if is_killed:
        config, written = killed(config, tmp_path, 400)
    else:
        written = stopped(config, 400)
    last = sorted(queue_folder(config, "Topic1", 0).iterdir())[-1]
    overwrite(last, 0, bytes(4 * ENTRY_SIZE))
    assert reopen(config) == written


def test_a_hole_in_a_queue_that_sleeps_is_filled_from_the_log(config: StoreConfig) -> None:
    """No message in the log's tail tells of it, but the entries behind the hole do."""
    with MessageStore(config) as store:
        for number in range(20):
            store.append(message(numbered(number), "Sleeper"))
        fill(store, 400)
        written = contents(store)
    overwrite(queue_folder(config, "Sleeper", 0) / f"{0:020d}", 5 * ENTRY_SIZE, bytes(4 * ENTRY_SIZE))
    assert reopen(config) == written


def test_entries_that_a_crash_lost_in_many_queue_files_are_filled_from_the_log(
    config: StoreConfig, tmp_path: Path
) -> None:
    """More than the last three files, which is all that Java looks at."""
    with MessageStore(config) as store:
        fill(store, 40, topics=1)
        store.flush(thorough=True)
        fill(store, 400, first=40, topics=1)
        store.queues.flush(sync=True)
        written, config = contents(store), copy_as_killed(store, tmp_path / "killed")
    files = sorted(queue_folder(config, "Topic0", 0).iterdir())
    assert len(files) > 5
    for path in files[1:-1]:
        overwrite(path, 0, bytes(30 * ENTRY_SIZE))
    assert reopen(config) == written


def test_queue_entries_beyond_the_logs_end_go(config: StoreConfig, tmp_path: Path) -> None:
    """The queue's pages reached the disk, but those of the log did not."""
    config, _ = killed(config, tmp_path)
    where = records(config)
    assert config.path is not None
    (config.path / "abort").write_text("1")
    overwrite(log_files(config)[0], where[60][0], bytes(65536 - where[60][0]))
    with MessageStore(config) as store:
        assert bodies(contents(store)) == first(60)
        fill(store, 40, first=60)
        assert_all_found_by_key(store)
    assert bodies(reopen(config)) == first(100)


def test_entries_of_a_lost_life_do_not_stay(config: StoreConfig, tmp_path: Path) -> None:
    """The disk keeps a queue of messages that the log lost, and other messages take their offsets."""
    with MessageStore(config) as store:
        fill(store, 10, topics=1)
        store.flush(thorough=True)
        early = copy_as_killed(store, tmp_path / "early")
        fill(store, 20, first=100, topics=1, size=350)
        store.queues.flush(sync=True)
        lost = copy_as_killed(store, tmp_path / "lost")
    with MessageStore(early) as store:
        fill(store, 20, first=200, topics=1)
        written, config = contents(store), copy_as_killed(store, tmp_path / "both")
    assert lost.path is not None
    assert early.path is not None
    assert config.path is not None
    for part in ("consumequeue", "index"):
        shutil.rmtree(config.path / part)
        shutil.copytree(lost.path / part, config.path / part)
    assert reopen(config) == written


def test_a_queue_whose_older_messages_are_gone_begins_where_it_must(config: StoreConfig) -> None:
    written = stopped(config, 800)
    log_files(config)[0].unlink()
    log_files(config)[0].unlink()
    kept = reopen(config)
    for key, (start, listed) in kept.items():
        assert start > 0
        assert written[key] == (0, written[key][1][:start] + listed)
    # The same is so when the queues have to be rebuilt.
    assert config.path is not None
    shutil.rmtree(config.path / "consumequeue")
    assert reopen(config) == kept
    assert reopen(config) == kept
    # And before the first message of its file, such a queue has Java's blank entries.
    (path,) = sorted(queue_folder(config, "Topic0", 0).iterdir())[:1]
    start = kept["Topic0", 0][0]
    assert int(path.name) == start // 30 * 30 * ENTRY_SIZE
    entries = list(ENTRY.iter_unpack(path.read_bytes()))
    assert entries[: start % 30] == [(0, 0x7FFFFFFF, 0)] * (start % 30)


def test_a_queue_that_died_with_blank_entries_only_begins_again(config: StoreConfig) -> None:
    stopped(config, 800)
    log_files(config)[0].unlink()
    kept = reopen(config)
    assert config.path is not None
    folder = queue_folder(config, "Topic0", 0)
    start = kept["Topic0", 0][0]
    assert start % 30
    for path in sorted(folder.iterdir()):
        path.unlink()
    blank = ENTRY.pack(0, 0x7FFFFFFF, 0) * (start % 30)
    name = f"{start // 30 * 30 * ENTRY_SIZE:020d}"
    (folder / name).write_bytes(blank + bytes(30 * ENTRY_SIZE - len(blank)))
    assert reopen(config) == kept


def test_a_topic_deleted_and_made_again_has_its_new_messages_only(
    config: StoreConfig, tmp_path: Path
) -> None:
    with MessageStore(config) as store:
        fill(store, 40, topics=1)
        store.delete_topics(["Topic0"])
        fill(store, 10, first=40, topics=1)
        written, config = contents(store), copy_as_killed(store, tmp_path / "killed")
    assert bodies(written) == first(50)[40:]
    with MessageStore(config) as store:
        assert contents(store) == written


def test_a_queue_offset_damaged_in_the_log_harms_no_other_message(config: StoreConfig) -> None:
    """Nothing but the lengths guards the head of a record."""
    stopped(config)
    offset, _ = records(config)[40]
    overwrite(log_files(config)[0], offset + 20, (2**60).to_bytes(8, "big"))
    assert config.path is not None
    shutil.rmtree(config.path / "consumequeue")
    with MessageStore(config) as store:
        found = contents_with_gaps(store)
    assert sorted({*bodies(found), numbered(40)}) == first(100)


@pytest.mark.parametrize("topic", [b"\0opic0", b"T/../0", b"/opic0"])
def test_a_topic_damaged_in_the_log_does_not_stop_the_opening(config: StoreConfig, topic: bytes) -> None:
    stopped(config)
    offset, size = records(config)[40]
    log = log_files(config)[0]
    where = log.read_bytes()[offset : offset + size].index(b"Topic0")
    overwrite(log, offset + where, topic)
    assert config.path is not None
    shutil.rmtree(config.path / "consumequeue")
    with MessageStore(config) as store:
        found = contents_with_gaps(store)
    assert sorted({*bodies(found), numbered(40)}) == first(100)


def test_a_lost_log_takes_queues_and_index_with_it(config: StoreConfig) -> None:
    stopped(config)
    assert config.path is not None
    shutil.rmtree(config.path / "commitlog")
    with MessageStore(config) as store:
        assert contents(store) == {}
        assert found_by_key(store, numbered(0), "Topic0") == []
        fill(store, 10)
    assert bodies(reopen(config)) == first(10)


# Missing or damaged index


@pytest.mark.parametrize("is_killed", [False, True])
def test_a_missing_index_is_rebuilt_from_the_log(
    config: StoreConfig, tmp_path: Path, is_killed: bool
) -> None:
    if is_killed:
        config, _ = killed(config, tmp_path, 400)
    else:
        stopped(config, 400)
    assert config.path is not None
    shutil.rmtree(config.path / "index")
    reopen(config, assert_all_found_by_key)


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("which", [0, 1, -1])
def test_one_missing_index_file_is_rebuilt_from_the_log(
    config: StoreConfig, tmp_path: Path, which: int, is_killed: bool
) -> None:
    if is_killed:
        config, _ = killed(config, tmp_path, 400)
    else:
        stopped(config, 400)
    assert len(index_files(config)) > 2
    index_files(config)[which].unlink()
    reopen(config, assert_all_found_by_key)


def test_index_entries_newer_than_the_checkpoint_are_kept_if_they_are_whole(
    config: StoreConfig, tmp_path: Path
) -> None:
    with MessageStore(config) as store:
        fill(store, 50)
        store.flush(thorough=True)
        fill(store, 50, first=50)
        assert store.index is not None
        store.index.flush()  # the index is newer on the disk than the checkpoint says
        config = copy_as_killed(store, tmp_path / "killed")
    assert config.path is not None
    assert Checkpoint.load(config.path / "checkpoint").index_timestamp > 0
    reopen(config, assert_all_found_by_key)


def test_index_pages_that_did_not_reach_the_disk_are_made_again(config: StoreConfig, tmp_path: Path) -> None:
    """Header, slots and entries lie on different pages, and any of them may be missing."""
    config = replace(config, index_slots=2000, index_entries=8000)
    with MessageStore(config) as store:
        fill(store, 300)
        assert store.index is not None
        store.index.flush()
        config = copy_as_killed(store, tmp_path / "killed")
    (path,) = index_files(config)
    data = path.read_bytes()
    used = 40 + 2000 * 4 + 901 * 20
    assert config.path is not None
    for page in range(0, used, 2048):
        path = index_files(config)[0]
        path.write_bytes(data[:page] + bytes(2048) + data[page + 2048 :])
        reopen(config, assert_all_found_by_key)
        (config.path / "abort").write_text("1")


def test_a_header_older_than_its_entries_does_not_break_their_chains(
    config: StoreConfig, tmp_path: Path
) -> None:
    """Slots already point at entries that the header does not count yet."""
    with MessageStore(config) as store:
        for number in range(10):
            store.append(message(b"same %d" % number))
        store.flush(thorough=True)
        for number in range(10, 20):
            store.append(message(b"same %d" % number))
        config = copy_as_killed(store, tmp_path / "killed")
    (path,) = index_files(config)
    assert INDEX_HEADER.unpack_from(path.read_bytes())[5] == 31
    with MessageStore(config) as store:
        newest_first = [b"same %d" % number for number in range(19, -1, -1)]
        assert found_by_key(store, b"same", "T") == newest_first


def test_opening_again_and_again_adds_nothing_to_the_index(config: StoreConfig) -> None:
    stopped(config)
    before = INDEX_HEADER.unpack_from(index_files(config)[0].read_bytes())
    for _ in range(3):
        reopen(config, assert_all_found_by_key)
    assert INDEX_HEADER.unpack_from(index_files(config)[0].read_bytes()) == before


def test_the_index_forgets_what_the_log_lost(config: StoreConfig) -> None:
    stopped(config)
    offset, size = records(config)[70]
    overwrite(log_files(config)[0], offset + size // 2, b"\xff")
    with MessageStore(config) as store:
        for number in range(70, 100):
            assert found_by_key(store, numbered(number), f"Topic{number % 2}") == []
        fill(store, 30, first=70)
        assert_all_found_by_key(store)
    reopen(config, assert_all_found_by_key)


def test_an_index_file_of_the_wrong_size_is_refused_with_advice(config: StoreConfig) -> None:
    stopped(config)
    with pytest.raises(StoreCorrupt, match=r"maxIndexNum.*delete it"):
        MessageStore(replace(config, index_entries=500)).open()


def test_a_queue_file_of_the_wrong_size_is_refused_with_advice(config: StoreConfig) -> None:
    stopped(config)
    with pytest.raises(StoreCorrupt, match=r"mappedFileSizeConsumeQueue.*delete"):
        MessageStore(replace(config, consume_queue_file_entries=31)).open()


def test_messages_without_keys_do_not_make_every_start_a_long_one(
    config: StoreConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MessageStore(config) as store:
        for number in range(3000):
            store.append(message(numbered(number, 70), properties=b""))
    store = MessageStore(config)
    walk = store.log.walk
    walked: list[Dispatch] = []

    def counting(start: int, end: int) -> Iterator[Dispatch]:
        for record in walk(start, end):
            walked.append(record)
            yield record

    monkeypatch.setattr(store.log, "walk", counting)
    with store:
        assert len(walked) <= 2 * 1000  # not all 3000
