"""Store directories written by the real Java broker, unpacked for a test."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path
from typing import Any

from rocketpy.store.config import StoreConfig
from tests.vectors import VECTORS

GOLDEN_STORES = ("clean-5.5.0", "killed-5.5.0")


def unpack(name: str, folder: Path) -> StoreConfig:
    """Lay a golden store out in `folder`; gives the settings it was written with."""
    with tarfile.open(VECTORS / "stores" / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return small_files(folder / "store")


def small_files(path: Path | None) -> StoreConfig:
    """Settings with files so small that a few messages fill them, as the golden stores have."""
    return StoreConfig(
        path=path,
        commit_log_file_size=65536,
        consume_queue_file_entries=30,
        index_slots=100,
        index_entries=400,
    )


def expected(name: str) -> dict[str, Any]:
    """What the Java broker serves from that directory."""
    with gzip.open(VECTORS / "stores" / f"{name}.expected.json.gz", "rt", encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    return content
