"""One side is killed while it writes; the other opens the directory, goes on, and gives it back."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from compat_tests.java.cluster import Broker, NameServer
from compat_tests.java.driver import JavaDriver
from compat_tests.java.versions import CURRENT, OLD, Version
from compat_tests.store_writer import Writer
from compat_tests.stores import (
    ONE_INDEX_FILE,
    USUAL_FILES,
    Contents,
    Row,
    assert_java_finds_all,
    assert_same,
    ids_by_key,
    our_contents,
    problems,
    read_with_java,
    rows,
)
from rocketpy.store.message_store import MessageStore
from rocketpy.store.reader import StoreReader
from rocketpy.store.verify import verify

# How much is acknowledged before the kill, and how much is written after it.
ACKNOWLEDGED: Final = 1500
MORE_MESSAGES: Final = 200

FILES: Final = {CURRENT: ONE_INDEX_FILE, OLD: USUAL_FILES}

versions = pytest.mark.parametrize("version", [CURRENT, OLD])


def stopped_broker(directory: Path, name_server: NameServer) -> Broker:
    """A broker that is not started yet; its `with` block starts it, and kills it in the end."""
    version = name_server.version
    config = FILES[version].for_java()
    return Broker(directory / "broker", name_server.address, version=version, config=config)


def our_store(broker: Broker) -> MessageStore:
    """Our store on the broker's directory."""
    return MessageStore(FILES[broker.version].for_us(broker.store))


def tear_tail(store: Path) -> int:
    """Put the first half of a record behind the last whole one, as a power cut might; gives its place."""
    reader = StoreReader(store)
    end = verify(reader).log_end
    # The biggest one is cut in its body, which is what the checksum of a record covers.
    biggest = max((bytes(record) for _, record in reader.records()), key=len)
    half = bytearray(biggest[: len(biggest) // 2])
    half[28:36] = end.to_bytes(8, "big")  # where the record lies
    [last_file] = (path for path in reader.log_files if 0 <= end - int(path.name) < path.stat().st_size)
    with last_file.open("r+b") as file:
        file.seek(end - int(last_file.name))
        file.write(half)
    return end


def assert_nothing_is_lost(acknowledged: Iterable[Row], found: Contents) -> None:
    """Every acknowledged message is at its place; queues have no holes."""
    for sent in acknowledged:
        stored = found.messages[sent["topic"], sent["queueId"], sent["queueOffset"]]
        assert (stored["offsetMsgId"], stored["sha256"]) == (sent["offsetMsgId"], sent["sha256"])
    for (topic, queue_id), (low, high) in found.bounds.items():
        assert all((topic, queue_id, offset) in found.messages for offset in range(low, high))


def send_more(driver: JavaDriver, broker: Broker) -> list[Row]:
    """Let a Java producer send a few messages."""
    arguments = (broker.name_server, broker.address, "plain", str(MORE_MESSAGES))
    return rows(driver("FillStore", *arguments, version=broker.version))


@versions
def test_we_go_on_after_java_was_killed_and_java_after_us(
    java_dir: Path, java_driver: JavaDriver, version: Version
) -> None:
    with NameServer(java_dir / "namesrv", version=version) as name_server:
        broker = stopped_broker(java_dir, name_server)
        acknowledged = killed_broker(broker, java_driver)
        torn_at = tear_tail(broker.store)

        with our_store(broker) as store:
            assert store.recovered is not None
            assert not store.recovered.clean
            assert store.log.max_offset == torn_at
            left = our_contents(store)
            assert_nothing_is_lost(acknowledged, left)
            for sent in acknowledged:
                assert ids_by_key(store, sent["topic"], sent["msgId"]) == [sent["offsetMsgId"]]
            writer = Writer(store, broker.address, version)
            writer.append_plain(MORE_MESSAGES)
            ours = our_contents(store)
        assert_nothing_is_lost(writer.rows, ours)
        assert problems(broker.store) == []

        with broker:
            assert_same(ours, read_with_java(java_driver, name_server, ours.topics, version))
            acknowledged += writer.rows + send_more(java_driver, broker)
        with our_store(broker) as store:
            ours = our_contents(store)
        assert_nothing_is_lost(acknowledged, ours)
        assert len(ours.messages) == len(left.messages) + 2 * MORE_MESSAGES
        assert problems(broker.store) == []


def killed_broker(broker: Broker, driver: JavaDriver) -> list[Row]:
    """What a Java broker acknowledged before it was killed in the middle of its work."""
    arguments = (broker.name_server, broker.address, "endless")
    with broker, driver.start("FillStore", *arguments, version=broker.version) as producer:
        lines = iter(producer)
        acknowledged = rows(islice(lines, ACKNOWLEDGED))
        assert broker.kill() == -signal.SIGKILL
        return acknowledged + rows(lines)


def killed_writer(broker: Broker) -> list[Row]:
    """What our own process acknowledged before it was killed in the middle of its work."""
    sizes = map(str, astuple(FILES[broker.version]))
    arguments = [str(broker.store), broker.address, *sizes]
    command = [sys.executable, "-m", "compat_tests.store_writer", *arguments]
    root = Path(__file__).parent.parent
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        acknowledged = rows(islice(child.stdout, ACKNOWLEDGED))
        child.kill()
        # A last line may be cut in two.
        acknowledged += rows(line for line in child.stdout if line.endswith("\n"))
    assert child.returncode == -signal.SIGKILL
    return acknowledged


@versions
def test_java_goes_on_after_we_were_killed_and_we_after_java(
    java_dir: Path, java_driver: JavaDriver, version: Version
) -> None:
    with NameServer(java_dir / "namesrv", version=version) as name_server:
        broker = stopped_broker(java_dir, name_server)
        acknowledged = killed_writer(broker)
        tear_tail(broker.store)

        with broker:
            before = read_with_java(java_driver, name_server, ["Plain"], version)
            assert_nothing_is_lost(acknowledged, before)
            assert len(before.messages) - len(acknowledged) in (0, 1)
            assert_java_finds_all(java_driver, name_server, before, version)
            acknowledged += send_more(java_driver, broker)
            after = read_with_java(java_driver, name_server, ["Plain"], version)
        assert_nothing_is_lost(acknowledged, after)

        with our_store(broker) as store:
            assert_same(our_contents(store), after)
            for row in after.messages.values():
                assert ids_by_key(store, row["topic"], row["msgId"]) == [row["offsetMsgId"]]
        assert problems(broker.store) == []
