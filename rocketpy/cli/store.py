"""`rocketpy store`: look into a store directory, ours or Java's, without a broker and without touching it."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rocketmq_protocol import MessageExt
    from rocketpy.store.reader import StoreReader
    from rocketpy.store.verify import Report

DIRECTORY = click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))


@click.group()
def store() -> None:
    """Look into a store directory, without a broker."""


def _reader(directory: Path) -> StoreReader:
    from rocketpy.store.errors import StoreError
    from rocketpy.store.reader import StoreReader

    try:
        return StoreReader(directory)
    except StoreError as error:
        raise click.ClickException(str(error)) from None


@store.command()
@DIRECTORY
def verify(directory: Path) -> None:
    """Walk the log, check CRCs, and hold queues and index against it. Exit code 1 if anything is wrong."""
    from rocketpy.store.verify import verify as walk

    reader = _reader(directory)
    with click.progressbar(length=reader.log_bytes, label="commit log", file=sys.stderr) as bar:
        report = walk(reader, bar.update)
    click.echo(_summary(reader, report))
    for problem in report.problems:
        click.echo(f"problem: {problem}")
    if report.problem_count > len(report.problems):
        click.echo(f"... and {report.problem_count - len(report.problems)} more")
    if report.problem_count:
        raise SystemExit(1)


def _summary(reader: StoreReader, report: Report) -> str:
    rows = {
        "commit log": f"{report.records} records, {report.bytes} bytes in {len(reader.log_files)} files",
        "log ends at": str(report.log_end),
        "queues": f"{report.queues} with {report.queue_entries} entries",
        "index": f"{report.index_entries} entries in {len(reader.index_files)} files",
        "last stop": "not in order (abort file)" if report.was_aborted else "in order",
        "problems": str(report.problem_count),
    }
    return "\n".join(f"{name:12} {value}" for name, value in rows.items())


@store.command()
@DIRECTORY
@click.option("--topic", help="Only messages of this topic.")
@click.option("--queue", "queue_id", type=int, help="Only messages of this queue.")
@click.option("--from", "start", type=int, default=0, help="Only messages from this queue offset on.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
def cat(directory: Path, topic: str | None, queue_id: int | None, start: int, as_json: bool) -> None:
    """Print messages in the order of the log."""
    show = _as_json if as_json else _as_line
    for message in _reader(directory).messages(topic, queue_id, start):
        click.echo(show(message))


def _as_json(message: MessageExt) -> str:
    return json.dumps(
        {
            "topic": message.topic,
            "queueId": message.queue_id,
            "queueOffset": message.queue_offset,
            "commitLogOffset": message.commit_log_offset,
            "size": message.store_size,
            "storeTimestamp": message.store_timestamp,
            "storeHost": str(message.store_host),
            "bornTimestamp": message.born_timestamp,
            "bornHost": str(message.born_host),
            "flag": message.flag,
            "sysFlag": message.sys_flag,
            "reconsumeTimes": message.reconsume_times,
            "msgId": message.msg_id,
            "offsetMsgId": message.offset_msg_id,
            "tags": message.tags,
            "keys": message.keys,
            "properties": message.properties,
            "bodyBase64": base64.b64encode(message.body).decode("ascii"),
        },
        ensure_ascii=False,
    )


def _as_line(message: MessageExt) -> str:
    body = message.body[:60].decode("utf-8", "backslashreplace")
    more = "..." if len(message.body) > 60 else ""
    place = f"{message.topic}/{message.queue_id}@{message.queue_offset}"
    size = f"{len(message.body)} B"
    return f"{message.commit_log_offset:>12} {place} tags={message.tags or '-'} {size} {body!r}{more}"


@store.command()
@DIRECTORY
def stats(directory: Path) -> None:
    """Messages and bytes of each topic, and the bounds of its queues."""
    from collections import Counter

    reader = _reader(directory)
    messages: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for found, _ in reader.records(check_crc=False):
        messages[found.topic] += 1
        sizes[found.topic] += found.size
    bounds: dict[str, list[str]] = {}
    for topic, queue_id, files in reader.queues():
        offsets = [entry[0] for entry in reader.queue_entries(files)]
        if offsets:
            bounds.setdefault(topic, []).append(f"{queue_id}:{offsets[0]}-{offsets[-1] + 1}")
    width = max((len(topic) for topic in messages), default=5)
    click.echo(f"{'topic':{width}} {'messages':>10} {'bytes':>12}  queues")
    for topic in sorted(messages):
        queues = " ".join(bounds.get(topic, []))
        click.echo(f"{topic:{width}} {messages[topic]:>10} {sizes[topic]:>12}  {queues}")
