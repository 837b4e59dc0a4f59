"""What travels between two peers: the frame, the binary header, and the bodies that are not JSON."""

from __future__ import annotations

from construct import (
    Array,
    Bytes,
    Container,
    FixedSized,
    FocusedSeq,
    GreedyRange,
    Int8sb,
    Int8ub,
    Int16sb,
    Int24ub,
    Int32sb,
    Rebuild,
    Struct,
    Terminated,
    len_,
    this,
)

from rocketmq_protocol.layouts._notation import counted

FRAME_PREFIX = (
    Struct(
        "total_length" / Rebuild(Int32sb, len_(this.header) + len_(this.body) + 4) * "bytes after this field",
        "serializer" / Int8ub * "how the header is written: 0 JSON, 1 ROCKETMQ binary",
        "header_length" / Rebuild(Int24ub, len_(this.header)),
    )
    * "The first 8 bytes of every frame."
)

FRAME = (
    Struct(
        *FRAME_PREFIX.subcons,
        "header" / Bytes(this.header_length) * "JSON text or a binary header",
        "body" / Bytes(this.total_length - 4 - this.header_length) * "absent when 0 bytes are left",
    )
    * "One request or response on a connection between any two peers."
)

EXT_FIELD = (
    Struct(
        *counted("key", Int16sb, "UTF-8"),
        *counted("value", Int32sb, "UTF-8; an empty one reads as null"),
    )
    * "One entry of the ext fields in a binary header."
)


def _size_of_ext_fields(header: Container) -> int:
    return sum(2 + len(field["key"]) + 4 + len(field["value"]) for field in header.ext_fields)


BINARY_HEADER = (
    Struct(
        "code" / Int16sb * "request or response code; larger ones are cut to 16 bits",
        "language" / Int8sb * "LanguageCode of the sender",
        "version" / Int16sb * "MQVersion ordinal of the sender",
        "opaque" / Int32sb * "chosen by the requester, copied into the response",
        "flag" / Int32sb * "bit 0 response, bit 1 one-way",
        *counted("remark", Int32sb, "UTF-8; null and empty are both 0 bytes"),
        "ext_length" / Rebuild(Int32sb, _size_of_ext_fields),
        "ext_fields"
        / FixedSized(this.ext_length, FocusedSeq("fields", "fields" / GreedyRange(EXT_FIELD), Terminated))
        * "EXT_FIELD after EXT_FIELD",
    )
    * "The header of a frame whose serializer is ROCKETMQ."
)

BATCH_ENTRY = (
    Struct(
        "total_size" / Rebuild(Int32sb, len_(this.body) + len_(this.properties) + 22) * "bytes of this entry",
        "magic" / Int32sb * "0",
        "body_crc" / Int32sb * "0: the broker computes it",
        "flag" / Int32sb * "the application's own",
        *counted("body", Int32sb, "the message's bytes"),
        *counted("properties", Int16sb, "name 0x01 value 0x02, repeated"),
    )
    * "One message in the body of a SEND_BATCH_MESSAGE request."
)

SIZED_TEXT = (
    Struct(*counted("text", Int32sb, "UTF-8"))
    * "One line of REGISTER_BROKER's compressed body: a topic config or a queue mapping."
)

REGISTER_BROKER_BODY_4 = (
    Struct(
        *counted("data_version", Int32sb, "JSON"),
        "topic_count" / Rebuild(Int32sb, len_(this.topics)),
        "topics" / Array(this.topic_count, SIZED_TEXT) * "one TopicConfig line each",
        *counted("filter_servers", Int32sb, "JSON array of addresses"),
    )
    * "REGISTER_BROKER's compressed body once inflated (zlib), from brokers before 5.0.0."
)

REGISTER_BROKER_BODY = (
    Struct(
        *REGISTER_BROKER_BODY_4.subcons,
        "mapping_count" / Rebuild(Int32sb, len_(this.mappings)),
        "mappings" / Array(this.mapping_count, SIZED_TEXT) * "JSON of one TopicQueueMappingInfo each",
    )
    * "REGISTER_BROKER's compressed body once inflated (zlib), from brokers since 5.0.0."
)
