"""The `rocketpy` command."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

from click.testing import CliRunner

from rocketpy.cli import main
from tests.vectors import golden_frames


def test_version_is_that_of_the_distribution() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.output.strip() == f"rocketpy, version {version('rocketpy-mq')}"


def test_the_package_runs_as_a_module() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "rocketpy", "--version"], capture_output=True, text=True, check=True
    )
    assert "version" in shown.stdout


def test_explain_shows_a_frame_as_json_and_byte_by_byte() -> None:
    frame = golden_frames()[0].frame
    result = CliRunner().invoke(main, ["explain", frame.hex()])
    assert result.exit_code == 0
    assert json.loads(result.stdout.splitlines()[0])["code"] == golden_frames()[0].code
    assert frame[:4].hex() in result.stdout.replace(" ", "")


def test_explain_shows_what_is_wrong_with_a_broken_frame() -> None:
    result = CliRunner().invoke(main, ["explain", "0000000405000000"])
    assert result.exit_code == 0
    assert "unknown header serializer 5" in result.output
    assert CliRunner().invoke(main, ["explain", "xyz"]).exit_code == 2
