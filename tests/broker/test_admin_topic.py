"""Topics through the admin requests."""

from __future__ import annotations

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    CreateTopicListRequestBody,
    MessageQueue,
    TopicConfig,
    TopicConfigAndMappingSerializeWrapper,
    TopicConfigAndQueueMapping,
    TopicFilterType,
    TopicList,
    TopicOffset,
    TopicStatsTable,
)
from rocketmq_protocol.headers import (
    CreateTopicRequestHeader,
    DeleteTopicRequestHeader,
    GetAllTopicConfigRequestHeader,
    GetTopicConfigRequestHeader,
    GetTopicStatsInfoRequestHeader,
)
from tests.broker.admin_broker import AdminBroker
from tests.broker.small_broker import Clock

UNSET = "not set any response code"


def update(broker: AdminBroker, topic: str, attributes: str = "", queues: int = 3) -> RemotingCommand:
    header = CreateTopicRequestHeader(
        topic=topic,
        default_topic="TBW102",
        read_queue_nums=queues,
        write_queue_nums=queues,
        perm=6,
        topic_filter_type="SINGLE_TAG",
        topic_sys_flag=0,
        order=False,
        attributes=attributes,
    )
    return broker.ask(RequestCode.UPDATE_AND_CREATE_TOPIC, header)


def refusal(answer: RemotingCommand) -> tuple[int, str | None]:
    return answer.code, answer.remark


def test_a_topic_is_created_with_its_attributes() -> None:
    broker = AdminBroker()
    assert refusal(update(broker, "New", "+message.type=FIFO")) == (ResponseCode.SUCCESS, UNSET)
    assert broker.topics.get("New") == TopicConfig(
        topic_name="New",
        read_queue_nums=3,
        write_queue_nums=3,
        perm=6,
        topic_filter_type=TopicFilterType.SINGLE_TAG,
        attributes={"message.type": "FIFO"},
    )


def test_an_update_that_changes_nothing_leaves_the_version() -> None:
    broker = AdminBroker()
    update(broker, "New")
    version = broker.topics.version
    update(broker, "New")
    assert broker.topics.version == version
    update(broker, "New", queues=4)
    assert broker.topics.version.counter == version.counter + 1


@pytest.mark.parametrize(
    ("topic", "attributes", "code", "remark"),
    [
        ("", "", ResponseCode.INVALID_PARAMETER, "The specified topic is blank."),
        ("TBW102", "", ResponseCode.INVALID_PARAMETER, "The topic[TBW102] is conflict with system topic."),
        ("small", "", ResponseCode.INVALID_PARAMETER, "The topic[small] is conflict with system topic."),
        ("A", "+no.such=1", ResponseCode.SYSTEM_ERROR, "unsupported key: no.such"),
        ("A", "odd", ResponseCode.SYSTEM_ERROR, "delete attribute format is wrong: odd"),
        ("A", "+message.type=MIXED", ResponseCode.INVALID_PARAMETER, "MIXED message type is not supported."),
    ],
)
def test_what_cannot_be_created(topic: str, attributes: str, code: ResponseCode, remark: str) -> None:
    assert refusal(update(AdminBroker(), topic, attributes)) == (code, remark)


def test_mixed_topics_may_be_allowed() -> None:
    broker = AdminBroker({"enableMixedMessageType": "true"})
    assert update(broker, "A", "+message.type=MIXED").code == ResponseCode.SUCCESS


def test_a_list_is_created_all_or_none() -> None:
    broker = AdminBroker()

    def update_list(*names: str) -> RemotingCommand:
        body = CreateTopicListRequestBody(
            topic_config_list=[TopicConfig(topic_name=name) for name in names]
        ).encode()
        return broker.ask(RequestCode.UPDATE_AND_CREATE_TOPIC_LIST, body=body)

    assert update_list("A", "bad name").code == ResponseCode.INVALID_PARAMETER
    assert broker.topics.get("A") is None
    assert update_list("A", "B").code == ResponseCode.SUCCESS
    # One that is there already ends it, as in Java.
    assert update_list("C", "A").code == ResponseCode.SUCCESS
    assert {"A", "B"} <= broker.topics.all().keys()
    assert broker.topics.get("C") is None


