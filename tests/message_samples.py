"""Messages to test with: those inside the golden vectors, and random ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache

from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, RequestCode
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.message import MessageExt, MessageVersion
from rocketmq_protocol.properties import format_properties
from tests.vectors import GoldenFrame, golden_frames, rows

# Requests whose own body, or whose answer's, is made of stored messages.
CARRIERS = {
    RequestCode.PULL_MESSAGE,
    RequestCode.LITE_PULL_MESSAGE,
    RequestCode.QUERY_MESSAGE,
    RequestCode.VIEW_MESSAGE_BY_ID,
    RequestCode.POP_MESSAGE,
    RequestCode.POP_LITE_MESSAGE,
    RequestCode.CHECK_TRANSACTION_STATE,
    RequestCode.CONSUME_MESSAGE_DIRECTLY,
}


def decoded(kinds: set[str], codes: set[RequestCode]) -> Iterator[tuple[GoldenFrame, RemotingCommand]]:
    """Golden frames of these kinds, by the code of their request."""
    for golden in golden_frames():
        if golden.kind in kinds and golden.request_code in codes:
            yield golden, RemotingCommand.decode(golden.frame)


@cache
def bodies_of_records() -> tuple[tuple[GoldenFrame, bytes], ...]:
    """Every frame body in the vectors that holds stored messages."""
    magics = [version.to_bytes(4, "big", signed=True) for version in MessageVersion]
    return tuple(
        (golden, command.body)
        for golden, command in decoded({"request", "response", "oneway"}, CARRIERS)
        if command.body[4:8] in magics
    )


@cache
def replicated_log() -> bytes:
    """The commit log a slave received, its pieces put together."""
    pieces = [
        bytes.fromhex(str(row["frame_hex"]))
        for row in rows("ha-stream.jsonl.gz")
        if row["kind"] == "ha-transfer"
    ]
    log = b""
    for piece in pieces:
        assert int.from_bytes(piece[:8], "big") == len(log)
        log += piece[12:]
    return log


INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x01\x02"), min_size=1, max_size=12)
PROPERTIES = st.dictionaries(TEXT, TEXT, max_size=20)
HOSTS = st.builds(
    HostAddress, st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)).map(str), st.integers(0, 0xFFFF)
)
# The two IPv6 bits follow from the hosts.
SYS_FLAGS = INT32.map(lambda flags: flags & ~0x30)


@st.composite
def messages(draw: st.DrawFn) -> MessageExt:
    """Anything a record can hold."""
    version = draw(st.sampled_from(MessageVersion))
    topics = st.text(st.characters(codec="utf-8"), max_size=31 if version is MessageVersion.V1 else 300)
    return MessageExt(
        draw(topics),
        draw(st.binary(max_size=200)),
        flag=draw(INT32),
        properties_text=format_properties(draw(PROPERTIES)),
        queue_id=draw(INT32),
        queue_offset=draw(INT64),
        commit_log_offset=draw(INT64),
        sys_flag=draw(SYS_FLAGS),
        born_timestamp=draw(INT64),
        born_host=draw(HOSTS),
        store_timestamp=draw(INT64),
        store_host=draw(HOSTS),
        reconsume_times=draw(INT32),
        prepared_transaction_offset=draw(INT64),
        body_crc=draw(INT32),
        version=version,
    )


def damaged(data: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, cut out, repeated, or set to what lengths like least."""
    broken = bytearray(data)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(broken) + 1)
        match dice.randrange(4):
            case 0:
                broken[at : at + 1] = bytes([dice.randrange(256)])
            case 1:
                del broken[at : at + dice.randint(1, 20)]
            case 2:
                broken[at:at] = broken[at : at + dice.randint(1, 20)]
            case 3:
                broken[at : at + 4] = dice.choice(
                    (b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\0")
                )
    return bytes(broken)


def count_refusals(samples: list[bytes], read: Callable[[bytes], object], cases: int) -> int:
    """Read damaged samples; whatever goes wrong must be a RemoteProtocolError."""
    dice = random.Random(cases)
    refused = 0
    for _ in range(cases):
        try:
            read(damaged(dice.choice(samples), dice))
        except RemoteProtocolError:
            refused += 1
    return refused
