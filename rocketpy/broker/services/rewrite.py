"""Stored messages on their way into the store again: to another topic, or with other properties."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from rocketmq_protocol import RemoteProtocolError
from rocketmq_protocol.hosts import host_bytes
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_record import decode_record
from rocketmq_protocol.properties import PARSED_CAPACITY, format_properties, parse_properties
from rocketpy.store.append import NewMessage
from rocketpy.store.message_store import MessageStore

logger = logging.getLogger(__name__)


def stored_message(store: MessageStore, physical: int) -> MessageExt | None:
    """The message at a commit log offset; None where none begins."""
    record = store.lookup(physical)
    if record is None:
        return None
    try:
        return decode_record(record, errors="replace")
    except RemoteProtocolError as error:
        logger.warning("no message begins at %d: %s", physical, error)
        return None


def renewed(
    message: MessageExt, topic: str, queue_id: int, properties: Mapping[str, str] | None = None
) -> NewMessage:
    """A copy of a stored message for another queue, with its own properties or other ones."""
    return NewMessage(
        topic=topic,
        queue_id=queue_id,
        body=message.body,
        properties=(
            message.properties_text.encode("utf-8", "replace")
            if properties is None
            else properties_bytes(properties)
        ),
        flag=message.flag,
        sys_flag=message.sys_flag,
        born_timestamp=message.born_timestamp,
        born_host=host_bytes(message.born_host),
        store_host=host_bytes(message.store_host),
        reconsume_times=message.reconsume_times,
    )


def properties_bytes(properties: Mapping[str, str]) -> bytes:
    """Properties as they lie in the store, in the order in which a Java broker writes them."""
    return format_properties(dict(properties), capacity=PARSED_CAPACITY).encode("utf-8", "replace")


def properties_of(message: NewMessage) -> dict[str, str]:
    """The properties of a message that is not stored yet."""
    return parse_properties(message.properties.decode("utf-8", "replace"))
