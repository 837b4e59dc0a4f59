"""Who may import whom: one table, read against every import in the tree."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PROTOCOL_LIBRARIES = {"construct", "orjson", "lz4", "zstandard"}

# Room -> what its modules may import, beside the standard library and the room itself.
MAY_IMPORT: dict[str, set[str]] = {
    "rocketmq_protocol": PROTOCOL_LIBRARIES,
    "rocketpy.store": {"rocketmq_protocol"},
    "rocketpy.remoting": {"rocketmq_protocol", "trio"},
    "rocketpy.namesrv": {"rocketmq_protocol", "rocketpy.remoting", "trio"},
    "rocketpy.broker": {"rocketmq_protocol", "rocketpy.remoting", "rocketpy.store", "trio"},
    "rocketpy.client": {"rocketmq_protocol", "rocketpy.remoting", "trio", "anyio"},
    "rocketpy.spark": {
        "rocketmq_protocol",
        "rocketpy.client",
        "rocketpy.store",
        "trio",
        "pyspark",
        "pyarrow",
    },
    "rocketpy.cli": {
        "rocketmq_protocol",
        "rocketmq_sniffer",
        "rocketpy",
        "rocketpy.broker",
        "rocketpy.client",
        "rocketpy.namesrv",
        "rocketpy.remoting",
        "rocketpy.store",
        "click",
        "rich",
        "trio",
    },
    "rocketmq_sniffer": {"rocketmq_protocol", "click", "rich", "trio"},
    "rocketpy": {"rocketpy.cli"},
}

PACKAGES = {
    "rocketmq_protocol": ROOT / "protocol" / "rocketmq_protocol",
    "rocketmq_sniffer": ROOT / "tools" / "rocketmq_sniffer",
    "rocketpy": ROOT / "rocketpy",
}

# The protocol package neither waits nor looks at the world.
NOT_SANS_IO = {
    "asyncio",
    "os",
    "pathlib",
    "selectors",
    "socket",
    "ssl",
    "subprocess",
    "threading",
    "time",
}


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join((package, *(part for part in parts if part != "__init__"))), path


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield f"{node.module}"


def room_of(module: str) -> str:
    """The longest row of the table that the module belongs to, or its top-level package."""
    rooms = [room for room in MAY_IMPORT if module == room or module.startswith(room + ".")]
    return max(rooms, key=len) if rooms else module.partition(".")[0]


ALL_MODULES = dict(modules())


@pytest.mark.parametrize("module", ALL_MODULES)
def test_a_module_imports_only_what_its_room_may(module: str) -> None:
    room = room_of(module)
    allowed = MAY_IMPORT[room] | {room}
    strangers = {
        name
        for name in imports(ALL_MODULES[module])
        if room_of(name) not in allowed and name.partition(".")[0] not in sys.stdlib_module_names
    }
    assert strangers == set()


def test_the_protocol_package_does_no_io() -> None:
    worldly = {
        (module, name)
        for module, path in ALL_MODULES.items()
        if module.startswith("rocketmq_protocol")
        for name in imports(path)
        if name.partition(".")[0] in NOT_SANS_IO
    }
    assert worldly == set()


def test_compat_tests_use_public_names_only() -> None:
    private = {
        (path.name, name)
        for path in sorted((ROOT / "compat_tests").rglob("*.py"))
        for name in imports(path)
        if name.startswith(("rocketpy", "rocketmq_"))
        and any(part.startswith("_") for part in name.split("."))
    }
    assert private == set()


def test_every_room_of_the_table_can_be_told_apart() -> None:
    assert room_of("rocketpy.store.commit_log") == "rocketpy.store"
    assert room_of("rocketpy.cli.server") == "rocketpy.cli"
    assert room_of("rocketpy") == "rocketpy"
    assert room_of("trio.lowlevel") == "trio"
