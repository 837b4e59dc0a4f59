"""The everyday mqadmin commands print the same before Java's broker and before ours."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from compat_tests.brokers import EitherBroker, Kind, either_broker
from compat_tests.java.driver import JavaDriver, RunningDriver

BROKER: Final = "broker-a"
CLUSTER: Final = ("-c", "DefaultCluster")
CLIENT: Final = "192.0.2.9@idle-consumer"
KINDS: Final[tuple[Kind, ...]] = ("java", "python")

# In this order; {address}, {id} and {unique} stand for the broker's address and the first message's two ids.
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "topics": ("topicList",),
    "topics by cluster": ("topicList", "-c"),
    "create a topic": (
        "updateTopic",
        *CLUSTER,
        "-t",
        "Fresh",
        "-r",
        "3",
        "-w",
        "3",
        "-a",
        "+message.type=FIFO",
    ),
    "an attribute that is not there": ("updateTopic", *CLUSTER, "-t", "Fresh", "-a", "+no.such=1"),
    "an attribute value that is not allowed": (
        *("updateTopic", *CLUSTER, "-t", "Fresh", "-a", "+message.type=ODD"),
    ),
    "an attribute that never changes": ("updateTopic", *CLUSTER, "-t", "Fresh", "-a", "+queue.type=BatchCQ"),
    "change a system topic": ("updateTopic", *CLUSTER, "-t", "TBW102", "-r", "3", "-w", "3"),
    "route": ("topicRoute", "-t", "Fresh"),
    "offsets of a topic": ("topicStatus", "-t", "Idle"),
    "offsets of no topic": ("topicStatus", "-t", "NoTopic"),
    "cluster of a topic": ("topicClusterList", "-t", "Idle"),
    "create a group": ("updateSubGroup", *CLUSTER, "-g", "CG_fresh", "-r", "5"),
    "a group of a bad name": ("updateSubGroup", *CLUSTER, "-g", "bad group!"),
    "settings of a group": ("getConsumerConfig", "-g", "CG_fresh"),
    "progress of all": ("consumerProgress",),
    "progress of a group": ("consumerProgress", "-g", "CG_idle"),
    "progress with clients": ("consumerProgress", "-g", "CG_idle", "-s", "true"),
    "progress of a group without offsets": ("consumerProgress", "-g", "CG_fresh"),
    "progress of every group of the broker": ("brokerConsumeStats", "-b", "{address}"),
    "consumers of a topic and their lag": ("statsAll", "-t", "Idle"),
    "running info of a group": ("consumerStatus", "-g", "CG_idle"),
    "running info of a client": ("consumerStatus", "-g", "CG_idle", "-i", CLIENT),
    "consumers": ("consumerConnection", "-g", "CG_idle"),
    "consumers of no group": ("consumerConnection", "-g", "NoGroup"),
    "producers": ("producerConnection", "-g", "PG_idle", "-t", "Idle"),
    "producers of no group": ("producerConnection", "-g", "NoGroup", "-t", "Idle"),
    "all producers": ("producer", "-b", "{address}"),
    "send": (
        "sendMessage",
        "-t",
        "Fresh",
        "-p",
        "hello",
        "-c",
        "TagX",
        "-k",
        "keyX",
        "-b",
        BROKER,
        "-i",
        "1",
    ),
    "query by key": ("queryMsgByKey", "-t", "Fresh", "-k", "keyX"),
    "query by id": ("queryMsgById", "-t", "Idle", "-i", "{id}"),
    "query by unique key": ("queryMsgByUniqueKey", "-t", "Idle", "-i", "{unique}"),
    "query by offset": ("queryMsgByOffset", "-t", "Idle", "-b", BROKER, "-i", "0", "-o", "0"),
    "have it consumed again": ("queryMsgById", "-t", "Idle", "-i", "{id}", "-g", "CG_idle", "-d", CLIENT),
    "have it consumed by no one": (
        "queryMsgById",
        "-t",
        "Idle",
        "-i",
        "{id}",
        "-g",
        "CG_idle",
        "-d",
        "nobody",
    ),
    "consume": ("consumeMessage", "-t", "Fresh", "-b", BROKER, "-i", "1", "-c", "1"),
    "print": ("printMsg", "-t", "Fresh"),
    "print a queue": ("printMsgByQueue", "-t", "Fresh", "-a", BROKER, "-i", "1", "-p", "true"),
    "entries of a queue": ("queryCq", "-t", "Idle", "-q", "0", "-i", "0", "-c", "3", "-b", "{address}"),
    "entries behind a queue": ("queryCq", "-t", "Idle", "-q", "0", "-i", "99", "-c", "3", "-b", "{address}"),
    "reset offline": ("resetOffsetByTime", "-g", "CG_fresh", "-t", "Idle", "-s", "0"),
    "progress after an offline reset": ("consumerProgress", "-g", "CG_fresh"),
    "reset to the end": ("resetOffsetByTime", "-g", "CG_fresh", "-t", "Idle", "-s", "-1"),
    "reset one queue": (
        *(
            "resetOffsetByTime",
            "-g",
            "CG_fresh",
            "-t",
            "Idle",
            "-s",
            "0",
            "-b",
            "{address}",
            "-q",
            "0",
            "-o",
            "2",
        ),
    ),
    "reset beyond the end": (
        *(
            "resetOffsetByTime",
            "-g",
            "CG_fresh",
            "-t",
            "Idle",
            "-s",
            "0",
            "-b",
            "{address}",
            "-q",
            "0",
            "-o",
            "9",
        ),
    ),
    "reset of no group": ("resetOffsetByTime", "-g", "NoGroup", "-t", "Idle", "-s", "0"),
    "reset in no topic": ("resetOffsetByTime", "-g", "CG_fresh", "-t", "NoTopic", "-s", "0"),
    "clone offsets": ("cloneGroupOffset", "-s", "CG_fresh", "-d", "CG_clone", "-t", "Idle"),
    "progress of the clone": ("consumerProgress", "-g", "CG_clone"),
    "change a setting": ("updateBrokerConfig", "-b", "{address}", "-k", "msgTraceTopicName", "-v", "Traces"),
    "change a setting that no one may": (
        "updateBrokerConfig",
        "-b",
        "{address}",
        "-k",
        "rocketmqHome",
        "-v",
        "x",
    ),
    "change a setting that is not there": (
        "updateBrokerConfig",
        "-b",
        "{address}",
        "-k",
        "noSuchKey",
        "-v",
        "x",
    ),
    "forbid writing": ("wipeWritePerm", "-b", BROKER),
    "route without writing": ("topicRoute", "-t", "Fresh"),
    "allow writing": ("addWritePerm", "-b", BROKER),
    "route with writing": ("topicRoute", "-t", "Fresh"),
    "delete a topic": ("deleteTopic", *CLUSTER, "-t", "Fresh"),
    "delete a system topic": ("deleteTopic", *CLUSTER, "-t", "TBW102"),
    "route of a deleted topic": ("topicRoute", "-t", "Fresh"),
    "delete a group": ("deleteSubGroup", *CLUSTER, "-g", "CG_fresh", "-r", "true"),
    "settings of a deleted group": ("getConsumerConfig", "-g", "CG_fresh"),
}
# Java's broker keeps connections in hash tables of their addresses.
UNORDERED: Final = ("all producers",)
# These show figures that differ from run to run; what they have in common is tested one by one below.
FIGURES: Final[dict[str, tuple[str, ...]]] = {
    "cluster": ("clusterList",),
    "cluster with totals": ("clusterList", "-m"),
    "runtime info": ("brokerStatus", "-b", "{address}"),
    "settings": ("getBrokerConfig", "-b", "{address}"),
}

MASKS: Final = (
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"127\.0\.0\.1@\d+"), "PROCESS"),
    (re.compile(r"\b(?:[0-9A-F]{56}|[0-9A-F]{32})\b"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[# ]\d\d:\d\d:\d\d(?:[:,.]\d+)?"), "TIME"),
    (re.compile(r"\b1[789]\d{11}\b"), "MILLIS"),
    (re.compile(r"\b20\d{12}(?:\d{3})?\b"), "SECONDS"),
    # Rates and sums come from samples that are taken every ten seconds.
    (re.compile(r"\d+\.\d\d +\d+\.\d\d +\d+ +\d+$", re.MULTILINE), "FIGURES"),
    (re.compile(r"TPS: \d+\.\d\d"), "TPS"),
    (re.compile(r"\d+\.\d\d\d?(?= )"), "RATE"),
    (re.compile(r"\$\$Lambda\S+|(?<=[a-z])@[0-9a-f]{5,8}\b"), "OBJECT"),
    (re.compile(r"spentTimeMills=\d+"), "SPENT"),
    (re.compile(r"\S*/consumers?-\S+|/\S*msgbodys\S*"), "PATH"),
    (re.compile(r"\bat [\w.$]+\(.*"), "FRAME"),
    (re.compile(r" +"), " "),
)


@dataclass
class Recording:
    """What one broker had printed, by command, and what its consumer got after its offsets were reset."""

    printed: dict[str, str]
    consumed_again: list[str]


@pytest.fixture(scope="module")
def recordings(java_directory: Path, java_driver: JavaDriver) -> dict[Kind, Recording]:
    """Every command, run before both brokers."""
    found: dict[Kind, Recording] = {}
    for kind in KINDS:
        with either_broker(kind, java_directory / f"admin-{kind}", {"brokerName": BROKER}) as broker:
            found[kind] = record(broker, java_driver)
    return found


def record(broker: EitherBroker, java_driver: JavaDriver) -> Recording:
    """Run every command beside a Java client."""
    mqadmin = partial(run, java_driver, broker)
    mqadmin({"": ("updateTopic", *CLUSTER, "-t", "Idle", "-r", "2", "-w", "2")})
    with java_driver.start("Idle", broker.name_server, "Idle", "idle", BROKER) as idle:
        idle.wait_for("started")
        ids = [send(idle, f"m{number}") for number in range(4)]
        idle.say("commit")
        idle.wait_for("committed")
        time.sleep(0.5)  # no one answers a commit
        printed = mqadmin({**COMMANDS, **FIGURES}, *ids[0])
        assert idle.wait_for(" ") == "got m0"  # the one that an operator had it consume again
        mqadmin({"": ("resetOffsetByTime", "-g", "CG_idle", "-t", "Idle", "-s", "0")})
        # Java's broker tells a pull that waits only when it ends, or when a message comes.
        idle.say("m4")
        return Recording(printed, sorted(idle.wait_for(" ") for _ in range(6))[:5])


def send(idle: RunningDriver, body: str) -> tuple[str, str]:
    """Send a message and see it consumed; gives its two ids."""
    idle.say(body)
    lines = sorted(idle.wait_for(" ") for _ in ("got", "sent"))
    assert lines[0] == f"got {body}"
    _, offset_id, unique_id = lines[1].split()
    return offset_id, unique_id


def run(
    java_driver: JavaDriver,
    broker: EitherBroker,
    commands: Mapping[str, tuple[str, ...]],
    offset_id: str = "",
    unique_id: str = "",
) -> dict[str, str]:
    """Run commands in one JVM; gives what each printed."""
    lines = [
        "\t".join(word.format(address=broker.address, id=offset_id, unique=unique_id) for word in command)
        for command in commands.values()
    ]
    stdin = "".join(f"{line}\t-n\t{broker.name_server}\n" for line in lines)
    answers = java_driver("AdminBatch", stdin=stdin)
    return {name: "".join(json.loads(answer)) for name, answer in zip(commands, answers, strict=True)}


def masked(text: str) -> list[str]:
    """What must be equal; a stack trace counts by its messages."""
    for pattern, name in MASKS:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.splitlines() if "FRAME" not in line and "... " not in line]


@pytest.mark.parametrize("name", COMMANDS)
def test_mqadmin_prints_the_same(name: str, recordings: dict[Kind, Recording]) -> None:
    java, ours = (masked(recordings[kind].printed[name]) for kind in KINDS)
    if name in UNORDERED:
        java, ours = sorted(java), sorted(ours)
    assert ours == java


def test_consumers_learn_of_an_online_reset(recordings: dict[Kind, Recording]) -> None:
    for kind in KINDS:
        assert recordings[kind].consumed_again == ["got m0", "got m1", "got m2", "got m3", "got m4"]


def test_runtime_info_has_the_same_names(recordings: dict[Kind, Recording]) -> None:
    java, ours = (table(recordings[kind].printed["runtime info"], ":") for kind in KINDS)
    assert names_but_paths(ours) == names_but_paths(java)


def test_runtime_info_counts_what_happened(recordings: dict[Kind, Recording]) -> None:
    java, ours = (table(recordings[kind].printed["runtime info"], ":") for kind in KINDS)
    counted = (
        "msgPutTotalTodayNow",
        "msgPutTotalTodayMorning",
        "putMessageTimesTotal",
        "putMessageSizeTotal",
    )
    static = ("brokerVersionDesc", "commitLogMinOffset", "commitLogMaxOffset", "sendThreadPoolQueueCapacity")
    for name in (*counted, *static, "brokerActive", "earliestMessageTimeStamp"):
        ours_value, java_value = ours[name], java[name]
        if name == "earliestMessageTimeStamp":
            ours_value, java_value = ours_value[:3], java_value[:3]
        assert (name, ours_value) == (name, java_value)
    assert int(ours["msgGetTotalTodayNow"]) >= 4


def test_settings_have_the_same_names(recordings: dict[Kind, Recording]) -> None:
    java, ours = (table(recordings[kind].printed["settings"], "=") for kind in KINDS)
    # The tests set these for Java's broker alone.
    assert set(java) - set(ours) <= {"brokerIP2", "rocketmqHome", "storePathCommitLog"}
    assert set(ours) - set(java) == set()


def test_a_changed_setting_is_shown(recordings: dict[Kind, Recording]) -> None:
    for kind in KINDS:
        assert table(recordings[kind].printed["settings"], "=")["msgTraceTopicName"] == "Traces"


def test_cluster_shows_the_broker(recordings: dict[Kind, Recording]) -> None:
    java, ours = (masked(recordings[kind].printed["cluster"]) for kind in KINDS)
    assert ours[0] == java[0]
    assert ours[1].split()[:5] == java[1].split()[:5]


def table(text: str, separator: str) -> dict[str, str]:
    """Lines of `name : value`."""
    found = (line.partition(separator) for line in text.splitlines() if separator in line)
    return {name.strip(): value.strip() for name, _, value in found if name.strip()}


def names_but_paths(figures: dict[str, str]) -> set[str]:
    return {re.sub(r"_/.*", "_PATH", name) for name in figures}
