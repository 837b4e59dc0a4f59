"""What a consumer makes of the body of a pull or pop response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rocketmq_protocol.compression import DEFAULT_MAX_BODY_SIZE, CompressionType, decompress
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_batch import is_inner_batch, unwrap_inner_batch
from rocketmq_protocol.message_record import Buffer, iter_records
from rocketmq_protocol.sysflag import MessageSysFlag


def iter_pulled(
    data: Buffer,
    *,
    max_body_size: int = DEFAULT_MAX_BODY_SIZE,
    errors: Literal["strict", "replace"] = "strict",
) -> Iterator[MessageExt]:
    """Read records, inflate compressed bodies and take inner batches apart, as a Java consumer does."""
    for message in iter_records(data, errors=errors):
        if message.sys_flag & MessageSysFlag.COMPRESSED_FLAG and message.body:
            inflate(message, max_body_size)
        if is_inner_batch(message):
            yield from unwrap_inner_batch(message)
        else:
            yield message


def inflate(message: MessageExt, max_body_size: int = DEFAULT_MAX_BODY_SIZE) -> None:
    """Unpack a compressed body in place; the compression type stays in sysFlag, as in Java, the bit goes."""
    kind = CompressionType.from_sys_flag(message.sys_flag)
    message.body = decompress(message.body, kind, max_body_size)
    message.sys_flag &= ~MessageSysFlag.COMPRESSED_FLAG
