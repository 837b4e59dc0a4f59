"""The broker's JSON files under `config/`, in the shape that Java reads and writes.

| file | content |
| --- | --- |
| topics.json | `TopicConfigSerializeWrapper` |
| subscriptionGroup.json | `SubscriptionGroupWrapper` |
| consumerOffset.json | `ConsumerOffsetSerializeWrapper` |
| delayOffset.json | `DelayOffsetSerializeWrapper` |
| consumerFilter.json | `ConsumerFilters` |
| topicQueueMapping.json | `TopicQueueMappingSerializeWrapper` |
| messageRequestMode.json | `MessageRequestModeSerializeWrapper` |
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Generic, TypeVar

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.bodies import (
    Body,
    ConsumerOffsetSerializeWrapper,
    DelayOffsetSerializeWrapper,
    MessageRequestModeSerializeWrapper,
    SubscriptionGroupWrapper,
    TopicConfigSerializeWrapper,
    TopicQueueMappingSerializeWrapper,
)
from rocketmq_protocol.fastjson_writer import PRETTY
from rocketpy.store.consumer_filter import ConsumerFilters
from rocketpy.store.errors import StoreCorrupt

B = TypeVar("B", bound=Body)


class ConfigFile(Generic[B]):
    """One file and its `.bak`. Without a folder it lives in memory."""

    def __init__(self, folder: Path | None, name: str, content: type[B]) -> None:
        self._path = folder / name if folder is not None else None
        self._content = content
        self._in_memory: B | None = None

    def load(self) -> B | None:
        """The content; the backup's where the file is missing or broken; None where there is neither."""
        if self._path is None:
            return self._in_memory
        failure: RemoteProtocolError | None = None
        for path in (self._path, self._backup(self._path)):
            if not path.exists() or not (text := path.read_bytes()).strip():
                continue
            try:
                return self._content.decode(text)
            except RemoteProtocolError as error:
                failure = failure or error
        if failure is not None:
            raise StoreCorrupt(f"{self._path}: {failure}; its backup does not help; mend or delete both")
        return None

    def save(self, content: B) -> None:
        """Replace the file at one stroke; what it held becomes the backup."""
        if self._path is None:
            self._in_memory = content
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_name(self._path.name + ".tmp")
        with fresh.open("wb") as file:
            file.write(content.encode(PRETTY))
            file.flush()
            os.fsync(file.fileno())
        if self._path.exists():
            # A second name for the old file first, so that at no moment both names are gone.
            backup = self._backup(self._path)
            backup.unlink(missing_ok=True)
            os.link(self._path, backup)
        fresh.replace(self._path)

    @staticmethod
    def _backup(path: Path) -> Path:
        return path.with_name(path.name + ".bak")


class ConfigFiles:
    """All of a broker's files."""

    def __init__(self, folder: Path | None) -> None:
        self.topics: Final = ConfigFile(folder, "topics.json", TopicConfigSerializeWrapper)
        self.groups: Final = ConfigFile(folder, "subscriptionGroup.json", SubscriptionGroupWrapper)
        self.offsets: Final = ConfigFile(folder, "consumerOffset.json", ConsumerOffsetSerializeWrapper)
        self.delay_offsets: Final = ConfigFile(folder, "delayOffset.json", DelayOffsetSerializeWrapper)
        self.filters: Final = ConfigFile(folder, "consumerFilter.json", ConsumerFilters)
        self.queue_mappings: Final = ConfigFile(
            folder, "topicQueueMapping.json", TopicQueueMappingSerializeWrapper
        )
        self.request_modes: Final = ConfigFile(
            folder, "messageRequestMode.json", MessageRequestModeSerializeWrapper
        )
