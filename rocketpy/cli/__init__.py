"""The `rocketpy` command."""

from __future__ import annotations

import click

from rocketpy import __version__


@click.group()
@click.version_option(__version__, prog_name="rocketpy")
def main() -> None:
    """Apache RocketMQ's wire protocol, in Python."""
