"""Messages as values."""

from __future__ import annotations

import copy
import pickle

import pytest

from rocketmq_protocol import LocalProtocolError
from rocketmq_protocol.hosts import HostAddress
from rocketmq_protocol.message import Message, MessageExt, MessageVersion


def test_tags_keys_and_user_properties_become_properties_in_javas_order() -> None:
    message = Message("topic", b"body", tags="t", keys=["k1", "k2"], properties={"a": "b"})
    assert list(message.properties.items()) == [
        ("TAGS", "t"),
        ("KEYS", "k1 k2"),
        ("WAIT", "true"),
        ("a", "b"),
    ]
    assert (message.tags, message.keys, message.wait_store_ok) == ("t", ["k1", "k2"], True)


def test_plain_message_has_only_the_wait_property() -> None:
    message = Message("topic", "grüße", wait_store_ok=False)
    assert message.body == "grüße".encode()
    assert message.properties == {"WAIT": "false"}
    assert (message.tags, message.keys, message.unique_id, message.wait_store_ok) == (None, [], None, False)


def test_keys_may_come_as_one_string_and_delay_as_a_level() -> None:
    message = Message("topic", b"", keys="one two", delay_level=3)
    assert message.keys == ["one", "two"]
    assert message.properties["DELAY"] == "3"


def test_reserved_names_are_not_for_applications() -> None:
    with pytest.raises(LocalProtocolError, match="UNIQ_KEY"):
        Message("topic", b"", properties={"UNIQ_KEY": "mine"})


def test_messages_are_equal_by_content_and_say_what_they_hold() -> None:
    message = Message("topic", b"body", tags="t")
    assert message == Message("topic", b"body", tags="t")
    assert message != Message("topic", b"body", tags="u")
    assert message != MessageExt("topic", b"body", properties_text="TAGS\x01t\x02WAIT\x01true\x02")
    assert (
        repr(message)
        == "Message(topic='topic', body=b'body', flag=0, properties={'TAGS': 't', 'WAIT': 'true'})"
    )


def test_stored_messages_differ_where_any_field_does() -> None:
    stored = MessageExt("topic", b"", queue_id=1)
    assert stored == MessageExt("topic", b"", queue_id=1)
    assert stored != MessageExt("topic", b"", queue_id=2)
    assert "queue_id=1" in repr(stored)


def test_properties_of_a_stored_message_are_its_text_parsed() -> None:
    stored = MessageExt("topic", b"", properties_text="KEYS\x01a  b\x02TAGS\x01t")
    assert stored.properties == {"KEYS": "a  b", "TAGS": "t"}
    assert stored.keys == ["a", "b"]


def test_local_changes_to_properties_are_not_written_until_replaced() -> None:
    stored = MessageExt("topic", b"", properties_text="TAGS\x01t\x02")
    stored.properties["MIN_OFFSET"] = "0"
    assert stored.properties_text == "TAGS\x01t\x02"
    stored.replace_properties(stored.properties)
    assert stored.properties_text == "MIN_OFFSET\x010\x02TAGS\x01t\x02"
    assert stored.properties == {"TAGS": "t", "MIN_OFFSET": "0"}


def test_message_id_is_the_senders_where_it_gave_one() -> None:
    stored = MessageExt("topic", b"", store_host=HostAddress("192.168.0.1", 10911), commit_log_offset=123456)
    assert stored.msg_id == stored.offset_msg_id == "C0A8000100002A9F000000000001E240"
    stored.replace_properties({"UNIQ_KEY": "mine"})
    assert stored.msg_id == "mine"
    assert stored.offset_msg_id == "C0A8000100002A9F000000000001E240"


def test_only_transactional_messages_have_a_transaction_id() -> None:
    assert MessageExt("t", b"", properties_text="UNIQ_KEY\x01u\x02").transaction_id is None
    assert MessageExt("t", b"", properties_text="UNIQ_KEY\x01u\x02TRAN_MSG\x01true\x02").transaction_id == "u"


def test_messages_can_be_copied_and_pickled() -> None:
    stored = MessageExt("topic", b"body", properties_text="TAGS\x01t\x02", queue_offset=7)
    for twin in (copy.copy(stored), pickle.loads(pickle.dumps(stored))):
        assert twin == stored
        assert twin.tags == "t"


def test_long_topics_need_the_second_record_version() -> None:
    assert MessageVersion.for_topic("t" * 127) is MessageVersion.V1
    assert MessageVersion.for_topic("t" * 128) is MessageVersion.V2
