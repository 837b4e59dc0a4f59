"""The Java commands of this machine: where they are, and what is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

OLDEST_JAVA: Final = 17


class ToolMissing(Exception):
    """A Java tool that the tests need is not on this machine; the text says which."""


def tool(name: str) -> str:
    """Path of a JDK command: from JAVA_HOME when that is set, else from PATH."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=str(Path(home) / "bin")) if home else shutil.which(name)
    if found is None:
        raise ToolMissing(f"no `{name}` in {'JAVA_HOME' if home else 'PATH'}: a JDK {OLDEST_JAVA}+ is needed")
    return found


def maven() -> str:
    """Path of Maven, which brings the jars."""
    found = shutil.which("mvn")
    if found is None:
        raise ToolMissing("no `mvn` in PATH: Maven is needed to bring the RocketMQ jars")
    return found


@cache
def java_release(java: str) -> int:
    """Feature release of a `java` command: 17 for 17.0.15, 8 for 1.8.0."""
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    number = re.search(r'version "(?:1\.)?(\d+)', shown)
    if number is None:
        raise ToolMissing(f"`{java} -version` says no version: {shown!r}")
    return int(number[1])


def check_java() -> None:
    """Raise ToolMissing unless a JDK that is new enough can be run."""
    tool("javac")
    java = tool("java")
    release = java_release(java)
    if release < OLDEST_JAVA:
        raise ToolMissing(f"`{java}` is Java {release}; {OLDEST_JAVA} or newer is needed")
