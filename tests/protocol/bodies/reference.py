"""Texts and orders that Java wrote; see data/README.md."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from rocketmq_protocol import bodies, javaisms
from rocketmq_protocol.javaisms.maps import (
    ConcurrentHashMap,
    HashCode,
    HashMap,
    JavaOrder,
    SizedHashSet,
    TreeMap,
)

DATA: Final = Path(__file__).with_name("data")

BY_JAVA_CLASS: Final = {found.java_class: found for found in bodies.BODIES.values() if found.java_class}

MAP_KINDS: Final[dict[str, JavaOrder]] = {
    "HashMap()": HashMap(),
    "HashMap(128)": HashMap(128),
    "HashMap(1, copied=True)": HashMap(1, copied=True),
    "HashMap(copied=True)": HashMap(copied=True),
    "SizedHashSet()": SizedHashSet(),
    "ConcurrentHashMap()": ConcurrentHashMap(),
    "ConcurrentHashMap(2)": ConcurrentHashMap(2),
    "ConcurrentHashMap(8)": ConcurrentHashMap(8),
    "ConcurrentHashMap(32)": ConcurrentHashMap(32),
    "ConcurrentHashMap(512)": ConcurrentHashMap(512),
    "ConcurrentHashMap(put_all=True)": ConcurrentHashMap(put_all=True),
    "ConcurrentHashMap(512, put_all=True)": ConcurrentHashMap(512, put_all=True),
    "ConcurrentHashMap(put_all=True, source=TreeMap())": ConcurrentHashMap(put_all=True, source=TreeMap()),
    "ConcurrentHashMap(source=ConcurrentHashMap(1024))": ConcurrentHashMap(source=ConcurrentHashMap(1024)),
    "TreeMap()": TreeMap(),
}

_KEYS: Final[dict[str, tuple[Callable[[Any], Any], HashCode]]] = {
    "text": (str, javaisms.string_hash),
    "int": (int, javaisms.to_int32),
    "long": (int, javaisms.long_hash),
    "queue": (lambda parts: bodies.MessageQueue(*parts), javaisms.java_hash),
}


class MapOrder(NamedTuple):
    """What went into a Java map, and what came out."""

    kind: str
    keys: list[Any]
    order: list[Any]
    hash_code: HashCode


def map_order(line: str) -> MapOrder:
    """A line of the driver WriteMaps."""
    row = json.loads(line)
    key, hash_code = _KEYS[row["key"]]
    return MapOrder(row["kind"], [*map(key, row["keys"])], [*map(key, row["order"])], hash_code)


class RandomBody(NamedTuple):
    """A body in the three styles in which Java wrote it."""

    body: type[bodies.Body]
    compact: bytes
    browser_compatible: bytes
    pretty: bytes


def random_body(line: str) -> RandomBody:
    """A line of the driver WriteBodies."""
    name, *texts = line.split("\t")
    return RandomBody(BY_JAVA_CLASS[name], *map(bytes.fromhex, texts))


def lines(name: str) -> list[str]:
    """The lines of a data file."""
    data = (DATA / name).read_bytes()
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode().split("\n")[:-1]
