"""The command line of a JVM that runs RocketMQ classes: small, quick to start, tidy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from compat_tests.java.jars import classpath
from compat_tests.java.toolchain import tool
from compat_tests.java.versions import Version

SMALL_AND_QUICK: Final = (
    "-Xms64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Dfile.encoding=UTF-8",
)
# RocketMQ unmaps its files through these packages, which Java 17 keeps closed.
OPENED: Final = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
)
# Both logging libraries (4.9: logback; 5.5: the same, renamed) read this one file.
LOG_SETTINGS: Final = """\
<configuration>
  <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
    <target>{target}</target>
    <encoder><pattern>%d{{HH:mm:ss.SSS}} %p %t %c - %m%n</pattern></encoder>
  </appender>
  <logger name="RocketmqWaterMark" level="off"/>
  <root level="{level}"><appender-ref ref="console"/></root>
</configuration>
"""
# The names under which 4.9 looks for its settings below ROCKETMQ_HOME/conf.
LOG_SETTING_NAMES: Final = ("logback_namesrv.xml", "logback_broker.xml", "logback_tools.xml")


def make_home(home: Path, *, log_level: str = "info", log_to: str = "System.out") -> Path:
    """Make a directory that serves as ROCKETMQ_HOME and as the user's home, so nothing else is littered."""
    conf = home / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    for name in LOG_SETTING_NAMES:
        (conf / name).write_text(LOG_SETTINGS.format(level=log_level, target=log_to))
    return home


def java_command(
    version: Version,
    main_class: str,
    *args: str,
    home: Path,
    heap: str = "256m",
    classes: Path | None = None,
    properties: Mapping[str, str] | None = None,
) -> list[str]:
    """Command that runs a class of a release, or one of ours when `classes` holds it."""
    log_settings = str(home / "conf" / LOG_SETTING_NAMES[0])
    settings = {
        "user.home": str(home),
        "java.io.tmpdir": str(home),
        "logback.configurationFile": log_settings,
        "rmq.logback.configurationFile": log_settings,
        "rocketmq.client.logUseSlf4j": "true",
        **(properties or {}),
    }
    return [
        tool("java"),
        *SMALL_AND_QUICK,
        f"-Xmx{heap}",
        *OPENED,
        *(f"-D{name}={value}" for name, value in settings.items()),
        "-cp",
        classpath(version) if classes is None else f"{classes}{os.pathsep}{classpath(version)}",
        main_class,
        *args,
    ]
