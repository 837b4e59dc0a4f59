"""How bodies are read: what is taken, what is refused, and what is filled in."""

from __future__ import annotations

import re

import pytest

from rocketmq_protocol import LanguageCode, RemoteProtocolError, bodies
from rocketmq_protocol.bodies import MessageQueue


def test_objects_as_keys_become_message_queues() -> None:
    table = bodies.TopicStatsTable.decode(
        b'{"offsetTable":{{"brokerName":"b","queueId":1,"topic":"t"}:{"maxOffset":7,"minOffset":2}}}'
    )
    assert table.offset_table == {MessageQueue("t", "b", 1): bodies.TopicOffset(max_offset=7, min_offset=2)}


@pytest.mark.parametrize("addresses", [b'{0:"a",1:"b"}', b'{"0":"a","1":"b"}', b'{ 0 : "a",\n\t1:"b" }'])
def test_number_keys_are_read_with_and_without_quotes(addresses: bytes) -> None:
    broker = bodies.BrokerData.decode(b'{"brokerAddrs":' + addresses + b"}")
    assert broker.broker_addrs == {0: "a", 1: "b"}


def test_unknown_members_are_ignored() -> None:
    assert bodies.QueueData.decode(b'{"perm":6,"newInVersion9":{"a":[1,{0:2}]}}') == bodies.QueueData(perm=6)


def test_missing_members_get_javas_defaults() -> None:
    config = bodies.SubscriptionGroupConfig.decode(b'{"groupName":"g"}')
    assert config.retry_max_times == 16
    assert config.consume_enable is True
    assert config.group_retry_policy == bodies.GroupRetryPolicy()


def test_null_is_zero_for_numbers_none_for_text_and_the_default_for_tables() -> None:
    config = bodies.TopicConfig.decode(b'{"readQueueNums":null,"order":null,"topicName":null}')
    assert (config.read_queue_nums, config.order, config.topic_name) == (0, False, None)
    route = bodies.TopicRouteData.decode(b'{"queueDatas":null,"filterServerTable":null}')
    assert (route.queue_datas, route.filter_server_table) == ([], {})
    assert bodies.BrokerStatsItem.decode(b'{"tps":null}').tps == 0.0


def test_null_in_a_table_is_left_out() -> None:
    assert bodies.KVTable.decode(b'{"table":{"a":null,"b":"c"}}').table == {"b": "c"}


def test_numbers_may_come_as_text() -> None:
    """The C++ client sends them so."""
    subscription = bodies.SubscriptionData.decode(b'{"subVersion":"1700000000000","codeSet":["-5","7"]}')
    assert subscription.sub_version == 1700000000000
    assert subscription.code_set == {-5, 7}


def test_text_may_come_as_number_or_boolean() -> None:
    assert bodies.KVTable.decode(b'{"table":{"a":5,"b":true}}').table == {"a": "5", "b": "true"}


def test_enums_come_by_name_or_ordinal_and_strange_names_are_none() -> None:
    read = [bodies.Connection.decode(b'{"language":%b}' % text) for text in (b'"GO"', b"9", b'"KLINGON"')]
    assert [connection.language for connection in read] == [LanguageCode.GO, LanguageCode.GO, None]


def test_a_bit_set_is_a_set_of_positions() -> None:
    assert bodies.BatchAck.decode(b'{"b":"AQI="}').bit_set == {0, 9}
    assert bodies.BatchAck(bit_set={9, 0}).encode() == b'{"b":"AQI=","it":0,"pt":0,"q":0,"rq":0,"so":0}'
    assert bodies.BatchAck(bit_set=set()).encode().startswith(b'{"b":""')


def test_the_time_span_of_a_queue_is_also_written_as_text() -> None:
    span = bodies.QueueTimeSpan(min_time_stamp=1700000000123)
    assert span.min_time_stamp_str == "2023-11-14#22:13:20:123"
    elsewhere = bodies.QueueTimeSpan.decode(b'{"minTimeStamp":1700000000123,"minTimeStampStr":"in Tokyo"}')
    assert elsewhere.min_time_stamp_str == "in Tokyo"
    assert bodies.QueueTimeSpan(max_time_stamp=2**63 - 1).max_time_stamp_str is None


