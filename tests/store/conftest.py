"""Settings that every behaviour of a store is tried with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rocketpy.store.config import StoreConfig
from rocketpy.store.message_store import MessageStore
from tests.store.golden import small_files


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["files", "memory"])
def small_config(request: pytest.FixtureRequest, tmp_path: Path) -> StoreConfig:
    """Small files on disk, and the same in memory: a store must behave the same over both."""
    return small_files(tmp_path / "store" if request.param == "files" else None)


@pytest.fixture
def store(small_config: StoreConfig, clock: Clock) -> Iterator[MessageStore]:
    with MessageStore(small_config, clock=clock) as opened:
        yield opened
