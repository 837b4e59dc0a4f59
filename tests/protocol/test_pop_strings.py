"""Receipt handles, offset tables and retry topics of POP."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError, RequestCode
from rocketmq_protocol.pop_strings import (
    PopPosition,
    PopQueue,
    ReceiptHandle,
    format_message_offsets,
    format_order_counts,
    format_start_offsets,
    normal_topic,
    parse_lite_order_counts,
    parse_message_offsets,
    parse_order_counts,
    parse_start_offsets,
    pop_retry_topic,
    topic_kind,
    topic_of_kind,
)
from tests.message_samples import INT32, INT64, decoded

QUEUES = st.builds(PopQueue, st.sampled_from("012"), INT32)
POSITIONS = st.builds(PopPosition, st.sampled_from("012"), INT32, INT64)


POP_CODES = {
    RequestCode.POP_MESSAGE,
    RequestCode.POP_LITE_MESSAGE,
    RequestCode.ACK_MESSAGE,
    RequestCode.CHANGE_MESSAGE_INVISIBLETIME,
}


def golden_values(name: str) -> list[str]:
    commands = [command for _, command in decoded({"request", "response"}, POP_CODES)]
    return [text for command in commands if (text := (command.ext_fields or {}).get(name))]


def test_golden_receipt_handles_are_written_again() -> None:
    texts = golden_values("extraInfo")
    assert len(texts) == 8
    for text in texts:
        assert str(ReceiptHandle.parse(text)) == text


def test_golden_offset_tables_are_written_again() -> None:
    starts, offsets = golden_values("startOffsetInfo"), golden_values("msgOffsetInfo")
    assert len(starts) == len(offsets) == 2
    for start, offset in zip(starts, offsets, strict=True):
        assert format_start_offsets(parse_start_offsets(start)) == start
        assert format_message_offsets(parse_message_offsets(offset)) == offset
        assert parse_start_offsets(start).keys() == parse_message_offsets(offset).keys()


def test_receipt_handle_tells_where_when_and_how_long() -> None:
    handle = ReceiptHandle.parse("5 1000 60000 999 1 broker-a 3 7")
    assert (handle.start_offset, handle.queue_id, handle.queue_offset, handle.broker_name) == (
        5,
        3,
        7,
        "broker-a",
    )
    assert handle.next_visible_time == 61000
    assert handle.is_order
    assert handle.real_topic("topic", "group") == "%RETRY%group_topic"
    assert handle.commit_log_offset is None


@pytest.mark.parametrize(
    "text", ["5 1000 60000 2 0 b 3", "5 1000 60000 2 0 b 3 7", "5 1000 60000 2 0 b 3 7 900"]
)
def test_receipt_handles_may_end_early(text: str) -> None:
    assert str(ReceiptHandle.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "1 words"),
        ("1 2 3 4 5 6", "6 words"),
        ("1 2 3 4 0 b 7 8 9 10", "10 words"),
        ("1 2 3 x 0 b 7", "'x' is not a decimal number"),
        ("1 2 3 9999999999 0 b 7", "outside"),
    ],
)
def test_malformed_receipt_handles_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(RemoteProtocolError, match=complaint):
        ReceiptHandle.parse(text)


def test_retry_topics_lead_back_to_their_topic() -> None:
    v1, v2 = pop_retry_topic("topic_x", "group_y"), pop_retry_topic("topic_x", "group_y", v2=True)
    assert (v1, v2) == ("%RETRY%group_y_topic_x", "%RETRY%group_y+topic_x")
    for topic, kind in ((v1, "1"), (v2, "2"), ("topic_x", "0")):
        assert topic_kind(topic) == kind
        assert normal_topic(topic, "group_y") == "topic_x"
        assert topic_of_kind(kind, "topic_x", "group_y") == topic
    with pytest.raises(RemoteProtocolError, match="unknown kind of topic '3'"):
        topic_of_kind("3", "topic", "group")


@given(st.dictionaries(QUEUES, INT64))
def test_start_offsets_survive_their_text(table: dict[PopQueue, int]) -> None:
    assert parse_start_offsets(format_start_offsets(table)) == table


@given(st.dictionaries(QUEUES, st.lists(INT64, min_size=1)))
def test_message_offsets_survive_their_text(table: dict[PopQueue, list[int]]) -> None:
    assert parse_message_offsets(format_message_offsets(table)) == table


@given(st.dictionaries(st.one_of(QUEUES, POSITIONS), INT32))
def test_order_counts_survive_their_text(table: dict[PopQueue | PopPosition, int]) -> None:
    assert parse_order_counts(format_order_counts(table)) == table


def test_order_counts_name_queues_and_single_messages() -> None:
    counts = parse_order_counts("0 qo3%17 2;0 3 1")
    assert counts == {PopPosition("0", 3, 17): 2, PopQueue("0", 3): 1}


@pytest.mark.parametrize(
    ("parse", "text", "complaint"),
    [
        (parse_start_offsets, "0 1", "startOffsetInfo, entry '0 1'"),
        (parse_start_offsets, "0 1 2;0 1 3", "entry '0 1 3': it stands there twice"),
        (parse_start_offsets, "0 x 2", "'x' is not a decimal number"),
        (parse_message_offsets, "0 1 2,,3", "msgOffsetInfo, entry '0 1 2,,3'"),
        (parse_order_counts, "0 qo1 2", "orderCountInfo, entry '0 qo1 2'"),
        (parse_order_counts, "0 1 2147483648", "outside"),
    ],
)
def test_malformed_tables_are_refused_by_entry(
    parse: Callable[[str], object], text: str, complaint: str
) -> None:
    with pytest.raises(RemoteProtocolError, match=complaint):
        parse(text)


def test_tables_may_be_empty_and_end_with_separators() -> None:
    assert parse_start_offsets("") == {}
    assert parse_start_offsets(";") == {}
    assert parse_start_offsets("0 1 2;;") == {PopQueue("0", 1): 2}


@pytest.mark.parametrize(
    ("text", "messages", "counts"),
    [
        ("0;0", 2, [0, 0]),
        ("3;;0 qo0%5 4;junk;0 qo0%5", 5, [3, 0, 4, 0, 0]),
        ("1;2", 3, None),
        ("", 0, None),
    ],
)
def test_lite_order_counts_come_one_for_each_message(
    text: str, messages: int, counts: list[int] | None
) -> None:
    assert parse_lite_order_counts(text, messages) == counts
