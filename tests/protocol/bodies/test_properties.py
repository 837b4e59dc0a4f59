"""What holds for bodies of every class and for bytes of every kind."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.bodies import (
    BODIES,
    BROWSER_COMPATIBLE,
    COMPACT,
    PRETTY,
    Body,
    RegisterBrokerBody,
    Style,
)
from tests.protocol.bodies.reference import RandomBody, lines, random_body
from tests.protocol.bodies.strategies import body_strategy

# Where between 0 and 1, a byte, and what to do with it.
Change: TypeAlias = tuple[float, int, str]

MANGLED_JSON: Final = st.sampled_from([*b'{}[]:,"\\-0179eE.tfn \xff\x00', *range(256)])


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_written_body_is_read_back(body: type[Body]) -> None:
    @settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(body_strategy(body), st.sampled_from([COMPACT, BROWSER_COMPATIBLE, PRETTY]))
    def check(value: Body, style: Style) -> None:
        assert body.decode(value.encode(style)) == value

    check()


def mangle(text: bytes, changes: list[Change]) -> bytes:
    """Change, insert, drop, repeat or cut off bytes."""
    changed = bytearray(text)
    for place, value, what in changes:
        at = int(place * len(changed))
        if what == "change" and changed:
            changed[min(at, len(changed) - 1)] = value
        elif what == "insert":
            changed.insert(at, value)
        elif what == "drop":
            del changed[at : at + 1 + value % 8]
        elif what == "repeat":
            changed[at:at] = changed[max(0, at - value) : at]
        else:
            del changed[at:]
    return bytes(changed)


CHANGES: Final[st.SearchStrategy[list[Change]]] = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        MANGLED_JSON,
        st.sampled_from(["change", "change", "insert", "drop", "repeat", "cut"]),
    ),
    min_size=1,
    max_size=4,
)
SAMPLES: Final = [random_body(line) for line in lines("random_bodies.tsv.gz")]


@settings(max_examples=3000, deadline=None)
@given(st.sampled_from(SAMPLES), CHANGES)
def test_mangled_bodies_are_read_or_refused(sample: RandomBody, changes: list[Change]) -> None:
    with suppress(RemoteProtocolError):
        sample.body.decode(mangle(sample.compact, changes))


@pytest.mark.slow
@settings(max_examples=100_000, deadline=None)
@given(st.sampled_from(SAMPLES), CHANGES)
def test_many_mangled_bodies_are_read_or_refused(sample: RandomBody, changes: list[Change]) -> None:
    with suppress(RemoteProtocolError):
        sample.body.decode(mangle(sample.compact, changes))


@settings(max_examples=300, deadline=None)
@given(body_strategy(RegisterBrokerBody), CHANGES, st.sampled_from([407, 513]))
def test_mangled_registrations_are_read_or_refused(
    body: RegisterBrokerBody, changes: list[Change], version: int
) -> None:
    with suppress(RemoteProtocolError):
        RegisterBrokerBody.decode_compressed(mangle(body.encode_compressed(version), changes), version)


def test_any_value_in_any_place_is_read_or_refused() -> None:
    odd = [
        b"null",
        b"true",
        b"-1",
        b"1.5",
        b"1e99",
        b'""',
        b'"x"',
        b"[]",
        b"[null]",
        b"{}",
        b'{"a":null}',
        b"{1:2}",
    ]
    refused = 0
    for body, text, *_ in SAMPLES:
        for name in {part.rpartition(b'"')[2] for part in text.split(b'":')}:
            for value in odd:
                try:
                    body.decode(b'{"%b":%b}' % (name, value))
                except RemoteProtocolError:
                    refused += 1
    assert refused > 1000
