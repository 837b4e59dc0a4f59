"""A stored message and the ids that point to one."""

from __future__ import annotations

from construct import (
    Bytes,
    Const,
    Construct,
    Container,
    IfThenElse,
    Int8sb,
    Int16sb,
    Int16ub,
    Int32sb,
    Int32ub,
    Int64sb,
    OneOf,
    Rebuild,
    Struct,
    this,
)

from rocketmq_protocol.layouts._notation import counted
from rocketmq_protocol.message import MessageVersion
from rocketmq_protocol.message_record import BLANK_MAGIC
from rocketmq_protocol.sysflag import MessageSysFlag


def _ip(ipv6_bit: int) -> Construct:
    return IfThenElse(this.sys_flag & ipv6_bit, Bytes(16), Bytes(4))


_TOPIC_LENGTH = IfThenElse(this.magic == MessageVersion.V2, Int16sb, Int8sb)


def _record_size(record: Container) -> int:
    topic_length = 2 if record.magic == MessageVersion.V2 else 1
    hosts = len(record.born_ip) + len(record.store_ip)
    return 80 + topic_length + 2 + hosts + len(record.body) + len(record.topic) + len(record.properties)


MESSAGE_RECORD = (
    Struct(
        "total_size" / Rebuild(Int32sb, _record_size) * "bytes of this record",
        "magic" / OneOf(Int32sb, list(MessageVersion)) * "0xDAA320A7 (V1) or 0xDAA320AB (V2)",
        "body_crc" / Int32sb * "CRC-32 of the stored body, without its top bit",
        "queue_id" / Int32sb,
        "flag" / Int32sb * "the application's own",
        "queue_offset" / Int64sb * "position in the queue; 0 while a transaction is prepared or rolled back",
        "physical_offset" / Int64sb * "where the record begins in the commit log",
        "sys_flag" / Int32sb * "MessageSysFlag",
        "born_timestamp" / Int64sb * "ms since 1970, the producer's clock",
        "born_ip" / _ip(MessageSysFlag.BORNHOST_V6_FLAG) * "16 bytes when sys_flag has 0x10",
        "born_port" / Int32sb,
        "store_timestamp" / Int64sb * "ms since 1970, the broker's clock",
        "store_ip" / _ip(MessageSysFlag.STOREHOSTADDRESS_V6_FLAG) * "16 bytes when sys_flag has 0x20",
        "store_port" / Int32sb,
        "reconsume_times" / Int32sb,
        "prepared_transaction_offset" / Int64sb * "physical offset of the half message",
        *counted("body", Int32sb, "compressed when sys_flag has 0x01"),
        *counted("topic", _TOPIC_LENGTH, "UTF-8; 2 length bytes in V2"),
        *counted("properties", Int16sb, "name 0x01 value 0x02, repeated"),
    )
    * "One message in a commit log file, and in bodies that carry stored messages, as after PULL_MESSAGE."
)

BLANK_RECORD = (
    Struct(
        "total_size" / Int32sb * "bytes left in the file, these 8 included",
        "magic" / Const(BLANK_MAGIC, Int32sb) * "0xCBD43194",
    )
    * "The end of a commit log file that the next record did not fit into; what follows it is undefined."
)


def _offset_message_id(ip_length: int) -> Construct:
    return Struct(
        "store_ip" / Bytes(ip_length) * "of the broker that stored the message",
        "store_port" / Int32sb,
        "physical_offset" / Int64sb * "where its record begins in the commit log",
    )


def _unique_key(ip_length: int) -> Construct:
    return Struct(
        "ip" / Bytes(ip_length) * "of the producer",
        "process_id" / Int16ub * "its low 16 bits",
        "loader_hash" / Int32sb * "Java's class loader hash: any number that stays the same",
        "month_millis" / Int32ub * "ms since the first of the month, the producer's local time",
        "counter" / Int16ub,
    )


OFFSET_MESSAGE_ID = (
    _offset_message_id(4) * "The msgId of a send response from a broker on IPv4, as upper-case hex."
)
OFFSET_MESSAGE_ID_IPV6 = _offset_message_id(16) * "The msgId of a send response from a broker on IPv6."
UNIQUE_KEY = _unique_key(4) * "The UNIQ_KEY property a client on IPv4 gives each message, as upper-case hex."
UNIQUE_KEY_IPV6 = _unique_key(16) * "The UNIQ_KEY property a client on IPv6 gives each message."
