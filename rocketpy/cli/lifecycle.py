"""Starting and stopping what the command line runs: a ready line, signals, logs."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable

import click
import trio

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class JsonFormatter(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON."""
        shown = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            shown["exception"] = self.formatException(record.exc_info)
        return json.dumps(shown, ensure_ascii=False)


def set_up_logging(level: str, *, as_json: bool) -> None:
    """Log to standard error, for people or as JSON."""
    handler = logging.StreamHandler()
    if as_json:
        handler.setFormatter(JsonFormatter())
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def run_until_signalled(serve: Callable[[trio.Nursery], Awaitable[str]]) -> None:
    """Run servers: `serve` starts them in the nursery and gives the line that says so.

    The first SIGINT or SIGTERM stops them in order, a second one at once. What the operating system refuses
    (a port in use, a folder without rights) ends the command with a clear word.
    """
    problem: BaseException | None = None
    try:
        trio.run(_run, serve)
    except* OSError as failed:
        problem = failed
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    if problem is not None:
        raise click.ClickException(f"cannot start: {problem}")


async def _run(serve: Callable[[trio.Nursery], Awaitable[str]]) -> None:
    with trio.open_signal_receiver(*_SIGNALS) as signals:
        async with trio.open_nursery() as outer:
            outer.start_soon(_stop_on_signal, signals, outer.cancel_scope)
            async with trio.open_nursery() as nursery:
                click.echo(await serve(nursery))


async def _stop_on_signal(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for _ in signals:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)  # the next one ends the process at once
        scope.cancel()
