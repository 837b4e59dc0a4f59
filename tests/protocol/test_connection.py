"""Bytes in any chunking become commands; what is no frame ends the connection with a clear word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import Connection, RemoteProtocolError, RemotingCommand, SerializeType
from rocketmq_protocol.frame import MAX_FRAME_LENGTH
from tests.vectors import golden_frames, rows

COMMANDS = [
    RemotingCommand(105, opaque=1, ext_fields={"topic": "TopicA"}),
    RemotingCommand(310, opaque=2, body=b"hello", serializer=SerializeType.ROCKETMQ),
    RemotingCommand(34, opaque=3, body=b"x" * 5000),
]
STREAM = b"".join(command.encode() for command in COMMANDS)


def received(connection: Connection) -> list[RemotingCommand]:
    commands = []
    while (command := connection.next_command()) is not None:
        commands.append(command)
    return commands


def test_whole_stream_at_once() -> None:
    connection = Connection()
    connection.receive_data(STREAM)
    assert received(connection) == COMMANDS
    assert connection.buffered == 0


def test_byte_by_byte() -> None:
    connection = Connection()
    commands = []
    for position in range(len(STREAM)):
        connection.receive_data(STREAM[position : position + 1])
        commands += received(connection)
    assert commands == COMMANDS


@given(st.lists(st.integers(1, len(STREAM)), max_size=30))
def test_any_chunking(cuts: list[int]) -> None:
    connection = Connection()
    commands = []
    edges = [0, *sorted(cuts), len(STREAM)]
    for start, end in pairwise(edges):
        connection.receive_data(memoryview(STREAM)[start:end])
        commands += received(connection)
    assert commands == COMMANDS


def test_the_golden_frames_as_one_stream() -> None:
    frames = [golden.frame for golden in golden_frames()]
    stream = b"".join(frames)
    connection = Connection()
    count = 0
    for start in range(0, len(stream), 65536):
        connection.receive_data(stream[start : start + 65536])
        for command in received(connection):
            assert command.encode() == frames[count]
            count += 1
    assert count == len(frames)


@pytest.mark.parametrize("length", [-1, 0, 3, MAX_FRAME_LENGTH - 3, 2**31 - 1, -(2**31)])
def test_an_absurd_length_is_refused_as_soon_as_it_is_known(length: int) -> None:
    connection = Connection()
    connection.receive_data(length.to_bytes(4, "big", signed=True))
    with pytest.raises(RemoteProtocolError, match=f"length {length} is outside"):
        connection.next_command()
    assert connection.buffered == 0


def test_the_largest_frame_java_takes_is_taken() -> None:
    frame = RemotingCommand(1).encode()
    largest = RemotingCommand(1, body=bytes(MAX_FRAME_LENGTH - len(frame))).encode()
    connection = Connection()
    connection.receive_data(largest)
    assert len(received(connection)) == 1
    connection.receive_data(largest[:3] + bytes([largest[3] + 1]))
    with pytest.raises(RemoteProtocolError, match="limit 16777216"):
        connection.next_command()


def test_a_half_received_frame_never_holds_more_than_the_limit() -> None:
    connection = Connection(max_frame_length=1000)
    connection.receive_data((996).to_bytes(4, "big"))
    for _ in range(99):
        connection.receive_data(bytes(10))
        assert connection.next_command() is None
        assert connection.buffered <= 1000
    connection = Connection(max_frame_length=1000)
    connection.receive_data((997).to_bytes(4, "big"))
    with pytest.raises(RemoteProtocolError):
        connection.next_command()


def test_after_an_error_the_connection_stays_dead_and_takes_no_memory() -> None:
    connection = Connection()
    connection.receive_data(b"\x00\x00\x00\x00")
    with pytest.raises(RemoteProtocolError):
        connection.next_command()
    connection.receive_data(STREAM)
    assert connection.buffered == 0
    with pytest.raises(RemoteProtocolError, match="outside 4"):
        connection.next_command()


def test_commands_before_a_broken_frame_are_delivered() -> None:
    connection = Connection()
    connection.receive_data(STREAM + b"\x00\x00\x00\x04\x05\x00\x00\x00" + STREAM)
    delivered = [connection.next_command() for _ in COMMANDS]
    assert delivered == COMMANDS
    with pytest.raises(RemoteProtocolError, match="unknown header serializer 5"):
        connection.next_command()


def test_a_stream_that_ends_inside_a_frame_says_so() -> None:
    connection = Connection()
    connection.receive_eof()
    connection.receive_data(STREAM[:50])
    with pytest.raises(RemoteProtocolError, match="50 bytes"):
        connection.receive_eof()


# fastjson also reads these; we hold to JSON here.
LAXER_THAN_WE_ARE = {"single-quotes"}
# Not frames of this protocol, or not bytes the codec sees: the server's listener deals with them.
BEFORE_THE_CODEC = {"haproxy-v1", "tls-hello-byte"}


def probes(closed: bool) -> list[object]:
    """What was sent to 5.5.0 servers that then closed the connection, or answered."""
    return [
        pytest.param(bytes.fromhex(str(row["sent_hex"])), id=str(row["id"]).removeprefix("probe-"))
        for row in rows("probes.jsonl.gz")
        if "5.5.0" in str(row["server"])
        and row["name"] not in LAXER_THAN_WE_ARE | BEFORE_THE_CODEC
        and (row["closed_by_server"] is True if closed else bool(row["received_hex"]))
    ]


@pytest.mark.parametrize("sent", probes(closed=False))
def test_what_a_java_server_answers_we_can_read(sent: bytes) -> None:
    connection = Connection()
    connection.receive_data(sent)
    assert connection.next_command() is not None


@pytest.mark.parametrize("sent", probes(closed=True))
def test_what_a_java_server_closes_on_we_refuse(sent: bytes) -> None:
    connection = Connection()
    connection.receive_data(sent)
    with pytest.raises(RemoteProtocolError):
        received(connection)
