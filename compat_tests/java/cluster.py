"""Name server, broker and proxy of the real Apache RocketMQ, on loopback and in throw-away directories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from compat_tests.java.ports import free_ports
from compat_tests.java.probe import is_registered, reports_statistics
from compat_tests.java.process import JavaProcess
from compat_tests.java.server import HOST, START_SECONDS, JavaServer, Setting, write_properties
from compat_tests.java.versions import CURRENT, Version

Role = Literal["ASYNC_MASTER", "SYNC_MASTER", "SLAVE"]

CLUSTER_NAME: Final = "DefaultCluster"
# Small files roll over within a test; 0 leaves Java's own 1 GiB.
SMALL_COMMIT_LOG: Final = 16 * 1024 * 1024


class NameServer(JavaServer):
    """NamesrvStartup with any properties; ready once it listens."""

    main_class: ClassVar[str] = "org.apache.rocketmq.namesrv.NamesrvStartup"
    heap: ClassVar[str] = "128m"

    def __init__(
        self,
        directory: Path,
        *,
        version: Version = CURRENT,
        name: str = "namesrv",
        config: Mapping[str, Setting] | None = None,
        system_properties: Mapping[str, str] | None = None,
    ) -> None:
        (port,) = free_ports()
        super().__init__(
            directory, name=name, port=port, version=version, system_properties=system_properties
        )
        self.config: dict[str, Setting] = {
            "listenPort": port,
            "bindAddress": HOST,
            "kvConfigPath": str(directory / "kvConfig.json"),
            **(config or {}),
        }

    def arguments(self) -> list[str]:
        return ["-c", str(write_properties(self.directory / "namesrv.conf", self.config))]

    def wait_until_ready(self, process: JavaProcess) -> None:
        process.wait_for_port(self.port, timeout=START_SECONDS)


class Broker(JavaServer):
    """BrokerStartup with any properties; ready once its name server lists it.

    `name_server` is one address or several joined by `;`, as Java's namesrvAddr.
    """

    main_class: ClassVar[str] = "org.apache.rocketmq.broker.BrokerStartup"
    heap: ClassVar[str] = "384m"

    def __init__(
        self,
        directory: Path,
        name_server: str,
        *,
        version: Version = CURRENT,
        broker_name: str = "broker-a",
        broker_id: int = 0,
        role: Role = "ASYNC_MASTER",
        cluster_name: str = CLUSTER_NAME,
        store: Path | None = None,
        commit_log_file_size: int = SMALL_COMMIT_LOG,
        config: Mapping[str, Setting] | None = None,
        system_properties: Mapping[str, str] | None = None,
    ) -> None:
        # Beside listenPort, Java takes two below for the VIP channel, and one above for replication.
        self.vip_port, _, port, self.ha_port = free_ports(4)
        super().__init__(
            directory,
            name=f"{broker_name}-{broker_id}",
            port=port,
            version=version,
            system_properties=system_properties,
        )
        self.name_server = name_server
        self.broker_name = broker_name
        self.broker_id = broker_id
        self.cluster_name = cluster_name
        self.store = store or directory / "store"
        self.config: dict[str, Setting] = {
            "brokerClusterName": cluster_name,
            "brokerName": broker_name,
            "brokerId": broker_id,
            "brokerRole": role,
            "brokerIP1": HOST,
            "brokerIP2": HOST,
            "bindAddress": HOST,
            "listenPort": port,
            "haListenPort": self.ha_port,
            "namesrvAddr": name_server,
            "storePathRootDir": str(self.store),
            "storePathCommitLog": str(self.store / "commitlog"),
        }
        if commit_log_file_size:
            self.config["mappedFileSizeCommitLog"] = commit_log_file_size
        self.config.update(config or {})

    def arguments(self) -> list[str]:
        return ["-c", str(write_properties(self.directory / "broker.conf", self.config))]

    def wait_until_ready(self, process: JavaProcess) -> None:
        process.wait_for_line("boot success", timeout=START_SECONDS)
        process.wait_until(self._is_registered, what="registration", timeout=START_SECONDS)
        process.wait_until(
            lambda: reports_statistics(self.address), what="runtime info", timeout=START_SECONDS
        )

    def _is_registered(self) -> bool:
        return all(is_registered(self.address, server) for server in self.name_server.split(";"))


class Proxy(JavaServer):
    """ProxyStartup of 5.5.0 in cluster mode: `port` speaks remoting, `grpc_port` gRPC."""

    main_class: ClassVar[str] = "org.apache.rocketmq.proxy.ProxyStartup"

    def __init__(
        self,
        directory: Path,
        name_server: str,
        *,
        cluster_name: str = CLUSTER_NAME,
        config: Mapping[str, Setting] | None = None,
        system_properties: Mapping[str, str] | None = None,
    ) -> None:
        port, self.grpc_port = free_ports(2)
        super().__init__(directory, name="proxy", port=port, system_properties=system_properties)
        self.config: dict[str, Setting] = {
            "rocketMQClusterName": cluster_name,
            "namesrvAddr": name_server,
            "proxyMode": "CLUSTER",
            "remotingListenPort": port,
            "grpcServerPort": self.grpc_port,
            **(config or {}),
        }

    def arguments(self) -> list[str]:
        path = self.directory / "rmq-proxy.json"
        path.write_text(json.dumps(self.config))
        return ["-pc", str(path)]

    def wait_until_ready(self, process: JavaProcess) -> None:
        process.wait_for_line("startup successfully", timeout=START_SECONDS)
        process.wait_for_port(self.port, timeout=START_SECONDS)


@dataclass(frozen=True)
class Cluster:
    """A running name server and the one broker registered there."""

    name_server: NameServer
    broker: Broker

    @property
    def version(self) -> Version:
        return self.broker.version


@contextmanager
def running_cluster(
    directory: Path, version: Version = CURRENT, broker_config: Mapping[str, Setting] | None = None
) -> Iterator[Cluster]:
    """A name server and a broker, ready to serve; killed when the block ends."""
    with (
        NameServer(directory / "namesrv", version=version) as name_server,
        Broker(directory / "broker", name_server.address, version=version, config=broker_config) as broker,
    ):
        yield Cluster(name_server, broker)
