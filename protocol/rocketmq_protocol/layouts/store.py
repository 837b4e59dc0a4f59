"""The broker's files beside the commit log: queues, key index, checkpoints, timer."""

from __future__ import annotations

from construct import Bytes, Const, Default, Int16sb, Int32sb, Int64sb, Rebuild, Struct, len_, this

from rocketmq_protocol.layouts._notation import counted
from rocketmq_protocol.message_record import BLANK_MAGIC

CONSUME_QUEUE_ENTRY = (
    Struct(
        "physical_offset" / Int64sb * "of the record in the commit log",
        "size" / Int32sb * "of the record; 2147483647 in the filler before a queue's first entry",
        "tags_code" / Int64sb * "hash of the tag, due time of a delayed message, or address of an ext unit",
    )
    * "One message of a queue, in consumequeue/<topic>/<queue id>/."
)

CONSUME_QUEUE_EXT_UNIT = (
    Struct(
        "size" / Rebuild(Int16sb, len_(this.bitmap) + 20) * "bytes of this unit",
        "tags_code" / Int64sb * "hash of the tag",
        "store_timestamp" / Int64sb * "ms since 1970",
        *counted("bitmap", Int16sb, "bloom filter bits of the matching SQL subscriptions"),
    )
    * "What a consume queue entry has no room for, in consumequeue_ext/<topic>/<queue id>/."
)

CONSUME_QUEUE_EXT_END = (
    Struct("size" / Const(-1, Int16sb) * "-1")
    * "The end of a consumequeue_ext file that the next unit did not fit into."
)

BATCH_CONSUME_QUEUE_ENTRY = (
    Struct(
        "physical_offset" / Int64sb * "of the record in the commit log",
        "size" / Int32sb * "of the record",
        "tags_code" / Int64sb * "hash of the tag",
        "store_timestamp" / Int64sb * "ms since 1970",
        "base_offset" / Int64sb * "queue offset of the batch's first message",
        "batch_size" / Int16sb * "messages in the record",
        "compacted_offset" / Default(Int32sb, -1) * "-1: none",
        "reserved" / Default(Int32sb, 0) * "0",
    )
    * "One batch of a queue, in batchconsumequeue/<topic>/<queue id>/."
)

INDEX_HEADER = (
    Struct(
        "begin_timestamp" / Int64sb * "store time of the first message, ms since 1970",
        "end_timestamp" / Int64sb * "store time of the last message",
        "begin_physical_offset" / Int64sb * "of the first message",
        "end_physical_offset" / Int64sb * "of the last message",
        "used_slots" / Int32sb * "slots that hold an entry number",
        "entry_count" / Int32sb * "entries written plus one: entry 0 is never used",
    )
    * "The head of a key index file, in index/; slots and then entries follow."
)

INDEX_SLOT = (
    Struct("newest_entry" / Int32sb * "number of the entry to begin with; 0: empty")
    * "One bucket of a key index file: key hash modulo the number of slots."
)

INDEX_ENTRY = (
    Struct(
        "key_hash" / Int32sb * "of topic#key, never negative",
        "physical_offset" / Int64sb * "of the record in the commit log",
        "seconds" / Int32sb * "store time, counted from the header's begin_timestamp",
        "previous_entry" / Int32sb * "next older one of the same slot; 0: none",
    )
    * "One key of one message in a key index file."
)

_CHECKPOINT_SIZE = 4096

CHECKPOINT = (
    Struct(
        "commit_log_timestamp" / Int64sb * "store time up to which the commit log is on disk",
        "consume_queue_timestamp" / Int64sb * "the same for consume queues",
        "index_timestamp" / Int64sb * "the same for the key index",
        "master_flushed_offset" / Int64sb,
        "confirm_offset" / Int64sb,
        "consume_queue_physical_offset" / Int64sb * "up to here in the commit log",
        "reserved" / Default(Bytes(_CHECKPOINT_SIZE - 48), bytes(_CHECKPOINT_SIZE - 48)) * "zero",
    )
    * "The file checkpoint: how far each part of the store is known to be safe."
)

TIMER_SLOT = (
    Struct(
        "due_time" / Int64sb * "seconds since 1970; a slot whose number disagrees is empty",
        "first_position" / Int64sb * "of the slot's first unit in the timer log",
        "last_position" / Int64sb * "of the slot's last unit; its chain runs backwards",
        "count" / Int32sb * "messages due in this second",
        "magic" / Int32sb * "0",
    )
    * "One second of the file timerwheel: slot number = due seconds modulo the number of slots."
)

TIMER_LOG_UNIT = (
    Struct(
        "size" / Const(52, Int32sb) * "52",
        "previous_position" / Int64sb * "of the slot's unit before this one; -1: none",
        "magic" / Int32sb * "bits: 1 normal, 2 to be rolled on, 4 deletes another",
        "write_time" / Int64sb * "ms since 1970",
        "delay" / Int32sb * "ms from write_time to the due time",
        "physical_offset" / Int64sb * "of the delayed message's record in the commit log",
        "record_size" / Int32sb,
        "topic_hash" / Int32sb * "of the topic the message is bound for",
        "reserved" / Default(Int64sb, 0) * "0",
    )
    * "One delayed message, in timerlog/."
)

TIMER_LOG_BLANK = (
    Struct(
        "size" / Int32sb * "bytes left in the file, these 16 included",
        "previous_position" / Const(0, Int64sb) * "0",
        "magic" / Const(BLANK_MAGIC, Int32sb) * "0xCBD43194",
    )
    * "The end of a timer log file that the next unit did not fit into."
)

TIMER_CHECKPOINT = (
    Struct(
        "last_read_time" / Int64sb * "ms since 1970",
        "timer_log_flush_position" / Int64sb,
        "timer_queue_offset" / Int64sb * "next position to read in the timer topic",
        "master_timer_queue_offset" / Int64sb,
        "state_version" / Int64sb * "data version: state",
        "version_timestamp" / Int64sb * "data version: ms since 1970",
        "version_counter" / Int64sb * "data version: counter",
    )
    * "The file config/timercheck (zeros follow up to 4096), and the body after GET_TIMER_CHECK_POINT."
)
