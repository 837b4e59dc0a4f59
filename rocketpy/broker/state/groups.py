"""Subscription groups: settings, creation on first use, subscriptionGroup.json."""

from __future__ import annotations

from collections.abc import Callable

from rocketmq_protocol.bodies import DataVersion, SubscriptionGroupConfig, SubscriptionGroupWrapper
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.state.names import SYSTEM_GROUPS, group_problem
from rocketpy.broker.state.versions import next_version
from rocketpy.store.config_files import ConfigFile


class GroupTable:
    """Groups by name."""

    def __init__(
        self,
        config: BrokerConfig,
        file: ConfigFile[SubscriptionGroupWrapper],
        clock: Callable[[], int],
    ) -> None:
        self._config = config
        self._file = file
        self._clock = clock
        self._groups = {name: SubscriptionGroupConfig(group_name=name) for name in SYSTEM_GROUPS}
        self._forbidden: dict[str, dict[str, int]] = {}
        self.version = DataVersion(timestamp=clock())

    def load(self) -> None:
        """Take in what the file holds."""
        loaded = self._file.load()
        if loaded is not None:
            self._groups.update(loaded.subscription_group_table)
            self._forbidden.update(loaded.forbidden_table)
            self.version = loaded.data_version or self.version

    def save(self) -> None:
        """Write the file."""
        self._file.save(self.wrapper())

    def wrapper(self) -> SubscriptionGroupWrapper:
        """All groups with the table's version."""
        return SubscriptionGroupWrapper(
            subscription_group_table=dict(self._groups),
            forbidden_table=dict(self._forbidden),
            data_version=self.version,
        )

    def all(self) -> dict[str, SubscriptionGroupConfig]:
        """Every group."""
        return self._groups

    def find(self, group: str) -> SubscriptionGroupConfig | None:
        """A group's settings; a new one is made, if its name and autoCreateSubscriptionGroup allow that."""
        found = self._groups.get(group)
        if found is None and self._config.flag("autoCreateSubscriptionGroup") and not group_problem(group):
            found = SubscriptionGroupConfig(group_name=group)
            self.put(found)
        return found

    def put(self, config: SubscriptionGroupConfig) -> None:
        """Create a group or replace its settings."""
        assert config.group_name is not None
        self._groups[config.group_name] = config
        self._changed()

    def delete(self, group: str) -> bool:
        """Forget a group; False if there is none."""
        if self._groups.pop(group, None) is None:
            return False
        self._changed()
        return True

    def _changed(self) -> None:
        self.version = next_version(self.version, self._clock())
        self.save()
