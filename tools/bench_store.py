"""How fast the message store is: append, fetch, recovery, queries, and what many queues cost.

    python tools/bench_store.py [--directory DIR] [--only append,fetch,...] [--quick]

Times are of one process, wall clock and CPU; the best of some rounds counts. Files go to a temporary folder
under `--directory`, which should be on the disk in question, and are removed.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

from rocketpy.store.append import NewMessage
from rocketpy.store.config import StoreConfig
from rocketpy.store.index_file import IndexFile
from rocketpy.store.message_store import MessageStore


class Times(NamedTuple):
    """Seconds by the clock and of CPU."""

    wall: float
    cpu: float


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """A folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="bench-store-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def timed(work: Callable[[], object]) -> Times:
    """How long one run takes."""
    wall, cpu = perf_counter(), process_time()
    work()
    return Times(perf_counter() - wall, process_time() - cpu)


def messages(count: int, size: int, topics: int = 1, queues: int = 4) -> list[NewMessage]:
    """Messages as a Java producer's arrive: a unique key, a tag, and what the broker adds."""
    body = bytes(size)
    return [
        NewMessage(
            topic=f"Topic{number % topics}",
            queue_id=number // topics % queues,
            body=body,
            properties=b"UNIQ_KEY\x017F0000010A2A4B1A3C5D%012X\x02WAIT\x01true\x02TAGS\x01TagA\x02"
            b"MSG_REGION\x01DefaultRegion\x02TRACE_ON\x01true\x02CLUSTER\x01DefaultCluster\x02" % number,
            born_timestamp=1794982784669,
        )
        for number in range(count)
    ]


def append_all(store: MessageStore, batch: list[NewMessage]) -> Times:
    """Append one message after the other."""

    def work() -> None:
        append = store.append
        for message in batch:
            append(message)

    return timed(work)


def per_message(name: str, times: Times, count: int, size: int) -> None:
    """One line of the table."""
    rate = count / times.wall
    print(
        f"{name:42} {times.wall / count * 1e6:8.2f} us  {times.cpu / count * 1e6:8.2f} us CPU  "
        f"{rate:10,.0f}/s  {rate * size / 1e6:8.1f} MB/s"
    )


def bench_append_and_fetch(parent: Path, quick: bool) -> None:
    """Append with dispatch on, then fetch of 32."""
    count, rounds = (5_000, 4) if quick else (20_000, 20)
    for size in (128, 1024):
        batch = messages(count, size)
        with scratch(parent) as folder, MessageStore(StoreConfig(path=folder)) as store:
            appends = [append_all(store, batch) for _ in range(rounds)]
            store.flush()
            fetches = [timed(lambda: read_all(store)) for _ in range(5)]
        per_message(f"append {size} B, with dispatch", best(appends), count, size)
        times, fetched = best(fetches), count * rounds / 32
        print(
            f"{f'fetch of 32 messages of {size} B':42} {times.wall / fetched * 1e6:8.2f} us  "
            f"{times.cpu / fetched * 1e6:8.2f} us CPU"
        )


def read_all(store: MessageStore) -> None:
    """Every queue from its beginning to its end, 32 messages at a time."""
    for queue in store.queues:
        offset = 0
        while (found := store.fetch(queue.topic, queue.queue_id, offset)).count:
            offset = found.next_offset


def bench_recovery(parent: Path, quick: bool) -> None:
    """Opening a full log of 1 KiB messages whose process died before any checkpoint."""
    file_size = (1 << 26) if quick else (1 << 30)
    with scratch(parent) as folder:
        config = StoreConfig(path=folder / "store", commit_log_file_size=file_size)
        store = MessageStore(config)
        store.open()
        batch = messages(10_000, 1024)
        while store.log.max_offset + 13_000_000 < file_size:
            for message in batch:
                store.append(message)
        store.log.flush()
        died = folder / "died"
        shutil.copytree(folder / "store", died, copy_function=sparse_copy)
        size = store.log.max_offset
        store.close()
        times = best([recover(died, file_size) for _ in range(3)])
        print(
            f"{f'recovery of {size / 1e6:.0f} MB, queues and index rebuilt':42} {times.wall:8.2f} s   "
            f"{times.cpu:8.2f} s CPU   {size / times.wall / 1e6:8.1f} MB/s"
        )


