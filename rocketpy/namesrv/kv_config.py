"""Key-value settings that admin tools keep in the name server, by namespace, and their file kvConfig.json."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.bodies import Body, KVTable
from rocketpy.namesrv.files import replace_file

logger = logging.getLogger(__name__)

# NamesrvUtil.NAMESPACE_ORDER_TOPIC_CONFIG: how many queues each broker has of an ordered topic.
ORDER_TOPIC_CONFIG: Final = "ORDER_TOPIC_CONFIG"


@dataclass(slots=True, kw_only=True)
class KVConfigSerializeWrapper(Body):
    """The content of kvConfig.json."""

    config_table: dict[str, dict[str, str]] = field(default_factory=dict)


class KvConfig:
    """Namespaces of keys and values; every change is saved. Without a path they live in memory.

    A namespace or key that a request left out is None, and finds nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._namespaces: dict[str, dict[str, str]] = {}

    def load(self) -> None:
        """Read the file; one that cannot be read is a line in the log, as in Java."""
        if self._path is None or not self._path.exists():
            return
        try:
            content = KVConfigSerializeWrapper.decode(self._path.read_bytes())
        except (OSError, RemoteProtocolError) as error:
            logger.error("%s: not loaded: %s", self._path, error)
        else:
            self._namespaces = {name: dict(table) for name, table in content.config_table.items()}

    def get(self, namespace: str | None, key: str | None) -> str | None:
        """A value, or None."""
        table = self._of(namespace)
        return None if table is None or key is None else table.get(key)

    def table(self, namespace: str | None) -> KVTable | None:
        """All of a namespace, or None where nothing was ever put into it."""
        table = self._of(namespace)
        return None if table is None else KVTable(table=dict(table))

    def put(self, namespace: str, key: str, value: str | None) -> None:
        """Set a value. Java keeps a null, and then finds nothing there: here it takes the key away."""
        table = self._namespaces.setdefault(namespace, {})
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value
        self._save()

    def delete(self, namespace: str | None, key: str | None) -> None:
        """Take a key away; its namespace stays."""
        table = self._of(namespace)
        if table is not None and key is not None:
            table.pop(key, None)
        self._save()

    def _of(self, namespace: str | None) -> dict[str, str] | None:
        return None if namespace is None else self._namespaces.get(namespace)

    def _save(self) -> None:
        content = KVConfigSerializeWrapper(config_table=self._namespaces)
        replace_file(self._path, content.encode())
