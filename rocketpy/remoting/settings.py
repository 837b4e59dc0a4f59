"""Settings under Apache's names and with Apache's defaults: read, checked, shown, and changed at run time.

A server's settings are declared in a table of its own, so that any of Apache's configuration files is
understood; those that the server does not act on are taken and reported back, as an operator expects.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from rocketmq_protocol import javaisms
from rocketmq_protocol.javaisms.doubles import double_text
from rocketpy.remoting.properties import parse_properties

logger = logging.getLogger(__name__)


class ConfigError(Exception):
    """A setting that cannot be; the text names key, value and what was expected."""


class Key(NamedTuple):
    """One setting: the Java class that has it, its name, type and default, and whether it matters here."""

    owner: str
    name: str
    kind: str
    important: bool
    default: str


def read_keys(text: str) -> dict[str, Key]:
    """A table of settings: tab-separated owner, name, type, mark and default; # begins a comment."""
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {name: Key(owner, name, kind, bool(mark), default) for owner, name, kind, mark, default in rows}


def read_file(path: Path) -> dict[str, str]:
    """A .properties file in UTF-8, or in Latin-1 where it is not that; ConfigError if it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    try:
        return parse_properties(text)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


class Settings:
    """Values by name; each is kept as the text that Java would show for it."""

    def __init__(self, keys: Mapping[str, Key], values: Mapping[str, str]) -> None:
        self.keys: Final = keys
        self._values: dict[str, str] = {}
        for name, value in values.items():
            self._set(name, value)

    def text(self, name: str) -> str:
        """A setting as text."""
        value = self._values.get(name)
        return self.keys[name].default if value is None else value

    def number(self, name: str) -> int:
        """A whole number."""
        return int(self.text(name))

    def flag(self, name: str) -> bool:
        """A switch."""
        return self.text(name) == "true"

    def is_set(self, name: str) -> bool:
        """Whether it was given a value."""
        return name in self._values

    def set(self, name: str, value: str) -> None:
        """Change one setting of the table; ConfigError if the value is not of its type."""
        self._values[name] = _checked(self.keys[name], value)

    def update_as_java(self, values: Mapping[str, str]) -> None:
        """Configuration.update, for requests: unknown names and values of the wrong type change nothing."""
        for name, value in values.items():
            key = self.keys.get(name)
            if key is None:
                if name in self._values:
                    self._values[name] = value
                continue
            try:
                _, convert = _KINDS[key.kind]
                self._values[name] = convert(value)
            except ValueError:
                logger.warning("%s = %r was sent, but is no %s: ignored", name, value, key.kind)

    def shown(self, *, important_only: bool = False) -> dict[str, str]:
        """All settings with their values, in the order of the table, then those unknown to it."""
        names = [key.name for key in self.keys.values() if key.important or not important_only]
        shown = {name: self.text(name) for name in names}
        return shown | {name: value for name, value in self._values.items() if name not in self.keys}

    def _set(self, name: str, value: str) -> None:
        if name in self.keys:
            self.set(name, value)
            return
        near = difflib.get_close_matches(name, self.keys, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        logger.warning("unknown setting %s = %s%s", name, value, hint)
        self._values[name] = value


def _checked(key: Key, value: str) -> str:
    """A value from an operator, who wants to hear of a switch that is neither on nor off."""
    value = value.strip()
    expected, convert = _KINDS[key.kind]
    try:
        if key.kind == "boolean" and value.lower() not in ("true", "false"):
            raise ValueError(value)
        return convert(value)
    except ValueError:
        raise ConfigError(f"{key.name} = {value!r}: {expected} was expected") from None


# What to expect, and what MixAll.properties2Object makes of a value.
_KINDS: Final[dict[str, tuple[str, Callable[[str], str]]]] = {
    "String": ("text", str.strip),
    "int": ("a whole number", lambda value: str(javaisms.parse_int(value))),
    "long": ("a whole number", lambda value: str(javaisms.parse_long(value))),
    "double": ("a number", lambda value: double_text(float(value))),
    "boolean": ("true or false", lambda value: javaisms.boolean_text(javaisms.parse_boolean(value))),
}
