"""Attributes of topics and groups: which there are, and how an update changes them (AttributeUtil)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from rocketmq_protocol.javaisms import hash_order, parse_long
from rocketmq_protocol.javaisms.maps import table_size

MESSAGE_TYPE: Final = "message.type"
MESSAGE_TYPES: Final = ("UNSPECIFIED", "NORMAL", "FIFO", "DELAY", "TRANSACTION", "PRIORITY", "LITE", "MIXED")
_LONG_MAX: Final = (1 << 63) - 1
_ADD, _DELETE = "+", "-"


class AttributeRefused(Exception):
    """A change that cannot be; the text is the message of Java's exception."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """What values an attribute takes, and whether it may change after its topic or group was made."""

    check: Callable[[str], None]
    is_changeable: bool = True


def _one_of(*values: str) -> Callable[[str], None]:
    def check(value: str) -> None:
        if value not in values:
            # Guava's newHashSet makes room for exactly so many.
            shown = hash_order(values, table_size(int(len(values) / 0.75) + 1))
            raise AttributeRefused(f"value is not in set: [{', '.join(shown)}]")

    return check


def _between(low: int, high: int) -> Callable[[str], None]:
    def check(value: str) -> None:
        try:
            number = parse_long(value)
        except ValueError:
            raise AttributeRefused(f'For input string: "{value}"') from None
        if not low <= number <= high:
            raise AttributeRefused(f"value is not in range({low}, {high})")

    return check


def _true_or_false(value: str) -> None:
    if value.lower() not in ("true", "false"):
        raise AttributeRefused("boolean attribute format is wrong.")


def _anything(value: str) -> None:
    return


# TopicAttributes
TOPIC_ATTRIBUTES: Final[Mapping[str, Attribute]] = {
    "queue.type": Attribute(_one_of("BatchCQ", "SimpleCQ"), is_changeable=False),
    "cleanup.policy": Attribute(_one_of("DELETE", "COMPACTION"), is_changeable=False),
    MESSAGE_TYPE: Attribute(_one_of(*MESSAGE_TYPES)),
    "reserve.time": Attribute(_between(-1, _LONG_MAX)),
    "lite.topic.expiration": Attribute(_between(-1, 30 * 24 * 60)),
}

# SubscriptionGroupAttributes
GROUP_ATTRIBUTES: Final[Mapping[str, Attribute]] = {
    "priority.factor": Attribute(_between(0, 100)),
    "lite.bind.topic": Attribute(_anything),
    "lite.sub.client.quota": Attribute(_between(-1, _LONG_MAX)),
    "lite.sub.model": Attribute(_one_of("Shared", "Exclusive")),
    "lite.sub.reset.offset.exclusive": Attribute(_true_or_false),
    "lite.sub.reset.offset.unsubscribe": Attribute(_true_or_false),
    "lite.sub.client.max.event.cnt": Attribute(_between(10, _LONG_MAX)),
    "lite.sub.wildcard": Attribute(_anything),
}


def parse_changes(text: str | None) -> dict[str, str]:
    """`+key=value,-key` as changes by signed key (AttributeParser.parseToMap)."""
    changes: dict[str, str] = {}
    for item in (text or "").split(","):
        if not item:
            continue
        key, equals, value = item.partition("=")
        if equals and _ADD not in key:
            raise AttributeRefused(f"add/alter attribute format is wrong: {key}")
        if not equals and _DELETE not in key:
            raise AttributeRefused(f"delete attribute format is wrong: {key}")
        if key in changes:
            raise AttributeRefused(f"key duplication: {key}")
        changes[key] = value
    return changes


def changed_attributes(
    known: Mapping[str, Attribute], current: Mapping[str, str] | None, changes: Mapping[str, str]
) -> dict[str, str]:
    """Attributes after an update; `current` is None where the topic or group is made by it."""
    result = dict(current or {})
    seen: set[str] = set()
    for signed in changes:
        sign, key = signed[:1], signed[1:]
        if not key or _ADD in key or _DELETE in key:
            raise AttributeRefused("kv string format wrong.")
        if key in seen:
            raise AttributeRefused(f"alter duplication key. key: {key}")
        seen.add(key)
        _check_sign(sign, key, current)
    for signed, value in changes.items():
        sign, key = signed[:1], signed[1:]
        _check_change(known, key, value, is_new=current is None, is_removed=sign == _DELETE)
        if sign == _DELETE:
            del result[key]
        else:
            result[key] = value
    return result


def _check_sign(sign: str, key: str, current: Mapping[str, str] | None) -> None:
    if current is None:
        if sign != _ADD:
            raise AttributeRefused(f"only add attribute is supported while creating topic. key: {key}")
    elif sign == _DELETE:
        if key not in current:
            raise AttributeRefused(f"attempt to delete a nonexistent key: {key}")
    elif sign != _ADD:
        raise AttributeRefused(f"wrong format key: {key}")


def _check_change(
    known: Mapping[str, Attribute], key: str, value: str, *, is_new: bool, is_removed: bool
) -> None:
    attribute = known.get(key)
    if attribute is None:
        raise AttributeRefused(f"unsupported key: {key}")
    if not is_new and not attribute.is_changeable:
        raise AttributeRefused(f"attempt to update an unchangeable attribute. key: {key}")
    if not is_removed:
        attribute.check(value)
