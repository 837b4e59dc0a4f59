"""What an explanation is made of."""

from __future__ import annotations

from typing import NamedTuple


class Explained(NamedTuple):
    """One piece of a frame: the bytes it takes, the field's name, its value."""

    span: range
    name: str
    value: object


class Meaning(NamedTuple):
    """A value that does not speak for itself, and what it stands for."""

    raw: int | str
    text: str

    def __str__(self) -> str:
        return f"{self.raw} {self.text}"
