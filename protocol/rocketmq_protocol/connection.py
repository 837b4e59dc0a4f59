"""Connection: bytes in, commands out."""

from __future__ import annotations

from rocketmq_protocol.command import RemotingCommand
from rocketmq_protocol.errors import RemoteProtocolError
from rocketmq_protocol.frame import LENGTH, MAX_FRAME_LENGTH, frame_length


class Connection:
    """Turns a byte stream into commands; holds a buffer, owns no socket, clock or task.

    Feed whatever arrived to `receive_data`, then call `next_command` until it gives None. Once it has raised,
    the stream has no frame boundary to go on from: every further call raises the same error.
    """

    def __init__(self, max_frame_length: int = MAX_FRAME_LENGTH) -> None:
        self._max_frame_length = max_frame_length
        self._buffer = bytearray()
        self._position = 0
        self._error: RemoteProtocolError | None = None

    @property
    def buffered(self) -> int:
        """Bytes received that no command has taken yet."""
        return len(self._buffer) - self._position

    def receive_data(self, data: bytes | bytearray | memoryview) -> None:
        """Take bytes as they come, in any chunking."""
        if self._error is None:
            if self._position:
                del self._buffer[: self._position]
                self._position = 0
            self._buffer += data

    def receive_eof(self) -> None:
        """The peer will send no more; RemoteProtocolError if that cuts a frame off."""
        if self.buffered:
            raise RemoteProtocolError(
                f"connection closed inside a frame: {self.buffered} bytes of it had come"
            )

    def next_command(self) -> RemotingCommand | None:
        """The next whole command, or None until more bytes have come."""
        if self._error is not None:
            raise self._error
        try:
            return self._decode_next()
        except RemoteProtocolError as error:
            self._error = error
            self._buffer.clear()
            self._position = 0
            raise

    def _decode_next(self) -> RemotingCommand | None:
        start = self._position
        available = len(self._buffer) - start
        if available < 4:
            return None
        (length_word,) = LENGTH.unpack_from(self._buffer, start)
        end = start + frame_length(length_word, self._max_frame_length)
        if end > len(self._buffer):
            return None
        self._position = end
        with memoryview(self._buffer) as view:
            whole = bytes(view[start:end])
        return RemotingCommand.decode(whole)
