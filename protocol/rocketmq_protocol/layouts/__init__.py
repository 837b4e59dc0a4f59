"""Every binary layout of RocketMQ, declared once in construct: the readable spec.

Integers are big-endian throughout. Each layout parses and builds; building fills lengths and sizes in.
The hot paths (`frame`, `header_binary`, `message_record`) use `struct` and are held equal to these by tests.
"""

from rocketmq_protocol.layouts.catalogue import LAYOUTS, TableRow, layout_table
from rocketmq_protocol.layouts.message import (
    BLANK_RECORD,
    MESSAGE_RECORD,
    OFFSET_MESSAGE_ID,
    OFFSET_MESSAGE_ID_IPV6,
    UNIQUE_KEY,
    UNIQUE_KEY_IPV6,
)
from rocketmq_protocol.layouts.replication import (
    CONTROLLER_HA_HANDSHAKE,
    CONTROLLER_HA_HANDSHAKE_REPLY,
    CONTROLLER_HA_REPORT,
    CONTROLLER_HA_TRANSFER,
    EPOCH_ENTRY,
    HA_REPORT,
    HA_TRANSFER,
)
from rocketmq_protocol.layouts.store import (
    BATCH_CONSUME_QUEUE_ENTRY,
    CHECKPOINT,
    CONSUME_QUEUE_ENTRY,
    CONSUME_QUEUE_EXT_END,
    CONSUME_QUEUE_EXT_UNIT,
    INDEX_ENTRY,
    INDEX_HEADER,
    INDEX_SLOT,
    TIMER_CHECKPOINT,
    TIMER_LOG_BLANK,
    TIMER_LOG_UNIT,
    TIMER_SLOT,
)
from rocketmq_protocol.layouts.walk import Field, walk
from rocketmq_protocol.layouts.wire import (
    BATCH_ENTRY,
    BINARY_HEADER,
    EXT_FIELD,
    FRAME,
    FRAME_PREFIX,
    REGISTER_BROKER_BODY,
    REGISTER_BROKER_BODY_4,
    SIZED_TEXT,
)

__all__ = [
    "BATCH_CONSUME_QUEUE_ENTRY",
    "BATCH_ENTRY",
    "BINARY_HEADER",
    "BLANK_RECORD",
    "CHECKPOINT",
    "CONSUME_QUEUE_ENTRY",
    "CONSUME_QUEUE_EXT_END",
    "CONSUME_QUEUE_EXT_UNIT",
    "CONTROLLER_HA_HANDSHAKE",
    "CONTROLLER_HA_HANDSHAKE_REPLY",
    "CONTROLLER_HA_REPORT",
    "CONTROLLER_HA_TRANSFER",
    "EPOCH_ENTRY",
    "EXT_FIELD",
    "FRAME",
    "FRAME_PREFIX",
    "HA_REPORT",
    "HA_TRANSFER",
    "INDEX_ENTRY",
    "INDEX_HEADER",
    "INDEX_SLOT",
    "LAYOUTS",
    "MESSAGE_RECORD",
    "OFFSET_MESSAGE_ID",
    "OFFSET_MESSAGE_ID_IPV6",
    "REGISTER_BROKER_BODY",
    "REGISTER_BROKER_BODY_4",
    "SIZED_TEXT",
    "TIMER_CHECKPOINT",
    "TIMER_LOG_BLANK",
    "TIMER_LOG_UNIT",
    "TIMER_SLOT",
    "UNIQUE_KEY",
    "UNIQUE_KEY_IPV6",
    "Field",
    "TableRow",
    "layout_table",
    "walk",
]