def recover(died: Path, file_size: int) -> Times:
    """Open a store of which only the log is left."""
    for part in ("consumequeue", "index", "checkpoint"):
        shutil.rmtree(died / part, ignore_errors=True)
        (died / part).unlink(missing_ok=True)
    (died / "abort").touch()
    store = MessageStore(StoreConfig(path=died, commit_log_file_size=file_size))
    times = timed(store.open)
    store.close()
    return times


def sparse_copy(source: str, target: str) -> str:
    """Copy a file without writing out its holes."""
    with Path(source).open("rb") as reader, Path(target).open("wb") as writer:
        while chunk := reader.read(1 << 20):
            if chunk.count(0) == len(chunk):
                writer.seek(len(chunk), os.SEEK_CUR)
            else:
                writer.write(chunk)
        writer.truncate(Path(source).stat().st_size)
    return target


def bench_query(parent: Path, quick: bool) -> None:
    """Finding one key among ten million."""
    entries = 200_000 if quick else 10_000_000
    with scratch(parent) as folder:
        file = IndexFile(folder / "20260101000000000", 5_000_000, 20_000_000)
        start = perf_counter()
        for number in range(entries):
            file.put((number * 2654435761 & 0x7FFFFFFF,), number * 300, 1794982784669 + number // 1000)
        each = (perf_counter() - start) / entries * 1e6
        print(f"{f'index of {entries:,} entries, filled':42} {each:8.2f} us each")
        wanted = [number * 2654435761 & 0x7FFFFFFF for number in range(0, entries, entries // 1000)]
        times = timed(lambda: [list(file.find(key, 0, 2**62)) for key in wanted])
        wall, cpu = (seconds / len(wanted) * 1e6 for seconds in times)
        print(f"{'query by key':42} {wall:8.2f} us  {cpu:8.2f} us CPU")
        file.close()


def bench_queues(parent: Path, quick: bool) -> None:
    """What an append costs with few and many queues; they take turns, so a busy machine slows all alike."""
    turns, count = (3, 10_000) if quick else (12, 10_000)
    costs: dict[int, list[Times]] = {}
    with scratch(parent) as folder, ExitStack() as stack:
        stores = {}
        for topics, queues in ((5, 2), (250, 4), (2500, 4)):
            store = MessageStore(StoreConfig(path=folder / str(topics)))
            stores[topics, queues] = stack.enter_context(store)
            append_all(store, messages(topics * queues, 128, topics, queues))
        for _ in range(turns):
            for (topics, queues), store in stores.items():
                batch = messages(count, 128, topics, queues)
                costs.setdefault(topics * queues, []).append(append_all(store, batch))
    for queues, times in costs.items():
        per_message(f"append 128 B, {queues:,} queues", best(times), count, 128)
    print(
        f"{'most to least, wall and CPU':42} {ratio([best(times).wall for times in costs.values()]):8.2f}x "
        f"{ratio([best(times).cpu for times in costs.values()]):8.2f}x"
    )


def best(times: list[Times]) -> Times:
    """The least of each."""
    return Times(min(each.wall for each in times), min(each.cpu for each in times))


def bench_idle_queues(parent: Path, quick: bool) -> None:
    """What ten thousand queues take when nothing happens; it runs first, before others left memory."""
    del quick
    with scratch(parent) as folder:
        before = resident_bytes()
        with MessageStore(StoreConfig(path=folder, message_index_enable=False)) as store:
            append_all(store, messages(10_000, 128, 2500))
            # What a broker does every ten seconds; a queue that was idle meanwhile lets go of its memory.
            store.flush(thorough=True)
            store.flush(thorough=True)
            grown = (resident_bytes() - before) / 1e6
            print(f"{'10,000 idle queues':42} {grown:8.1f} MB resident, {store.queues.open_files} files open")


def ratio(values: list[float]) -> float:
    """The largest by the smallest."""
    return max(values) / min(values)


def resident_bytes() -> int:
    """Memory the process holds, mapped files left out."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(fields["RssAnon"].split()[0]) * 1024


BENCHES = {
    "idle": bench_idle_queues,
    "append": bench_append_and_fetch,
    "queues": bench_queues,
    "query": bench_query,
    "recovery": bench_recovery,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--directory", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--only", default=",".join(BENCHES), help="which parts, separated by commas")
    parser.add_argument("--quick", action="store_true", help="small numbers: does it run at all?")
    options = parser.parse_args()
    print(f"{platform.python_implementation()} {platform.python_version()}, {sys.platform}")
    for name in options.only.split(","):
        BENCHES[name](options.directory, options.quick)


if __name__ == "__main__":
    main()
