"""JSON bodies that Java wrote: we write the same text for the same content."""

from __future__ import annotations

import struct
from typing import Final

from compat_tests.java.driver import JavaDriver
from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.bodies import BROWSER_COMPATIBLE, COMPACT, PRETTY, HeartbeatData
from rocketmq_protocol.fastjson_writer import double
from tests.protocol.bodies.reference import BY_JAVA_CLASS, MAP_KINDS, map_order, random_body
from tests.vectors import golden_frames

SEED: Final = "20260401"


def test_random_bodies_of_every_class_are_written_as_java_writes_them(java_driver: JavaDriver) -> None:
    rounds = 20
    names = "".join(f"{name}\n" for name in BY_JAVA_CLASS)
    written = java_driver("WriteBodies", SEED, str(rounds), stdin=names)
    for line in written:
        body, compact, browser_compatible, pretty = random_body(line)
        decoded = body.decode(compact)
        assert decoded.encode(COMPACT) == compact
        assert decoded.encode(BROWSER_COMPATIBLE) == browser_compatible
        assert decoded.encode(PRETTY) == pretty
    assert len(written) == rounds * len(BY_JAVA_CLASS)


def test_maps_give_back_random_keys_in_javas_order(java_driver: JavaDriver) -> None:
    orders = [map_order(line) for line in java_driver("WriteMaps", SEED, "400")]
    for case in orders:
        assert list(MAP_KINDS[case.kind].arrange(case.keys, case.hash_code)) == case.order, case.kind
    assert {case.kind for case in orders} == MAP_KINDS.keys()


def test_doubles_are_written_as_java_writes_them(java_driver: JavaDriver) -> None:
    compared = 0
    for line in java_driver("WriteDoubles", SEED, "70000"):
        bits, written = line.split("\t")
        (value,) = struct.unpack(">d", bytes.fromhex(bits.zfill(16)))
        if not 2.0**63 <= abs(value) < 2.0**64:  # fastjson takes another way there; see javaisms.doubles
            assert double(value).decode() == written
            compared += 1
    assert compared > 69000


def test_heartbeats_have_the_fingerprints_that_java_computes(java_driver: JavaDriver) -> None:
    texts = sorted({text for text, groups in heartbeats() if groups < 2})
    fingerprints = java_driver("ReadHeartbeats", stdin="".join(f"{text.hex()}\n" for text in texts))
    ours = [HeartbeatData.decode(text).compute_fingerprint() for text in texts]
    assert [int(fingerprint) for fingerprint in fingerprints] == ours
    assert len(texts) > 100


def heartbeats() -> list[tuple[bytes, int]]:
    """Golden heartbeats, and how many groups stand in the larger set: the order of two is chance in Java."""
    found = []
    for frame in golden_frames():
        if frame.request_code == RequestCode.HEART_BEAT and frame.kind != "response":
            text = RemotingCommand.decode(frame.frame).body
            if text.startswith(b"{"):
                heartbeat = HeartbeatData.decode(text)
                groups = max(len(heartbeat.producer_data_set), len(heartbeat.consumer_data_set))
                found.append((text, groups))
    return found
