"""The broker's settings, under Apache's names and with Apache's defaults.

`config_keys.tsv` lists every setting of 5.5.0, so that any broker.conf is understood; those that this broker
does not act on are taken and reported back, as an operator expects.
"""

from __future__ import annotations

import difflib
import logging
import socket
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from rocketpy.store.config import FlushDiskType, StoreConfig

logger = logging.getLogger(__name__)


class ConfigError(Exception):
    """A setting that cannot be; the text names key, value and what was expected."""


class Key(NamedTuple):
    """One setting."""

    owner: str
    name: str
    kind: str
    important: bool
    default: str


@cache
def known_keys() -> Mapping[str, Key]:
    """Every setting by name; where two Java classes share a name, they share the value."""
    text = (files(__package__) / "config_keys.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {name: Key(owner, name, kind, bool(mark), default) for owner, name, kind, mark, default in rows}


def parse_properties(text: str) -> dict[str, str]:
    """A Java .properties file: `key = value` lines, comments with # or !, a backslash continues a line."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        for position, character in enumerate(line):
            if character in "=:":
                found[line[:position].strip()] = line[position + 1 :].strip()
                break
        else:
            found[line.strip()] = ""
    return found


def _logical_lines(text: str) -> Iterator[str]:
    begun = ""
    for line in text.splitlines():
        line = begun + line.strip()
        begun = ""
        if not line or line[0] in "#!":
            continue
        if line.endswith("\\") and not line.endswith("\\\\"):
            begun = line[:-1]
            continue
        yield line
    if begun:
        yield begun


class BrokerConfig:
    """Values by Apache's names; unset ones have Apache's defaults. Changed at run time through `update`."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, str] = {}
        self.update(values or {})

    @classmethod
    def from_file(cls, path: Path, overrides: Mapping[str, str] | None = None) -> BrokerConfig:
        """Read a broker.conf; `overrides` come from the command line."""
        return cls(parse_properties(path.read_text(encoding="utf-8")) | dict(overrides or {}))

    def update(self, values: Mapping[str, str]) -> None:
        """Change settings; an unknown name is a warning, a value of the wrong kind an error."""
        for name, value in values.items():
            key = known_keys().get(name)
            if key is None:
                near = difflib.get_close_matches(name, known_keys(), n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                logger.warning("unknown setting %s = %s%s", name, value, hint)
            else:
                _check(key, value)
            self._values[name] = value

    def text(self, name: str) -> str:
        """A setting as text."""
        value = self._values.get(name)
        return known_keys()[name].default if value is None else value

    def number(self, name: str) -> int:
        """A whole number."""
        return int(self.text(name))

    def flag(self, name: str) -> bool:
        """A switch."""
        return self.text(name).lower() == "true"

    @property
    def broker_name(self) -> str:
        """The name under which the broker registers: the host's, unless set."""
        return self.text("brokerName") or socket.gethostname()

    def shown(self, *, important_only: bool = False) -> dict[str, str]:
        """All settings with their values, as `-p` and GET_BROKER_CONFIG show them; `-m` only some."""
        names = [key.name for key in known_keys().values() if key.important or not important_only]
        shown = {name: self.text(name) for name in names}
        return shown | {name: value for name, value in self._values.items() if name not in known_keys()}

    def store_config(self, *, in_memory: bool = False) -> StoreConfig:
        """What the message store makes of the settings."""
        return StoreConfig(
            path=None if in_memory else Path(self.text("storePathRootDir")),
            commit_log_file_size=self.number("mappedFileSizeCommitLog"),
            consume_queue_file_entries=self.number("mappedFileSizeConsumeQueue") // 20,
            index_slots=self.number("maxHashSlotNum"),
            index_entries=self.number("maxIndexNum"),
            message_index_enable=self.flag("messageIndexEnable"),
            message_index_safe=self.flag("messageIndexSafe"),
            max_message_size=self.number("maxMessageSize"),
            append_prop_crc=self.flag("enabledAppendPropCRC"),
            message_delay_level=self.text("messageDelayLevel"),
            flush_disk_type=FlushDiskType(self.text("flushDiskType")),
            flush_interval_millis=self.number("flushIntervalCommitLog"),
            flush_least_pages=self.number("flushCommitLogLeastPages"),
            sync_flush_timeout_millis=self.number("syncFlushTimeout"),
            file_reserved_hours=self.number("fileReservedTime"),
            delete_when=self.text("deleteWhen"),
            disk_max_used_ratio=self.number("diskMaxUsedSpaceRatio"),
            clean_file_forcibly_enable=self.flag("cleanFileForciblyEnable"),
            max_transfer_bytes=self.number("maxTransferBytesOnMessageInMemory"),
            max_transfer_count=self.number("maxTransferCountOnMessageInMemory"),
            query_max_num=self.number("maxMsgsNumBatch"),
        )


def _check(key: Key, value: str) -> None:
    if key.kind in ("int", "long"):
        if not value.lstrip("-").isdecimal():
            raise ConfigError(f"{key.name} = {value!r}: a whole number was expected")
    elif key.kind == "boolean":
        if value.lower() not in ("true", "false"):
            raise ConfigError(f"{key.name} = {value!r}: true or false was expected")
    elif key.kind == "double":
        try:
            float(value)
        except ValueError:
            raise ConfigError(f"{key.name} = {value!r}: a number was expected") from None
    elif key.name == "flushDiskType" and value not in list(FlushDiskType):
        raise ConfigError(f"{key.name} = {value!r}: {' or '.join(FlushDiskType)} was expected")
