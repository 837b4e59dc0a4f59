"""The broker's JSON files: what Java wrote is read, and written again as Java writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rocketmq_protocol.bodies import TopicConfigSerializeWrapper
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.errors import StoreCorrupt
from tests.store.golden import GOLDEN_STORES, unpack

NAMES = {
    "topics.json": "topics",
    "subscriptionGroup.json": "groups",
    "consumerOffset.json": "offsets",
    "delayOffset.json": "delay_offsets",
    "consumerFilter.json": "filters",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("store", GOLDEN_STORES)
def test_javas_files_are_written_again_byte_for_byte(store: str, name: str, tmp_path: Path) -> None:
    folder = unpack(store, tmp_path).path
    assert folder is not None
    path = folder / "config" / name
    java = path.read_bytes()
    file = getattr(ConfigFiles(folder / "config"), NAMES[name])
    content = file.load()
    file.save(content)
    assert path.read_bytes() == java
    assert path.with_name(name + ".bak").read_bytes() == java


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    assert ConfigFiles(tmp_path).topics.load() is None


def test_a_broken_or_empty_file_falls_back_to_its_backup(tmp_path: Path) -> None:
    file = ConfigFiles(tmp_path).topics
    first = TopicConfigSerializeWrapper()
    file.save(first)
    file.save(first)
    for damage in (b"", b'{"dataVersion":'):
        (tmp_path / "topics.json").write_bytes(damage)
        assert file.load() == first


def test_broken_file_and_backup_are_named(tmp_path: Path) -> None:
    (tmp_path / "topics.json").write_bytes(b"{]")
    with pytest.raises(StoreCorrupt, match=r"topics\.json"):
        ConfigFiles(tmp_path).topics.load()


def test_without_a_folder_the_files_live_in_memory() -> None:
    file = ConfigFiles(None).topics
    assert file.load() is None
    file.save(TopicConfigSerializeWrapper())
    assert file.load() == TopicConfigSerializeWrapper()


# Written by ConsumerFilterManager.encode(true) of 5.5.0.
JAVA_FILTERS = b"""{
\t"filterDataByTopic":{
\t\t"TopicA":{
\t\t\t"groupFilterData":{
\t\t\t\t"GroupA":{
\t\t\t\t\t"bloomFilterData":{
\t\t\t\t\t\t"bitNum":216,
\t\t\t\t\t\t"bitPos":[53,147,51]
\t\t\t\t\t},
\t\t\t\t\t"bornTime":1794998982179,
\t\t\t\t\t"clientVersion":1700000000000,
\t\t\t\t\t"consumerGroup":"GroupA",
\t\t\t\t\t"dead":false,
\t\t\t\t\t"deadTime":0,
\t\t\t\t\t"expression":"a > 5",
\t\t\t\t\t"expressionType":"SQL92",
\t\t\t\t\t"topic":"TopicA"
\t\t\t\t}
\t\t\t},
\t\t\t"topic":"TopicA"
\t\t}
\t}
}"""


def test_filter_expressions_are_written_again_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "consumerFilter.json").write_bytes(JAVA_FILTERS)
    file = ConfigFiles(tmp_path).filters
    content = file.load()
    assert content is not None
    assert content.filter_data_by_topic["TopicA"].group_filter_data["GroupA"].expression == "a > 5"
    file.save(content)
    assert (tmp_path / "consumerFilter.json").read_bytes() == JAVA_FILTERS
