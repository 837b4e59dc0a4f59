"""Subscription groups through the admin requests."""

from __future__ import annotations

import pytest

from rocketmq_protocol import RemotingCommand, RequestCode, ResponseCode
from rocketmq_protocol.bodies import (
    GroupList,
    QuerySubscriptionResponseBody,
    SubscriptionGroupConfig,
    SubscriptionGroupList,
    SubscriptionGroupWrapper,
    TopicList,
)
from rocketmq_protocol.headers import (
    DeleteSubscriptionGroupRequestHeader,
    GetAllSubscriptionGroupRequestHeader,
    GetSubscriptionGroupConfigRequestHeader,
    QuerySubscriptionByConsumerRequestHeader,
    QueryTopicConsumeByWhoRequestHeader,
    QueryTopicsByConsumerRequestHeader,
)
from tests.broker.admin_broker import ADDRESS, AdminBroker


def update(broker: AdminBroker, group: SubscriptionGroupConfig) -> RemotingCommand:
    return broker.ask(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, body=group.encode())


def test_a_group_is_created_and_changed() -> None:
    broker = AdminBroker()
    config = SubscriptionGroupConfig(group_name="G", retry_max_times=5, attributes={"+priority.factor": "7"})
    assert update(broker, config).code == ResponseCode.SUCCESS
    assert broker.groups.all()["G"].attributes == {"priority.factor": "7"}
    assert update(broker, SubscriptionGroupConfig(group_name="G", retry_max_times=3)).code == 0
    assert broker.groups.all()["G"].retry_max_times == 3
    assert broker.groups.all()["G"].attributes == {"priority.factor": "7"}


@pytest.mark.parametrize(
    ("group", "code", "remark"),
    [
        (SubscriptionGroupConfig(), ResponseCode.INVALID_PARAMETER, "The specified group is blank."),
        (
            SubscriptionGroupConfig(group_name="x" * 121),
            ResponseCode.INVALID_PARAMETER,
            f"The specified group: {'x' * 121}, is longer than group max length: 120",
        ),
        (
            SubscriptionGroupConfig(group_name="G", attributes={"+no": "1"}),
            ResponseCode.SYSTEM_ERROR,
            "java.lang.RuntimeException: unsupported key: no",
        ),
    ],
)
def test_what_cannot_be_created(group: SubscriptionGroupConfig, code: ResponseCode, remark: str) -> None:
    answer = update(AdminBroker(), group)
    assert (answer.code, answer.remark) == (code, remark)


def test_of_a_list_with_a_bad_name_nothing_is_created() -> None:
    broker = AdminBroker()
    good, bad = SubscriptionGroupConfig(group_name="G"), SubscriptionGroupConfig(group_name="bad name")
    code = RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST
    answer = broker.ask(code, body=SubscriptionGroupList(group_config_list=[good, bad]).encode())
    assert answer.code == ResponseCode.INVALID_PARAMETER
    assert "G" not in broker.groups.all()
    assert broker.ask(code, body=SubscriptionGroupList(group_config_list=[good]).encode()).code == 0
    assert "G" in broker.groups.all()


@pytest.mark.parametrize("clean", [True, False])
def test_a_deleted_groups_offsets_go_only_where_asked_for(*, clean: bool) -> None:
    broker = AdminBroker()
    broker.group("G")
    broker.offsets.commit("G", "A", 0, 5)
    header = DeleteSubscriptionGroupRequestHeader(group_name="G", clean_offset=clean)
    assert broker.ask(RequestCode.DELETE_SUBSCRIPTIONGROUP, header).code == ResponseCode.SUCCESS
    assert "G" not in broker.groups.all()
    assert broker.offsets.query("G", "A", 0) == (-1 if clean else 5)


def test_all_groups_are_listed() -> None:
    broker = AdminBroker()
    broker.group("G")
    answer = broker.ask(RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG)
    body = SubscriptionGroupWrapper.decode(answer.body)
    assert body.subscription_group_table == broker.groups.all()
    assert answer.ext_fields == {"totalGroupNum": str(len(broker.groups.all()))}


def test_groups_are_listed_page_by_page() -> None:
    broker = AdminBroker()
    header = GetAllSubscriptionGroupRequestHeader(
        group_seq=1, max_group_num=2, data_version=broker.groups.version.encode().decode()
    )
    answer = broker.ask(RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG, header)
    listed = SubscriptionGroupWrapper.decode(answer.body).subscription_group_table
    assert sorted(listed) == sorted(broker.groups.all())[1:3]


def test_asking_for_a_group_creates_it_where_that_is_allowed() -> None:
    header = GetSubscriptionGroupConfigRequestHeader(group="G")
    answer = AdminBroker().ask(RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG, header)
    assert SubscriptionGroupConfig.decode(answer.body) == SubscriptionGroupConfig(group_name="G")
    strict = AdminBroker({"autoCreateSubscriptionGroup": "false"})
    refused = strict.ask(RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG, header)
    assert (refused.code, refused.remark) == (
        ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
        "No group in this broker",
    )


def test_who_consumes_a_topic_now_or_did_so_before() -> None:
    broker = AdminBroker()
    broker.consumer("Online", "A")
    broker.offsets.commit("Offline", "A", 0, 1)
    broker.offsets.commit("Other", "B", 0, 1)
    header = QueryTopicConsumeByWhoRequestHeader(topic="A")
    answer = broker.ask(RequestCode.QUERY_TOPIC_CONSUME_BY_WHO, header)
    assert GroupList.decode(answer.body).group_list == {"Online", "Offline"}


def test_which_topics_a_group_consumed() -> None:
    broker = AdminBroker()
    broker.offsets.commit("G", "A", 0, 1)
    answer = broker.ask(RequestCode.QUERY_TOPICS_BY_CONSUMER, QueryTopicsByConsumerRequestHeader(group="G"))
    assert TopicList.decode(answer.body) == TopicList(topic_list=frozenset({"A"}), broker_addr=ADDRESS)


def test_a_groups_subscription_is_known_while_it_is_online() -> None:
    broker = AdminBroker()
    header = QuerySubscriptionByConsumerRequestHeader(group="G", topic="A")

    def subscription() -> QuerySubscriptionResponseBody:
        answer = broker.ask(RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER, header)
        return QuerySubscriptionResponseBody.decode(answer.body)

    assert subscription().subscription_data is None
    broker.consumer("G", "A")
    found = subscription().subscription_data
    assert found is not None
    assert found.sub_string == "*"
