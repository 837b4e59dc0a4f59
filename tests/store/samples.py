"""Messages for store tests, what a store gives back of them, and directories as a crash leaves them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rocketmq_protocol.message_record import decode_record
from rocketpy.store.append import NewMessage
from rocketpy.store.config import StoreConfig
from rocketpy.store.fetch import FetchStatus
from rocketpy.store.message_store import MessageStore
from rocketpy.store.reader import StoreReader
from rocketpy.store.verify import verify

FOREVER = 2**62

# Bodies by topic and queue, in order; a queue that begins later has its first offset as well.
Contents = dict[tuple[str, int], tuple[int, list[bytes]]]


def message(body: bytes, topic: str = "T", queue_id: int = 0, **fields: Any) -> NewMessage:
    """A message whose key is the first word of its body."""
    key = body.partition(b" ")[0][:20]
    properties = b"KEYS\x01%s\x02UNIQ_KEY\x01id-%s\x02TAGS\x01Tag\x02" % (key, key)
    return NewMessage(topic=topic, queue_id=queue_id, body=body, **{"properties": properties, **fields})


def numbered(number: int, size: int = 200) -> bytes:
    """A body that says which one it is, and is hard to mistake for another."""
    return (b"m%05d " % number) * (size // 7)


def fill(store: MessageStore, count: int, *, first: int = 0, topics: int = 2, size: int = 200) -> None:
    """Append numbered messages to the first two queues of some topics, in turn."""
    for number in range(first, first + count):
        store.append(message(numbered(number, size), f"Topic{number % topics}", number // topics % 2))


def contents(store: MessageStore) -> Contents:
    """Everything that can be fetched, each message checked for being where it says it is."""
    found: Contents = {}
    for queue in store.queues:
        offset = queue.min_offset
        bodies: list[bytes] = []
        while (fetched := store.fetch(queue.topic, queue.queue_id, offset)).status is FetchStatus.FOUND:
            for view in fetched.views:
                position = 0
                while position < len(view):
                    record = decode_record(view, position)
                    assert (record.topic, record.queue_id) == (queue.topic, queue.queue_id)
                    assert record.queue_offset == queue.min_offset + len(bodies)
                    bodies.append(record.body)
                    position += record.store_size
            offset = fetched.next_offset
        assert offset == queue.max_offset
        if queue.max_offset:
            found[queue.topic, queue.queue_id] = queue.min_offset, bodies
    return found


def found_by_key(store: MessageStore, body: bytes, topic: str) -> list[bytes]:
    """Bodies of the messages that the index knows under the key of a sample message."""
    key = body.partition(b" ")[0][:20].decode()
    return [decode_record(record).body for record in store.query(topic, key, 64, 0, FOREVER)]


def assert_all_found_by_key(store: MessageStore) -> None:
    """Each message is in the index exactly once under its key."""
    for (topic, _), (_, bodies) in contents(store).items():
        for body in bodies:
            assert found_by_key(store, body, topic) == [body]


def copy_as_killed(store: MessageStore, folder: Path) -> StoreConfig:
    """The directory as it would be if the store's process died now."""
    assert store.config.path is not None
    shutil.copytree(store.config.path, folder)
    assert (folder / "abort").exists()
    return replace(store.config, path=folder)


def assert_agrees(path: Path | None) -> None:
    """Log, queues and index of a closed store point at each other and at nothing else."""
    assert path is not None
    report = verify(StoreReader(path))
    assert report.problems == []


def reopen(config: StoreConfig, look: Callable[[MessageStore], object] = contents) -> Any:
    """Open a store, look at it, close it, and have its files checked."""
    with MessageStore(config) as store:
        seen = look(store)
    assert_agrees(config.path)
    return seen
