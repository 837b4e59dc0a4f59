"""Heartbeats and their fingerprints."""

from __future__ import annotations

from rocketmq_protocol import RemotingCommand
from rocketmq_protocol.bodies import ConsumerData, HeartbeatData, ProducerData, SubscriptionData
from tests.protocol.bodies.reference import lines
from tests.vectors import golden_frames


def test_fingerprints_are_those_that_java_computes() -> None:
    frames = {frame.id: frame.frame for frame in golden_frames()}
    rows = [line.split("\t") for line in lines("fingerprints.tsv")]
    for frame_id, fingerprint in rows:
        heartbeat = HeartbeatData.decode(RemotingCommand.decode(frames[frame_id]).body)
        assert heartbeat.compute_fingerprint() == int(fingerprint), frame_id
    assert len({fingerprint for _, fingerprint in rows}) == len(rows) == 37


def heartbeat(client_id: str, version: int, tag: str = "TagA") -> HeartbeatData:
    return HeartbeatData(
        client_id=client_id,
        producer_data_set=[ProducerData(group_name="CLIENT_INNER_PRODUCER")],
        consumer_data_set=[
            ConsumerData(
                group_name="CG",
                subscription_data_set={
                    SubscriptionData(topic="T", sub_string=tag, tags_set={tag}, sub_version=version),
                    SubscriptionData(topic="%RETRY%CG", sub_string="*", sub_version=version),
                },
            )
        ],
    )


def test_a_fingerprint_tells_subscriptions_apart_but_not_clients_or_times() -> None:
    fingerprint = heartbeat("a", 1).compute_fingerprint()
    assert heartbeat("b", 2).compute_fingerprint() == fingerprint
    assert heartbeat("a", 1, tag="TagB").compute_fingerprint() != fingerprint


def test_a_fingerprint_is_not_changed_by_itself() -> None:
    beat = heartbeat("a", 1)
    fingerprint = beat.compute_fingerprint()
    beat.heartbeat_fingerprint = fingerprint
    beat.without_sub = True
    assert beat.compute_fingerprint() == fingerprint
    assert beat.client_id == "a"


def test_version_2_without_subscriptions_is_short() -> None:
    beat = HeartbeatData(client_id="a", heartbeat_fingerprint=-7, without_sub=True)
    assert beat.encode() == (
        b'{"clientID":"a","consumerDataSet":[],"heartbeatFingerprint":-7,"producerDataSet":[],"withoutSub":true}'
    )
