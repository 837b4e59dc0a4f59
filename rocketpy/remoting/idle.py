"""Connections on which nothing happens any more, perhaps because the peer is gone without a word."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Final

import trio

from rocketpy.remoting.channel import Channel

logger = logging.getLogger(__name__)

# Looks taken in the time after which a silent channel is closed.
_LOOKS: Final = 8


async def close_idle(channels: Collection[Channel], max_idle_seconds: float) -> None:
    """Close each channel that neither reads nor sends for so long, give or take an eighth.

    A look compares counters, so that a channel in use needs no timer of its own.
    """
    silent_looks: dict[Channel, tuple[int, int]] = {}
    while True:
        await trio.sleep(max_idle_seconds / _LOOKS)
        silent_looks = {channel: _look(channel, silent_looks.get(channel)) for channel in channels}
        for channel, (_, looks) in silent_looks.items():
            if looks >= _LOOKS:
                logger.info("%s: closed: silent for %g s", channel.remote, max_idle_seconds)
                channel.close()


def _look(channel: Channel, last: tuple[int, int] | None) -> tuple[int, int]:
    """How much has happened on a channel, and how often nothing was found to have been added."""
    activity = channel.received + channel.sent
    if last is None or last[0] != activity:
        return activity, 0
    return activity, last[1] + 1
