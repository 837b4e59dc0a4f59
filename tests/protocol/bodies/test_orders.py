"""In which order maps and sets are written."""

from __future__ import annotations

import copy
import pickle

from rocketmq_protocol import bodies
from rocketmq_protocol.bodies import JavaSet, JavaTable, MessageQueue, SubscriptionData
from rocketmq_protocol.bodies.topic_config import TOPICS_OF_BROKER
from rocketmq_protocol.javaisms.maps import HashMap, TreeMap
from tests.protocol.bodies.reference import MAP_KINDS, lines, map_order


def test_keys_come_out_as_they_came_out_of_java() -> None:
    orders = [map_order(line) for line in lines("map_orders.jsonl.gz")]
    for case in orders:
        assert list(MAP_KINDS[case.kind].arrange(case.keys, case.hash_code)) == case.order, case.kind
    assert {case.kind for case in orders} == MAP_KINDS.keys()
    assert len(orders) == 650
    assert max(len(case.keys) for case in orders) > 400


def test_a_table_is_written_in_the_order_of_its_java_map_whatever_its_own() -> None:
    topics = [f"Topic{number}" for number in range(40)]
    there = bodies.TopicConfigSerializeWrapper(
        topic_config_table={name: bodies.TopicConfig(topic_name=name) for name in topics}
    )
    back = bodies.TopicConfigSerializeWrapper(
        topic_config_table={name: bodies.TopicConfig(topic_name=name) for name in reversed(topics)}
    )
    assert there.encode() == back.encode()


def test_a_table_that_came_off_the_wire_keeps_its_order() -> None:
    text = b'{"table":{"z":"1","a":"2","m":"3"}}'
    table = bodies.KVTable.decode(text)
    assert table.encode() == text
    table.table["a"] = "changed"
    assert table.encode() == text.replace(b'"2"', b'"changed"')


def test_a_table_that_gets_a_new_key_is_ordered_again() -> None:
    table = bodies.KVTable.decode(b'{"table":{"z":"1","a":"2","m":"3"}}')
    table.table["b"] = "4"
    assert table.encode() == bodies.KVTable(table=dict(table.table)).encode()
    assert list(bodies.KVTable.decode(table.encode()).table) == ["a", "b", "z", "m"]


def test_a_table_can_stand_for_another_kind_of_map() -> None:
    wrapper = bodies.TopicConfigAndMappingSerializeWrapper
    configs = {
        name: bodies.TopicConfig(topic_name=name) for name in ("TopicA", "TopicB", "%RETRY%g", "TBW102")
    }
    orders = {
        kind: list(
            wrapper.decode(wrapper(topic_config_table=JavaTable(configs, kind)).encode()).topic_config_table
        )
        for kind in (TreeMap(), HashMap(2), TOPICS_OF_BROKER)
    }
    assert orders[TreeMap()] == ["%RETRY%g", "TBW102", "TopicA", "TopicB"]
    assert len({tuple(order) for order in orders.values()}) == 3


def test_a_plain_set_is_written_in_the_order_of_its_java_set() -> None:
    groups = bodies.GroupList(group_list={"CG_b", "CG_a", "CG_c"})
    assert groups.encode() == bodies.GroupList(group_list={"CG_c", "CG_b", "CG_a"}).encode()
    assert sorted(bodies.GroupList.decode(groups.encode()).group_list) == ["CG_a", "CG_b", "CG_c"]


def test_a_set_that_came_off_the_wire_keeps_its_order_and_equals_any_set() -> None:
    text = b'{"groupList":["z","a","m"]}'
    groups = bodies.GroupList.decode(text)
    assert groups.encode() == text
    assert list(groups.group_list) == ["z", "a", "m"]
    assert groups == bodies.GroupList(group_list={"a", "m", "z"})


def test_queues_hash_and_sort_as_in_java() -> None:
    queues = [
        MessageQueue("TopicA", "broker-a", 2),
        MessageQueue("TopicA", "broker-a", 10),
        MessageQueue("T", "b", 0),
    ]
    assert [queue.java_hash() for queue in queues] == [-103678500, -103678252, 124053]
    assert sorted(queues, key=MessageQueue.java_sort_key) == [queues[2], queues[0], queues[1]]


def test_subscriptions_hash_as_in_java() -> None:
    subscription = SubscriptionData(
        topic="TopicA", sub_string="TagA || TagB", tags_set={"TagA", "TagB"}, code_set={2598919, 2598920}
    )
    assert subscription.java_hash() == hash(subscription) == 636725539
    assert SubscriptionData(sub_version=1).java_hash() == SubscriptionData(sub_version=2).java_hash()


def test_other_elements_of_sets_hash_as_in_java() -> None:
    assert bodies.ClientGroup(client_id="c", group="g").java_hash() == 4133
    wanted = bodies.SimpleSubscriptionData(topic="t", expression_type="TAG", expression="*", version=5)
    assert wanted.java_hash() == 2708419


def test_tables_and_sets_can_be_copied_and_pickled() -> None:
    for value in (JavaTable({"b": 1, "a": 2}, TreeMap()), JavaSet(["z", "a"])):
        for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert again == value
            assert list(again) == list(value)
            assert type(again) is type(value)
