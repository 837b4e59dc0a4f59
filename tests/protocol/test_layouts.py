"""The construct layouts against Java's bytes, and the fast paths against the layouts."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from construct import Construct, ConstructError
from hypothesis import given
from hypothesis import strategies as st

from rocketmq_protocol import LanguageCode, RemoteProtocolError, RemotingCommand, RequestCode, SerializeType
from rocketmq_protocol import frame as fast_frame
from rocketmq_protocol.codes import VERSION_5_0_0
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.layouts import (
    BATCH_ENTRY,
    BINARY_HEADER,
    BLANK_RECORD,
    FRAME,
    HA_REPORT,
    HA_TRANSFER,
    LAYOUTS,
    MESSAGE_RECORD,
    OFFSET_MESSAGE_ID,
    OFFSET_MESSAGE_ID_IPV6,
    REGISTER_BROKER_BODY,
    REGISTER_BROKER_BODY_4,
    UNIQUE_KEY,
    UNIQUE_KEY_IPV6,
    layout_table,
    walk,
)
from rocketmq_protocol.message import MessageExt, MessageVersion
from rocketmq_protocol.message_batch import BatchEntry, iter_batch
from rocketmq_protocol.message_id import offset_message_id, parse_unique_id
from rocketmq_protocol.message_record import decode_record, encode_record
from tests.vectors import golden_frames, rows

# Cut from the store of a 5.5.0 broker, or written by the Java class that `source` names. The fields are what
# the broker says of that store, or what the class was given.
EXCERPTS = json.loads((Path(__file__).parent / "data" / "store_excerpts.json").read_text(encoding="utf-8"))

RECORD_CODES = {
    ("response", RequestCode.PULL_MESSAGE),
    ("response", RequestCode.LITE_PULL_MESSAGE),
    ("response", RequestCode.POP_MESSAGE),
    ("response", RequestCode.POP_LITE_MESSAGE),
    ("response", RequestCode.QUERY_MESSAGE),
    ("response", RequestCode.VIEW_MESSAGE_BY_ID),
    ("oneway", RequestCode.CHECK_TRANSACTION_STATE),
    ("request", RequestCode.CONSUME_MESSAGE_DIRECTLY),
}


def rebuilt(layout: Construct, data: bytes) -> bytes:
    """What the layout builds from the fields it has read; it computes lengths and sizes anew."""
    built: bytes = layout.build(layout.parse(data))
    return built


def binary_command(header: bytes) -> RemotingCommand:
    """A binary header as the fast path reads it."""
    return RemotingCommand.decode(fast_frame.join(SerializeType.ROCKETMQ, header, b""))


def golden_binary_headers() -> list[bytes]:
    return [fast_frame.split(golden.frame)[1] for golden in golden_frames() if golden.serialize == "ROCKETMQ"]


@cache
def golden_records() -> tuple[bytes, ...]:
    """Every stored message that a golden frame carries."""
    found: list[bytes] = []
    for golden in golden_frames():
        if (golden.kind, golden.request_code) in RECORD_CODES:
            body = RemotingCommand.decode(golden.frame).body
            while body:
                size = int.from_bytes(body[:4], "big")
                found.append(body[:size])
                body = body[size:]
    return tuple(found)


def test_golden_frames_round_trip_and_split_as_the_fast_path_splits_them() -> None:
    for golden in golden_frames():
        parsed = FRAME.parse(golden.frame)
        assert FRAME.build(parsed) == golden.frame, golden.id
        assert (parsed.serializer, parsed.header, parsed.body) == fast_frame.split(golden.frame), golden.id


def test_golden_binary_headers_round_trip_and_say_what_the_fast_path_reads() -> None:
    headers = golden_binary_headers()
    assert len(headers) == 5566
    for header in headers:
        assert rebuilt(BINARY_HEADER, header) == header
        assert_same_header(BINARY_HEADER.parse(header), binary_command(header))


def assert_same_header(parsed: Any, command: RemotingCommand) -> None:
    assert parsed.code == command.code
    assert command.language in (parsed.language, None)
    assert (parsed.version, parsed.opaque, parsed.flag) == (command.version, command.opaque, command.flag)
    assert parsed.remark.decode() == (command.remark or "")
    fields = {field.key.decode(): field.value.decode() for field in parsed.ext_fields}
    assert fields == (command.ext_fields or {})


def test_golden_records_round_trip_and_say_what_the_fast_path_reads() -> None:
    assert len(golden_records()) > 300
    for record in golden_records():
        assert rebuilt(MESSAGE_RECORD, record) == record
        message = decode_record(record)
        assert record_fields(message).items() <= MESSAGE_RECORD.parse(record).items()
        assert message.store_size == len(record)
        assert encode_record(message) == record


def record_fields(message: MessageExt) -> dict[str, object]:
    """A message as the layout names its fields."""
    return {
        "magic": message.version,
        "body_crc": message.body_crc,
        "queue_id": message.queue_id,
        "flag": message.flag,
        "queue_offset": message.queue_offset,
        "physical_offset": message.commit_log_offset,
        "sys_flag": message.sys_flag,
        "born_timestamp": message.born_timestamp,
        "born_ip": ip_address(message.born_host.ip).packed,
        "born_port": message.born_host.port,
        "store_timestamp": message.store_timestamp,
        "store_ip": ip_address(message.store_host.ip).packed,
        "store_port": message.store_host.port,
        "reconsume_times": message.reconsume_times,
        "prepared_transaction_offset": message.prepared_transaction_offset,
        "body": message.body,
        "topic": message.topic.encode(),
        "properties": message.properties_text.encode(),
    }


def test_golden_batches_are_entry_after_entry() -> None:
    batches = [
        RemotingCommand.decode(golden.frame).body
        for golden in golden_frames()
        # The errors scenario sends bodies that are none.
        if golden.code == RequestCode.SEND_BATCH_MESSAGE and golden.scenario != "error-send"
    ]
    assert len(batches) > 30
    for body in batches:
        entries = list(iter_batch(body))
        at = 0
        for entry in entries:
            parsed = BATCH_ENTRY.parse(body[at:])
            assert (parsed.flag, parsed.body, parsed.properties.decode()) == entry
            assert BATCH_ENTRY.build(parsed) == body[at : at + parsed.total_size]
            at += parsed.total_size
        assert at == len(body)


def test_the_replication_stream_is_reports_and_transfers_of_commit_log_bytes() -> None:
    log = b""
    for row in rows("ha-stream.jsonl.gz"):
        unit = bytes.fromhex(str(row["frame_hex"]))
        if row["kind"] == "ha-report":
            assert rebuilt(HA_REPORT, unit) == unit
            assert HA_REPORT.parse(unit).max_offset == row["offset"]
        else:
            parsed = HA_TRANSFER.parse(unit)
            assert HA_TRANSFER.build(parsed) == unit
            assert (parsed.physical_offset, parsed.size) == (row["offset"], row["size"])
            assert parsed.physical_offset == len(log)
            log += parsed.data
    assert_is_a_commit_log(log)


def assert_is_a_commit_log(log: bytes) -> None:
    at = count = 0
    while at < len(log):
        record = MESSAGE_RECORD.parse(log[at:])
        assert record.physical_offset == at
        at += record.total_size
        count += 1
    assert count > 100


def compressed_registrations() -> Iterator[RemotingCommand]:
    for golden in golden_frames():
        if golden.kind != "response" and golden.code == RequestCode.REGISTER_BROKER:
            command = RemotingCommand.decode(golden.frame)
            if command.body[:1] == b"\x78":
                yield command


def test_compressed_registrations_of_4_9_and_5_5_round_trip() -> None:
    versions = []
    for command in compressed_registrations():
        layout = REGISTER_BROKER_BODY if command.version >= VERSION_5_0_0 else REGISTER_BROKER_BODY_4
        body = zlib.decompress(command.body)
        assert rebuilt(layout, body) == body
        assert all(topic.text.count(b" ") >= 4 for topic in layout.parse(body).topics)
        versions.append(command.version)
    assert (versions.count(407), versions.count(513)) == (12, 1)


def plain(value: Any) -> Any:
    """A list of entries as JSON has it."""
    if not isinstance(value, list):
        return value
    return [{name: item[name] for name in item if name != "_io"} for item in value]


@pytest.mark.parametrize("excerpt", EXCERPTS, ids=lambda excerpt: excerpt["layout"])
def test_java_files_and_streams_hold_what_their_layout_says(excerpt: dict[str, Any]) -> None:
    layout = LAYOUTS[excerpt["layout"]]
    data = bytes.fromhex(excerpt["hex"]) + bytes(excerpt.get("zeros", 0))
    fields = {
        name: bytes.fromhex(value) if isinstance(value, str) else value
        for name, value in excerpt["fields"].items()
    }
    assert layout.build(fields) == data
    parsed = layout.parse(data)
    assert {name: plain(parsed[name]) for name in fields} == fields


@pytest.mark.parametrize("excerpt", EXCERPTS, ids=lambda excerpt: excerpt["layout"])
def test_tables_give_the_places_at_which_fields_are_found(excerpt: dict[str, Any]) -> None:
    data = bytes.fromhex(excerpt["hex"]) + bytes(excerpt.get("zeros", 0))
    fields = list(walk(LAYOUTS[excerpt["layout"]], data))
    table = layout_table(excerpt["layout"])
    assert [field.name for field in fields] == [row.name for row in table]
    for field, row in zip(fields, table, strict=True):
        assert row.offset in ("", field.span.start)
        assert isinstance(row.size, str) or row.size == len(field.span)
    assert fields[-1].span.stop == len(data)


def test_every_layout_says_where_it_lives_and_only_names_fields() -> None:
    assert len(LAYOUTS) == 33
    for name, layout in LAYOUTS.items():
        assert layout.docs.endswith("."), name
        assert all(row.name for row in layout_table(name)), name


def test_tables_tell_sizes_in_the_words_of_other_fields() -> None:
    sizes = {row.name: row.size for row in (*layout_table("FRAME"), *layout_table("MESSAGE_RECORD"))}
    assert sizes["header"] == "header_length"
    assert sizes["born_ip"] == "4 or 16"
    assert sizes["topic_length"] == "1 or 2"
    body = next(row for row in layout_table("FRAME") if row.name == "body")
    assert (body.offset, body.size) == ("", "total_length - 4 - header_length")


def test_walk_yields_the_fields_before_the_one_it_cannot_read() -> None:
    fields = walk(BLANK_RECORD, bytes.fromhex("00 0000002a cbd4"), 1)
    first = next(fields)
    assert first == (range(1, 5), "total_size", 42)
    with pytest.raises(RemoteProtocolError, match="magic at byte 5"):
        next(fields)


# --- the fast paths, on what nobody has captured ---

int16 = st.integers(-(2**15), 2**15 - 1)
int32 = st.integers(-(2**31), 2**31 - 1)
int64 = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(st.sampled_from(SerializeType), st.binary(max_size=200), st.binary(max_size=200))
def test_any_frame_is_joined_as_its_layout_builds_it(
    serializer: SerializeType, header: bytes, body: bytes
) -> None:
    built = FRAME.build({"serializer": serializer, "header": header, "body": body})
    assert fast_frame.join(serializer, header, body) == built


@given(
    code=int16,
    language=st.sampled_from(LanguageCode),
    version=int16,
    opaque=int32,
    flag=int32,
    remark=texts,
    ext_fields=st.dictionaries(texts, texts, max_size=6),
)
def test_any_binary_header_is_written_as_its_layout_builds_it(**fields: Any) -> None:
    command = RemotingCommand(**fields, serializer=SerializeType.ROCKETMQ)
    ext_fields = [{"key": key.encode(), "value": text.encode()} for key, text in fields["ext_fields"].items()]
    built = BINARY_HEADER.build(fields | {"remark": fields["remark"].encode(), "ext_fields": ext_fields})
    assert fast_frame.split(command.encode())[1] == built
    assert_same_header(BINARY_HEADER.parse(built), binary_command(built))


addresses = st.builds(HostAddress, st.ip_addresses().map(str), st.integers(0, 65535))
messages = st.builds(
    MessageExt,
    texts,
    st.binary(max_size=60),
    int32,
    texts,
    queue_id=int32,
    queue_offset=int64,
    commit_log_offset=int64,
    sys_flag=int32,
    born_timestamp=int64,
    born_host=addresses,
    store_timestamp=int64,
    store_host=addresses,
    reconsume_times=int32,
    prepared_transaction_offset=int64,
    body_crc=int32,
    version=st.sampled_from(MessageVersion),
).filter(lambda message: message.version is MessageVersion.V2 or len(message.topic.encode()) <= 127)


@given(messages)
def test_any_message_is_stored_as_its_layout_builds_it(message: MessageExt) -> None:
    record = encode_record(message)
    stored = decode_record(record)
    assert MESSAGE_RECORD.build(record_fields(stored)) == record
    assert record_fields(stored) | {"sys_flag": 0} == record_fields(message) | {"sys_flag": 0}


@given(st.builds(BatchEntry, int32, st.binary(max_size=60), texts))
def test_any_batch_entry_is_written_as_its_layout_builds_it(entry: BatchEntry) -> None:
    fields = {"magic": 0, "body_crc": 0, "flag": entry.flag, "body": entry.body}
    assert entry.encode() == BATCH_ENTRY.build(fields | {"properties": entry.properties_text.encode()})


@given(addresses, int64)
def test_any_offset_message_id_is_written_as_its_layout_builds_it(host: HostAddress, offset: int) -> None:
    ip = ip_address(host.ip).packed
    layout = OFFSET_MESSAGE_ID if len(ip) == 4 else OFFSET_MESSAGE_ID_IPV6
    built = layout.build({"store_ip": ip, "store_port": host.port, "physical_offset": offset})
    assert offset_message_id(host, offset) == built.hex().upper()


@given(st.one_of(st.binary(min_size=16, max_size=16), st.binary(min_size=28, max_size=28)))
def test_any_unique_key_is_read_as_its_layout_says(raw: bytes) -> None:
    parsed = (UNIQUE_KEY if len(raw) == 16 else UNIQUE_KEY_IPV6).parse(raw)
    read = parse_unique_id(raw.hex().upper())
    assert read[1:] == (parsed.process_id, parsed.loader_hash, parsed.month_millis, parsed.counter)


def damaged(data: bytes, dice: random.Random) -> bytes:
    """One to three bytes changed, and now and then a piece cut out."""
    broken = bytearray(data)
    for _ in range(dice.randint(1, 3)):
        broken[dice.randrange(len(broken))] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
    if dice.random() < 0.2:
        del broken[dice.randrange(len(broken)) :]
    return bytes(broken)


def layout_accepts(layout: Construct, data: bytes) -> bool:
    """Whether the layout reads all of it, and text where text belongs."""
    stream = BytesIO(data)
    try:
        parsed = layout.parse_stream(stream)
    except ConstructError:
        return False
    try:
        for name in ("remark", "topic", "properties"):
            parsed.get(name, b"").decode()
        for field in parsed.get("ext_fields", ()):
            (field.key + field.value).decode()
    except UnicodeDecodeError:
        return False
    ports = (parsed.get("born_port", 0), parsed.get("store_port", 0))
    size = parsed.get("total_size", len(data))
    return stream.tell() == size == len(data) and all(0 <= port <= 65535 for port in ports)


def test_fast_paths_refuse_what_the_layouts_refuse() -> None:
    dice = random.Random(3)
    headers = golden_binary_headers()
    verdicts = []
    for _ in range(4000):
        header = damaged(dice.choice(headers), dice)
        verdicts.append(layout_accepts(BINARY_HEADER, header))
        assert accepts(binary_command, header) == verdicts[-1], header.hex()
        record = damaged(dice.choice(golden_records()), dice)
        verdicts.append(layout_accepts(MESSAGE_RECORD, record))
        assert accepts(decode_record, record) == verdicts[-1], record.hex()
    assert 2000 < sum(verdicts) < 6000


def accepts(read: Callable[[bytes], object], data: bytes) -> bool:
    try:
        read(data)
    except RemoteProtocolError:
        return False
    return True
