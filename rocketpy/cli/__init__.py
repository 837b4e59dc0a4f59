"""The `rocketpy` command: each command's work is imported when it runs, so that `--help` is instant."""

from __future__ import annotations

import click

from rocketpy import __version__
from rocketpy.cli.broker import broker
from rocketpy.cli.namesrv import namesrv
from rocketpy.cli.server import server
from rocketpy.cli.store import store


@click.group()
@click.version_option(__version__, prog_name="rocketpy")
def main() -> None:
    """Apache RocketMQ's wire protocol, in Python."""


main.add_command(broker)
main.add_command(namesrv)
main.add_command(server)
main.add_command(store)


@main.command()
@click.argument("frame_hex")
def explain(frame_hex: str) -> None:
    """Decode one whole frame, given in hex: print it as JSON, then byte by byte."""
    from rocketmq_protocol import RemoteProtocolError, RemotingCommand
    from rocketmq_protocol.explain import explain as explain_frame
    from rocketmq_protocol.explain import format_explained

    try:
        frame = bytes.fromhex(frame_hex)
    except ValueError as error:
        raise click.BadParameter(f"not hex: {error}", param_hint="FRAME_HEX") from None
    try:
        command = RemotingCommand.decode(frame)
    except RemoteProtocolError as error:
        click.echo(f"error: {error}", err=True)
    else:
        click.echo(command.to_json())
    click.echo(format_explained(frame, explain_frame(frame)))
