"""Odd input that was sent to the Java name server of 5.5.0: ours answers, or closes, as Java did."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import pytest
import trio

from rocketmq_protocol import RemotingCommand, SerializeType
from rocketmq_protocol.bodies import BrokerData, ClusterInfo, TopicConfig, TopicRouteData
from tests.namesrv.server import Server
from tests.remoting.peers import running_channel
from tests.trio_tests import trio_test
from tests.vectors import rows

NOT_COMPARED: Final = {
    "without-opaque": "Java answers with the next number of a counter that all its commands share",
    "tls-hello-byte": "no TLS yet: the greeting is taken for a frame that is too long",
    "haproxy-v1": "no PROXY protocol yet: the line is taken for a frame that is too long",
    "single-quotes": "fastjson takes them for quotes; our codec reads JSON, and closes",
    "header-length-0": "Java waits for 12 bytes before it looks at any; we see a broken frame",
}


class Probe(NamedTuple):
    """Bytes that were sent, and what came back."""

    name: str
    sent: bytes
    received: bytes
    is_closed: bool


def probes() -> list[Probe]:
    """All probes of the 5.5.0 name server, from both captures (servers set to JSON and to ROCKETMQ)."""
    return [
        Probe(
            f"{row['name']}-{row['server_serialize']}",
            bytes.fromhex(str(row["sent_hex"])),
            bytes.fromhex(str(row["received_hex"] or "")),
            bool(row["closed_by_server"]),
        )
        for row in rows("probes.jsonl.gz")
        if row["server"] == "namesrv-5.5.0" and row["name"] not in NOT_COMPARED
    ]


def server_of_the_probes(probe: Probe) -> Server:
    """A server with the brokers that the answer shows, and TopicErr on them."""
    server = Server()
    if not probe.received:
        return server
    body = RemotingCommand.decode(probe.received).body
    brokers: list[BrokerData] = []
    queues = 2
    if b'"brokerDatas"' in body:
        route = TopicRouteData.decode(body)
        brokers, queues = route.broker_datas, route.queue_datas[0].read_queue_nums
    elif b'"brokerAddrTable"' in body:
        brokers = list((ClusterInfo.decode(body).broker_addr_table or {}).values())
    for broker in brokers:
        for broker_id, address in (broker.broker_addrs or {}).items():
            topic = TopicConfig(topic_name="TopicErr", read_queue_nums=queues, write_queue_nums=queues)
            server.register(broker.broker_name or "", [topic], broker_id=broker_id, address=address)
    return server


@pytest.mark.parametrize("probe", probes(), ids=lambda probe: probe.name)
@trio_test
async def test_a_probe_gets_what_java_gave(probe: Probe) -> None:
    server = server_of_the_probes(probe)
    async with running_channel(server.router) as (channel, peer):
        await peer.stream.send_all(probe.sent)
        received = b""
        with trio.move_on_after(1):
            while data := await peer.stream.receive_some(65536):
                received += data
        assert channel.closed.is_set() == probe.is_closed
    assert in_json(received) == in_json(probe.received)


def in_json(frame: bytes) -> bytes:
    """The frame with a JSON header: Java answers in its own serialization, we in the asker's."""
    if not frame:
        return frame
    command = RemotingCommand.decode(frame)
    ext_fields = command.ext_fields or None
    return replace(command, serializer=SerializeType.JSON, ext_fields=ext_fields).encode()
