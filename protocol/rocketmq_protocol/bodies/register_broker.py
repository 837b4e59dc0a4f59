"""What a broker tells the name servers: its topics, as JSON or in a compressed form of their own.

The compressed form is a zlib stream of pieces, each behind its length as a 32-bit number: the data version as
JSON; the number of topics and one line for each; the filter servers as JSON; and, from brokers since 5.0, the
number of static-topic mappings and the JSON of each.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import field
from typing import Annotated, Any, Final, Self, TypeVar

from rocketmq_protocol import javaisms
from rocketmq_protocol.bodies._base import Body, body
from rocketmq_protocol.bodies._codecs import Codec, WrongValue, codec_of
from rocketmq_protocol.bodies.static_topic import TopicQueueMappingDetail, TopicQueueMappingInfo
from rocketmq_protocol.bodies.topic_config import (
    TOPICS_OF_BROKER,
    DataVersion,
    TopicConfig,
    TopicConfigSerializeWrapper,
    TopicFilterType,
)
from rocketmq_protocol.codes import VERSION_5_0_0, VERSION_5_5_0, RequestCode
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.fastjson_reader import loads
from rocketmq_protocol.fastjson_writer import COMPACT
from rocketmq_protocol.javaisms.maps import ConcurrentHashMap, HashMap, JavaOrder, JavaTable, TreeMap

T = TypeVar("T")

MAX_INFLATED: Final = 64 * 1024 * 1024

# BrokerController.registerBrokerAll puts the topics one by one into a new table.
REGISTERED_TOPICS: Final = ConcurrentHashMap(source=TOPICS_OF_BROKER)
# TopicConfigManager.subTopicConfigTable: the page of its sorted topics that a slave asks for.
PAGE_OF_TOPICS: Final = ConcurrentHashMap(put_all=True, source=TreeMap())
# RegisterBrokerBody.cloneTopicConfigTable: 4.9 copies one by one as well, 5.x all at once.
_COMPRESSED_BY_5: Final = ConcurrentHashMap(put_all=True, source=REGISTERED_TOPICS)

_NUMBER: Final = struct.Struct(">i")
_TEXTS: Final = codec_of(list[str])
_TEXT_BY_TEXT: Final = codec_of(dict[str, str])


@body(
    "remoting.protocol.body.TopicConfigAndMappingSerializeWrapper",
    answers=(RequestCode.GET_ALL_TOPIC_CONFIG,),
)
class TopicConfigAndMappingSerializeWrapper(TopicConfigSerializeWrapper):
    """A broker's topics and static-topic mappings, in the order in which it registers them.

    In the answer to GET_ALL_TOPIC_CONFIG the topics stand as in `JavaTable(topics, PAGE_OF_TOPICS)`, or in
    `TOPICS_OF_BROKER` when the request asks for no page.
    """

    topic_config_table: Annotated[dict[str, TopicConfig], REGISTERED_TOPICS] = field(default_factory=dict)
    topic_queue_mapping_info_map: dict[str, TopicQueueMappingInfo] = field(default_factory=dict)
    topic_queue_mapping_detail_map: Annotated[dict[str, TopicQueueMappingDetail], ConcurrentHashMap()] = (
        field(default_factory=dict)
    )
    mapping_data_version: DataVersion | None = field(default_factory=DataVersion)


@body("remoting.protocol.body.RegisterBrokerBody", requests=(RequestCode.REGISTER_BROKER,))
class RegisterBrokerBody(Body):
    """What REGISTER_BROKER carries; its header's bodyCrc32 is `crc.java_crc32` of the bytes sent."""

    topic_config_serialize_wrapper: TopicConfigAndMappingSerializeWrapper = field(
        default_factory=TopicConfigAndMappingSerializeWrapper
    )
    filter_server_list: list[str] = field(default_factory=list)

    def encode_compressed(self, sender_version: int = VERSION_5_5_0) -> bytes:
        """The compressed form as a broker of that version sends it."""
        topics = self.topic_config_serialize_wrapper
        is_5 = sender_version >= VERSION_5_0_0
        configs = _in_order(topics.topic_config_table, _COMPRESSED_BY_5 if is_5 else REGISTERED_TOPICS)
        stream = [
            _piece(_data_version(topics.data_version or DataVersion(), with_state=is_5)),
            _counted([_topic_line(config, with_attributes=is_5) for config in configs]),
            _piece(_TEXTS.write(self.filter_server_list, COMPACT, 0)),
        ]
        if is_5:
            mappings = _in_order(topics.topic_queue_mapping_info_map, HashMap())
            stream.append(_counted([mapping.encode() for mapping in mappings]))
        return zlib.compress(b"".join(stream), zlib.Z_BEST_COMPRESSION)

    @classmethod
    def decode_compressed(cls, data: bytes, sender_version: int = VERSION_5_5_0) -> Self:
        """Read the compressed form of a broker of that version."""
        stream = _Stream(_inflate(data))
        version = DataVersion.decode(stream.piece())
        configs = [_topic_of_line(line) for line in stream.counted()]
        servers = _read(_TEXTS, stream.piece(), "filterServerList")
        mappings = []
        if sender_version >= VERSION_5_0_0:
            mappings = [TopicQueueMappingInfo.decode(text) for text in stream.counted()]
        wrapper = TopicConfigAndMappingSerializeWrapper(
            data_version=version,
            topic_config_table=JavaTable((config.topic_name or "", config) for config in configs),
            topic_queue_mapping_info_map=JavaTable((mapping.topic or "", mapping) for mapping in mappings),
        )
        return cls(topic_config_serialize_wrapper=wrapper, filter_server_list=servers)


