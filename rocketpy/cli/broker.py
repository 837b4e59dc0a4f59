"""`rocketpy broker`: a broker for nameservers that run elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rocketpy.broker.config import BrokerConfig

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "-c",
        "--config",
        "conf",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Apache's broker.conf.",
    ),
    click.option("--port", type=int, help="Port to listen on (listenPort); 0 takes a free one."),
    click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on."),
    click.option(
        "--store", "store_directory", type=click.Path(path_type=Path), help="Where messages are kept."
    ),
    click.option("--memory", is_flag=True, help="Keep everything in memory; nothing is left after a stop."),
    click.option("--advertise", help="Address that clients are told to use (brokerIP1)."),
    click.option("-m", "show_important", is_flag=True, help="Print the settings that matter most, and exit."),
    click.option("-p", "show_all", is_flag=True, help="Print all settings, and exit."),
    click.option(
        "--log-level",
        default="warning",
        show_default=True,
        type=click.Choice(["debug", "info", "warning", "error"]),
    ),
    click.option("--log-json", is_flag=True, help="Log as JSON lines."),
)


def broker_options(command: F) -> F:
    """The options that `rocketpy broker` and `rocketpy server` share."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def broker_config(
    conf: Path | None,
    port: int | None,
    store_directory: Path | None,
    advertise: str | None,
    defaults: dict[str, str],
) -> BrokerConfig:
    """Settings from the file, then from the command line; exit code 2 and a clear word if they are wrong."""
    from rocketpy.broker.config import BrokerConfig, ConfigError, parse_properties

    values = dict(defaults)
    if conf is not None:
        values |= parse_properties(conf.read_text(encoding="utf-8"))
    if port is not None:
        values["listenPort"] = str(port)
    if store_directory is not None:
        values["storePathRootDir"] = str(store_directory)
    if advertise is not None:
        values["brokerIP1"] = advertise
    try:
        return BrokerConfig(values)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None


def show_settings(config: BrokerConfig, *, important_only: bool) -> None:
    """Print settings as `mqbroker -m` and `-p` do."""
    for name, value in config.shown(important_only=important_only).items():
        click.echo(f"{name}={value}")


@click.command()
@click.option("-n", "--namesrv", help="Nameservers, separated by `;` (namesrvAddr).")
@broker_options
def broker(
    namesrv: str | None,
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
    """Run a broker."""
    import trio

    from rocketpy.broker.app import Broker
    from rocketpy.cli.lifecycle import run_until_signalled, set_up_logging

    set_up_logging(log_level, as_json=log_json)
    defaults = {"listenPort": "10911", "storePathRootDir": "rocketpy-data"}
    config = broker_config(conf, port, store_directory, advertise, defaults)
    if namesrv is not None:
        config.update({"namesrvAddr": namesrv})
    if show_important or show_all:
        show_settings(config, important_only=not show_all)
        return

    async def serve(nursery: trio.Nursery) -> str:
        running = Broker(config, in_memory=memory)
        await nursery.start(running.run, host)
        return f"rocketpy broker {config.broker_name} ready: {running.address}"

    run_until_signalled(serve)
