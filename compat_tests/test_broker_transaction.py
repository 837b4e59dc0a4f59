"""Transactions, as an unmodified Java producer and consumer see them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

import pytest

from compat_tests.brokers import Kind, either_broker
from compat_tests.java.cluster import Broker, NameServer
from compat_tests.java.driver import JavaDriver
from compat_tests.python_server import PythonBroker
from rocketmq_protocol.message import MessageExt
from rocketpy.store.reader import StoreReader

CONFIG: Final = {
    "transactionTimeOut": "1000",
    "transactionCheckInterval": "1000",
    "transactionCheckMax": "2",
    "transactionOpBatchInterval": "500",
    "mappedFileSizeCommitLog": str(16 * 1024 * 1024),
}
# For halves that have to wait until there is someone to ask.
PATIENT: Final = CONFIG | {"transactionCheckMax": "100"}
TEXTS: Final = ("commit", "rollback", "later commit", "later rollback", "never")
# Two deliveries, and a check of each of the last three.
EVENTS: Final = 5
GIVE_UP_SECONDS: Final = 20

Event = dict[str, Any]


def events_of(lines: list[str]) -> list[Event]:
    events = [json.loads(line) for line in lines]
    assert events[-1] == {"event": "end", "all": True}, events
    return events


def texts(events: list[Event], kind: str) -> set[str]:
    """What was delivered or checked; more than once where a broker asked again before it saw the answer."""
    return {event["text"] for event in events if event["event"] == kind}


def wait_for_message(store: Path, topic: str) -> list[MessageExt]:
    """The messages of a topic, once there is one."""
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while not (found := list(StoreReader(store).messages(topic))):
        assert time.monotonic() < deadline, f"nothing came to {topic}"
        time.sleep(0.2)
    return found


@pytest.mark.parametrize("kind", ["java", "python"])
def test_halves_become_what_their_producer_says(kind: Kind, java_dir: Path, java_driver: JavaDriver) -> None:
    with either_broker(kind, java_dir, CONFIG) as broker:
        events = events_of(java_driver("Transactions", broker.name_server, str(EVENTS), *TEXTS))
        (discarded,) = wait_for_message(broker.store, "TRANS_CHECK_MAX_TIME_TOPIC")
        stored = list(StoreReader(broker.store).messages())
    assert texts(events, "delivered") == {"commit", "later commit"}
    assert texts(events, "checked") == {"later commit", "later rollback", "never"}
    assert all(event["status"] == "SEND_OK" for event in events if event["event"] == "sent")
    assert all(event["hasTransactionId"] for event in events if event["event"] == "sent")
    for event in [event for event in events if event["event"] in ("checked", "delivered")]:
        assert event["transactionId"]
        assert (event["topic"], event["tags"]) == ("Transactions", "TagA")
        properties = event["properties"]
        assert ("REAL_TOPIC" in properties) == (event["event"] == "checked")
        assert properties["PGROUP"] == "TransactionsProducer"
    assert discarded.body == b"never"
    assert discarded.properties["TRANSACTION_CHECK_TIMES"] == "2"
    assert ended_halves(stored) == {b"commit", b"rollback", b"later commit", b"later rollback"}


def ended_halves(stored: list[MessageExt]) -> set[bytes]:
    """The bodies of the halves that the op queue names."""
    halves = {m.queue_offset: m.body for m in stored if m.topic == "RMQ_SYS_TRANS_HALF_TOPIC"}
    ops = [message for message in stored if message.topic == "RMQ_SYS_TRANS_OP_HALF_TOPIC"]
    assert all(op.properties == {"TAGS": "d", "WAIT": "true"} for op in ops)
    offsets = [int(offset) for op in ops for offset in op.body.decode().split(",") if offset]
    return {halves[offset] for offset in offsets}


def test_half_survives_the_death_of_its_producer_and_of_the_broker(
    java_dir: Path, java_driver: JavaDriver
) -> None:
    with NameServer(java_dir / "namesrv") as name_server:
        broker = PythonBroker(java_dir / "broker", name_server.address, PATIENT)
        broker.start()
        try:
            # No event is waited for: the producer dies with its transaction open.
            java_driver("Transactions", name_server.address, "0", "later commit")
            broker.kill()
            broker.start()
            events = events_of(java_driver("Transactions", name_server.address, "2"))
        finally:
            broker.kill()
    assert texts(events, "checked") == texts(events, "delivered") == {"later commit"}


@pytest.mark.parametrize("first", ["java", "python"])
def test_what_waits_in_one_kind_of_broker_is_delivered_by_the_other(
    first: Kind, java_dir: Path, java_driver: JavaDriver
) -> None:
    with NameServer(java_dir / "namesrv") as name_server:
        ours = PythonBroker(java_dir, name_server.address, PATIENT, broker_name="broker-a")
        theirs = Broker(java_dir / "java", name_server.address, store=ours.store, config=PATIENT)
        one, other = (theirs, ours) if first == "java" else (ours, theirs)
        try:
            one.start()
            java_driver("Transactions", name_server.address, "0", "later commit", "delayed")
            one.kill()
            other.start()
            events = events_of(java_driver("Transactions", name_server.address, "3"))
        finally:
            ours.kill()
            theirs.kill()
    assert texts(events, "checked") == {"later commit"}
    assert texts(events, "delivered") == {"delayed", "later commit"}
