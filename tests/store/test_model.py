"""A store and a plain list of messages live through the same random events and always tell the same."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.sysflag import MessageSysFlag
from rocketpy.store.append import Appended, NewMessage
from rocketpy.store.config import StoreConfig
from rocketpy.store.message_store import MessageStore
from tests.store.samples import FOREVER, Contents, assert_agrees, contents, copy_as_killed

QUEUES = (("A", 0), ("A", 1), ("B", 0))
queues = st.sampled_from(QUEUES)
# Eight records to a file, more or less, some files with one record only.
sizes = st.sampled_from((0, 10, 200, 200, 500, 1500))
PREPARED = int(MessageSysFlag.TRANSACTION_PREPARED_TYPE)


@dataclass(frozen=True)
class Stored:
    """What the model remembers of a message."""

    queue: tuple[str, int]
    place: Appended
    body: bytes
    key: str
    is_half: bool = False


class StoreAndModel(RuleBasedStateMachine):
    """`log` is the model: every message that is still there, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="store-model-"))
        self.config = StoreConfig(
            path=self.folder / "0",
            commit_log_file_size=2048,
            consume_queue_file_entries=5,
            index_slots=5,
            index_entries=20,
        )
        self.now = 1_700_000_000_000
        self.log: list[Stored] = []
        # Where each queue ends; it remembers that even when all its messages are gone.
        self.ends = dict.fromkeys(QUEUES, 0)
        self.numbers = 0
        self.lives = 0
        self.store = self.opened(self.config)

    def opened(self, config: StoreConfig) -> MessageStore:
        store = MessageStore(config, clock=lambda: self.now)
        store.open()
        return store

    def teardown(self) -> None:
        self.store.close()
        assert_agrees(self.config.path)
        shutil.rmtree(self.folder)

    def new_message(self, queue: tuple[str, int], size: int, sys_flag: int = 0) -> tuple[NewMessage, str]:
        self.numbers += 1
        self.now += 400
        key = f"k{self.numbers}"
        properties = f"KEYS\x01{key} shared\x02TAGS\x01tag\x02".encode()
        body = b"%d %s" % (self.numbers, bytes(size))
        made = NewMessage(
            topic=queue[0], queue_id=queue[1], body=body, properties=properties, sys_flag=sys_flag
        )
        return made, key

    # Writing

    @rule(queue=queues, size=sizes)
    def append(self, queue: tuple[str, int], size: int) -> None:
        message, key = self.new_message(queue, size)
        place = self.store.append(message)
        assert place.queue_offset == self.ends[queue]
        self.ends[queue] += 1
        self.log.append(Stored(queue, place, message.body, key))

    @rule(queue=queues, batch=st.lists(st.sampled_from((10, 100)), min_size=1, max_size=6))
    def append_batch(self, queue: tuple[str, int], batch: list[int]) -> None:
        made = [self.new_message(queue, size) for size in batch]
        places = self.store.append_batch([message for message, _ in made])
        assert places[0].offset // 2048 == (places[-1].end - 1) // 2048
        for place, (message, key) in zip(places, made, strict=True):
            assert place.queue_offset == self.ends[queue]
            self.ends[queue] += 1
            self.log.append(Stored(queue, place, message.body, key))

    @rule(queue=queues, size=sizes)
    def append_half(self, queue: tuple[str, int], size: int) -> None:
        message, key = self.new_message(queue, size, PREPARED)
        self.log.append(Stored(queue, self.store.append(message), message.body, key, is_half=True))

    @rule(thorough=st.booleans())
    def flush(self, thorough: bool) -> None:
        assert self.store.flush(thorough=thorough) == self.store.log.max_offset

    # Stops, kills and damage

    @rule()
    def stop_and_start(self) -> None:
        self.store.close()
        assert_agrees(self.config.path)
        self.store = self.opened(self.config)

    @rule()
    def kill_and_start(self) -> None:
        self.config = self.killed()
        self.store = self.opened(self.config)

    def killed(self) -> StoreConfig:
        """Leave the directory as a kill would; the old one goes."""
        self.lives += 1
        left = copy_as_killed(self.store, self.folder / str(self.lives))
        self.store.close()
        assert self.config.path is not None
        shutil.rmtree(self.config.path)
        return left

    @precondition(lambda self: self.log)
    @rule(data=st.data(), is_killed=st.booleans())
    def damage_a_record_of_the_last_file(self, data: st.DataObject, is_killed: bool) -> None:
        last_file = self.log[-1].place.offset // 2048 * 2048
        candidates = [stored for stored in self.log if stored.place.offset >= last_file]
        hit = data.draw(st.sampled_from(candidates)).place.offset
        if is_killed:
            self.config = self.killed()
        else:
            self.store.close()
        assert self.config.path is not None
        with (self.config.path / "commitlog" / f"{last_file:020d}").open("r+b") as file:
            file.seek(hit - last_file + 88)  # the first byte of the body
            file.write(b"!")
        self.store = self.opened(self.config)
        assert self.store.log.max_offset == hit
        for stored in self.log:
            if stored.place.offset >= hit and not stored.is_half:
                self.ends[stored.queue] -= 1
        self.log = [stored for stored in self.log if stored.place.offset < hit]

    @rule(part=st.sampled_from(("consumequeue", "index")), is_killed=st.booleans())
    def lose_what_is_derived(self, part: str, is_killed: bool) -> None:
        if is_killed:
            self.config = self.killed()
        else:
            self.store.close()
        assert self.config.path is not None
        shutil.rmtree(self.config.path / part, ignore_errors=True)
        self.store = self.opened(self.config)
        if part == "consumequeue":  # a queue without messages is forgotten
            alive = {stored.queue for stored in self.log if not stored.is_half}
            self.ends = {queue: end if queue in alive else 0 for queue, end in self.ends.items()}

    # Retention

    @precondition(lambda self: len(self.store.log.segments) > 1)
    @rule()
    def delete_the_oldest_file(self) -> None:
        self.store.flush(thorough=True)
        self.store.log.delete_first()
        low = self.store.log.min_offset
        self.store.queues.correct_min_offsets(low)
        self.store.queues.delete_expired_files()
        assert self.store.index is not None
        self.store.index.delete_expired_files(low)
        self.log = [stored for stored in self.log if stored.place.offset >= low]

    # What must hold

    @invariant()
    def queues_hold_the_messages_of_the_model(self) -> None:
        expected: Contents = {queue: (end, []) for queue, end in self.ends.items() if end}
        for stored in self.log:
            if not stored.is_half:
                start, bodies = expected[stored.queue]
                bodies.append(stored.body)
                expected[stored.queue] = start - 1, bodies
        assert contents(self.store) == expected

    @invariant()
    def the_index_finds_the_messages_of_the_model(self) -> None:
        for stored in self.log[:: max(len(self.log) // 6, 1)]:
            found = list(self.store.query(stored.queue[0], stored.key, 64, 0, FOREVER))
            assert [decode_record(record).body for record in found] == [stored.body]
        shared = [stored.body for stored in reversed(self.log) if stored.queue[0] == "A"]
        found = list(self.store.query("A", "shared", 64, 0, FOREVER))
        assert [decode_record(record).body for record in found] == shared[:64]

    @invariant()
    def offsets_by_time_are_those_of_the_model(self) -> None:
        for stored in self.log[-3:]:
            if not stored.is_half:
                at = stored.place.store_timestamp
                same = [
                    other.place.queue_offset
                    for other in self.log
                    if other.queue == stored.queue and other.place.store_timestamp == at and not other.is_half
                ]
                assert self.store.offset_by_time(*stored.queue, at) == min(same)


class LongLives(StoreAndModel):
    """The same for long."""


def lives(count: int, steps: int) -> settings:
    return settings(
        max_examples=count,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


StoreAndModel.TestCase.settings = lives(25, 30)
LongLives.TestCase.settings = lives(400, 60)
TestStoreAndModel = StoreAndModel.TestCase
TestLongLives = pytest.mark.slow(LongLives.TestCase)
