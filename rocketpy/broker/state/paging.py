"""Pages of a sorted table, as slaves ask for topics and groups (TopicConfigManager.subTopicConfigTable)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from rocketmq_protocol.bodies import DataVersion
from rocketmq_protocol.javaisms.maps import natural_order

V = TypeVar("V")


def page(
    table: Mapping[str, V], begin: int, count: int, seen: str | None, version: DataVersion
) -> dict[str, V]:
    """Up to `count` entries from the `begin`-th on; from the first on, where the table changed meanwhile.

    `seen` is the version, as JSON, that the asker's earlier pages had.
    """
    if begin and (not seen or not seen.strip() or DataVersion.decode(seen.encode()) != version):
        begin = 0
    keys = sorted(table, key=natural_order)[begin : begin + count]
    return {key: table[key] for key in keys}
