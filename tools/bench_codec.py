"""How fast the codec is, next to what orjson alone needs for the same header text.

    python tools/bench_codec.py [--rounds 7] [--json]

Each case is timed in turn, round after round, so that a busy machine slows all of them alike; the best round
of each counts. The base of a case is `orjson.loads` + `orjson.dumps` of the case's header as JSON text.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import orjson

from rocketmq_protocol import RemotingCommand, RequestCode, SerializeType
from rocketmq_protocol.headers import SendMessageRequestHeaderV2, SendMessageResponseHeader

PROPERTIES = (
    "KEYS\x01order-4711\x02UNIQ_KEY\x017F00000100002A9F0000000000000001\x02WAIT\x01true\x02TAGS\x01TagA\x02"
)


class Case(NamedTuple):
    """One command in one serialization."""

    name: str
    command: RemotingCommand
    frame: bytes
    header_text: bytes


def cases() -> list[Case]:
    """A SEND_MESSAGE_V2 request with a 128-byte body and its response, in both serializations."""
    request_header = SendMessageRequestHeaderV2(
        producer_group="please_rename_unique_group_name",
        topic="BenchmarkTest",
        default_topic="TBW102",
        default_topic_queue_nums=4,
        queue_id=3,
        sys_flag=0,
        born_timestamp=1794982784669,
        flag=0,
        properties=PROPERTIES,
        reconsume_times=0,
        unit_mode=False,
        batch=False,
        broker_name="broker-a",
    )
    response_header = SendMessageResponseHeader(
        msg_id="7F00000100002A9F0000000000012345",
        queue_id=3,
        queue_offset=123456,
        transaction_id="7F000001" * 4,
    )
    added = {"MSG_REGION": "DefaultRegion", "TRACE_ON": "true"}
    found = []
    for serializer in SerializeType:
        request = RemotingCommand.request(
            RequestCode.SEND_MESSAGE_V2, request_header, body=bytes(128), opaque=4711, serializer=serializer
        )
        response = request.reply(0, response_header, ext_fields=added)
        found += [case("request", request), case("response", response)]
    return found


def case(kind: str, command: RemotingCommand) -> Case:
    """The command with its frame and its header as JSON text."""
    text_frame = replace(command, serializer=SerializeType.JSON).encode()
    header_text = text_frame[8 : 8 + int.from_bytes(text_frame[5:8], "big")]
    frame = command.encode()
    return Case(
        f"SEND_MESSAGE_V2 {kind}, {command.serializer.name}",
        RemotingCommand.decode(frame),
        frame,
        header_text,
    )


def seconds_each(call: Callable[[], object], number: int) -> float:
    """Seconds of one call, over `number` calls."""
    start = perf_counter()
    for _ in range(number):
        call()
    return (perf_counter() - start) / number


def measure(item: Case, number: int) -> tuple[float, float, float]:
    """Seconds of one decode, one encode, and the base."""
    frame, command, text = item.frame, item.command, item.header_text
    return (
        seconds_each(lambda: RemotingCommand.decode(frame), number),
        seconds_each(command.encode, number),
        seconds_each(lambda: orjson.dumps(orjson.loads(text)), number),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--number", type=int, default=20_000, help="calls a round")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args()

    all_cases = cases()
    rounds = [[measure(item, options.number) for item in all_cases] for _ in range(options.rounds)]
    results = {
        item.name: tuple(min(times) for times in zip(*(row[place] for row in rounds), strict=True))
        for place, item in enumerate(all_cases)
    }
    if options.json:
        json.dump(results, sys.stdout)
        return
    print(f"{platform.python_implementation()} {platform.python_version()}, orjson {orjson.__version__}")
    print(f"{'':36} {'decode/s':>10} {'encode/s':>10} {'us both':>8} {'base us':>8} {'ratio':>6}")
    for name, (decode, encode, base) in results.items():
        both = decode + encode
        rates = f"{1 / decode:10,.0f} {1 / encode:10,.0f}"
        print(f"{name:36} {rates} {both * 1e6:8.2f} {base * 1e6:8.2f} {both / base:6.2f}")


if __name__ == "__main__":
    main()
