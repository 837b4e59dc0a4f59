"""`rocketpy namesrv`: a name server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import trio

    from rocketpy.namesrv.config import NamesrvConfig


@click.command()
@click.option(
    "-c",
    "--config",
    "conf",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Apache's namesrv.conf.",
)
@click.option("--port", type=int, help="Port to listen on (listenPort), 9876 by default; 0 takes a free one.")
@click.option("--host", help="Address to listen on (bindAddress), 0.0.0.0 by default.")
@click.option("-m", "show_important", is_flag=True, help="Print the settings that have an effect, and exit.")
@click.option("-p", "show_all", is_flag=True, help="Print all settings, and exit.")
@click.option(
    "--log-level",
    default="warning",
    show_default=True,
    type=click.Choice(["debug", "info", "warning", "error"]),
)
@click.option("--log-json", is_flag=True, help="Log as JSON lines.")
def namesrv(
    conf: Path | None,
    port: int | None,
    host: str | None,
    show_important: bool,
    show_all: bool,
    log_level: str,
    log_json: bool,
) -> None:
    """Run a name server."""
    from rocketpy.cli.lifecycle import run_until_signalled, set_up_logging
    from rocketpy.namesrv.app import run_namesrv

    set_up_logging(log_level, as_json=log_json)
    config = _config(conf, port, host)
    if show_important or show_all:
        for name, value in config.shown(important_only=not show_all).items():
            click.echo(f"{name}={value}")
        return

    async def serve(nursery: trio.Nursery) -> str:
        port = await nursery.start(run_namesrv, config)
        return f"rocketpy namesrv ready: {config.text('bindAddress')}:{port}"

    run_until_signalled(serve)


def _config(conf: Path | None, port: int | None, host: str | None) -> NamesrvConfig:
    """Settings from the file, then from the command line; exit code 2 and a clear word if they are wrong."""
    from rocketpy.namesrv.config import NamesrvConfig
    from rocketpy.remoting.settings import ConfigError

    given: dict[str, str] = {}
    if port is not None:
        given["listenPort"] = str(port)
    if host is not None:
        given["bindAddress"] = host
    try:
        return NamesrvConfig(given) if conf is None else NamesrvConfig.from_file(conf, given)
    except ConfigError as error:
        raise click.UsageError(str(error)) from None
