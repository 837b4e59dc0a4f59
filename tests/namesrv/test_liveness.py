"""Brokers that leave without a word."""

from __future__ import annotations

import pytest
import trio

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.headers import NotifyMinBrokerIdChangeRequestHeader
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.liveness import Messenger
from rocketpy.namesrv.members import EXPIRY_SECONDS, LowestIdChange
from rocketpy.remoting.errors import ConnectFailed
from tests.namesrv.server import CLUSTER, Asker, Server
from tests.trio_tests import trio_test

A, A_SLAVE, B = "192.0.2.1:10911", "192.0.2.2:10911", "192.0.2.3:10911"


def test_a_broker_is_gone_as_soon_as_its_connection_ends() -> None:
    server = Server()
    connection, other = Asker(), Asker()
    server.register("broker-a", address=A, connection=connection)
    server.register("broker-b", ["TopicB"], address=B, connection=other)
    server.liveness.connection_closed(connection)
    assert server.route("TopicA") is None
    assert server.route("TopicB") is not None


def test_all_brokers_of_one_process_are_gone_with_their_connection() -> None:
    server = Server()
    connection = Asker()
    server.register("broker-a", address=A, connection=connection)
    server.register("broker-b", address=B, connection=connection)
    server.liveness.connection_closed(connection)
    assert server.table.brokers == {}
    assert server.table.live == {}


def test_a_broker_that_came_back_stays_when_its_old_connection_ends() -> None:
    server = Server()
    old, new = Asker(), Asker()
    server.register(connection=old)
    server.register(connection=new)
    server.liveness.connection_closed(old)
    assert server.route("TopicA") is not None


def test_connections_of_clients_may_end() -> None:
    server = Server()
    server.register()
    server.liveness.connection_closed(Asker())
    assert server.route("TopicA") is not None


def test_a_silent_broker_expires_and_its_connection_is_ended() -> None:
    server = Server()
    connection = Asker()
    server.register(connection=connection)
    server.now += EXPIRY_SECONDS
    server.liveness.scan()
    assert server.route("TopicA") is not None
    server.now += 0.1
    server.liveness.scan()
    assert server.route("TopicA") is None
    assert connection.closed.is_set()


@pytest.mark.parametrize("code", [RequestCode.BROKER_HEARTBEAT, RequestCode.QUERY_DATA_VERSION])
def test_words_of_a_broker_keep_it_alive(code: RequestCode) -> None:
    server = Server()
    server.register(address=A)
    server.now += 100
    server.get(code, brokerAddr=A, clusterName=CLUSTER, brokerName="broker-a", brokerId="0")
    server.now += 100
    server.liveness.scan()
    assert server.route("TopicA") is not None


def test_a_broker_may_choose_when_it_expires() -> None:
    server = Server()
    server.register(heartbeat_timeout_millis=10_000)
    server.now += 10.1
    server.liveness.scan()
    assert server.route("TopicA") is None


def test_the_slave_learns_that_the_master_is_lost() -> None:
    server = Server()
    master = Asker()
    server.register(address=A, connection=master, enable_acting_master=True)
    server.register(address=A_SLAVE, broker_id=1, enable_acting_master=True)
    server.liveness.connection_closed(master)
    (change,) = server.told
    assert (change.offline_address, change.to_tell) == (A, [A_SLAVE])


@trio_test
async def test_scans_begin_after_five_seconds_and_go_on_as_set() -> None:
    server = Server(scanNotActiveBrokerInterval="2000")
    scans: list[float] = []
    started = trio.current_time()
    server.liveness.scan = lambda: scans.append(trio.current_time() - started)  # type: ignore[method-assign]
    with trio.move_on_after(10):
        await server.liveness.run()
    assert scans == [5, 7, 9]


class SlowPool:
    """Takes a second for each message, and cannot reach one address."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, int | None]] = []

    async def send_oneway(self, address: str, request: RemotingCommand) -> None:
        await trio.sleep(1)
        if address == B:
            raise ConnectFailed(address)
        header = request.read_header(NotifyMinBrokerIdChangeRequestHeader)
        self.sent.append((address, header.min_broker_id))


@trio_test
async def test_each_member_hears_of_changes_in_order_whoever_else_cannot_be_reached() -> None:
    pool = SlowPool()
    config = NamesrvConfig({"notifyMinBrokerIdChanged": "true"})
    async with trio.open_nursery() as nursery:
        messenger = Messenger(config, pool, nursery)  # type: ignore[arg-type]
        for lowest in (5, 4, 3):
            addresses = {lowest: "192.0.2.9:10911", 7: A, 8: A_SLAVE, 9: B}
            messenger.tell(LowestIdChange(addresses))
    for address in (A, A_SLAVE):
        assert [lowest for told, lowest in pool.sent if told == address] == [5, 4, 3]


@trio_test
async def test_no_one_is_told_unless_so_set() -> None:
    pool = SlowPool()
    async with trio.open_nursery() as nursery:
        messenger = Messenger(NamesrvConfig(), pool, nursery)  # type: ignore[arg-type]
        messenger.tell(LowestIdChange({0: A, 1: A_SLAVE}))
    assert pool.sent == []
