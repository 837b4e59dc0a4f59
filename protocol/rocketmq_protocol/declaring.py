"""What headers and bodies share where they declare their fields."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Annotated, Any

Int = Annotated[int, "int"]
Long = Annotated[int, "long"]


def wire(name: str, *, default: Any = MISSING, default_factory: Any = MISSING) -> Any:
    """A field whose name on the wire is not the camelCase of its attribute."""
    if default_factory is not MISSING:
        return field(default_factory=default_factory, metadata={"wire": name})
    return field(default=default, metadata={"wire": name})


def camel_case(attribute: str) -> str:
    """`queue_id` -> `queueId`."""
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)
