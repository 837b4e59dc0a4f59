"""Compiles the Java programs in `drivers/` against a release and runs them.

Drivers are classes of the default package that share helpers with each other; each is compiled, with the
helpers it names, the first time it is used, so one that knows only the newer release harms no other.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from compat_tests.java.jars import cache_root, classpath, fill_once, jar_key
from compat_tests.java.jvm import java_command, make_home
from compat_tests.java.process import JavaFailed, JavaProcess, clean_environment, lines_of
from compat_tests.java.toolchain import tool
from compat_tests.java.versions import CURRENT, Version

SOURCES: Final = Path(__file__).with_name("drivers")
RUN_SECONDS: Final = 120.0


class DriverBroken(Exception):
    """A driver does not compile; the text holds what javac printed."""


def sources_of(driver: str) -> list[Path]:
    """The driver and every helper whose name it, or one of them, mentions."""
    texts = {source: source.read_text(encoding="utf-8") for source in sorted(SOURCES.glob("*.java"))}
    found = [SOURCES / f"{driver}.java"]
    for source in found:  # grows while we walk it
        words = set(re.findall(r"\w+", texts[source]))
        found += [other for other in texts if other.stem in words and other not in found]
    return found


@cache
def compiled(driver: str, version: Version) -> Path:
    """Directory with the classes of one driver, compiled unless an earlier run did."""
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources_of(driver)))
    target = cache_root() / "classes" / jar_key(version) / f"{driver}-{digest.hexdigest()[:12]}"
    return fill_once(target, lambda draft: _compile(driver, version, draft))


def _compile(driver: str, version: Version, into: Path) -> None:
    command = [tool("javac"), "-nowarn", "-proc:none", "-encoding", "UTF-8", "-cp", classpath(version)]
    command += ["-sourcepath", str(SOURCES), "-d", str(into), str(SOURCES / f"{driver}.java")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise DriverBroken(f"{driver}.java does not compile against {version}:\n{done.stdout}")


@dataclass(frozen=True)
class JavaDriver:
    """Runs drivers with their files under one directory."""

    directory: Path

    def __call__(
        self,
        driver: str,
        *args: str,
        version: Version = CURRENT,
        stdin: str | None = None,
        timeout: float = RUN_SECONDS,
    ) -> list[str]:
        """Run a driver and return the lines it printed; JavaFailed unless it ends with status 0."""
        command, env = self._command(driver, args, version, log_level="off")
        done = subprocess.run(
            command,
            input=stdin or "",
            env=env,
            cwd=self.directory,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )
        if done.returncode != 0:
            raise JavaFailed(f"{driver} on {version} ended with status {done.returncode}:\n{done.stderr}")
        return done.stdout.removesuffix("\n").split("\n") if done.stdout else []

    @contextmanager
    def start(self, driver: str, *args: str, version: Version = CURRENT) -> Iterator[RunningDriver]:
        """Run a driver beside the test, line by line; it is killed when the block ends."""
        command, env = self._command(driver, args, version, log_level="info")
        log = self.directory / f"{driver}.log"
        with JavaProcess(command, log=log, env=env, pipes=True) as process:
            yield RunningDriver(process)

    def _command(
        self, driver: str, args: tuple[str, ...], version: Version, log_level: str
    ) -> tuple[list[str], dict[str, str]]:
        home = make_home(self.directory / f"home-{log_level}", log_level=log_level, log_to="System.err")
        command = java_command(version, driver, *args, home=home, classes=compiled(driver, version))
        return command, clean_environment(ROCKETMQ_HOME=str(home))


@dataclass(frozen=True)
class RunningDriver:
    """A driver that is still talking."""

    process: JavaProcess

    def __iter__(self) -> Iterator[str]:
        return lines_of(self.process)

    def say(self, line: str) -> None:
        """Send the driver one line."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, text: str, timeout: float = RUN_SECONDS) -> str:
        """Read on until a line holds `text`, and return that line; JavaFailed when none comes in time."""
        # Reading a pipe has no deadline of its own; the end of the driver ends it.
        deadline = threading.Timer(timeout, os.kill, (self.process.pid, signal.SIGKILL))
        deadline.start()
        try:
            for line in self:
                if text in line:
                    return line
        finally:
            deadline.cancel()
        raise JavaFailed(
            f"{self.process.log.stem} did not say {text!r} within {timeout:.0f} s:\n{self.process.log_text()}"
        )
