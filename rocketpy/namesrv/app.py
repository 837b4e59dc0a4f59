"""The name server put together."""

from __future__ import annotations

import logging
from typing import Final

import trio

from rocketpy.namesrv.broker_processor import BrokerProcessor
from rocketpy.namesrv.config import NamesrvConfig
from rocketpy.namesrv.kv_config import KvConfig
from rocketpy.namesrv.liveness import Liveness, Messenger
from rocketpy.namesrv.processors import ConfigProcessor, KvProcessor, RouteProcessor, routes
from rocketpy.namesrv.route_table import RouteTable
from rocketpy.remoting.pool import Pool
from rocketpy.remoting.router import Router
from rocketpy.remoting.server import listen, port_of, serve

logger = logging.getLogger(__name__)

# Settings that ask for a part of Java's name server which is not here.
_NOT_HERE: Final = ("clusterTest", "enableControllerInNamesrv")


async def run_namesrv(
    config: NamesrvConfig, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """Serve until cancelled; `task_status` gets the port, once brokers and clients may come."""
    for name in _NOT_HERE:
        if config.flag(name):
            logger.warning("%s is set, but not supported", name)
    kv_config = KvConfig(config.kv_config_path)
    kv_config.load()
    listener = await listen(config.text("bindAddress"), config.number("listenPort"))
    config.set("listenPort", str(port_of(listener)))
    async with trio.open_nursery() as nursery:
        table = RouteTable(config)
        messenger = Messenger(config, Pool(nursery, Router({})), nursery)
        clock = trio.current_time
        liveness = Liveness(config, table, messenger.tell, clock)
        router = Router(
            routes(
                BrokerProcessor(config, table, kv_config, messenger.tell, clock),
                RouteProcessor(config, table, kv_config, clock),
                KvProcessor(kv_config),
                ConfigProcessor(config),
            )
        )
        nursery.start_soon(liveness.run)
        nursery.start_soon(
            lambda: serve(
                [listener],
                router,
                on_close=liveness.connection_closed,
                max_idle_seconds=config.number("serverChannelMaxIdleTimeSeconds"),
            )
        )
        task_status.started(config.number("listenPort"))
