"""Message properties: their names (spelled as MessageConst) and the text they travel in.

The text is `name 0x01 value 0x02`, repeated, without any escaping. Java keeps properties in a HashMap, so
their order in the text is that of its buckets: 16 of them in a producer, 128 once a 5.x reader has parsed
the text (MessageDecoder.string2messageProperties).
"""

from __future__ import annotations

from typing import Final

from rocketmq_protocol.errors import LocalProtocolError
from rocketmq_protocol.javaisms import DEFAULT_CAPACITY, hash_map

NAME_VALUE_SEPARATOR: Final = "\x01"
PROPERTY_SEPARATOR: Final = "\x02"

# MessageDecoder.string2messageProperties of 5.x: `new HashMap<>(128)`; 4.9 takes the default of 16.
PARSED_CAPACITY: Final = 128

PROPERTY_KEYS: Final = "KEYS"
PROPERTY_TAGS: Final = "TAGS"
PROPERTY_WAIT_STORE_MSG_OK: Final = "WAIT"
PROPERTY_DELAY_TIME_LEVEL: Final = "DELAY"
PROPERTY_RETRY_TOPIC: Final = "RETRY_TOPIC"
PROPERTY_ORIGIN_GROUP: Final = "ORIGIN_GROUP"
PROPERTY_REAL_TOPIC: Final = "REAL_TOPIC"
PROPERTY_REAL_QUEUE_ID: Final = "REAL_QID"
PROPERTY_TRANSACTION_PREPARED: Final = "TRAN_MSG"
PROPERTY_PRODUCER_GROUP: Final = "PGROUP"
PROPERTY_MIN_OFFSET: Final = "MIN_OFFSET"
PROPERTY_MAX_OFFSET: Final = "MAX_OFFSET"
PROPERTY_BUYER_ID: Final = "BUYER_ID"
PROPERTY_ORIGIN_MESSAGE_ID: Final = "ORIGIN_MESSAGE_ID"
PROPERTY_TRANSFER_FLAG: Final = "TRANSFER_FLAG"
PROPERTY_CORRECTION_FLAG: Final = "CORRECTION_FLAG"
PROPERTY_MQ2_FLAG: Final = "MQ2_FLAG"
PROPERTY_RECONSUME_TIME: Final = "RECONSUME_TIME"
PROPERTY_MSG_REGION: Final = "MSG_REGION"
PROPERTY_TRACE_SWITCH: Final = "TRACE_ON"
PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX: Final = "UNIQ_KEY"
PROPERTY_TRANS_OFFSET: Final = "TRANS_OFFSET"
PROPERTY_EXTEND_UNIQ_INFO: Final = "EXTEND_UNIQ_INFO"
PROPERTY_MAX_RECONSUME_TIMES: Final = "MAX_RECONSUME_TIMES"
PROPERTY_CONSUME_START_TIMESTAMP: Final = "CONSUME_START_TIME"
PROPERTY_PRIORITY: Final = "_SYS_MSG_PRIORITY_"
PROPERTY_INNER_NUM: Final = "INNER_NUM"
PROPERTY_INNER_BASE: Final = "INNER_BASE"
DUP_INFO: Final = "DUP_INFO"
PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS: Final = "CHECK_IMMUNITY_TIME_IN_SECONDS"
PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET: Final = "TRAN_PREPARED_QUEUE_OFFSET"
PROPERTY_TRANSACTION_ID: Final = "__transactionId__"
PROPERTY_TRANSACTION_CHECK_TIMES: Final = "TRANSACTION_CHECK_TIMES"
PROPERTY_INSTANCE_ID: Final = "INSTANCE_ID"
PROPERTY_CORRELATION_ID: Final = "CORRELATION_ID"
PROPERTY_MESSAGE_REPLY_TO_CLIENT: Final = "REPLY_TO_CLIENT"
PROPERTY_MESSAGE_TTL: Final = "TTL"
PROPERTY_REPLY_MESSAGE_ARRIVE_TIME: Final = "ARRIVE_TIME"
PROPERTY_PUSH_REPLY_TIME: Final = "PUSH_REPLY_TIME"
PROPERTY_CLUSTER: Final = "CLUSTER"
PROPERTY_MESSAGE_TYPE: Final = "MSG_TYPE"
PROPERTY_POP_CK: Final = "POP_CK"
PROPERTY_POP_CK_OFFSET: Final = "POP_CK_OFFSET"
PROPERTY_FIRST_POP_TIME: Final = "1ST_POP_TIME"
PROPERTY_SHARDING_KEY: Final = "__SHARDINGKEY"
PROPERTY_LITE_TOPIC: Final = "__LITE_TOPIC"
PROPERTY_FORWARD_QUEUE_ID: Final = "PROPERTY_FORWARD_QUEUE_ID"
PROPERTY_REDIRECT: Final = "REDIRECT"
PROPERTY_INNER_MULTI_DISPATCH: Final = "INNER_MULTI_DISPATCH"
PROPERTY_INNER_MULTI_QUEUE_OFFSET: Final = "INNER_MULTI_QUEUE_OFFSET"
PROPERTY_TRACE_CONTEXT: Final = "TRACE_CONTEXT"
PROPERTY_TIMER_DELAY_SEC: Final = "TIMER_DELAY_SEC"
PROPERTY_TIMER_DELIVER_MS: Final = "TIMER_DELIVER_MS"
PROPERTY_BORN_HOST: Final = "__BORNHOST"
PROPERTY_BORN_TIMESTAMP: Final = "BORN_TIMESTAMP"
# Properties whose name starts so are never written to a broker's disk.
PROPERTY_TRANSIENT_PREFIX: Final = "__RMQ.TRANSIENT."
PROPERTY_TRANSIENT_TOPIC_CONFIG: Final = "__RMQ.TRANSIENT.TOPIC_SYS_FLAG"
PROPERTY_TRANSIENT_GROUP_CONFIG: Final = "__RMQ.TRANSIENT.GROUP_SYS_FLAG"
KEY_SEPARATOR: Final = " "
INDEX_KEY_TYPE: Final = "K"
INDEX_UNIQUE_TYPE: Final = "U"
INDEX_TAG_TYPE: Final = "T"
TIMER_ENGINE_TYPE: Final = "E_T"
TIMER_ENGINE_ROCKSDB_TIMELINE: Final = "R"
TIMER_ENGINE_FILE_TIME_WHEEL: Final = "F"
PROPERTY_TIMER_ENQUEUE_MS: Final = "TIMER_ENQUEUE_MS"
PROPERTY_TIMER_DEQUEUE_MS: Final = "TIMER_DEQUEUE_MS"
PROPERTY_TIMER_ROLL_TIMES: Final = "TIMER_ROLL_TIMES"
PROPERTY_TIMER_OUT_MS: Final = "TIMER_OUT_MS"
PROPERTY_TIMER_DEL_UNIQKEY: Final = "TIMER_DEL_UNIQKEY"
PROPERTY_TIMER_ROLL_LABEL: Final = "TIMER_ROLL_LABEL"
PROPERTY_TIMER_DELAY_LEVEL: Final = "TIMER_DELAY_LEVEL"
PROPERTY_TIMER_DELAY_MS: Final = "TIMER_DELAY_MS"
PROPERTY_CRC32: Final = "__CRC32#"
PROPERTY_DLQ_ORIGIN_TOPIC: Final = "DLQ_ORIGIN_TOPIC"
PROPERTY_DLQ_ORIGIN_MESSAGE_ID: Final = "DLQ_ORIGIN_MESSAGE_ID"

