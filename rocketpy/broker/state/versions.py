"""DataVersion: how others see that a table changed."""

from __future__ import annotations

from rocketmq_protocol.bodies import DataVersion


def next_version(version: DataVersion, now_millis: int) -> DataVersion:
    """The version after a change (DataVersion.nextVersion)."""
    return DataVersion(state_version=version.state_version, timestamp=now_millis, counter=version.counter + 1)
