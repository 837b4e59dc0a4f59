"""rocketpy's name server as a process, for tests that put real Java brokers and clients around it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

STOP_SECONDS: Final = 10
READY: Final = "rocketpy namesrv ready: "


@dataclass(frozen=True)
class PythonNamesrv:
    """A running name server: where it is, and where its files are."""

    address: str
    directory: Path

    @property
    def kv_config(self) -> Path:
        return self.directory / "kvConfig.json"

    @property
    def config(self) -> Path:
        return self.directory / "namesrv.conf"


@contextmanager
def running_namesrv(
    directory: Path, config: Mapping[str, str | int | bool] | None = None
) -> Iterator[PythonNamesrv]:
    """`rocketpy namesrv` on loopback and a free port; stopped in order when the block ends."""
    directory.mkdir(parents=True)
    conf = directory / "namesrv.conf"
    settings = {"kvConfigPath": directory / "kvConfig.json", **(config or {})}
    conf.write_text("".join(f"{name}={_text(value)}\n" for name, value in settings.items()))
    command = [sys.executable, "-m", "rocketpy", "namesrv", "-c", str(conf)]
    log_path = directory / "namesrv.log"
    with log_path.open("w") as log:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", "0"], stdout=subprocess.PIPE, stderr=log, text=True
        )
    with process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(READY), log_path.read_text()
        try:
            yield PythonNamesrv(line.removeprefix(READY).strip(), directory)
        finally:
            process.terminate()
            assert process.wait(STOP_SECONDS) == 0, log_path.read_text()


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
