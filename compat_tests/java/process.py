"""One running JVM: started, watched, stopped by its pid, and never left behind."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

POLL_SECONDS: Final = 0.05
# A clean broker shutdown takes about ten seconds: it waits for its revive threads.
STOP_SECONDS: Final = 60.0
LOG_TAIL_CHARACTERS: Final = 4000

# Asks Linux (prctl PR_SET_PDEATHSIG) for a KILL when the thread that started us ends; then becomes the JVM.
TIED_TO_PARENT: Final = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
)

_alive: Final[set[JavaProcess]] = set()
started: Final[list[JavaProcess]] = []


class JavaFailed(Exception):
    """A JVM ended, or was not ready in time; the text holds the end of its log."""


def _tied_to_us(command: list[str]) -> list[str]:
    """The command, wrapped so that the JVM dies with this process even when that is killed.

    Only from the main thread: the kernel watches the starting thread, and a worker's end must not count.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return command
    return [sys.executable, "-I", "-S", "-c", TIED_TO_PARENT, *command]


class JavaProcess:
    """A JVM whose output goes to a log file; leaving its `with` block kills it.

    With `pipes`, stdin and stdout are ours to write and read, and only stderr goes to the log.
    """

    def __init__(
        self, command: Sequence[str], *, log: Path, env: Mapping[str, str] | None = None, pipes: bool = False
    ) -> None:
        self.log = log
        self.command = list(command)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as sink:
            self._popen: subprocess.Popen[str] = subprocess.Popen(
                _tied_to_us(self.command),
                stdin=subprocess.PIPE if pipes else subprocess.DEVNULL,
                stdout=subprocess.PIPE if pipes else sink,
                stderr=sink,
                env=dict(env) if env is not None else None,
                encoding="utf-8",
                start_new_session=True,
            )
        _alive.add(self)
        started.append(self)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def stdin(self) -> IO[str]:
        assert self._popen.stdin is not None, "started without pipes"
        return self._popen.stdin

    @property
    def stdout(self) -> IO[str]:
        assert self._popen.stdout is not None, "started without pipes"
        return self._popen.stdout

    @property
    def exit_status(self) -> int | None:
        """None while it runs; a negative number names the signal that ended it."""
        return self._popen.poll()

    def log_text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def wait_until(self, ready: Callable[[], bool], *, what: str, timeout: float) -> None:
        """Poll until `ready`; JavaFailed when the JVM ends first or the time is over."""
        deadline = time.monotonic() + timeout
        while not ready():
            if self.exit_status is not None:
                raise self._failed(f"ended with status {self.exit_status} before {what}")
            if time.monotonic() > deadline:
                raise self._failed(f"showed no {what} within {timeout:.0f} s")
            time.sleep(POLL_SECONDS)

    def wait_for_line(self, text: str, *, timeout: float) -> None:
        """Wait until the log holds `text`."""
        self.wait_until(lambda: text in self.log_text(), what=f"log line {text!r}", timeout=timeout)

    def wait_for_port(self, port: int, *, timeout: float) -> None:
        """Wait until something listens on a loopback port."""
        self.wait_until(lambda: is_listening(port), what=f"listener on port {port}", timeout=timeout)

    def wait(self, timeout: float) -> int:
        """Wait for the JVM to end by itself; JavaFailed when it does not."""
        try:
            status = self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            raise self._failed(f"still ran after {timeout:.0f} s") from None
        self._forget()
        return status

    def stop(self, timeout: float = STOP_SECONDS) -> int:
        """Ask for a clean end (TERM), insist after `timeout` (KILL), and return the exit status."""
        if self.exit_status is None:
            self._popen.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(timeout)
        return self.kill()

    def kill(self) -> int:
        """End it at once (KILL), as a power cut would; returns the exit status."""
        if self.exit_status is None:
            self._popen.kill()
        status = self._popen.wait()
        self._forget()
        return status

    def _forget(self) -> None:
        _alive.discard(self)
        for pipe in (self._popen.stdin, self._popen.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _failed(self, how: str) -> JavaFailed:
        tail = self.log_text()[-LOG_TAIL_CHARACTERS:]
        return JavaFailed(f"{self.log.stem} (pid {self.pid}) {how}; its log ends with:\n{tail}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


@atexit.register
def kill_all() -> None:
    """End every JVM that is still running."""
    for process in list(_alive):
        process.kill()


def is_listening(port: int) -> bool:
    """Whether a loopback port accepts connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def clean_environment(**added: str) -> dict[str, str]:
    """Our environment without what would steer a RocketMQ process, plus `added`."""
    steering = ("ROCKETMQ_", "NAMESRV_ADDR", "CLASSPATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(steering)} | added


def lines_of(process: JavaProcess) -> Iterator[str]:
    """Lines that a JVM with pipes prints, as they come."""
    for line in process.stdout:
        yield line.rstrip("\n")