# MessageConst.STRING_HASH_SET: names an application may not choose for its own properties.
RESERVED_NAMES: Final = frozenset(
    {
        PROPERTY_TRACE_SWITCH,
        PROPERTY_MSG_REGION,
        PROPERTY_KEYS,
        PROPERTY_TAGS,
        PROPERTY_WAIT_STORE_MSG_OK,
        PROPERTY_DELAY_TIME_LEVEL,
        PROPERTY_RETRY_TOPIC,
        PROPERTY_ORIGIN_GROUP,
        PROPERTY_REAL_TOPIC,
        PROPERTY_REAL_QUEUE_ID,
        PROPERTY_TRANSACTION_PREPARED,
        PROPERTY_PRODUCER_GROUP,
        PROPERTY_MIN_OFFSET,
        PROPERTY_MAX_OFFSET,
        PROPERTY_BUYER_ID,
        PROPERTY_ORIGIN_MESSAGE_ID,
        PROPERTY_TRANSFER_FLAG,
        PROPERTY_CORRECTION_FLAG,
        PROPERTY_MQ2_FLAG,
        PROPERTY_RECONSUME_TIME,
        PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX,
        PROPERTY_MAX_RECONSUME_TIMES,
        PROPERTY_CONSUME_START_TIMESTAMP,
        PROPERTY_POP_CK,
        PROPERTY_POP_CK_OFFSET,
        PROPERTY_FIRST_POP_TIME,
        PROPERTY_TRANSACTION_PREPARED_QUEUE_OFFSET,
        DUP_INFO,
        PROPERTY_EXTEND_UNIQ_INFO,
        PROPERTY_INSTANCE_ID,
        PROPERTY_CORRELATION_ID,
        PROPERTY_MESSAGE_REPLY_TO_CLIENT,
        PROPERTY_MESSAGE_TTL,
        PROPERTY_REPLY_MESSAGE_ARRIVE_TIME,
        PROPERTY_PUSH_REPLY_TIME,
        PROPERTY_CLUSTER,
        PROPERTY_MESSAGE_TYPE,
        PROPERTY_INNER_MULTI_QUEUE_OFFSET,
        PROPERTY_TIMER_DELAY_MS,
        PROPERTY_TIMER_DELAY_SEC,
        PROPERTY_TIMER_DELIVER_MS,
        PROPERTY_TIMER_ENQUEUE_MS,
        PROPERTY_TIMER_DEQUEUE_MS,
        PROPERTY_TIMER_ROLL_TIMES,
        PROPERTY_TIMER_OUT_MS,
        PROPERTY_TIMER_DEL_UNIQKEY,
        PROPERTY_TIMER_DELAY_LEVEL,
        PROPERTY_BORN_HOST,
        PROPERTY_BORN_TIMESTAMP,
        PROPERTY_DLQ_ORIGIN_TOPIC,
        PROPERTY_DLQ_ORIGIN_MESSAGE_ID,
        PROPERTY_CRC32,
        PROPERTY_PRIORITY,
        PROPERTY_LITE_TOPIC,
    }
)


