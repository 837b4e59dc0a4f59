"""Brokers that leave without a word: connections that end, and brokers that fall silent."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

import trio

from rocketmq_protocol import RemotingCommand, RequestCode
from rocketmq_protocol.headers import NotifyMinBrokerIdChangeRequestHeader
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.members import LowestIdChange
from rocketpy.namesrv.route_table import RouteTable
from rocketpy.remoting.channel import Channel
from rocketpy.remoting.errors import RemotingError
from rocketpy.remoting.pool import Pool

logger = logging.getLogger(__name__)

# NamesrvController.startScheduleService
_FIRST_SCAN_SECONDS: Final = 5.0
_SHORTEST_SCAN_SECONDS: Final = 0.1

Tell = Callable[[LowestIdChange], None]
Clock = Callable[[], float]


class Liveness:
    """Takes brokers out of the table when their connection ends, or when nothing is heard of them."""

    def __init__(self, config: NamesrvConfig, table: RouteTable, tell: Tell, clock: Clock) -> None:
        self._config = config
        self._table = table
        self._tell = tell
        self._clock = clock

    async def run(self) -> None:
        """Look for silent brokers, again and again; the interval is that of the start, as in Java."""
        interval = max(self._config.number("scanNotActiveBrokerInterval") / 1000, _SHORTEST_SCAN_SECONDS)
        await trio.sleep(_FIRST_SCAN_SECONDS)
        while True:
            self.scan()
            await trio.sleep(interval)

    def scan(self) -> None:
        """Take out who was not heard of for too long, and end their connections."""
        for member in self._table.expired(self._clock()):
            connection = self._table.live[member].connection
            logger.warning("%s: not heard of for too long", member)
            self._report(self._table.unregister_lost(member))
            if isinstance(connection, Channel):
                connection.close()

    def connection_closed(self, channel: Channel) -> None:
        """Take out who registered through a connection that ended."""
        for member in self._table.members_on(channel):
            logger.warning("%s: its connection ended", member)
            self._report(self._table.unregister_lost(member))

    def _report(self, change: LowestIdChange | None) -> None:
        if change is not None:
            self._tell(change)


class Messenger:
    """Tells brokers that another one of them acts as master now; each in its own time, and in order."""

    def __init__(self, config: NamesrvConfig, pool: Pool, nursery: trio.Nursery) -> None:
        self._config = config
        self._pool = pool
        self._nursery = nursery
        self._unsent: dict[str, deque[RemotingCommand]] = {}

    def tell(self, change: LowestIdChange) -> None:
        """Send word of a change, unless settings forbid it."""
        if not self._config.flag("notifyMinBrokerIdChanged"):
            return
        header = NotifyMinBrokerIdChangeRequestHeader(
            min_broker_id=change.lowest_id,
            min_broker_addr=change.addresses[change.lowest_id],
            offline_broker_addr=change.offline_address,
            ha_broker_addr=change.ha_address,
        )
        request = RemotingCommand.request(RequestCode.NOTIFY_MIN_BROKER_ID_CHANGE, header, oneway=True)
        for address in change.to_tell:
            if address in self._unsent:
                self._unsent[address].append(request)
            else:
                self._unsent[address] = deque([request])
                self._nursery.start_soon(self._send_all, address)

    async def _send_all(self, address: str) -> None:
        unsent = self._unsent[address]
        try:
            while unsent:
                await self._pool.send_oneway(address, unsent.popleft())
        except RemotingError as error:
            logger.warning("%s does not learn of the new acting master: %s", address, error)
        finally:
            del self._unsent[address]
