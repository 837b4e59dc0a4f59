"""Runs the admin tool that ships with RocketMQ."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compat_tests.java.driver import compiled
from compat_tests.java.jvm import java_command, make_home
from compat_tests.java.process import clean_environment
from compat_tests.java.versions import CURRENT, Version

RUN_SECONDS: Final = 120.0
# MQAdminStartup catches everything and ends with status 0, so only its words tell.
TROUBLE_ON_STDERR: Final = re.compile(r"Exception|Error")
TROUBLE_ON_STDOUT: Final = re.compile(r"^The sub command .* not exist|^usage: mqadmin", re.MULTILINE)


class AdminFailed(Exception):
    """mqadmin did not do what it was asked; the text holds what it printed."""


@dataclass(frozen=True)
class AdminResult:
    """What one run of mqadmin printed."""

    exit_status: int
    stdout: str
    stderr: str

    @property
    def failed(self) -> bool:
        """Whether it ended badly, printed a stack trace, or did not know the command or its options."""
        return bool(
            self.exit_status != 0
            or TROUBLE_ON_STDERR.search(self.stderr)
            or TROUBLE_ON_STDOUT.search(self.stdout)
        )


@dataclass(frozen=True)
class MqAdmin:
    """`mqadmin`, with its files under one directory."""

    directory: Path

    def __call__(
        self,
        name_server: str,
        command: str,
        *args: str,
        version: Version = CURRENT,
        check: bool = True,
        timeout: float = RUN_SECONDS,
    ) -> AdminResult:
        """Run one subcommand against a name server; with `check`, AdminFailed unless it worked."""
        home = make_home(self.directory / "home", log_level="off")
        line = [command, *args, "-n", name_server]
        done = subprocess.run(
            java_command(version, "AdminTool", *line, home=home, classes=compiled("AdminTool", version)),
            env=clean_environment(ROCKETMQ_HOME=str(home)),
            cwd=self.directory,  # consumerStatus leaves its files there
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )
        result = AdminResult(done.returncode, done.stdout, done.stderr)
        if check and result.failed:
            shown = f"status {result.exit_status}\n{result.stdout}\n{result.stderr}"
            raise AdminFailed(f"mqadmin {' '.join(line)}: {shown}")
        return result
