"""Every answer that was captured from the Java name server of 5.5.0, given again by ours."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rocketmq_protocol import RequestCode
from rocketmq_protocol.services import SERVED_BY
from tests.namesrv.golden import Exchange, exchanges, server_for
from tests.namesrv.server import Server

# Requests whose answers follow from what was asked before, with nothing left out of the capture.
KEYS_AND_SETTINGS = {
    RequestCode.PUT_KV_CONFIG,
    RequestCode.GET_KV_CONFIG,
    RequestCode.DELETE_KV_CONFIG,
    RequestCode.GET_KVLIST_BY_NAMESPACE,
    RequestCode.UPDATE_NAMESRV_CONFIG,
}


def assert_answers_as_java(server: Server, exchange: Exchange) -> None:
    answer = server.ask(exchange.request)
    # Java answers in its own serialization, which in all but two captures was also the asker's.
    in_javas = replace(answer, serializer=exchange.answer.serializer)
    assert in_javas.encode() == exchange.answer_frame, exchange.id


@pytest.mark.parametrize("code", sorted({exchange.request.code for exchange in exchanges()}))
def test_a_captured_request_gets_its_captured_answer_byte_for_byte(code: int) -> None:
    for exchange in exchanges():
        if exchange.request.code == code:
            assert_answers_as_java(server_for(exchange), exchange)


@pytest.mark.parametrize("scenario", ["error-namesrv", "admin-namesrv"])
def test_keys_and_settings_replay_as_one_conversation(scenario: str) -> None:
    server = Server()
    conversation = [
        exchange
        for exchange in exchanges()
        if exchange.id.startswith(scenario) and exchange.request.code in KEYS_AND_SETTINGS
    ]
    assert len(conversation) >= 20
    for exchange in conversation:
        assert_answers_as_java(server, exchange)


def test_everything_that_javas_name_server_serves_is_served_and_was_captured() -> None:
    served = {code for code, servers in SERVED_BY.items() if "namesrv" in servers}
    assert len(served) == 23
    assert served == set(Server().handlers)
    assert served <= {exchange.request.code for exchange in exchanges()}
