"""Running an async test: `@trio_test` gives a test function a clock of its own that jumps over sleeps."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec

import trio
import trio.testing

P = ParamSpec("P")


def trio_test(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run the test under trio; when all tasks sleep, the clock goes on to the next that wakes."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        clock = trio.testing.MockClock(autojump_threshold=0)
        trio.run(functools.partial(test, *args, **kwargs), clock=clock)

    return run


def trio_socket_test(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run the test under trio with real time, for data that travels through the kernel."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def limited() -> None:
            with trio.fail_after(10):
                await test(*args, **kwargs)

        trio.run(limited)

    return run
