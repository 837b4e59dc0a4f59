"""Trace records: what clients tell about the messages they send and consume."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.message_record import iter_records
from rocketmq_protocol.trace import (
    EndTransactionTrace,
    PubTrace,
    RecallTrace,
    SubAfterTrace,
    SubBeforeTrace,
    TraceMessageType,
    TraceRecord,
    decode_trace,
    encode_trace,
    trace_keys,
)
from tests.message_samples import count_refusals, replicated_log

NUMBERS = st.integers(-(2**31), 2**31 - 1)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x01\x02"), max_size=10)
RECORDS: st.SearchStrategy[TraceRecord] = st.one_of(
    [
        st.builds(
            record_type,
            **dict.fromkeys(words.split(), WORDS),
            **dict.fromkeys(numbers.split(), NUMBERS),
            **dict.fromkeys(truths.split(), st.booleans()),
            **({"message_type": st.sampled_from(TraceMessageType)} if has_type else {}),
        )
        for record_type, words, numbers, truths, has_type in (
            (
                PubTrace,
                "region_id group topic msg_id tags keys store_host offset_msg_id",
                "timestamp body_length cost_time",
                "success",
                True,
            ),
            (RecallTrace, "region_id group topic msg_id", "timestamp", "success", False),
            (SubBeforeTrace, "region_id group request_id msg_id keys", "timestamp retry_times", "", False),
            (
                SubAfterTrace,
                "request_id msg_id keys group",
                "cost_time context_code timestamp",
                "success",
                False,
            ),
            (
                EndTransactionTrace,
                "region_id group topic msg_id tags keys store_host transaction_id transaction_state",
                "timestamp",
                "from_transaction_check",
                True,
            ),
        )
    ]
)


def test_golden_trace_messages_are_written_again_byte_for_byte() -> None:
    bodies = [
        message.body.decode()
        for message in iter_records(replicated_log())
        if message.topic == "RMQ_SYS_TRACE_TOPIC"
    ]
    assert len(bodies) == 3
    for body in bodies:
        records = decode_trace(body)
        assert records
        assert encode_trace(records) == body


def test_golden_trace_messages_are_found_by_the_ids_they_tell_about() -> None:
    for message in iter_records(replicated_log()):
        if message.topic == "RMQ_SYS_TRACE_TOPIC":
            assert sorted(trace_keys(decode_trace(message.body.decode()))) == sorted(message.keys)


@given(st.lists(RECORDS, max_size=4))
def test_records_survive_their_text(records: list[TraceRecord]) -> None:
    assert decode_trace(encode_trace(records)) == records


PUB = "Pub|1|r|g|t|m|a|k|h|2|3|4"


@pytest.mark.parametrize(
    ("text", "offset_msg_id", "client_host"),
    [
        (f"{PUB}|true$", None, None),
        (f"{PUB}|o|true$", "o", None),
        (f"{PUB}|o|true|c$", "o", "c"),
    ],
)
def test_sending_is_told_in_the_forms_of_all_releases(
    text: str, offset_msg_id: str | None, client_host: str | None
) -> None:
    wire = text.replace("|", "\x01").replace("$", "\x02")
    [record] = decode_trace(wire)
    assert isinstance(record, PubTrace)
    assert (record.offset_msg_id, record.client_host, record.success) == (offset_msg_id, client_host, True)
    assert record.message_type is TraceMessageType.Order_Msg
    assert encode_trace([record]) == wire


@pytest.mark.parametrize(
    ("text", "written", "context_code", "timestamp"),
    [
        ("SubAfter|q|m|1|false|k$", "SubAfter|q|m|1|false|k$", None, None),
        ("SubAfter|q|m|1|false|k|6$", "SubAfter|q|m|1|false|k|6|$", 6, None),
        ("SubAfter|q|m|1|false|k|6|$", "SubAfter|q|m|1|false|k|6|$", 6, None),
        ("SubAfter|q|m|1|false|k|6|9|g$", "SubAfter|q|m|1|false|k|6|9|g$", 6, 9),
    ],
)
def test_consuming_is_told_in_the_forms_of_all_releases(
    text: str, written: str, context_code: int | None, timestamp: int | None
) -> None:
    [record] = decode_trace(text.replace("|", "\x01").replace("$", "\x02"))
    assert isinstance(record, SubAfterTrace)
    assert (record.context_code, record.timestamp) == (context_code, timestamp)
    assert encode_trace([record]) == written.replace("|", "\x01").replace("$", "\x02")


def test_kinds_nobody_knows_are_skipped() -> None:
    recall = RecallTrace(timestamp=1, region_id="r", group="g", topic="t", msg_id="m", success=True)
    assert decode_trace("Later\x01whatever\x02" + encode_trace([recall])) == [recall]
    assert decode_trace("") == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Recall|1|r|g|t$", "trace record 0, Recall: 4 fields, at least 6"),
        ("Recall|1|r|g|t|m|true$Recall|x|r|g|t|m|true$", "trace record 1, Recall, timestamp: 'x'"),
        (f"{PUB[:-1]}9|true$", "trace record 0, Pub, message_type: 9"),
        ("SubAfter|q|m|99999999999|true|k$", "cost_time"),
    ],
)
def test_malformed_records_are_refused_by_number_and_field(text: str, complaint: str) -> None:
    with pytest.raises(RemoteProtocolError, match=complaint):
        decode_trace(text.replace("|", "\x01").replace("$", "\x02"))


def test_damaged_traces_are_refused_or_harmless() -> None:
    samples = [
        message.body for message in iter_records(replicated_log()) if message.topic == "RMQ_SYS_TRACE_TOPIC"
    ]
    assert count_refusals(samples, lambda body: decode_trace(body.decode("utf-8", "replace")), 2000) > 100
