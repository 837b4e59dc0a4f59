"""`rocketpy server`: a nameserver and a broker in one process."""

from __future__ import annotations

from pathlib import Path

import click

from rocketpy.cli.broker import broker_config, broker_options, show_settings


@click.command()
@click.option("--namesrv-port", type=int, default=9876, show_default=True, help="The nameserver's port.")
@broker_options
def server(
    namesrv_port: int,
    conf: Path | None,
    port: int | None,
    host: str,
    store_directory: Path | None,
    memory: bool,
    advertise: str | None,
    show_important: bool,
    show_all: bool,
    log_level: str,
    log_json: bool,
) -> None:
    """Run a nameserver and a broker, ready for Java applications."""
    import trio

    from rocketpy.broker.app import Broker
    from rocketpy.cli.lifecycle import run_until_signalled, set_up_logging
    from rocketpy.namesrv.app import run_namesrv
    from rocketpy.namesrv.config import NamesrvConfig

    set_up_logging(log_level, as_json=log_json)
    defaults = {"listenPort": "10911", "storePathRootDir": "rocketpy-data", "brokerName": "broker-a"}
    config = broker_config(conf, port, store_directory, advertise, defaults)
    if show_important or show_all:
        show_settings(config, important_only=not show_all)
        return
    names = NamesrvConfig(
        _namesrv_settings(host, namesrv_port, Path(config.text("storePathRootDir")), memory)
    )

    async def serve(nursery: trio.Nursery) -> str:
        found_port = await nursery.start(run_namesrv, names)
        config.update({"namesrvAddr": f"127.0.0.1:{found_port}"})
        running = Broker(config, in_memory=memory)
        await nursery.start(running.run, host)
        return f"rocketpy server ready: nameserver {host}:{found_port}, broker {running.address}"

    run_until_signalled(serve)


def _namesrv_settings(host: str, port: int, store: Path, memory: bool) -> dict[str, str]:
    """The nameserver beside the broker keeps its files with the store."""
    folder = "" if memory else str(store / "namesrv")
    return {
        "listenPort": str(port),
        "bindAddress": host,
        "kvConfigPath": f"{folder}/kvConfig.json" if folder else "",
        "configStorePath": f"{folder}/namesrv.properties" if folder else "",
    }
