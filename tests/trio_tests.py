"""Running an async test: `@trio_test` gives a test function a clock of its own that jumps over sleeps."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec

import trio
import trio.testing

P = ParamSpec("P")


def trio_test(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run the test under trio; when all tasks sleep, the clock goes on to the next that wakes.

    A test that would wait forever fails after a day of its own time, which is at once.
    """
    return _run_by(test, 24 * 3600, lambda: trio.testing.MockClock(autojump_threshold=0))


def trio_socket_test(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run the test under trio with real time, for data that travels through the kernel."""
    return _run_by(test, 20, lambda: None)


def _run_by(
    test: Callable[P, Awaitable[None]], limit: float, make_clock: Callable[[], trio.abc.Clock | None]
) -> Callable[P, None]:
    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def limited() -> None:
            with trio.fail_after(limit):
                await test(*args, **kwargs)

        trio.run(limited, clock=make_clock())

    return run
