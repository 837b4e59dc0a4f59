"""rocketpy's own servers as processes, for tests that put real Java clients in front of them."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from compat_tests.java.ports import free_ports

STOP_SECONDS: Final = 15


@dataclass
class PythonBroker:
    """`rocketpy broker` on loopback; `start`, `stop` and `kill` may be repeated on the same directory."""

    directory: Path
    name_server: str
    config: Mapping[str, str] = field(default_factory=dict)
    broker_name: str = "broker-py"

    def __post_init__(self) -> None:
        _, _, self.port, _ = free_ports(4)
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where clients reach it."""
        return f"127.0.0.1:{self.port}"

    @property
    def store(self) -> Path:
        """Its store directory."""
        return self.directory / "store"

    def start(self) -> None:
        """Run it, and wait until it says that it is ready."""
        self.directory.mkdir(parents=True, exist_ok=True)
        settings = {
            "brokerName": self.broker_name,
            "brokerIP1": "127.0.0.1",
            "listenPort": str(self.port),
            "namesrvAddr": self.name_server,
            "storePathRootDir": str(self.store),
            **self.config,
        }
        conf = self.directory / "broker.conf"
        conf.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        with (self.directory / "broker.log").open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "rocketpy", "broker", "-c", str(conf), "--host", "127.0.0.1"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "ready" in line, (self.directory / "broker.log").read_text()

    def stop(self) -> None:
        """Stop it in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it as a crash would."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()
            assert process.stdout is not None
            process.stdout.close()


@contextmanager
def running_broker(
    directory: Path, name_server: str, config: Mapping[str, str] | None = None
) -> Iterator[PythonBroker]:
    """A broker of ours, ready to serve; killed when the block ends."""
    broker = PythonBroker(directory, name_server, config or {})
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()
