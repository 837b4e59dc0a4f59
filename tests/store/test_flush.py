"""Group commit, flush timeouts, and when an unasked flush is due."""

from __future__ import annotations

import threading
import time
from functools import partial
from pathlib import Path

from rocketpy.store.append import Appended, NewMessage, PutStatus
from rocketpy.store.flush import AsyncFlushPolicy, GroupCommit
from rocketpy.store.message_store import MessageStore
from tests.store.golden import small_files


def message(number: int) -> NewMessage:
    return NewMessage(topic="T", queue_id=0, body=b"%d" % number)


def test_one_flush_serves_every_waiter_at_or_below_it(tmp_path: Path) -> None:
    with MessageStore(small_files(tmp_path / "store")) as store:
        flushes = []

        def flush() -> int:
            flushes.append(store.log.max_offset)
            return store.flush()

        commit = GroupCommit(flush)
        served: list[int] = []
        for number in range(100):
            commit.when_flushed(store.append(message(number)).end, partial(served.append, number))
        assert commit.flush() == store.log.max_offset
        assert len(flushes) == 1
        assert sorted(served) == list(range(100))
        assert commit.waiters == 0


def test_a_waiter_above_the_flushed_offset_goes_on_waiting() -> None:
    reached = [100, 200]
    commit = GroupCommit(lambda: reached.pop(0))
    served: list[str] = []
    commit.when_flushed(150, lambda: served.append("150"))
    commit.when_flushed(100, lambda: served.append("100"))
    commit.flush()
    assert served == ["100"]
    commit.flush()
    assert served == ["100", "150"]
    commit.when_flushed(180, lambda: served.append("at once"))
    assert served[-1] == "at once"


def test_threads_wait_for_the_flush_of_another(tmp_path: Path) -> None:
    with MessageStore(small_files(tmp_path / "store")) as store:
        commit = GroupCommit(store.flush)
        appended = [store.append(message(number)) for number in range(8)]
        statuses: list[PutStatus] = []

        def wait(item: Appended) -> None:
            statuses.append(commit.wait(item, 10))

        threads = [threading.Thread(target=wait, args=(item,)) for item in appended]
        for thread in threads:
            thread.start()
        while commit.waiters < 8:
            time.sleep(0.001)
        assert commit.wanted.is_set()
        commit.flush()
        for thread in threads:
            thread.join()
        assert statuses == [PutStatus.PUT_OK] * 8


def test_a_flush_that_does_not_come_is_a_timeout_and_the_message_stays(tmp_path: Path) -> None:
    with MessageStore(small_files(tmp_path / "store")) as store:
        commit = GroupCommit(store.flush)
        appended = store.append(message(1))
        assert commit.wait(appended, 0.01) is PutStatus.FLUSH_DISK_TIMEOUT
        assert store.fetch("T", 0, 0).count == 1


def test_unasked_flushes_come_with_enough_pages_or_enough_time() -> None:
    policy = AsyncFlushPolicy(least_pages=4, thorough_interval_millis=10_000)
    assert policy.is_due(20_000, 1)  # the first after long
    assert not policy.is_due(20_500, 4 * 4096 - 1)
    assert policy.is_due(21_000, 4 * 4096)
    assert not policy.is_due(30_999, 1)
    assert policy.is_due(31_000, 1)
    assert not policy.is_due(99_000, 0)