class _Stream:
    """The pieces of an inflated body, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def number(self) -> int:
        """The next 32-bit number: a length or a count."""
        end = self._position + _NUMBER.size
        if end > len(self._data):
            raise RemoteProtocolError(f"register-broker body ends at {len(self._data)}, within a length")
        (number,) = _NUMBER.unpack_from(self._data, self._position)
        self._position = end
        return int(number)

    def piece(self) -> bytes:
        """The bytes behind the next length."""
        size = self.number()
        left = len(self._data) - self._position
        if not 0 <= size <= left:
            raise RemoteProtocolError(
                f"register-broker body: a piece of {size} bytes at {self._position}, where {left} are left"
            )
        self._position += size
        return self._data[self._position - size : self._position]

    def counted(self) -> Iterator[bytes]:
        """As many pieces as the next count says."""
        return (self.piece() for _ in range(self.number()))


def _in_order(table: dict[str, T], usual: JavaOrder) -> list[T]:
    kind = table.kind_or(usual) if isinstance(table, JavaTable) else usual
    return [table[name] for name in kind.arrange(table, javaisms.string_hash)]


def _piece(data: bytes) -> bytes:
    return _NUMBER.pack(len(data)) + data


def _counted(items: list[bytes]) -> bytes:
    return _NUMBER.pack(len(items)) + b"".join(map(_piece, items))


def _data_version(version: DataVersion, *, with_state: bool) -> bytes:
    """DataVersion.encode; before 5.0 the class had no state version."""
    if with_state:
        return version.encode()
    return b'{"counter":%d,"timestamp":%d}' % (version.counter, version.timestamp)


def _topic_line(config: TopicConfig, *, with_attributes: bool) -> bytes:
    """TopicConfig.encode: the settings between blanks; since 5.0 the attributes as JSON at the end."""
    kind = config.topic_filter_type.name if config.topic_filter_type else "null"
    numbers = f"{config.read_queue_nums} {config.write_queue_nums} {config.perm}"
    line = javaisms.utf8(f"{config.topic_name} {numbers} {kind}")
    if not with_attributes:
        return line
    return (
        line
        + b" "
        + (_TEXT_BY_TEXT.write(config.attributes, COMPACT, 0) if config.attributes is not None else b"")
    )


def _topic_of_line(line: bytes) -> TopicConfig:
    """TopicConfig.decode, which takes the attributes only where they hold no blanks."""
    words = line.decode("utf-8", "replace").split(" ")
    try:
        name, read_queues, write_queues, perm, kind = words[:5]
        config = TopicConfig(
            topic_name=name,
            read_queue_nums=javaisms.parse_int(read_queues),
            write_queue_nums=javaisms.parse_int(write_queues),
            perm=javaisms.parse_int(perm),
            topic_filter_type=TopicFilterType[kind],
        )
    except (ValueError, KeyError):
        raise RemoteProtocolError(f"register-broker body: {line[:80]!r} is not a topic") from None
    if len(words) == 6 and words[5]:
        config.attributes = _read(_TEXT_BY_TEXT, words[5].encode(), "attributes")
    return config


def _read(codec: Codec, data: bytes, name: str) -> Any:
    try:
        return codec.read(loads(data))
    except WrongValue as wrong:
        raise RemoteProtocolError(f"register-broker body, {name}: {wrong}") from None


def _inflate(data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        inflated = inflater.decompress(data, MAX_INFLATED)
    except zlib.error as error:
        raise RemoteProtocolError(f"register-broker body is not a zlib stream: {error}") from None
    if not inflater.eof:
        problem = f"inflates to more than {MAX_INFLATED} bytes" if inflater.unconsumed_tail else "is cut off"
        raise RemoteProtocolError(f"register-broker body {problem}")
    return inflated
