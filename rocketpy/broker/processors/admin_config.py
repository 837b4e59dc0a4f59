"""The broker's settings, read and changed while it runs (AdminBrokerProcessor, Configuration)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

from rocketmq_protocol import RemotingCommand, ResponseCode
from rocketmq_protocol.bodies import DataVersion
from rocketmq_protocol.headers import GetBrokerConfigResponseHeader
from rocketmq_protocol.javaisms.maps import natural_order
from rocketpy.broker.config import BrokerConfig, ConfigError, known_keys, parse_properties
from rocketpy.broker.state.versions import next_version
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused

logger = logging.getLogger(__name__)

# Texts that are empty by default in Java; every other one without a value is null there, and not shown.
_EMPTY: Final = frozenset(
    {
        "controllerAddr",
        "messageStorePlugIn",
        "metricsGrpcExporterHeader",
        "metricsGrpcExporterTarget",
        "metricsLabel",
        "metricsPromExporterHost",
    }
)
_NEVER_CHANGED: Final = frozenset({"brokerConfigPath", "rocketmqHome", "configBlackList"})


class ConfigAdmin:
    """Shows the settings and changes them. `on_update` is told what changed."""

    def __init__(
        self,
        config: BrokerConfig,
        clock: Callable[[], int],
        on_update: Callable[[Mapping[str, str]], None] = lambda changed: None,
    ) -> None:
        self._config = config
        self._clock = clock
        self._on_update = on_update
        self._version = DataVersion(timestamp=clock())
        self._black_list = _NEVER_CHANGED | set(config.text("configBlackList").split(";"))

    def get(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """The settings, a line each, sorted by name."""
        shown = self._config.shown() | {"brokerName": self._config.broker_name}
        lines = [
            f"{name}={shown[name]}\n"
            for name in sorted(shown, key=natural_order)
            if _is_shown(name, shown[name])
        ]
        header = GetBrokerConfigResponseHeader(version=self._version.encode().decode())
        return request.reply(ResponseCode.SUCCESS, header, body="".join(lines).encode())

    def update(self, channel: Channel, request: RemotingCommand) -> RemotingCommand:
        """Change settings. As in Java, unknown names and values of the wrong kind are passed over."""
        wanted = parse_properties(request.body.decode("utf-8", "replace"))
        if self._black_list & wanted.keys():
            raise RequestRefused(ResponseCode.NO_PERMISSION, "Can not update config in black list.")
        changed = {name: value for name, value in wanted.items() if self._set(name, value)}
        self._version = next_version(self._version, self._clock())
        logger.info("settings changed by %s: %s", channel.remote, changed)
        self._on_update(changed)
        return request.reply(ResponseCode.SUCCESS)

    def _set(self, name: str, value: str) -> bool:
        if name not in known_keys():
            logger.warning("unknown setting %s = %s", name, value)
            return False
        try:
            self._config.update({name: value})
        except ConfigError as error:
            logger.warning("%s", error)
            return False
        return True


def _is_shown(name: str, value: str) -> bool:
    key = known_keys().get(name)
    if key is not None and key.owner == "AuthConfig":
        return value != key.default  # Java's broker keeps its AuthConfig to itself until it is used
    return value != "" or name in _EMPTY
