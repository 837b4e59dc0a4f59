"""What name server, broker and proxy have in common: one directory, one JVM, started and stopped at will."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Self

from compat_tests.java.jvm import java_command, make_home
from compat_tests.java.process import STOP_SECONDS, JavaProcess, clean_environment
from compat_tests.java.versions import CURRENT, Version

Setting = str | int | bool

HOST: Final = "127.0.0.1"
START_SECONDS: Final = 60.0
SYSTEM_PROPERTIES: Final = {
    # Making the self-signed certificates costs a second for each listener.
    "tls.server.mode": "disabled",
    # A broker refuses messages when the disk is nearly full; a test machine's disk is none of its business.
    "rocketmq.broker.diskSpaceWarningLevelRatio": "0.99",
    "rocketmq.broker.diskSpaceCleanForciblyRatio": "0.99",
}


class JavaServer(ABC):
    """A RocketMQ server with all its files in `directory`.

    It can be stopped (TERM) or killed (KILL) and started again on the same ports and files. Leaving its
    `with` block kills it: a clean broker shutdown takes ten seconds and is for tests that look at its result.
    """

    main_class: ClassVar[str]
    heap: ClassVar[str] = "256m"

    def __init__(
        self,
        directory: Path,
        *,
        name: str,
        port: int,
        version: Version = CURRENT,
        system_properties: Mapping[str, str] | None = None,
    ) -> None:
        self.directory = directory
        self.name = name
        self.port = port
        self.version = version
        self.system_properties = SYSTEM_PROPERTIES | dict(system_properties or {})
        self.log = directory / f"{name}.log"
        self._process: JavaProcess | None = None

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    @property
    def process(self) -> JavaProcess:
        assert self._process is not None, f"{self.name} was not started"
        return self._process

    @abstractmethod
    def arguments(self) -> list[str]:
        """Write the configuration and return the command line arguments that name it."""

    @abstractmethod
    def wait_until_ready(self, process: JavaProcess) -> None:
        """Return once the server serves; JavaFailed when it does not in time."""

    def start(self) -> Self:
        """Start the JVM and wait until it serves."""
        assert self._process is None or self._process.exit_status is not None, f"{self.name} is running"
        home = make_home(self.directory / "home")
        command = java_command(
            self.version,
            self.main_class,
            *self.arguments(),
            home=home,
            heap=self.heap,
            properties=self.system_properties,
        )
        self._put_last_log_aside()
        environment = clean_environment(ROCKETMQ_HOME=str(home))
        self._process = JavaProcess(command, log=self.log, env=environment)
        try:
            self.wait_until_ready(self._process)
        except BaseException:
            self._process.kill()
            raise
        return self

    def _put_last_log_aside(self) -> None:
        """Rename an earlier run's log, whose "boot success" must not speak for this one."""
        if self.log.exists():
            earlier = len(list(self.directory.glob(f"{self.name}.*.log")))
            self.log.rename(self.directory / f"{self.name}.{earlier + 1}.log")

    def stop(self, timeout: float = STOP_SECONDS) -> int:
        """Shut down cleanly; returns the exit status."""
        return self.process.stop(timeout)

    def kill(self) -> int:
        """End at once, as a crash would."""
        return self.process.kill()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def write_properties(path: Path, settings: Mapping[str, Setting]) -> Path:
    """Write a Java .properties file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{name}={property_text(value)}\n" for name, value in settings.items()))
    return path


def property_text(value: Setting) -> str:
    """A value as Java's property files spell it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("\\", "\\\\")