def parse_properties(text: str) -> dict[str, str]:
    """Read properties text as MessageDecoder.string2messageProperties does.

    The first 0x01 of an entry splits it. Entries without one, or with an empty name or value, are dropped.
    """
    parsed: dict[str, str] = {}
    for entry in text.split(PROPERTY_SEPARATOR):
        name, _, value = entry.partition(NAME_VALUE_SEPARATOR)
        if name and value:
            parsed[name] = value
    return parsed


def format_properties(
    properties: dict[str, str], *, capacity: int = DEFAULT_CAPACITY, closing_separator: bool = True
) -> str:
    """Write properties as MessageDecoder.messageProperties2String does, in HashMap order.

    `capacity` is the size Java's table started with: DEFAULT_CAPACITY where the map was filled by hand,
    PARSED_CAPACITY where a 5.x broker has read it from text. 5.x ends with a separator, 4.9 does not.
    """
    text = "".join(
        [f"{name}\x01{value}\x02" for name, value in hash_map(properties, capacity).items()],
    )
    return text if closing_separator else text[:-1]


def delete_property(text: str, name: str) -> str:
    """Cut every entry of that name out of properties text, as MessageUtils.deleteProperty does.

    What stays keeps its order and its separators; only a name at the very front of an entry counts.
    """
    prefix = name + NAME_VALUE_SEPARATOR
    entries = text.split(PROPERTY_SEPARATOR)
    last_is_cut = entries[-1].startswith(prefix)
    kept = [entry for entry in entries if not entry.startswith(prefix)]
    if last_is_cut:
        kept.append("")
    return PROPERTY_SEPARATOR.join(kept)


# What String.trim takes off: every character up to the blank.
_TRIMMED: Final = "".join(map(chr, range(0x21)))


def check_user_property(name: str, value: str) -> None:
    """Refuse what Message.putUserProperty refuses, and what would break the text apart."""
    if name in RESERVED_NAMES:
        raise LocalProtocolError(f"property {name!r} is used by the system; choose another name")
    if not name.strip(_TRIMMED) or not value.strip(_TRIMMED):
        raise LocalProtocolError(f"property {name!r}: neither name nor value may be blank")
    if NAME_VALUE_SEPARATOR in name or PROPERTY_SEPARATOR in name or PROPERTY_SEPARATOR in value:
        raise LocalProtocolError(
            f"property {name!r}: 0x01 and 0x02 separate properties and cannot be part of one"
        )
