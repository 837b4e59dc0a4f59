"""Attributes of topics and groups: what an update may do."""

from __future__ import annotations

import pytest

from rocketpy.broker.state.attributes import (
    GROUP_ATTRIBUTES,
    TOPIC_ATTRIBUTES,
    AttributeRefused,
    changed_attributes,
    parse_changes,
)


def test_changes_are_read_with_their_signs() -> None:
    assert parse_changes("+a=1,-b") == {"+a": "1", "-b": ""}
    assert parse_changes("") == parse_changes(None) == {}


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("a=1", "add/alter attribute format is wrong: a"),
        ("a", "delete attribute format is wrong: a"),
        ("+a=1,+a=2", "key duplication: +a"),
    ],
)
def test_changes_without_sign_are_refused(text: str, remark: str) -> None:
    with pytest.raises(AttributeRefused, match=remark.replace("+", r"\+")):
        parse_changes(text)


def test_a_new_topic_takes_attributes() -> None:
    assert changed_attributes(TOPIC_ATTRIBUTES, None, {"+queue.type": "BatchCQ"}) == {"queue.type": "BatchCQ"}


def test_attributes_are_added_changed_and_removed() -> None:
    current = {"message.type": "FIFO", "lite.topic.expiration": "5"}
    changes = {"+message.type": "DELAY", "-lite.topic.expiration": "", "+reserve.time": "-1"}
    assert changed_attributes(TOPIC_ATTRIBUTES, current, changes) == {
        "message.type": "DELAY",
        "reserve.time": "-1",
    }


@pytest.mark.parametrize(
    ("current", "changes", "remark"),
    [
        (
            None,
            {"-message.type": ""},
            "only add attribute is supported while creating topic. key: message.type",
        ),
        ({}, {"-message.type": ""}, "attempt to delete a nonexistent key: message.type"),
        ({}, {"message.type": "FIFO"}, "wrong format key: essage.type"),
        ({}, {"+": "x"}, "kv string format wrong."),
        ({}, {"+a+b": "x"}, "kv string format wrong."),
        ({"a": "x"}, {"+a": "x", "-a": ""}, "alter duplication key. key: a"),
        ({}, {"+no.such": "1"}, "unsupported key: no.such"),
        ({}, {"+queue.type": "BatchCQ"}, "attempt to update an unchangeable attribute. key: queue.type"),
        ({}, {"+lite.topic.expiration": "43201"}, "value is not in range(-1, 43200)"),
        ({}, {"+lite.topic.expiration": "soon"}, 'For input string: "soon"'),
        (None, {"+cleanup.policy": "KEEP"}, "value is not in set: [DELETE, COMPACTION]"),
    ],
)
def test_what_cannot_be_is_refused_in_javas_words(
    current: dict[str, str] | None, changes: dict[str, str], remark: str
) -> None:
    with pytest.raises(AttributeRefused) as refused:
        changed_attributes(TOPIC_ATTRIBUTES, current, changes)
    assert str(refused.value) == remark


def test_groups_have_attributes_of_their_own() -> None:
    changes = {
        "+priority.factor": "50",
        "+lite.sub.wildcard": "a*",
        "+lite.sub.reset.offset.exclusive": "TRUE",
    }
    assert changed_attributes(GROUP_ATTRIBUTES, None, changes)["priority.factor"] == "50"
    with pytest.raises(AttributeRefused, match=r"boolean attribute format is wrong\."):
        changed_attributes(GROUP_ATTRIBUTES, None, {"+lite.sub.reset.offset.exclusive": "maybe"})
