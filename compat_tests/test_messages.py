"""Messages both ways: we write the bytes Java writes from the same values, and Java reads what we write."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import repeat
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from rocketmq_protocol import pop_strings, properties, sysflag
from rocketmq_protocol.compression import CompressionType, compress, decompress
from rocketmq_protocol.crc import java_crc32
from rocketmq_protocol.hashing import index_hash, index_key, tag_hash, tag_index_key
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.javaisms import utf8
from rocketmq_protocol.message import Message, MessageExt, MessageVersion
from rocketmq_protocol.message_batch import encode_batch, iter_batch, mark_inner_batch
from rocketmq_protocol.message_id import (
    UniqueIdGenerator,
    offset_message_id,
    parse_offset_message_id,
    parse_unique_id,
)
from rocketmq_protocol.message_record import decode_record, encode_record
from rocketmq_protocol.pop_strings import PopPosition, PopQueue, ReceiptHandle
from rocketmq_protocol.properties import PARSED_CAPACITY, delete_property, format_properties, parse_properties
from rocketmq_protocol.pulled import iter_pulled
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

SEED = "20260601"
ROUNDS = "60"

Row = dict[str, Any]
Driver = Callable[..., list[str]]
RECORD_FIELDS = (
    "topic",
    "flag",
    "body_crc",
    "queue_id",
    "queue_offset",
    "commit_log_offset",
    "sys_flag",
    "born_timestamp",
    "store_timestamp",
    "reconsume_times",
    "prepared_transaction_offset",
)


@pytest.fixture(scope="module")
def java_messages(java_driver: Driver) -> dict[str, list[Row]]:
    """What EncodeMessages prints, by kind."""
    rows: dict[str, list[Row]] = {}
    for line in java_driver("EncodeMessages", SEED, ROUNDS):
        row = json.loads(line)
        rows.setdefault(row["kind"], []).append(row)
    return rows


@pytest.fixture
def ask_java(java_driver: Driver) -> Callable[[list[tuple[str, bytes]]], list[Any]]:
    """Let DecodeMessages read bytes of the given kinds."""

    def ask(questions: list[tuple[str, bytes]]) -> list[Any]:
        lines = "".join(f"{what} {data.hex()}\n" for what, data in questions)
        answers = [json.loads(line) for line in java_driver("DecodeMessages", stdin=lines)]
        assert len(answers) == len(questions)
        return answers

    return ask


def javas_own(module: ModuleType | type) -> dict[str, object]:
    return {
        name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, str | int)
    }


def test_property_names_and_flag_bits_are_javas(java_messages: dict[str, list[Row]]) -> None:
    [row] = java_messages["constants"]
    classes = row["classes"]
    ours = javas_own(properties)
    assert {name: ours[name] for name in classes["MessageConst"]} == classes["MessageConst"]
    assert sorted(properties.RESERVED_NAMES) == row["reserved"]
    for name in ("MessageSysFlag", "PullSysFlag", "TopicSysFlag", "SubscriptionSysFlag"):
        assert javas_own(getattr(sysflag, name)) == classes[name]


def test_properties_text_is_written_as_java_writes_it(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["properties"]:
        assert format_properties(row["put"]) == row["text"]


def test_properties_text_is_read_as_java_reads_it(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["properties"]:
        parsed = parse_properties(row["odd"])
        assert parsed == row["parsed"]
        assert format_properties(parsed, capacity=PARSED_CAPACITY) == row["rewritten"]
        assert delete_property(row["odd"], row["name"]) == row["deleted"]


def record_of(row: Row) -> MessageExt:
    text = row["properties"]
    if text is None:
        text = format_properties(row["put"], capacity=PARSED_CAPACITY)
    return MessageExt(
        body=bytes.fromhex(row["body"]),
        properties_text=text,
        born_host=HostAddress(*row["born_host"]),
        store_host=HostAddress(*row["store_host"]),
        version=MessageVersion.V1 if row["version"] == 1 else MessageVersion.V2,
        **{name: row[name] for name in RECORD_FIELDS},
    )


def test_records_are_written_byte_for_byte_as_java_writes_them(java_messages: dict[str, list[Row]]) -> None:
    assert {row["by"] for row in java_messages["record"]} == {"decoder", "store", "store-crc"}
    for row in java_messages["record"]:
        message = record_of(row)
        assert encode_record(message, append_crc=row["by"] == "store-crc").hex() == row["record"]
        assert message.offset_msg_id == row["offset_msg_id"]
        assert java_crc32(message.body) == row["body_crc"]


def test_records_of_java_read_back_to_the_same_values_and_bytes(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["record"]:
        raw = bytes.fromhex(row["record"])
        message = decode_record(raw)
        assert {name: getattr(message, name) for name in RECORD_FIELDS} == {
            name: row[name] for name in RECORD_FIELDS
        }
        assert message.body.hex() == row["body"]
        assert encode_record(message) == raw


def test_batches_are_written_byte_for_byte_as_java_writes_them(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["batch"]:
        messages = [
            Message(
                "batch-topic",
                bytes.fromhex(each["body"]),
                tags=each["tags"],
                keys=each["keys"],
                properties=each["properties"],
                flag=each["flag"],
                wait_store_ok=each["wait"],
            )
            for each in row["messages"]
        ]
        body = bytes.fromhex(row["body"])
        assert encode_batch(messages) == body
        assert b"".join(entry.encode() for entry in iter_batch(body)) == body


def test_offset_ids_agree_with_java(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["offset_id"]:
        host = HostAddress(*row["host"])
        assert offset_message_id(host, row["offset"]) == row["id"]
        parsed = parse_offset_message_id(row["id"])
        assert str(parsed) == row["id"]
        assert (parsed.host.port, parsed.offset) == (host.port, row["offset"])


def test_unique_ids_agree_with_java(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["unique_id"]:
        unique = parse_unique_id(row["id"])
        assert unique.pid == row["pid"]
        assert HostAddress(unique.ip, 0) in (HostAddress(row["ip"], 0), decoded_ip(row["ip"]))
        zone = ZoneInfo(row["zone"])
        assert unique.born_at(row["now"], zone) == row["born_at"]


def decoded_ip(text: str) -> HostAddress:
    """Java writes IPv6 addresses without `::`."""
    return parse_offset_message_id(offset_message_id((text, 0), 0)).host


def test_generator_makes_the_id_java_made_at_that_moment(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["unique_id"]:
        unique = parse_unique_id(row["id"])
        if unique.elapsed_millis > 28 * 86_400_000:
            continue  # a random id that no month is sure to be long enough for
        clock, zone = repeat(row["born_at"]).__next__, ZoneInfo(row["zone"])
        generator = UniqueIdGenerator(unique.ip, unique.pid, unique.loader_hash, clock, zone)
        assert generator.next_id() == row["id"][:-4] + "0000"  # the counter is each process's own


def test_hashes_and_index_keys_agree_with_java(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["hash"]:
        assert tag_hash(row["word"]) == row["tag_hash"]
        assert index_key(row["topic"], row["word"]) == row["index_key"]
        assert tag_index_key(row["topic"], row["word"]) == row["tag_index_key"]
        assert index_hash(row["word"]) == row["index_hash"]
        assert java_crc32(bytes.fromhex(row["bytes"])) == row["crc"]


def test_bodies_java_compressed_unpack(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["compressed"]:
        kind = CompressionType.from_sys_flag(row["sys_flag"])
        assert (kind.name, kind.sys_flag) == (row["type"], row["sys_flag"])
        assert decompress(bytes.fromhex(row["packed"]), kind).hex() == row["plain"]


def trace_of(row: Row) -> TraceRecord:
    kinds = {
        kind.KIND: kind
        for kind in (PubTrace, RecallTrace, SubBeforeTrace, SubAfterTrace, EndTransactionTrace)
    }
    kind = kinds[row["type"]]
    row["message_type"] = TraceMessageType(row["message_type"])
    values = {field.name: row[field.name] for field in fields(kind) if field.name != "client_host"}
    if kind is not RecallTrace and values.get("tags", "") is None:
        values["tags"] = "null"
    if kind is SubAfterTrace and row["cloud"]:
        del values["timestamp"], values["group"]
    return kind(**values)


def test_trace_records_are_written_and_read_as_java_does(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["trace"]:
        record = trace_of(row)
        assert encode_trace([record]) == row["text"]
        assert decode_trace(row["text"]) == [record]
        if row["type"] != "Recall":  # Java's bean has keys there that its text has not
            assert [key for key in row["trace_keys"] if key in trace_keys([record])] == row["trace_keys"]


def test_pop_strings_agree_with_java(java_messages: dict[str, list[Row]]) -> None:
    for row in java_messages["pop"]:
        normal, group, topic = row["normal"], row["group"], row["topic"]
        assert pop_strings.pop_retry_topic(normal, group) == row["v1"]
        assert pop_strings.pop_retry_topic(normal, group, v2=True) == row["v2"]
        assert pop_strings.normal_topic(topic, group) == row["normal_topic"]
        handle = ReceiptHandle(
            start_offset=row["start"],
            pop_time=row["pop_time"],
            invisible_time=row["invisible"],
            revive_queue_id=row["revive"],
            topic_kind=pop_strings.topic_kind(topic),
            broker_name="broker-a",
            queue_id=row["queue"],
            queue_offset=row["offset"],
        )
        assert str(handle) == row["handles"][1]
        assert (handle.is_order, handle.real_topic(normal, group)) == (row["order"], row["real_topic"])
        for text in row["handles"]:
            assert str(ReceiptHandle.parse(text)) == text
        queue, offset = row["queue"], row["offset"]
        start: int = row["start"]
        queues = [PopQueue(pop_strings.topic_kind(each), queue) for each in (normal, row["v1"], row["v2"])]
        starts = dict.fromkeys(queues, start)
        offsets = {each: [start, start + 1, offset] for each in queues}
        counts: dict[PopQueue | PopPosition, int] = {}
        for each in queues:
            counts[PopPosition(*each, offset)] = queue + 1
            counts[each] = queue
        assert pop_strings.format_start_offsets(starts) == row["starts"]
        assert pop_strings.format_message_offsets(offsets) == row["offsets"]
        assert pop_strings.format_order_counts(counts) == row["counts"]
        assert pop_strings.parse_start_offsets(row["starts"]) == starts
        assert pop_strings.parse_message_offsets(row["offsets"]) == offsets
        assert pop_strings.parse_order_counts(row["counts"]) == counts


def some_messages(seed: int, number: int) -> Iterator[MessageExt]:
    """Messages as we build them: both versions and kinds of hosts, packed each way and not, inner batches."""
    dice = random.Random(seed)
    hosts = [HostAddress("10.1.2.3", 10911), HostAddress("2001:db8::17", 65535), HostAddress("0.0.0.0", 0)]
    for index in range(number):
        topic = "long-" * 40 if index % 5 == 0 else f"topic-{index}"
        message = MessageExt(
            topic,
            dice.randbytes(dice.randrange(200)),
            flag=dice.randrange(-(2**31), 2**31),
            queue_id=dice.randrange(16),
            queue_offset=dice.randrange(2**63),
            commit_log_offset=dice.randrange(2**63),
            sys_flag=dice.choice([0, 4, 8, 12, 2]),
            born_timestamp=dice.randrange(2**63),
            born_host=dice.choice(hosts),
            store_timestamp=dice.randrange(2**63),
            store_host=dice.choice(hosts),
            reconsume_times=dice.randrange(17),
            prepared_transaction_offset=dice.randrange(2**63),
            version=MessageVersion.for_topic(topic),
        )
        own = {"TAGS": f"tag{index}", "KEYS": "k1 k2", "名": "值 \N{ROCKET}"}
        message.replace_properties(own | {"UNIQ_KEY": f"{index:032X}"} if index % 3 else own)
        if index % 7 == 0:
            message.body = encode_batch(
                Message(topic, f"inner {n}", tags=f"t{n}", flag=n) for n in range(1 + index % 4)
            )
            mark_inner_batch(message)
        if message.body and index % 2:
            kind = dice.choice(list(CompressionType))
            message.body = compress(message.body, kind)
            message.sys_flag |= kind.sys_flag
        message.body_crc = java_crc32(message.body)
        yield message


def test_java_consumer_reads_our_records_as_we_do(
    ask_java: Callable[[list[tuple[str, bytes]]], list[Any]],
) -> None:
    records = [encode_record(message) for message in some_messages(1, 120)]
    [theirs] = ask_java([("records", b"".join(records))])
    ours = list(iter_pulled(b"".join(records)))
    assert len(theirs) == len(ours) > 100
    for java, message in zip(theirs, ours, strict=True):
        assert {name: getattr(message, name) for name in RECORD_FIELDS} == {
            name: java[name] for name in RECORD_FIELDS
        }
        assert message.body.hex() == (java["body"] or "")
        assert (message.properties, message.tags) == (java["properties"], java["tags"])
        assert (message.born_host, message.store_host) == (
            as_host(java["born_host"]),
            as_host(java["store_host"]),
        )
        assert message.store_size == java["store_size"]
        if java["offset_msg_id"] is not None:  # Java forgets it for the messages of an inner batch
            assert (message.msg_id, message.offset_msg_id) == (java["msg_id"], java["offset_msg_id"])


def as_host(ip_and_port: list[Any]) -> HostAddress:
    return decoded_ip(ip_and_port[0])._replace(port=ip_and_port[1])


def test_java_reads_our_batches_bodies_ids_and_texts(
    ask_java: Callable[[list[tuple[str, bytes]]], list[Any]],
) -> None:
    messages = [
        Message("t", b"one", tags="a", properties={"p": "a\x01b"}),
        Message("t", "zwei", keys=["x", "y"], flag=-1),
    ]
    body = b"again and again and again " * 50
    generator = UniqueIdGenerator("192.0.2.7", 70000, -5, clock=lambda: 1_700_000_000_000)
    handle_queue = PopQueue("1", 3)
    batch, *rest = ask_java(
        [
            ("batch", encode_batch(messages)),
            *((f"body/{kind.sys_flag}", compress(body, kind)) for kind in CompressionType),
            ("properties", utf8(format_properties({"a": "b", "c": "\ud800"}))),
            ("offset_id", offset_message_id(("2001:db8::1", 9), 77).encode()),
            ("unique_id", generator.next_id().encode()),
            ("starts", pop_strings.format_start_offsets({handle_queue: 8}).encode()),
            ("offsets", pop_strings.format_message_offsets({handle_queue: [8, 10]}).encode()),
            ("counts", pop_strings.format_order_counts({PopPosition("0", 3, 8): 2}).encode()),
        ]
    )
    assert [(each["flag"], each["body"], each["properties"]) for each in batch] == [
        (message.flag, message.body.hex(), message.properties) for message in messages
    ]
    assert rest[:3] == [body.hex()] * 3
    assert rest[3] == {"a": "b", "c": "?"}
    assert rest[4] == {"host": ["2001:db8:0:0:0:0:0:1", 9], "offset": 77}
    assert (rest[5]["ip"], rest[5]["pid"]) == ("c0000207", 70000 & 0xFFFF)
    assert rest[6:] == [{"1@3": 8}, {"1@3": [8, 10]}, {"0@qo3%8": 2}]


def test_java_reads_our_trace_records(ask_java: Callable[[list[tuple[str, bytes]]], list[Any]]) -> None:
    pub = PubTrace(
        timestamp=1,
        region_id="r",
        group="g",
        topic="t",
        msg_id="m",
        tags="null",
        keys="k",
        store_host="h",
        body_length=2,
        cost_time=3,
        message_type=TraceMessageType.Order_Msg,
        offset_msg_id="o",
        success=False,
    )
    after = SubAfterTrace(
        request_id="q",
        msg_id="n",
        cost_time=4,
        success=True,
        keys="l",
        context_code=0,
        timestamp=5,
        group="g",
    )
    [read] = ask_java([("trace", encode_trace([pub, after]).encode())])
    assert read == [
        {"kind": "Pub", "success": False, "topic": "t", "msg_id": "m", "keys": "k", "offset_msg_id": "o"},
        {"kind": "SubAfter", "success": True, "topic": "", "msg_id": "n", "keys": "l", "offset_msg_id": ""},
    ]
