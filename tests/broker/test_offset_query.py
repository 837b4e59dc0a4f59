"""Where a group stands that has never committed an offset."""

from __future__ import annotations

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.headers import QueryConsumerOffsetRequestHeader, QueryConsumerOffsetResponseHeader
from rocketpy.broker.processors.offset import OffsetProcessor
from tests.broker.admin_broker import AdminBroker
from tests.broker.small_broker import call


def query(broker: AdminBroker, queue_id: int = 0, *, zero: bool | None = None) -> RemotingCommand:
    header = QueryConsumerOffsetRequestHeader(
        consumer_group="G", topic="A", queue_id=queue_id, set_zero_if_not_found=zero
    )
    processor = OffsetProcessor(broker.offsets, broker.store)
    return call(processor.query, RemotingCommand.request(RequestCode.QUERY_CONSUMER_OFFSET, header))


def test_a_new_group_begins_with_the_first_message() -> None:
    broker = AdminBroker()
    broker.send("A", queue_id=0)
    assert query(broker).read_header(QueryConsumerOffsetResponseHeader).offset == 0


def test_an_empty_queue_has_no_offset() -> None:
    broker = AdminBroker()
    broker.topic("A")
    answer = query(broker)
    assert (answer.code, answer.remark) == (
        ResponseCode.QUERY_NOT_FOUND,
        "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first",
    )


def test_zero_may_be_declined() -> None:
    broker = AdminBroker()
    broker.send("A", queue_id=0)
    answer = query(broker, zero=False)
    assert (answer.code, answer.remark) == (
        ResponseCode.QUERY_NOT_FOUND,
        "Not found, do not set to zero, maybe this group boot first",
    )


def test_a_committed_offset_is_given_back() -> None:
    broker = AdminBroker()
    broker.offsets.commit("G", "A", 0, 7)
    assert query(broker).read_header(QueryConsumerOffsetResponseHeader).offset == 7