def test_deleting_a_topic_takes_queues_offsets_and_pop_retries_along() -> None:
    broker = AdminBroker()
    broker.send("A")
    broker.offsets.commit("G", "A", 1, 1)
    broker.topic("%RETRY%G+A")
    broker.topic("%RETRY%G_A")
    broker.topic("%RETRY%G")
    answer = broker.ask(RequestCode.DELETE_TOPIC_IN_BROKER, DeleteTopicRequestHeader(topic="A"))
    assert refusal(answer) == (ResponseCode.SUCCESS, None)
    gone = ("A", "%RETRY%G+A", "%RETRY%G_A")
    assert all(broker.topics.get(topic) is None for topic in gone)
    assert broker.topics.get("%RETRY%G") is not None
    assert broker.store.queues.get("A", 1) is None
    assert broker.offsets.query("G", "A", 1) == -1


def test_deleting_a_topic_that_is_not_there_succeeds() -> None:
    answer = AdminBroker().ask(RequestCode.DELETE_TOPIC_IN_BROKER, DeleteTopicRequestHeader(topic="A"))
    assert answer.code == ResponseCode.SUCCESS


def test_all_topics_are_listed() -> None:
    broker = AdminBroker()
    broker.topic("A")
    answer = broker.ask(RequestCode.GET_ALL_TOPIC_CONFIG)
    body = TopicConfigAndMappingSerializeWrapper.decode(answer.body)
    assert body.topic_config_table == broker.topics.all()
    assert body.data_version == broker.topics.version
    assert answer.ext_fields == {"totalTopicNum": str(len(broker.topics.all()))}


def test_topics_are_listed_page_by_page_until_they_change() -> None:
    broker = AdminBroker()

    def page(begin: int) -> list[str]:
        header = GetAllTopicConfigRequestHeader(
            topic_seq=begin, max_topic_num=2, data_version=broker.topics.version.encode().decode()
        )
        answer = broker.ask(RequestCode.GET_ALL_TOPIC_CONFIG, header)
        return sorted(TopicConfigAndMappingSerializeWrapper.decode(answer.body).topic_config_table)

    names = sorted(broker.topics.all())
    assert page(0) == names[:2]
    assert page(2) == names[2:4]
    stale = GetAllTopicConfigRequestHeader(topic_seq=2, max_topic_num=2, data_version='{"counter":99}')
    answer = broker.ask(RequestCode.GET_ALL_TOPIC_CONFIG, stale)
    assert sorted(TopicConfigAndMappingSerializeWrapper.decode(answer.body).topic_config_table) == names[:2]


def test_one_topic_is_described() -> None:
    broker = AdminBroker()
    broker.topic("A", queues=5)
    answer = broker.ask(RequestCode.GET_TOPIC_CONFIG, GetTopicConfigRequestHeader(topic="A"))
    assert TopicConfigAndQueueMapping.decode(answer.body).read_queue_nums == 5
    missing = broker.ask(RequestCode.GET_TOPIC_CONFIG, GetTopicConfigRequestHeader(topic="B"))
    assert refusal(missing) == (ResponseCode.TOPIC_NOT_EXIST, "No topic in this broker. topic: B")


def test_system_topics_are_listed() -> None:
    answer = AdminBroker().ask(RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER)
    listed = TopicList.decode(answer.body).topic_list
    assert {"TBW102", "TRANS_CHECK_MAX_TIME_TOPIC", "DefaultCluster", "rmq_sys_wheel_timer"} <= listed


def test_offsets_of_a_topics_queues() -> None:
    clock = Clock(5_000)
    broker = AdminBroker(clock=clock)
    broker.topic("A")
    broker.send("A")
    answer = broker.ask(RequestCode.GET_TOPIC_STATS_INFO, GetTopicStatsInfoRequestHeader(topic="A"))
    assert TopicStatsTable.decode(answer.body).offset_table == {
        MessageQueue("A", "small", 0): TopicOffset(),
        MessageQueue("A", "small", 1): TopicOffset(max_offset=1, last_update_timestamp=5_000),
    }
    missing = broker.ask(RequestCode.GET_TOPIC_STATS_INFO, GetTopicStatsInfoRequestHeader(topic="B"))
    assert refusal(missing) == (ResponseCode.TOPIC_NOT_EXIST, "topic[B] not exist")


def test_queues_without_a_topic_are_cleaned_away() -> None:
    broker = AdminBroker()
    broker.send("A")
    broker.send("B")
    broker.topics.delete("A")
    assert broker.ask(RequestCode.CLEAN_UNUSED_TOPIC).code == ResponseCode.SUCCESS
    assert {queue.topic for queue in broker.store.queues} == {"B"}
