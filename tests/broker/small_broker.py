"""The parts of a broker that store messages, in memory and with a clock that tests set."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import cast

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.headers import SendMessageRequestHeaderV2
from rocketmq_protocol.message import MessageExt
from rocketmq_protocol.message_record import iter_records
from rocketmq_protocol.properties import format_properties
from rocketpy.broker.config import BrokerConfig
from rocketpy.broker.processors.send import SendProcessor
from rocketpy.broker.processors.send_back import SendBackProcessor
from rocketpy.broker.processors.transaction import TransactionProcessor
from rocketpy.broker.services.arrivals import Arrivals
from rocketpy.broker.services.durability import Durability
from rocketpy.broker.state.groups import GroupTable
from rocketpy.broker.state.topics import TopicTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RequestRefused
from rocketpy.remoting.router import Handler
from rocketpy.store.config_files import ConfigFiles
from rocketpy.store.message_store import MessageStore

STORE_HOST = bytes([127, 0, 0, 1]) + (10911).to_bytes(4, "big")
# What a handler looks at: where the client is.
CLIENT = cast(Channel, SimpleNamespace(remote="127.0.0.1:50000"))


class Clock:
    """Milliseconds that pass only when told to."""

    def __init__(self, now: int = 1_700_000_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


class SmallBroker:
    """Sending, sending back and transactions over one store."""

    def __init__(
        self,
        settings: dict[str, str] | None = None,
        clock: Callable[[], int] | None = None,
        consumes_in_order: Callable[[str], bool] = lambda group: False,
    ) -> None:
        self.clock = clock or Clock()
        self.config = BrokerConfig(
            {
                "brokerIP1": "127.0.0.1",
                "brokerName": "small",
                "mappedFileSizeCommitLog": str(4 * 1024 * 1024),
                **(settings or {}),
            }
        )
        self.arrivals = Arrivals()
        self.store = MessageStore(
            self.config.store_config(in_memory=True), clock=self.clock, on_arrival=self.arrivals.notify
        )
        self.store.open()
        self.files = ConfigFiles(None)
        self.topics = TopicTable(self.config, self.files.topics, self.clock)
        self.groups = GroupTable(self.config, self.files.groups, self.clock)
        self.send_back = SendBackProcessor(
            self.config, self.topics, self.groups, self.store, STORE_HOST, consumes_in_order
        )
        ids = count(1)
        self.sender = SendProcessor(
            self.config,
            self.topics,
            self.store,
            Durability(self.store, self.clock),
            STORE_HOST,
            lambda: f"ID{next(ids)}",
            self.send_back,
        )
        self.transactions = TransactionProcessor(self.config, self.store, STORE_HOST, self.clock)

    def send(
        self,
        topic: str,
        body: bytes = b"body",
        properties: dict[str, str] | None = None,
        *,
        queue_id: int = 1,
        reconsume_times: int = 0,
        max_reconsume_times: int | None = None,
        version: int = 500,
    ) -> RemotingCommand:
        """Send a message as a client does, and give the answer."""
        header = SendMessageRequestHeaderV2(
            producer_group="producers",
            topic=topic,
            default_topic="TBW102",
            default_topic_queue_nums=4,
            queue_id=queue_id,
            sys_flag=0,
            born_timestamp=self.clock(),
            flag=7,
            properties=format_properties(properties or {}),
            reconsume_times=reconsume_times,
            max_reconsume_times=max_reconsume_times,
        )
        return call(
            self.sender.send,
            RemotingCommand.request(RequestCode.SEND_MESSAGE_V2, header, body=body, version=version),
        )

    def messages(self, topic: str, queue_id: int = 0) -> list[MessageExt]:
        """All messages of one queue."""
        found = self.store.fetch(topic, queue_id, 0)
        return [message for view in found.views for message in iter_records(view)]


def call(handler: Handler, request: RemotingCommand) -> RemotingCommand:
    """What a client gets as answer from a handler that answers at once."""
    try:
        answer = handler(CLIENT, request)
    except RequestRefused as refused:
        return request.reply(refused.code, remark=refused.remark)
    assert isinstance(answer, RemotingCommand)
    return answer
