"""Brings the jars of a release through Maven and keeps them between runs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from compat_tests.java.toolchain import maven
from compat_tests.java.versions import Version, pom_of


class JarsUnavailable(Exception):
    """Maven could not bring the jars; the text holds what it printed."""


def cache_root() -> Path:
    """Where jars and compiled drivers live between runs; ROCKETPY_COMPAT_CACHE moves it."""
    own = os.environ.get("ROCKETPY_COMPAT_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rocketpy-compat"


def fill_once(target: Path, fill: Callable[[Path], None]) -> Path:
    """Make the directory `target` with `fill`, unless it is already there.

    It is filled beside its place and renamed into it, so it is whole or absent; when two processes
    race, the second one's rename fails and the first one's result serves both.
    """
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        fill(draft)
        draft.chmod(0o755)
        try:
            draft.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def jar_key(version: Version) -> str:
    """Names one set of jars: the release and what its pom says."""
    return f"{version}-{hashlib.sha256(pom_of(version).read_bytes()).hexdigest()[:12]}"


def jar_directory(version: Version) -> Path:
    """Directory with every jar of a release, brought by Maven the first time."""
    return fill_once(cache_root() / "jars" / jar_key(version), lambda draft: _download(version, draft))


def classpath(version: Version) -> str:
    """What `java -cp` takes for a release."""
    return str(jar_directory(version) / "*")


def _download(version: Version, into: Path) -> None:
    command = [
        maven(),
        "--quiet",
        "--batch-mode",
        "--file",
        str(pom_of(version)),
        "dependency:copy-dependencies",
        f"-DoutputDirectory={into}",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0 or not any(into.glob("rocketmq-*.jar")):
        raise JarsUnavailable(
            f"Maven brought no RocketMQ {version} (status {done.returncode}):\n{done.stdout}"
        )
