"""Which command a frame holds, and so what the fields of its header mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

from rocketmq_protocol.codes import RESPONSE_FLAG
from rocketmq_protocol.declaring import camel_case
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.explain import meanings
from rocketmq_protocol.explain.meanings import Reading, meant
from rocketmq_protocol.explain.rows import Explained
from rocketmq_protocol.headers import Header, PullMessageRequestHeader, WireField, request_header
from rocketmq_protocol.services import response_header

_EXT_FIELD: Final = "extFields."

_HEADER_READINGS: Final[dict[str, Reading]] = {
    "serializer": meanings.serializer,
    "language": meanings.language,
    "version": meanings.version_name,
    "flag": meanings.command_flag,
}

# By attribute of the header classes.
_EXT_READINGS: Final[dict[str, Reading]] = {
    "sys_flag": meanings.message_sys_flag,
    "commit_or_rollback": meanings.transaction_state,
    "perm": meanings.permission,
    "born_timestamp": meanings.time_text,
    "store_timestamp": meanings.time_text,
    "begin_timestamp": meanings.time_text,
    "end_timestamp": meanings.time_text,
    "timestamp": meanings.time_text,
    "born_time": meanings.time_text,
    "pop_time": meanings.time_text,
}


class Exchange(NamedTuple):
    """The request that a frame is, or answers; unknown where the frame broke off too early to tell."""

    is_response: bool | None = None
    request_code: int | None = None
    header: type[Header] | None = None

    @classmethod
    def of(cls, rows: Sequence[Explained], request_code: int | None) -> Self:
        """Read code and flag from a frame's rows. A request tells its own code, a response does not."""
        values = {row.name: row.value for row in rows}
        if "error" in values and "flag" not in values:
            return cls()
        flag, code = values.get("flag"), values.get("code")
        is_response = isinstance(flag, int) and bool(flag & RESPONSE_FLAG)
        if not is_response:
            request_code = code if isinstance(code, int) else None
        return cls(is_response, request_code, _header_class(request_code, is_response))

    def with_meaning(self, row: Explained) -> Explained:
        """The same row; its value with what that stands for, a one-letter name with its long form."""
        if row.name.startswith(_EXT_FIELD):
            return self._ext_field(row)
        reading = _HEADER_READINGS.get(row.name)
        if row.name == "code" and self.is_response is not None:
            reading = meanings.response_code if self.is_response else meanings.request_code
        return row._replace(value=meant(row.value, reading))

    def _ext_field(self, row: Explained) -> Explained:
        field = self._declared(row.name.removeprefix(_EXT_FIELD))
        if field is None:
            return row
        reading = _EXT_READINGS.get(field.attribute)
        if self.header is PullMessageRequestHeader and field.attribute == "sys_flag":
            reading = meanings.pull_sys_flag
        long_name = f" ({camel_case(field.attribute)})" if len(field.name) == 1 else ""
        return row._replace(name=row.name + long_name, value=meant(row.value, reading))

    def _declared(self, wire_name: str) -> WireField | None:
        fields = self.header.wire_fields() if self.header else ()
        return next((field for field in fields if field.name == wire_name), None)


def _header_class(request_code: int | None, is_response: bool) -> type[Header] | None:
    if request_code is None:
        return None
    try:
        return response_header(request_code) if is_response else request_header(request_code)
    except RemoteProtocolError:
        return None
