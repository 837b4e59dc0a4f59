"""The one phrase all layouts share: bytes with their length written in front."""

from __future__ import annotations

from construct import Bytes, Construct, Rebuild, len_, this


def counted(name: str, length: Construct, note: str) -> tuple[Construct, Construct]:
    """Two fields: `<name>_length`, and the bytes it counts. Building fills the length in."""
    length_name = f"{name}_length"
    return (
        length_name / Rebuild(length, len_(this[name])),
        name / Bytes(this[length_name]) * note,
    )
