"""Whatever the bytes, the answer is a command or a RemoteProtocolError that says what and where."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import Connection, RemoteProtocolError, RemotingCommand, SerializeType
from rocketmq_protocol.headers import request_header
from tests.vectors import golden_frames


def mutated(frame: bytes, dice: random.Random) -> bytes:
    """A few bytes flipped, cut, repeated or blown up."""
    broken = bytearray(frame)
    for _ in range(dice.randint(1, 4)):
        position = dice.randrange(len(broken)) if broken else 0
        match dice.randrange(5):
            case 0:
                broken[position : position + 1] = bytes([dice.randrange(256)])
            case 1:
                del broken[position : position + dice.randint(1, 20)]
            case 2:
                broken[position:position] = broken[position : position + dice.randint(1, 20)]
            case 3:
                broken[position : position + 4] = dice.choice(
                    (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00\x00\x00\x00")
                )
            case 4:
                broken[position:position] = dice.choice(
                    (b"[" * 3000, b'{"a":' * 2000, b"\xff\xfe", b"9" * 6000)
                )
    if dice.random() < 0.8:
        # Behind a sound length word, so that the damage reaches the header readers.
        broken[:4] = max(len(broken) - 4, 0).to_bytes(4, "big")
    return bytes(broken)


def read_everything(data: bytes) -> None:
    """Frame, header, typed header: all that looks at a stranger's bytes."""
    command = RemotingCommand.decode(data)
    header_type = request_header(command.code)
    if header_type is not None:
        command.read_header(header_type)
    command.encode()


def survive(cases: int, seed: int) -> int:
    dice = random.Random(seed)
    frames = [golden.frame for golden in golden_frames() if len(golden.frame) < 4000]
    refused = 0
    for _ in range(cases):
        data = mutated(dice.choice(frames), dice)
        try:
            read_everything(data)
        except RemoteProtocolError:
            refused += 1
    return refused


def test_mutated_golden_frames_raise_nothing_but_remote_protocol_errors() -> None:
    assert survive(5_000, seed=1) > 2_000


@pytest.mark.slow
def test_many_more_mutated_golden_frames() -> None:
    assert survive(100_000, seed=2) > 40_000


@given(st.binary(max_size=300))
def test_random_bytes(data: bytes) -> None:
    connection = Connection()
    connection.receive_data(data)
    with suppress(RemoteProtocolError):
        while connection.next_command() is not None:
            pass


@given(st.sampled_from(SerializeType), st.binary(max_size=120))
def test_random_headers_in_sound_frames(serializer: SerializeType, header: bytes) -> None:
    frame = (
        (4 + len(header)).to_bytes(4, "big") + bytes([serializer]) + len(header).to_bytes(3, "big") + header
    )
    with suppress(RemoteProtocolError):
        read_everything(frame)


def framed(header: bytes, serializer: int = 0) -> bytes:
    return (
        (4 + len(header)).to_bytes(4, "big") + bytes([serializer]) + len(header).to_bytes(3, "big") + header
    )


BINARY = bytes.fromhex("0069000201000000050000000000000000")


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (b"", "frame of 0 bytes"),
        (b"\x00\x00\x00\x08\x00\x00\x00\x00", "length says 8, but 4 bytes follow"),
        (b"\x00\x00\x00\x04\x00\x00\x00\x09", "at byte 5: header length 9 goes past"),
        (b"\x00\x00\x00\x04\x02\x00\x00\x00", "at byte 4: unknown header serializer 2"),
        (framed(b""), "JSON header"),
        (framed(b"[]"), "an object was expected, not list"),
        (framed(b'{"code":1} x'), "JSON header: .*char"),
        (framed(b'{"code":1,"remark":"\xff"}'), "JSON header: .*UTF-8"),
        (framed(b'{"code":99999999999}'), "code: '99999999999' is not a 32-bit number"),
        (framed(b'{"opaque":"x1"}'), "opaque: 'x1' is not a 32-bit number"),
        (framed(b'{"extFields":"x"}'), "extFields: an object was expected, not str"),
        (framed(b'{"a":' * 2000), "JSON header: .*"),
        (framed(BINARY[:10], 1), "binary header of 10 bytes: the fixed part alone has 21"),
        (framed(BINARY[:13] + b"\x00\x00\x00\x50" + bytes(4), 1), "at byte 13: remark length 80 goes past"),
        (framed(BINARY[:13] + b"\xff\xff\xff\xff" + bytes(4), 1), "at byte 13: remark length -1"),
        (framed(BINARY + b"\x00\x00\x00\x09", 1), "at byte 17: ext fields take 9 bytes, but 0 are left"),
        (framed(BINARY + b"\x00\x00\x00\x03\x00\x01k", 1), "at byte 21: ext field cut off"),
        (
            framed(BINARY + b"\x00\x00\x00\x07\x00\x01k\x00\x00\x00\x05", 1),
            "at byte 24: value length 5 goes past",
        ),
        (
            framed(BINARY + b"\x00\x00\x00\x07\x00\x01k\xff\xff\xff\xff", 1),
            "at byte 24: value length -1 goes past",
        ),
        (
            framed(BINARY + b"\x00\x00\x00\x08\x00\x01k\x00\x00\x00\x01\xff", 1),
            "at byte 28: ext field k is not UTF-8",
        ),
        (
            framed(BINARY + (32774 + 4).to_bytes(4, "big") + b"\x80\x00" + bytes(32768) + bytes(8), 1),
            "at byte 21: name length 32768 is above 32767",
        ),
    ],
)
def test_the_error_says_what_and_where(frame: bytes, message: str) -> None:
    with pytest.raises(RemoteProtocolError, match=message):
        RemotingCommand.decode(frame)
