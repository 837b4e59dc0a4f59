"""The `rocketpy` command."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

from click.testing import CliRunner

from rocketpy.cli import main


def test_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.output.strip() == f"rocketpy, version {version('rocketpy-mq')}"


def test_the_package_runs_as_a_module() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "rocketpy", "--version"], capture_output=True, text=True, check=True
    )
    assert "version" in shown.stdout