def test_a_static_topic_is_led_by_the_broker_of_its_leader_item() -> None:
    detail = bodies.TopicQueueMappingDetail(bname="a")
    leading = bodies.TopicQueueMappingContext(
        mapping_detail=detail, leader_item=bodies.LogicQueueMappingItem(bname="a")
    )
    assert leading.leader is True
    assert bodies.TopicQueueMappingContext(mapping_detail=detail).leader is False


def test_lists_of_users_are_arrays() -> None:
    users = bodies.UserInfoList.decode(b'[{"username":"a"},{"username":"b"}]')
    assert [user.username for user in users.users] == ["a", "b"]
    assert users.encode() == b'[{"username":"a"},{"username":"b"}]'


@pytest.mark.parametrize(
    ("body", "data", "complaint"),
    [
        (bodies.TopicList, b"[]", "TopicList: expected an object, got an array"),
        (bodies.TopicList, b"null", "TopicList: expected an object, got None"),
        (bodies.UserInfoList, b"{}", "UserInfoList: expected an array, got an object"),
        (bodies.TopicList, b'{"topicList":{}}', "TopicList.topicList: expected an array, got an object"),
        (bodies.TopicList, b'{"topicList":[null]}', "TopicList.topicList: expected text, got None"),
        (bodies.QueueData, b'{"perm":"six"}', "QueueData.perm: expected an int, got 'six'"),
        (bodies.QueueData, b'{"perm":3000000000}', "QueueData.perm: expected an int, got 3000000000"),
        (bodies.QueueData, b'{"perm":1.5}', "QueueData.perm: expected an int, got 1.5"),
        (bodies.QueueData, b'{"perm":true}', "QueueData.perm: expected an int, got True"),
        (bodies.DataVersion, b'{"counter":1e30}', "DataVersion.counter: expected a long, got 1e+30"),
        (bodies.TopicConfig, b'{"order":2}', "TopicConfig.order: expected true or false, got 2"),
        (bodies.BrokerStatsItem, b'{"tps":"fast"}', "BrokerStatsItem.tps: expected a number, got 'fast'"),
        (bodies.KVTable, b'{"table":{"a":[]}}', "KVTable.table: expected text, got an array"),
        (bodies.BrokerData, b'{"brokerAddrs":{"x":"a"}}', "BrokerData.brokerAddrs: expected a long, got 'x'"),
        (bodies.BatchAck, b'{"b":"?"}', "BatchAck.b: expected base64, got '?'"),
        (bodies.BatchAck, b'{"b":"%b"}' % (b"A" * 20000), "BatchAck.b: expected at most 65536 bits"),
        (
            bodies.Connection,
            b'{"language":99}',
            "Connection.language: expected a name of LanguageCode, got 99",
        ),
        (
            bodies.TopicRouteData,
            b'{"brokerDatas":[{"cluster":{}}]}',
            "BrokerData.cluster: expected text, got an object",
        ),
        (
            bodies.ResetOffsetBody,
            b'{"offsetTable":{{"queueId":"x"}:1}}',
            "MessageQueue.queueId: expected an int, got 'x'",
        ),
        (
            bodies.ResetOffsetBody,
            b'{"offsetTable":{"5":1}}',
            "ResetOffsetBody.offsetTable: expected an object",
        ),
        (bodies.KVTable, b'{"table":{"a":"%b"}' % (b"x" * 99), "JSON is wrong at character 116"),
    ],
)
def test_wrong_values_are_refused_with_class_member_and_value(
    body: type[bodies.Body], data: bytes, complaint: str
) -> None:
    with pytest.raises(RemoteProtocolError, match=re.escape(complaint)):
        body.decode(data)


def test_a_long_wrong_value_is_cut_short() -> None:
    with pytest.raises(RemoteProtocolError) as refusal:
        bodies.QueueData.decode(b'{"perm":"%b"}' % (b"x" * 10000))
    assert len(str(refusal.value)) < 120
