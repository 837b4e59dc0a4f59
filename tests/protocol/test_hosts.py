"""Addresses of hosts in messages."""

from __future__ import annotations

import pytest
from hypothesis import given

from rocketmq_protocol import LocalProtocolError
from rocketmq_protocol.hosts import HostAddress, host_bytes, host_from_bytes
from tests.message_samples import HOSTS


@given(HOSTS)
def test_hosts_survive_their_bytes(host: HostAddress) -> None:
    raw = host_bytes(host)
    assert len(raw) == (20 if ":" in host.ip else 8)
    assert host_bytes(host_from_bytes(raw)) == raw
    assert host_from_bytes(raw) == host


def test_hosts_show_as_people_write_them() -> None:
    assert str(HostAddress("127.0.0.1", 10911)) == "127.0.0.1:10911"
    assert str(HostAddress("::1", 10911)) == "[::1]:10911"


@pytest.mark.parametrize(
    ("host", "complaint"),
    [(("localhost", 1), "not an IP address"), (("10.0.0.1", 65536), "outside 0..65535")],
)
def test_hosts_no_record_can_hold_are_refused(host: tuple[str, int], complaint: str) -> None:
    with pytest.raises(LocalProtocolError, match=complaint):
        host_bytes(host)
