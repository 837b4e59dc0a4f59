"""The name server's settings, under Apache's names and with Apache's defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from rocketpy.namesrv.files import replace_file
from rocketpy.remoting.properties import format_properties
from rocketpy.remoting.settings import Key, Settings, read_file, read_keys

# The objects that NamesrvController registers with its Configuration: what admin tools see and change.
_TOLD: Final = ("NamesrvConfig", "NettyServerConfig")
# DefaultRequestProcessor.initConfigBlackList; `configBlackList` adds more.
_NEVER_CHANGED: Final = frozenset({"configBlackList", "configStorePath", "kvConfigPath", "rocketmqHome"})


@cache
def known_keys() -> Mapping[str, Key]:
    """Every setting by name."""
    return read_keys((files(__package__) / "config_keys.tsv").read_text(encoding="utf-8"))


class NamesrvConfig(Settings):
    """All settings. An empty `kvConfigPath` or `configStorePath` keeps the content in memory only."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        home = Path.home() / "namesrv"
        defaults = {
            "rocketmqHome": os.environ.get("ROCKETMQ_HOME", ""),
            "kvConfigPath": str(home / "kvConfig.json"),
            "configStorePath": str(home / "namesrv.properties"),
        }
        super().__init__(known_keys(), defaults | dict(values or {}))
        # Fixed at the start, as in Java, so that no update can first take a name off the list.
        self._never_changed = _NEVER_CHANGED | set(self.text("configBlackList").split(";"))

    @classmethod
    def from_file(cls, path: Path, overrides: Mapping[str, str] | None = None) -> NamesrvConfig:
        """Read a namesrv.conf, which also becomes the file that updates are saved to."""
        return cls(read_file(path) | {"configStorePath": str(path)} | dict(overrides or {}))

    @property
    def kv_config_path(self) -> Path | None:
        """Where the key-value settings live."""
        return _path(self.text("kvConfigPath"))

    def is_forbidden(self, values: Mapping[str, str]) -> bool:
        """Whether there is a setting among them that no request may change."""
        return not self._never_changed.isdisjoint(values)

    def update(self, values: Mapping[str, str]) -> None:
        """UPDATE_NAMESRV_CONFIG: change what is known, and save everything."""
        told = self._told()
        self.update_as_java({name: value for name, value in values.items() if name in told})
        replace_file(_path(self.text("configStorePath")), self.described().encode())

    def described(self) -> str:
        """GET_NAMESRV_CONFIG: all settings as properties."""
        return format_properties(self._told())

    def _told(self) -> dict[str, str]:
        """What Java's Configuration holds: its objects' settings, and whatever else its file had."""
        told = {
            name: value
            for name, value in self.shown().items()
            if self.is_set(name) or self.keys[name].owner in _TOLD
        }
        if not told["rocketmqHome"]:  # null in Java
            del told["rocketmqHome"]
        return told


def _path(text: str) -> Path | None:
    return Path(text) if text else None
