"""The checkpoint file: how far each part of the store is known to be safe on disk."""

from __future__ import annotations

import os
from dataclasses import astuple, dataclass
from pathlib import Path
from struct import Struct
from typing import Final

_LAYOUT: Final = Struct(">qqqqqq")
_FILE_SIZE: Final = 4096


@dataclass(slots=True)
class Checkpoint:
    """StoreCheckpoint, in the order of its file: three store times, then three commit log offsets."""

    commit_log_timestamp: int = 0
    consume_queue_timestamp: int = 0
    index_timestamp: int = 0
    master_flushed: int = 0
    confirm_offset: int = 0
    consume_queue_physical: int = 0

    @classmethod
    def load(cls, path: Path | None) -> Checkpoint:
        """Read the file; without one nothing is known to be safe."""
        if path is None or not path.exists():
            return cls()
        data = path.read_bytes()[: _LAYOUT.size]
        return cls(*_LAYOUT.unpack(data.ljust(_LAYOUT.size, b"\0")))

    def save(self, path: Path | None) -> None:
        """Write the file in place and force it to the disk."""
        if path is None:
            return
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            os.ftruncate(descriptor, _FILE_SIZE)
            os.pwrite(descriptor, _LAYOUT.pack(*astuple(self)), 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
