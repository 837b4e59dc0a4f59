"""Messages as values: what an application sends, and what a consumer (or the store) gets back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

from rocketmq_protocol import properties as names
from rocketmq_protocol.hosts import UNKNOWN_HOST, HostAddress
from rocketmq_protocol.javaisms import boolean_text, parse_boolean, utf8
from rocketmq_protocol.message_id import offset_message_id
from rocketmq_protocol.properties import (
    KEY_SEPARATOR,
    PARSED_CAPACITY,
    check_user_property,
    format_properties,
    parse_properties,
)


class MessageVersion(IntEnum):
    """Layout of a stored record, by its magic number: V2 has two bytes for the topic's length."""

    V1 = -626843481  # 0xDAA320A7
    V2 = -626843477  # 0xDAA320AB

    @classmethod
    def for_topic(cls, topic: str) -> MessageVersion:
        """The version a 5.x broker stores a message of this topic in."""
        return cls.V1 if len(topic) <= 127 else cls.V2


class Message:
    """A message to send: a topic, a body, and properties.

    Tags, keys and the application's own properties all live in `properties`, put there in Java's order.
    """

    __slots__ = ("_properties", "_properties_text", "body", "flag", "topic")

    # None where only the text is known yet: see MessageExt.
    _properties: dict[str, str] | None

    def __init__(
        self,
        topic: str,
        body: bytes | str,
        tags: str | None = None,
        keys: str | Iterable[str] = (),
        properties: Mapping[str, str] | None = None,
        flag: int = 0,
        *,
        delay_level: int = 0,
        wait_store_ok: bool = True,
    ) -> None:
        self.topic = topic
        self.body = utf8(body) if isinstance(body, str) else bytes(body)
        self.flag = flag
        self._properties_text = ""
        self._properties = collected = {}
        if tags:
            collected[names.PROPERTY_TAGS] = tags
        joined_keys = keys if isinstance(keys, str) else KEY_SEPARATOR.join(keys)
        if joined_keys:
            collected[names.PROPERTY_KEYS] = joined_keys
        collected[names.PROPERTY_WAIT_STORE_MSG_OK] = boolean_text(wait_store_ok)
        if delay_level:
            collected[names.PROPERTY_DELAY_TIME_LEVEL] = str(delay_level)
        for name, value in (properties or {}).items():
            check_user_property(name, value)
            collected[name] = value

    @property
    def properties(self) -> dict[str, str]:
        """All properties, the system's and the application's, by name."""
        if self._properties is None:
            self._properties = parse_properties(self._properties_text)
        return self._properties

    @property
    def tags(self) -> str | None:
        """The tag consumers filter by."""
        return self.properties.get(names.PROPERTY_TAGS)

    @property
    def keys(self) -> list[str]:
        """The words the broker's index finds this message by."""
        return [key for key in self.properties.get(names.PROPERTY_KEYS, "").split(KEY_SEPARATOR) if key]

    @property
    def unique_id(self) -> str | None:
        """The id the sending client gave this message."""
        return self.properties.get(names.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX)

    @property
    def wait_store_ok(self) -> bool:
        """Whether a send is answered only once the message is as safe as the broker makes it."""
        return parse_boolean(self.properties.get(names.PROPERTY_WAIT_STORE_MSG_OK, "true"))

    def _shown(self) -> dict[str, object]:
        """What makes two messages equal, and what repr shows."""
        return {"topic": self.topic, "body": self.body, "flag": self.flag, "properties": self.properties}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and type(other) is type(self) and other._shown() == self._shown()

    __hash__ = None  # type: ignore[assignment]  # a message may change

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._shown().items())
        return f"{type(self).__name__}({shown})"


class MessageExt(Message):
    """A message as a broker stored it, and as a consumer receives it.

    `properties_text` is what the record holds and what is written again. `properties` is that text parsed on
    first use; changes to the dict stay with this object (a consumer adds offsets there, as in Java) until
    `replace_properties` takes them over into the text.
    """

    __slots__ = (
        "body_crc",
        "born_host",
        "born_timestamp",
        "broker_name",
        "commit_log_offset",
        "prepared_transaction_offset",
        "queue_id",
        "queue_offset",
        "reconsume_times",
        "store_host",
        "store_size",
        "store_timestamp",
        "sys_flag",
        "version",
    )

    def __init__(
        self,
        topic: str,
        body: bytes,
        flag: int = 0,
        properties_text: str = "",
        queue_id: int = 0,
        queue_offset: int = 0,
        commit_log_offset: int = 0,
        sys_flag: int = 0,
        born_timestamp: int = 0,
        born_host: HostAddress = UNKNOWN_HOST,
        store_timestamp: int = 0,
        store_host: HostAddress = UNKNOWN_HOST,
        reconsume_times: int = 0,
        prepared_transaction_offset: int = 0,
        body_crc: int = 0,
        version: MessageVersion = MessageVersion.V1,
        store_size: int = 0,
        broker_name: str | None = None,
    ) -> None:
        self.topic = topic
        self.body = body
        self.flag = flag
        self._properties_text = properties_text
        self._properties = None
        self.queue_id = queue_id
        self.queue_offset = queue_offset
        self.commit_log_offset = commit_log_offset
        self.sys_flag = sys_flag
        self.born_timestamp = born_timestamp
        self.born_host = born_host
        self.store_timestamp = store_timestamp
        self.store_host = store_host
        self.reconsume_times = reconsume_times
        self.prepared_transaction_offset = prepared_transaction_offset
        self.body_crc = body_crc
        self.version = version
        self.store_size = store_size
        self.broker_name = broker_name

    @property
    def properties_text(self) -> str:
        """The properties as the record holds them."""
        return self._properties_text

    def replace_properties(self, properties: Mapping[str, str]) -> None:
        """Take other properties, and write them as a 5.x broker does that has read them from text."""
        self._properties = dict(properties)
        self._properties_text = format_properties(self._properties, capacity=PARSED_CAPACITY)

    @property
    def offset_msg_id(self) -> str:
        """The id that says where the message is stored."""
        return offset_message_id(self.store_host, self.commit_log_offset)

    @property
    def msg_id(self) -> str:
        """The sender's UNIQ_KEY, or the offset id of a message that has none (MessageClientExt.getMsgId)."""
        unique = self.unique_id
        return self.offset_msg_id if unique is None else unique

    @property
    def transaction_id(self) -> str | None:
        """The UNIQ_KEY of a transactional message, None for others (PullAPIWrapper.processPullResult)."""
        prepared = parse_boolean(self.properties.get(names.PROPERTY_TRANSACTION_PREPARED, "false"))
        return self.unique_id if prepared else None

    def _shown(self) -> dict[str, object]:
        return {
            **super()._shown(),
            "properties_text": self.properties_text,
            **{name: getattr(self, name) for name in self.__slots__},
        }
