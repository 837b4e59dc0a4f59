"""Old files go by age, by the hour, and when the disk fills up; what points at them follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from rocketmq_protocol.message_record import decode_record
from rocketpy.store.append import AppendRefused, NewMessage, PutStatus
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from rocketpy.store.retention import Cleaned, Retention
from tests.store.golden import small_files

HOUR = 3_600_000
FOUR_IN_THE_MORNING = int(datetime(2026, 5, 1, 4, 30).timestamp() * 1000)
NOON = int(datetime(2026, 5, 1, 12, 0).timestamp() * 1000)


class Setting:
    """A store whose clock and disk the test turns."""

    def __init__(self, path: Path | None) -> None:
        self.now = FOUR_IN_THE_MORNING
        self.disk = 10.0
        self.store = MessageStore(replace(small_files(path), file_reserved_hours=2), clock=lambda: self.now)
        self.retention = Retention(self.store, lambda _: self.disk)

    def fill(self, messages: int) -> None:
        """About 50 messages to a file."""
        for number in range(messages):
            properties = b"KEYS\x01key-%d\x02" % number
            self.store.append(NewMessage(topic="T", queue_id=0, body=bytes(1200), properties=properties))
        self.store.flush()


@pytest.fixture(params=["files", "memory"])
def setting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Setting]:
    made = Setting(tmp_path / "store" if request.param == "files" else None)
    with made.store:
        yield made


def test_nothing_young_is_deleted(setting: Setting) -> None:
    setting.fill(200)
    assert setting.retention.clean(setting.now + HOUR, manually=True) == Cleaned()


def test_expired_files_go_at_their_hour_and_the_last_one_stays(setting: Setting) -> None:
    setting.fill(200)
    files = len(setting.store.log.segments)
    assert setting.retention.clean(setting.now + 8 * HOUR).commit_log == 0  # not the hour for it
    assert setting.retention.clean(setting.now + 24 * HOUR).commit_log == files - 1
    assert len(setting.store.log.segments) == 1


def test_queue_and_index_follow_the_log(setting: Setting) -> None:
    setting.fill(500)
    store = setting.store
    first_log_file = store.log.segments[0].path
    cleaned = setting.retention.clean(setting.now + 3 * HOUR, manually=True)
    assert cleaned.commit_log > 0
    assert store.min_offset("T", 0) > 0
    assert store.max_offset("T", 0) == 500
    too_small = store.fetch("T", 0, 0)
    assert too_small.status is FetchStatus.OFFSET_TOO_SMALL
    found = store.fetch("T", 0, too_small.next_offset)
    assert found.status is FetchStatus.FOUND
    assert decode_record(found.views[0]).queue_offset == store.min_offset("T", 0)
    assert not list(store.query("T", "key-0", 10, 0, 2**62))
    assert len(list(store.query("T", "key-499", 10, 0, 2**62))) == 1
    if first_log_file is not None:
        assert not first_log_file.exists()
        assert cleaned.consume_queue > 0
        assert cleaned.index > 0


def test_a_reader_holding_a_view_keeps_it(setting: Setting) -> None:
    setting.fill(200)
    view = setting.store.fetch("T", 0, 0, max_count=1).views[0]
    before = bytes(view)
    setting.retention.clean(setting.now + 24 * HOUR, manually=True)
    assert setting.store.fetch("T", 0, 0).status is FetchStatus.OFFSET_TOO_SMALL
    assert bytes(view) == before


def test_a_fuller_disk_deletes_at_any_hour(setting: Setting) -> None:
    setting.fill(200)
    setting.now = NOON
    setting.disk = 80.0  # above diskMaxUsedSpaceRatio: expired files only
    assert setting.retention.clean(FOUR_IN_THE_MORNING + HOUR).commit_log == 0
    assert setting.retention.clean(NOON + 24 * HOUR).commit_log > 0


def test_a_nearly_full_disk_deletes_files_of_any_age(setting: Setting) -> None:
    setting.fill(200)
    setting.disk = 86.0
    assert setting.retention.clean(setting.now).commit_log > 0


def test_a_full_disk_refuses_writes_until_there_is_room(setting: Setting) -> None:
    setting.disk = 95.0
    setting.retention.clean(setting.now)
    with pytest.raises(AppendRefused) as refused:
        setting.fill(1)
    assert refused.value.status is PutStatus.SERVICE_NOT_AVAILABLE
    setting.disk = 50.0
    setting.retention.clean(setting.now)
    setting.fill(1)


def test_no_more_than_a_batch_of_files_goes_at_once(setting: Setting) -> None:
    setting.fill(800)
    assert len(setting.store.log.segments) > 11
    assert setting.retention.clean(setting.now + 3 * HOUR, manually=True).commit_log == 10
