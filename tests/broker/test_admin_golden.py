"""What operators asked Java's broker, asked of ours: the answers have the same code, remark and members."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator

import pytest
import trio

from rocketmq_protocol import RemoteProtocolError, RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import RESPONSE_BODIES
from rocketmq_protocol.fastjson_reader import loads
from rocketpy.remoting.errors import RequestRefused
from tests.broker.admin_broker import AdminBroker
from tests.broker.small_broker import CLIENT
from tests.vectors import VECTORS, rows

# Only a real client can answer these; test_admin_client asks one.
RELAYED = {RequestCode.GET_CONSUMER_RUNNING_INFO, RequestCode.CONSUME_MESSAGE_DIRECTLY}
# Its answer is lines of text and no JSON.
PLAIN = {RequestCode.GET_BROKER_CONFIG}
# Offsets of light message queues: the recorded broker had them switched on.
NOT_KEPT = {"lmqOffsetTable"}


def exchanges() -> Iterator[tuple[str, RemotingCommand, RemotingCommand]]:
    """Requests that an admin processor serves, and what Java's broker answered."""
    routes = AdminBroker().routes
    for path in sorted(VECTORS.glob("frames-*.jsonl.gz")):
        asked: dict[object, RemotingCommand] = {}
        for row in rows(path.name):
            if row["kind"] == "request" and row["code"] in routes:
                asked[row["id"]] = RemotingCommand.decode(bytes.fromhex(str(row["frame_hex"])))
            elif row.get("reply_to") in asked and row["peer"] == "broker-5.5.0":
                answer = RemotingCommand.decode(bytes.fromhex(str(row["frame_hex"])))
                yield str(row["id"]), asked[row["reply_to"]], answer


EXCHANGES = {
    name: (request, answer)
    for name, request, answer in exchanges()
    if answer.code != 0 or request.code not in RELAYED
}


def broker_for(request: RemotingCommand, answer: RemotingCommand) -> AdminBroker:
    """A broker that has what the request names, if Java's broker had it."""
    broker = AdminBroker({"brokerName": "broker-a"})
    fields = request.ext_fields or {}
    topic = fields.get("topic", "")
    group = fields.get("group") or fields.get("consumerGroup") or fields.get("srcGroup") or ""
    if request.code == RequestCode.VIEW_BROKER_STATS_DATA and answer.code == 0:
        topic, _, group = fields["statsKey"].partition("@")
        broker.counters.stored(topic, 100)
        broker.counters.fetched(group, topic, 1, 100)
    if topic and not topic.startswith("NoSuch"):
        broker.send(topic, queue_id=0)
    if answer.code == 0:
        broker.group(group)
        broker.offsets.commit(group, topic, 0, 1)
        if b"subscriptionData" in answer.body or b"subscriptionTable" in answer.body:
            broker.consumer(group, topic or "Topic")
        broker.clients.register_producer(fields.get("producerGroup", "PG"), broker.client())
    return broker


@pytest.mark.parametrize("name", EXCHANGES)
def test_answers_have_the_shape_of_javas(name: str) -> None:
    request, expected = EXCHANGES[name]
    answer = ask(broker_for(request, expected), request)
    assert answer.code == expected.code
    if "java.lang." not in (expected.remark or ""):
        assert answer.remark == expected.remark
    assert (answer.ext_fields or {}).keys() == (expected.ext_fields or {}).keys()
    assert bool(answer.body) == bool(expected.body)
    if expected.body and request.code not in PLAIN:
        assert members(answer) == members(expected) - NOT_KEPT
        RESPONSE_BODIES[RequestCode(request.code)].decode(answer.body)


def ask(broker: AdminBroker, request: RemotingCommand) -> RemotingCommand:
    """The answer, made of refusals as the router makes it."""

    async def asked() -> RemotingCommand:
        answer = broker.routes[request.code](CLIENT, request)
        if isinstance(answer, Awaitable):
            answer = await answer
        assert isinstance(answer, RemotingCommand)
        return answer

    try:
        return trio.run(asked)
    except RequestRefused as refused:
        return request.reply(refused.code, remark=refused.remark)
    except RemoteProtocolError as error:
        return request.reply(ResponseCode.SYSTEM_ERROR, remark=str(error))


def members(answer: RemotingCommand) -> set[str]:
    body = loads(answer.body)
    assert isinstance(body, dict)
    return {str(name) for name in body}


def test_many_exchanges_are_compared() -> None:
    assert len(EXCHANGES) > 400
