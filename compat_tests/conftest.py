"""Fixtures with the real Apache RocketMQ behind them; none starts unless a test asks for it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

import pytest

from compat_tests.java import process
from compat_tests.java.cluster import Cluster, running_cluster
from compat_tests.java.driver import JavaDriver
from compat_tests.java.jars import jar_directory
from compat_tests.java.mqadmin import MqAdmin
from compat_tests.java.toolchain import ToolMissing, check_java
from compat_tests.java.versions import CURRENT, OLD

FAILED_LOGS: Final = Path(__file__).with_name(".cache") / "failed-logs"
SHOWN_LOG_CHARACTERS: Final = 3000


@pytest.fixture(scope="session")
def java_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where everything Java writes goes, removed at the end; without Java or Maven, the test is skipped."""
    missing = missing_tool()
    if missing:
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse(missing)
    directory = tmp_path_factory.mktemp("java")
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


def missing_tool() -> str | None:
    """What this machine lacks to run Java peers, or None."""
    try:
        check_java()
        for version in (CURRENT, OLD):
            jar_directory(version)
    except ToolMissing as missing:
        return str(missing)
    return None


@pytest.fixture
def java_dir(java_directory: Path) -> Iterator[Path]:
    """A directory for the servers of one test, removed after it."""
    # A short name: RocksDB makes a file name of its whole path.
    directory = Path(tempfile.mkdtemp(dir=java_directory))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def java_driver(java_directory: Path) -> JavaDriver:
    """Runs the Java programs in `java/drivers`: `java_driver("EncodeCommands", *args) -> lines`."""
    return JavaDriver(java_directory / "drivers")


@pytest.fixture(scope="session")
def mqadmin(java_directory: Path) -> MqAdmin:
    """Runs Apache's admin tool: `mqadmin(name_server, "topicList") -> AdminResult`."""
    return MqAdmin(java_directory / "mqadmin")


@pytest.fixture(scope="session")
def java_cluster_550(java_directory: Path) -> Iterator[Cluster]:
    """Name server and broker of 5.5.0, shared by all tests: leave them as you found them."""
    with running_cluster(java_directory / "cluster-550", CURRENT) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def java_cluster_49(java_directory: Path) -> Iterator[Cluster]:
    """Name server and broker of 4.9.7, shared by all tests: leave them as you found them."""
    with running_cluster(java_directory / "cluster-49", OLD) as cluster:
        yield cluster


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The Java processes that count for a failure: those alive now, and those started later."""
    process.started[:] = [one for one in process.started if one.exit_status is None]
    shutil.rmtree(failed_logs(item), ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the logs of the Java processes that a failed test saw, and show their ends."""
    report = yield
    if report.failed:
        for log in dict.fromkeys(one.log for one in process.started if one.log.exists()):
            keep_log(log, failed_logs(item) / "-".join(log.parts[-3:-1]), report)
    return report


def failed_logs(item: pytest.Item) -> Path:
    return FAILED_LOGS / re.sub(r"\W+", "-", item.nodeid)


def keep_log(log: Path, kept: Path, report: pytest.TestReport) -> None:
    """Copy a log, and those of the same server's earlier runs, and put its end into the report."""
    kept.mkdir(parents=True, exist_ok=True)
    for found in log.parent.glob("*.log"):
        shutil.copy(found, kept)
    tail = log.read_text(encoding="utf-8", errors="replace")[-SHOWN_LOG_CHARACTERS:]
    report.sections.append((f"end of {kept / log.name}", tail))
