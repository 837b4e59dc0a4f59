"""Queues and index that we derive from a log are, byte for byte, those that the Java broker derived."""

from __future__ import annotations

import shutil
from pathlib import Path

from rocketpy.store.message_store import MessageStore
from tests.store.golden import unpack


def files_under(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name.isdecimal()
    }


def test_queues_are_those_of_java(tmp_path: Path) -> None:
    config = unpack("clean-5.5.0", tmp_path)
    assert config.path is not None
    folder = config.path / "consumequeue"
    java = {name: data for name, data in files_under(folder).items() if data.strip(b"\0")}
    shutil.rmtree(folder)
    with MessageStore(config):
        pass
    assert files_under(folder) == java
    assert len(java) > 20


def test_index_is_that_of_java(tmp_path: Path) -> None:
    config = unpack("clean-5.5.0", tmp_path)
    assert config.path is not None
    folder = config.path / "index"
    java = list(files_under(folder).values())  # files are named by when they were made
    shutil.rmtree(folder)
    with MessageStore(config):
        pass
    assert list(files_under(folder).values()) == java
    assert len(java) > 1


def test_opening_a_stopped_store_changes_nothing(tmp_path: Path) -> None:
    config = unpack("clean-5.5.0", tmp_path)
    assert config.path is not None
    java = files_under(config.path)
    with MessageStore(config):
        pass
    ours = files_under(config.path)
    gone = {name for name in java if name not in ours}
    assert {name: ours[name] for name in java if name in ours} == {
        name: data for name, data in java.items() if name not in gone
    }
    assert not any(java[name].strip(b"\0") for name in gone)  # files made ahead, still empty
