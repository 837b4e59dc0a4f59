"""RemotingCommand: one request or response, whatever its encoding."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import orjson

from rocketmq_protocol import frame, header_binary, header_json, javaisms
from rocketmq_protocol.codes import (
    ONEWAY_FLAG,
    RESPONSE_FLAG,
    VERSION_5_5_0,
    JsonDialect,
    LanguageCode,
    SerializeType,
)

if TYPE_CHECKING:
    from rocketmq_protocol.headers import Header

    H = TypeVar("H", bound=Header)


@dataclass(slots=True)
class RemotingCommand:
    """A request or a response; treat it as a value. (Not frozen: that makes building one four times as dear.)

    `ext_fields` are written in the order they stand in; `request` and `reply` bring them into Java's.
    `repeated_fields` names the fields that a binary header carries twice: where a hook (ACL signing) has put
    a fast-codec header into the ext fields, Java writes the header in its fixed order, then the whole map.
    A `language` that nobody knows reads as None.
    """

    code: int
    language: LanguageCode | None = LanguageCode.JAVA
    version: int = VERSION_5_5_0
    opaque: int = 0
    flag: int = 0
    remark: str | None = None
    ext_fields: dict[str, str] | None = None
    dialect: JsonDialect = JsonDialect.FASTJSON2
    repeated_fields: tuple[str, ...] = ()
    body: bytes = b""
    serializer: SerializeType = SerializeType.JSON

    @classmethod
    def request(
        cls,
        code: int,
        header: Header | None = None,
        *,
        body: bytes = b"",
        ext_fields: dict[str, str] | None = None,
        opaque: int = 0,
        oneway: bool = False,
        serializer: SerializeType = SerializeType.JSON,
        language: LanguageCode | None = LanguageCode.JAVA,
        version: int = VERSION_5_5_0,
    ) -> RemotingCommand:
        """A request as Java's createRequestCommand, addExtField and the wire encoder would make it."""
        return cls(
            code,
            language,
            version,
            opaque,
            ONEWAY_FLAG if oneway else 0,
            None,
            _java_ext_fields(header, ext_fields, serializer),
            body=body,
            serializer=serializer,
        )

    def reply(
        self,
        code: int,
        header: Header | None = None,
        *,
        remark: str | None = None,
        body: bytes = b"",
        ext_fields: dict[str, str] | None = None,
    ) -> RemotingCommand:
        """The response to this request: same opaque, same serializer."""
        return RemotingCommand(
            code,
            LanguageCode.JAVA,
            VERSION_5_5_0,
            self.opaque,
            RESPONSE_FLAG,
            remark,
            _java_ext_fields(header, ext_fields, self.serializer),
            body=body,
            serializer=self.serializer,
        )

    @property
    def is_response(self) -> bool:
        """Whether this answers a request of ours."""
        return bool(self.flag & RESPONSE_FLAG)

    @property
    def is_oneway(self) -> bool:
        """Whether the sender wants no answer, ever."""
        return bool(self.flag & ONEWAY_FLAG)

    def read_header(self, header_type: type[H]) -> H:
        """The ext fields as a typed header; RemoteProtocolError names what is missing or does not parse."""
        return header_type.from_ext_fields(self.ext_fields or {})

    def to_json(self) -> str:
        """One JSON object for people and scripts; the body in base64."""
        shown = {
            "code": self.code,
            "language": None if self.language is None else self.language.name,
            "version": self.version,
            "opaque": self.opaque,
            "flag": self.flag,
            "remark": self.remark,
            "extFields": self.ext_fields,
            "serializer": self.serializer.name,
            "bodyBase64": b64encode(self.body).decode("ascii"),
        }
        return orjson.dumps(shown).decode()

    @classmethod
    def decode(cls, frame_bytes: bytes) -> RemotingCommand:
        """Read one whole frame, its 4 length bytes included."""
        serializer, header, body = frame.split(frame_bytes)
        read = header_json.read if serializer is SerializeType.JSON else header_binary.read
        return cls(*read(header), body, serializer)

    def encode(self) -> bytes:
        """The whole frame, byte for byte as Java writes it."""
        write = header_json.write if self.serializer is SerializeType.JSON else header_binary.write
        return frame.join(self.serializer, write(self), self.body)


def _java_ext_fields(
    header: Header | None, added: dict[str, str] | None, serializer: SerializeType
) -> dict[str, str] | None:
    if header is None:
        return added and javaisms.ext_field_map(added)
    if header.fast and serializer is SerializeType.ROCKETMQ:
        return header.to_fast_ext_fields(added)
    return header.to_ext_fields(added)
