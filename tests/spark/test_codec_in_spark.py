"""The codec inside Spark's Python workers: nothing in it holds on to the driver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rocketmq_protocol import RemotingCommand
from tests.vectors import golden_frames


def decoded(frames: Iterable[Any]) -> Iterator[tuple[int, bool, RemotingCommand]]:
    for frame in frames:
        command = RemotingCommand.decode(bytes(frame))
        yield command.code, command.encode() == bytes(frame), command


def test_workers_decode_golden_frames_and_send_commands_back(spark: Any) -> None:
    golden = [item for item in golden_frames() if item.scenario == "producer-sync"]
    frames = spark.sparkContext.parallelize([bytearray(item.frame) for item in golden], 4)
    rows = frames.mapPartitions(decoded).collect()
    assert Counter(code for code, _, _ in rows) == Counter(item.code for item in golden)
    assert all(same for _, same, _ in rows)
    assert [command for _, _, command in rows] == [RemotingCommand.decode(item.frame) for item in golden]
