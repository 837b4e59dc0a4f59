"""Fill in the parts of the protocol's documents that are taken from the code and from the golden frames.

    python tools/spec_readme.py           rewrite them
    python tools/spec_readme.py --check   only say whether they are up to date

A part stands between `<!-- generated: NAME ARGUMENT -->` and `<!-- end of generated part -->`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Set
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Final, get_args, get_origin, get_type_hints

from rocketmq_protocol import LanguageCode, RequestCode, ResponseCode, services
from rocketmq_protocol.bodies import BODIES, REQUEST_BODIES, RESPONSE_BODIES, ArrayBody, Body
from rocketmq_protocol.declaring import camel_case
from rocketmq_protocol.explain import explain, format_explained
from rocketmq_protocol.headers import (
    HEADERS,
    Header,
    RpcRequestHeader,
    TopicRequestHeader,
    request_header,
)
from rocketmq_protocol.layouts import LAYOUTS, layout_table

PROTOCOL: Final = Path(__file__).parent.parent / "protocol"
VECTORS: Final = PROTOCOL / "vectors"
DOCUMENTS: Final = (PROTOCOL / "README.md", VECTORS / "README.md")

_PART: Final = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end of generated part -->)", re.DOTALL)
_NONE: Final = "–"
_PLAIN: Final[dict[object, str]] = {str: "string", bool: "boolean", float: "double"}


def updated(text: str) -> str:
    """The same document with every generated part made anew."""
    return _PART.sub(lambda found: f"{found[1]}\n{_generated(found[2])}\n\n{found[3]}", text)


def _generated(part: str) -> str:
    name, _, argument = part.partition(" ")
    return _PARTS[name](argument)


def _table(titles: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *([str(cell) or _NONE for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _layout(name: str) -> str:
    """One binary layout, field by field."""
    rows = ((row.offset, row.size, f"`{row.name}`", row.note) for row in layout_table(name))
    return f"{LAYOUTS[name].docs}\n\n" + _table(("at byte", "bytes", "field", "what it is"), rows)


def _languages(_: str) -> str:
    return ", ".join(f"{int(language)} `{language.name}`" for language in LanguageCode) + "."


def _response_codes(_: str) -> str:
    names: dict[int, list[str]] = {}
    for name, code in ResponseCode.__members__.items():
        names.setdefault(int(code), []).append(f"`{name}`")
    return _table(("code", "name"), ((code, ", ".join(names[code])) for code in sorted(names)))


def _request_codes(_: str) -> str:
    """Every request code: header, body and who serves it."""
    return _table(
        ("code", "name", "request header", "request body", "response header", "response body", "served by"),
        (_request_row(code) for code in sorted(RequestCode)),
    )


def _request_row(code: RequestCode) -> tuple[object, ...]:
    words = services.OTHER_BODIES.get(code, services.BodyText())
    return (
        int(code),
        f"`{code.name}`",
        _class_name(request_header(code)),
        _body(REQUEST_BODIES.get(code), words.request),
        _class_name(services.response_header(code)),
        _body(RESPONSE_BODIES.get(code), words.response),
        _served_by(code),
    )


def _class_name(found: type | None) -> str:
    return f"`{found.__name__}`" if found else ""


def _body(json_class: type[Body] | None, words: str) -> str:
    return ", or ".join(text for text in (_class_name(json_class), words) if text)


def _served_by(code: RequestCode) -> str:
    names = ", ".join(services.SERVED_BY[code])
    if code in services.ONLY_4_9:
        return f"{names} (4.9 only)"
    return "the controllers' Raft log" if code in services.RAFT_LOG_ONLY else names or "nobody"


def _headers(_: str) -> str:
    """Every header with its ext fields; the inherited ones are told once."""
    common = {field.name for base in (RpcRequestHeader, TopicRequestHeader) for field in base.wire_fields()}
    rows = (
        (f"`{name}`", _fields(header, common), _inherited(header)) for name, header in sorted(HEADERS.items())
    )
    return _table(("header", "ext fields", "and"), rows)


def _fields(header: type[Header], common: set[str]) -> str:
    own = [field for field in header.wire_fields() if field.name not in common or field.required]
    return ", ".join(
        f"{'**' if field.required else ''}{field.name}{'**' if field.required else ''} {field.java_type}"
        for field in own
    )


def _bodies(_: str) -> str:
    """Every JSON body with its members."""
    rows = ((f"`{name}`", _members(found)) for name, found in sorted(BODIES.items()))
    return _table(("body", "members"), rows)


def _members(found: Any) -> str:
    """Members in the order of the text; an array is only its elements."""
    members, hints = fields(found), get_type_hints(found)
    if issubclass(found, ArrayBody):
        return " ".join(_notation(hints[item.name]) for item in members)
    named = {item.metadata.get("wire") or camel_case(item.name): hints[item.name] for item in members}
    return ", ".join(f"{name} {_notation(named[name])}" for name in sorted(named))


def _notation(hint: Any) -> str:
    """`[X]` for lists and sets, `{K: V}` for maps."""
    inner = [_notation(argument) for argument in get_args(hint) if argument is not NoneType]
    if not inner:
        return _PLAIN.get(hint, str(hint.__name__))
    if get_origin(hint) is dict:
        return f"{{{inner[0]}: {inner[1]}}}"
    return f"[{inner[0]}]" if get_origin(hint) in (list, Set) else inner[0]


def _inherited(header: type[Header]) -> str:
    if issubclass(header, TopicRequestHeader):
        return "topic"
    return "rpc" if issubclass(header, RpcRequestHeader) else ""


@cache
def _rows(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _golden_frames() -> list[dict[str, Any]]:
    return [row for path in sorted(VECTORS.glob("frames-*.jsonl.gz")) for row in _rows(path)]


def _golden(frame_id: str) -> dict[str, Any]:
    return next(row for row in _golden_frames() if row["id"] == frame_id)


def _frame_hex(frame_id: str) -> str:
    """The bytes alone, 32 a line."""
    frame = bytes.fromhex(_golden(frame_id)["frame_hex"])
    lines = (frame[at : at + 32].hex(" ", 4) for at in range(0, len(frame), 32))
    return _code_block("\n".join(lines))


def _frame_explained(frame_id: str) -> str:
    """What `explain` says about the frame."""
    row = _golden(frame_id)
    frame = bytes.fromhex(row["frame_hex"])
    return _code_block(format_explained(frame, explain(frame, request_code=row.get("request_code"))))


def _vector_files(_: str) -> str:
    rows = ((f"`{path.name}`", f"{len(_rows(path)):,}") for path in sorted(VECTORS.glob("*.jsonl.gz")))
    return _table(("file", "lines"), rows)


def _vector_counts(_: str) -> str:
    """How many frames there are, by what tells them apart."""
    frames = _golden_frames()
    asked = {row["code"] for row in frames if row["kind"] != "response"}
    known = len(asked & set(RequestCode))
    lines = [
        f"{len(frames):,} frames of {len({row['scenario'] for row in frames})} scenarios. "
        f"Their requests carry {len(asked)} different codes, {known} of which exist.",
        *(f"By {what}: {_counted(row[key] for row in frames)}." for what, key in _COUNTED.items()),
    ]
    return "\n\n".join(lines)


def _vector_stores(_: str) -> str:
    rows = []
    for path in sorted((VECTORS / "stores").glob("*.expected.json.gz")):
        listed = json.loads(gzip.decompress(path.read_bytes()))
        rows.append(
            (f"`{path.name}`", len(listed["messages"]), len(listed["topics"]), len(listed["keyQueries"]))
        )
    return _table(("file", "messages", "topics", "key queries"), rows)


_COUNTED: Final = {"serialization": "serialize", "kind": "kind", "sender": "peer"}


def _counted(values: Iterable[str]) -> str:
    return ", ".join(f"{value} {number:,}" for value, number in sorted(Counter(values).items()))


def _code_block(text: str) -> str:
    return f"```text\n{text}\n```"


_PARTS: Final[dict[str, Callable[[str], str]]] = {
    "layout": _layout,
    "languages": _languages,
    "response-codes": _response_codes,
    "request-codes": _request_codes,
    "headers": _headers,
    "bodies": _bodies,
    "frame-hex": _frame_hex,
    "frame-explained": _frame_explained,
    "vector-files": _vector_files,
    "vector-counts": _vector_counts,
    "vector-stores": _vector_stores,
}


def main() -> None:
    """Rewrite the documents, or say which would change."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if something would change")
    options = parser.parse_args()

    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        fresh = updated(text)
        if fresh == text:
            continue
        if options.check:
            sys.exit(f"{path} is out of date: run python tools/spec_readme.py")
        path.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
