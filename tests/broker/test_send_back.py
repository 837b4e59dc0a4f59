"""Retries and dead letters: where a message goes that its consumer failed on."""

from __future__ import annotations

from typing import Any

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import SubscriptionGroupConfig, TopicConfig
from rocketmq_protocol.headers import ConsumerSendMsgBackRequestHeader
from tests.broker.small_broker import Clock, SmallBroker, call

RETRY = "%RETRY%group"
DLQ = "%DLQ%group"
SCHEDULE = "SCHEDULE_TOPIC_XXXX"


@pytest.fixture
def broker() -> SmallBroker:
    made = SmallBroker()
    made.send("orders", b"an order", {"TAGS": "TagA", "KEYS": "k"})
    return made


def send_back(broker: SmallBroker, offset: int = 0, *, version: int = 500, **fields: Any) -> RemotingCommand:
    header = ConsumerSendMsgBackRequestHeader(
        **{"group": "group", "delay_level": 0, "offset": offset, "max_reconsume_times": 16, **fields}
    )
    return call(
        broker.send_back.send_back,
        RemotingCommand.request(RequestCode.CONSUMER_SEND_MSG_BACK, header, version=version),
    )


def test_first_retry_waits_at_level_three_with_origin_kept(broker: SmallBroker) -> None:
    assert send_back(broker).code == ResponseCode.SUCCESS
    origin = broker.messages("orders", 1)[0]
    (waiting,) = broker.messages(SCHEDULE, 2)
    assert (waiting.body, waiting.flag, waiting.reconsume_times) == (b"an order", 7, 1)
    assert (waiting.born_timestamp, waiting.born_host) == (origin.born_timestamp, origin.born_host)
    assert waiting.properties == origin.properties | {
        "REAL_TOPIC": RETRY,
        "REAL_QID": "0",
        "RETRY_TOPIC": "orders",
        "ORIGIN_MESSAGE_ID": origin.offset_msg_id,
        "DELAY": "3",
        "WAIT": "false",
    }
    assert broker.topics.get(RETRY) is not None


def test_later_retries_wait_longer_and_keep_the_first_origin(broker: SmallBroker) -> None:
    send_back(broker)
    (first,) = broker.messages(SCHEDULE, 2)
    send_back(broker, first.commit_log_offset)
    (second,) = broker.messages(SCHEDULE, 3)
    assert second.reconsume_times == 2
    for name in ("ORIGIN_MESSAGE_ID", "RETRY_TOPIC"):
        assert second.properties[name] == first.properties[name]


def test_level_that_the_consumer_names_counts(broker: SmallBroker) -> None:
    send_back(broker, delay_level=7)
    assert len(broker.messages(SCHEDULE, 6)) == 1


def test_negative_level_is_a_dead_letter_at_once(broker: SmallBroker) -> None:
    assert send_back(broker, delay_level=-1).code == ResponseCode.SUCCESS
    (dead,) = broker.messages(DLQ)
    assert dead.properties["DELAY"] == "0"
    assert dead.properties["ORIGIN_MESSAGE_ID"] == broker.messages("orders", 1)[0].offset_msg_id
    topic = broker.topics.get(DLQ)
    assert topic is not None
    assert (topic.write_queue_nums, topic.perm) == (1, 6)


def test_tried_as_often_as_the_client_allows_is_a_dead_letter(broker: SmallBroker) -> None:
    send_back(broker, max_reconsume_times=1)
    (once,) = broker.messages(SCHEDULE, 2)
    send_back(broker, once.commit_log_offset, max_reconsume_times=1)
    assert [message.reconsume_times for message in broker.messages(DLQ)] == [2]


@pytest.mark.parametrize(("version", "told"), [(500, None), (120, 16)])
def test_group_limit_counts_where_the_client_names_none(
    broker: SmallBroker, version: int, told: int | None
) -> None:
    broker.groups.put(SubscriptionGroupConfig(group_name="group", retry_max_times=0))
    send_back(broker, max_reconsume_times=told, version=version)
    assert len(broker.messages(DLQ)) == 1


def test_group_without_retry_queues_lets_the_message_go(broker: SmallBroker) -> None:
    broker.groups.put(SubscriptionGroupConfig(group_name="group", retry_queue_nums=0))
    assert send_back(broker).code == ResponseCode.SUCCESS
    assert broker.topics.get(RETRY) is None


def test_offset_without_a_message_is_refused(broker: SmallBroker) -> None:
    answer = send_back(broker, 123_456)
    assert (answer.code, answer.remark) == (
        ResponseCode.SYSTEM_ERROR,
        "look message by offset failed, 123456",
    )


def test_offset_inside_a_message_is_refused(broker: SmallBroker) -> None:
    assert send_back(broker, 8).remark == "look message by offset failed, 8"


def test_unknown_group_is_refused() -> None:
    broker = SmallBroker({"autoCreateSubscriptionGroup": "false"})
    broker.send("orders")
    answer = send_back(broker)
    assert answer.code == ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST
    assert (answer.remark or "").startswith("subscription group not exist, group \nSee https://")


def test_read_only_broker_and_topic_refuse(broker: SmallBroker) -> None:
    broker.topics.put(TopicConfig(topic_name=RETRY, perm=4))
    answer = send_back(broker)
    assert (answer.code, answer.remark) == (
        ResponseCode.NO_PERMISSION,
        f"the topic[{RETRY}] sending message is forbidden",
    )
    broker.config.update({"brokerPermission": "4"})
    assert send_back(broker).remark == "the broker[127.0.0.1] sending message is forbidden"


def test_full_disk_is_told(broker: SmallBroker) -> None:
    broker.store.writable = False
    answer = send_back(broker)
    assert (answer.code, answer.remark) == (ResponseCode.SYSTEM_ERROR, "SERVICE_NOT_AVAILABLE")


@pytest.mark.parametrize(
    ("times", "told", "version", "is_dead"),
    [(2, 2, 500, False), (3, 2, 500, True), (3, None, 500, False), (17, None, 500, True), (3, 2, 120, False)],
)
def test_send_to_a_retry_topic_is_a_dead_letter_once_tried_too_often(
    broker: SmallBroker, times: int, told: int | None, version: int, is_dead: bool
) -> None:
    answer = broker.send(
        RETRY, b"again", queue_id=0, reconsume_times=times, max_reconsume_times=told, version=version
    )
    assert answer.code == ResponseCode.SUCCESS
    assert len(broker.messages(DLQ)) == is_dead
    assert len(broker.messages(RETRY)) == (not is_dead)


def test_message_of_a_consumer_in_order_is_a_dead_letter_at_once() -> None:
    broker = SmallBroker(consumes_in_order=lambda group: group == "group")
    answer = broker.send(RETRY, b"again", {"DELAY": "4"}, queue_id=0, reconsume_times=1)
    (dead,) = broker.messages(DLQ)
    assert dead.properties["DELAY"] == "-1"
    assert (answer.ext_fields or {})["queueId"] == "0"


def test_send_to_the_retry_topic_of_an_unknown_group_is_refused() -> None:
    broker = SmallBroker({"autoCreateSubscriptionGroup": "false"}, Clock())
    answer = broker.send(RETRY, queue_id=0)
    assert answer.code == ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST
