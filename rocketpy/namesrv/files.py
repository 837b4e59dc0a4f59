"""A small text file that is replaced as a whole."""

from __future__ import annotations

import logging
import os
from pathlib import Path

logger = logging.getLogger(__name__)


def replace_file(path: Path | None, content: bytes) -> None:
    """Replace the file at one stroke; what it held stays in its `.bak`. None keeps nothing.

    As in Java, a disk that refuses is a line in the log, and the name server goes on with what it knows.
    """
    if path is None:
        return
    fresh = path.with_name(path.name + ".tmp")
    backup = path.with_name(path.name + ".bak")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            # A second name for the old file first, so that at no moment both names are gone.
            backup.unlink(missing_ok=True)
            os.link(path, backup)
        fresh.replace(path)
    except OSError as error:
        logger.error("%s: not saved: %s", path, error)
