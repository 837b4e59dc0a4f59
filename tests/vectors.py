"""The golden frames captured from the real Apache system; see protocol/vectors/README.md."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

VECTORS = Path(__file__).parent.parent / "protocol" / "vectors"


class GoldenFrame(NamedTuple):
    """One frame as it crossed the wire, and what is known about it."""

    id: str
    scenario: str
    peer: str
    serialize: str
    kind: str
    code: int
    request_code: int
    opaque: int
    frame: bytes


def rows(name: str) -> Iterator[dict[str, object]]:
    """The objects of one vector file."""
    with gzip.open(VECTORS / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@cache
def golden_frames() -> tuple[GoldenFrame, ...]:
    """Every captured frame, requests and responses."""
    return tuple(
        GoldenFrame(
            id=str(row["id"]),
            scenario=str(row["scenario"]),
            peer=str(row["peer"]),
            serialize=str(row["serialize"]),
            kind=str(row["kind"]),
            code=int(str(row["code"])),
            request_code=int(str(row.get("request_code", row["code"]))),
            opaque=int(str(row["opaque"])),
            frame=bytes.fromhex(str(row["frame_hex"])),
        )
        for path in sorted(VECTORS.glob("frames-*.jsonl.gz"))
        for row in rows(path.name)
    )
