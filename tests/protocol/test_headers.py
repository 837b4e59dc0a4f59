"""Typed headers and the ext fields they travel as."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rocketmq_protocol import RemoteProtocolError, RequestCode
from rocketmq_protocol.headers import (
    HEADERS,
    BoundaryType,
    CreateTopicRequestHeader,
    GetRouteInfoRequestHeader,
    SearchOffsetRequestHeader,
    SendMessageRequestHeaderV2,
    SendMessageResponseHeader,
    UnregisterClientRequestHeader,
)

# Read off the Java classes by reflection; compat_tests compares with the classes themselves. Abstract ones
# have no order of their own.
REFERENCE = json.loads((Path(__file__).parent / "data" / "headers.json").read_text())
ABSTRACT = {"RpcRequestHeader", "TopicRequestHeader", "TopicQueueRequestHeader"}


def test_every_header_class_of_java_is_here() -> None:
    assert sorted(HEADERS) == sorted(REFERENCE)
    assert len(HEADERS) == 146


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_fields_match_the_java_class(name: str) -> None:
    ours = [(item.name, item.java_type, item.required) for item in HEADERS[name].wire_fields()]
    java = [(item["name"], item["type"], item["required"]) for item in REFERENCE[name]["fields"]]
    assert ours == java


@pytest.mark.parametrize("name", sorted(REFERENCE.keys() - ABSTRACT))
def test_a_full_header_has_its_ext_fields_in_the_order_of_java(name: str) -> None:
    samples = {"string": "x", "int": "1", "long": "2", "boolean": "true", "BoundaryType": "UPPER"}
    texts = {item.name: samples[item.java_type] for item in HEADERS[name].wire_fields()}
    header = HEADERS[name].from_ext_fields(texts)
    assert list(header.to_ext_fields()) == REFERENCE[name]["java_ext_order"]
    assert header.to_ext_fields() == texts
    fast = REFERENCE[name].get("fast_binary_order")
    assert bool(HEADERS[name].fast) == bool(fast)
    if fast:
        assert list(header.to_fast_ext_fields()) == fast


def test_every_request_has_at_most_one_header() -> None:
    requests = [code for header in HEADERS.values() for code in header.requests]
    assert len(requests) == len(set(requests))
    assert set(requests) <= set(RequestCode)


def test_a_missing_required_field_is_named() -> None:
    with pytest.raises(RemoteProtocolError, match=r"SendMessageRequestHeaderV2\.b: required"):
        SendMessageRequestHeaderV2.from_ext_fields({"a": "group"})


def test_a_number_that_does_not_parse_is_named_with_its_value() -> None:
    fields = {"msgId": "m", "queueId": "four", "queueOffset": "1"}
    with pytest.raises(RemoteProtocolError, match=r"SendMessageResponseHeader\.queueId: 'four'"):
        SendMessageResponseHeader.from_ext_fields(fields)
    with pytest.raises(RemoteProtocolError, match=r"queueId: '2147483648' is outside"):
        SendMessageResponseHeader.from_ext_fields(fields | {"queueId": "2147483648"})


def test_an_empty_number_counts_as_absent() -> None:
    header = CreateTopicRequestHeader.from_ext_fields(
        {
            "topic": "t",
            "defaultTopic": "TBW102",
            "readQueueNums": "4",
            "writeQueueNums": "4",
            "perm": "6",
            "topicFilterType": "SINGLE_TAG",
            "order": "false",
            "topicSysFlag": "",
        }
    )
    assert header.topic_sys_flag is None
    with pytest.raises(RemoteProtocolError, match="queueId: required"):
        SendMessageResponseHeader.from_ext_fields({"msgId": "m", "queueId": "", "queueOffset": "1"})


def test_unknown_ext_fields_are_kept_and_written_again() -> None:
    header = GetRouteInfoRequestHeader.from_ext_fields({"topic": "t", "ReqT": "1", "AccessKey": "k"})
    assert header.topic == "t"
    assert header.extra == {"ReqT": "1", "AccessKey": "k"}
    assert header.to_ext_fields() == {"topic": "t", "ReqT": "1", "AccessKey": "k"}


def test_unset_fields_are_not_sent_and_javas_defaults_are() -> None:
    header = CreateTopicRequestHeader(
        topic="t",
        default_topic="TBW102",
        read_queue_nums=8,
        write_queue_nums=8,
        perm=6,
        topic_filter_type="SINGLE_TAG",
        order=False,
    )
    fields = header.to_ext_fields()
    assert fields["force"] == "false"
    assert "attributes" not in fields
    assert fields["perm"] == "6"


def test_a_boundary_that_is_not_upper_is_lower() -> None:
    base = {"topic": "t", "queueId": "0", "timestamp": "1"}
    read = {
        text: SearchOffsetRequestHeader.from_ext_fields(base | {"boundaryType": text}).boundary_type
        for text in ("UPPER", "upper", "lower", "nonsense")
    }
    assert read == {
        "UPPER": BoundaryType.UPPER,
        "upper": BoundaryType.UPPER,
        "lower": BoundaryType.LOWER,
        "nonsense": BoundaryType.LOWER,
    }


def test_javas_own_spelling_is_kept_on_the_wire() -> None:
    header = UnregisterClientRequestHeader(client_id="c", producer_group="p")
    assert header.to_ext_fields() == {"clientID": "c", "producerGroup": "p"}
