"""How a store is laid out and behaves; names and defaults are those of Java's MessageStoreConfig."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

GIB: Final = 1024 * 1024 * 1024
KIB: Final = 1024

DEFAULT_DELAY_LEVELS: Final = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h"
_UNIT_MILLIS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


class FlushDiskType(StrEnum):
    """When an append counts as safe."""

    ASYNC_FLUSH = "ASYNC_FLUSH"
    SYNC_FLUSH = "SYNC_FLUSH"


@dataclass(frozen=True, kw_only=True)
class StoreConfig:
    """Settings of one store. `path` None keeps everything in memory, with no files and the same behaviour."""

    path: Path | None
    commit_log_file_size: int = GIB
    consume_queue_file_entries: int = 300_000
    index_slots: int = 5_000_000
    index_entries: int = 20_000_000
    message_index_enable: bool = True
    message_index_safe: bool = False
    check_crc_on_recover: bool = True
    commit_log_recover_max_num: int = 10
    max_message_size: int = 4 * 1024 * KIB
    append_prop_crc: bool = False
    message_delay_level: str = DEFAULT_DELAY_LEVELS

    flush_disk_type: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    flush_interval_millis: int = 500
    flush_least_pages: int = 4
    flush_thorough_interval_millis: int = 10_000
    sync_flush_timeout_millis: int = 5_000

    file_reserved_hours: int = 72
    delete_when: str = "04"
    disk_max_used_ratio: int = 75
    disk_warning_ratio: int = 90
    disk_clean_forcibly_ratio: int = 85
    clean_file_forcibly_enable: bool = True
    delete_file_batch_max: int = 10

    max_transfer_bytes: int = 256 * KIB
    max_transfer_count: int = 32
    max_filter_bytes: int = 16_000
    query_max_num: int = 64

    max_open_files: int = 256
    delay_levels: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "delay_levels", parse_delay_levels(self.message_delay_level))


def parse_delay_levels(text: str) -> tuple[int, ...]:
    """Milliseconds of each level, level 1 first."""
    levels = []
    for word in text.split():
        number, unit = word[:-1], word[-1:]
        if not number.isdecimal() or unit not in _UNIT_MILLIS:
            raise ValueError(f"messageDelayLevel: {word!r} is not a number followed by s, m, h or d")
        levels.append(int(number) * _UNIT_MILLIS[unit])
    return tuple(levels)
