"""Which body goes with which request."""

from __future__ import annotations

from rocketmq_protocol import RequestCode
from rocketmq_protocol.bodies import REQUEST_BODIES, RESPONSE_BODIES, Body
from tests.protocol.bodies.reference import lines

ARRAYS = {"BrokerNameList": "broker names", "UserInfoList": "UserInfo", "AclInfoList": "AclInfo"}


def described(table: dict[RequestCode, type[Body]], code: RequestCode) -> str:
    if code not in table:
        return "-"
    name = table[code].__name__
    return f"array of {ARRAYS[name]}" if name in ARRAYS else name


def test_bodies_go_with_the_requests_that_carry_them_in_java() -> None:
    rows = [line.split("\t") for line in lines("bodies_by_code.tsv")][1:]
    codes = {RequestCode[name] for _, name, _, _ in rows}
    ours = {
        (str(int(code)), code.name, described(REQUEST_BODIES, code), described(RESPONSE_BODIES, code))
        for code in REQUEST_BODIES.keys() | RESPONSE_BODIES.keys() | codes
    }
    assert ours == {tuple(row) for row in rows}
    assert (len(REQUEST_BODIES), len(RESPONSE_BODIES)) == (23, 61)
