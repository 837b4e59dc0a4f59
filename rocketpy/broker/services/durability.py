"""Durability: flushing the log, in a thread, for those who wait and for those who do not."""

from __future__ import annotations

from collections.abc import Callable

import trio

from rocketpy.store.append import Appended, NewMessage, PutStatus
from rocketpy.store.config import FlushDiskType, StoreConfig
from rocketpy.store.flush import AsyncFlushPolicy, GroupCommit
from rocketpy.store.message_store import MessageStore


class Durability:
    """One loop flushes; with SYNC_FLUSH a send waits until its message is safe."""

    def __init__(self, store: MessageStore, clock: Callable[[], int]) -> None:
        self._store = store
        self._config: StoreConfig = store.config
        self._clock = clock
        self._commit = GroupCommit(store.log.flush)
        self._wanted = trio.Event()

    def must_wait(self, message: NewMessage) -> bool:
        """Whether the answer to a send has to wait for the disk (waitStoreMsgOK)."""
        return (
            self._config.flush_disk_type is FlushDiskType.SYNC_FLUSH
            and b"WAIT\x01false\x02" not in message.properties
        )

    async def wait(self, appended: Appended) -> PutStatus:
        """Sleep until a message is safe, or for so long that it must count as unsafe."""
        safe = trio.Event()
        token = trio.lowlevel.current_trio_token()
        self._commit.when_flushed(appended.end, lambda: token.run_sync_soon(safe.set))
        self._wanted.set()
        with trio.move_on_after(self._config.sync_flush_timeout_millis / 1000):
            await safe.wait()
            return PutStatus.PUT_OK
        return PutStatus.FLUSH_DISK_TIMEOUT

    async def run(self) -> None:
        """Flush the log when someone waits, and otherwise as often as the settings say."""
        interval = self._config.flush_interval_millis / 1000
        policy = AsyncFlushPolicy(self._config.flush_least_pages, self._config.flush_thorough_interval_millis)
        while True:
            with trio.move_on_after(interval):
                await self._wanted.wait()
            log = self._store.log
            if self._commit.waiters or policy.is_due(self._clock(), log.max_offset - log.flushed):
                self._wanted = trio.Event()
                await trio.to_thread.run_sync(self._commit.flush)

    async def run_thoroughly(self) -> None:
        """Every ten seconds: queues, index and checkpoint too."""
        while True:
            await trio.sleep(self._config.flush_thorough_interval_millis / 1000)
            self._store.flush(thorough=True)
