"""One broker of either kind under a Java name server, for tests that both have to pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from compat_tests.java.cluster import NameServer, running_cluster
from compat_tests.python_server import running_broker

Kind = Literal["java", "python"]


@dataclass(frozen=True)
class EitherBroker:
    """A running broker: how clients find it, and where its files are."""

    name_server: str
    address: str
    store: Path


@contextmanager
def either_broker(kind: Kind, directory: Path, config: Mapping[str, str]) -> Iterator[EitherBroker]:
    """Java's broker or ours, with the same settings; killed when the block ends."""
    if kind == "java":
        with running_cluster(directory, broker_config=config) as cluster:
            yield EitherBroker(cluster.name_server.address, cluster.broker.address, cluster.broker.store)
    else:
        with (
            NameServer(directory / "namesrv") as name_server,
            running_broker(directory / "broker", name_server.address, config) as broker,
        ):
            yield EitherBroker(name_server.address, broker.address, broker.store)
