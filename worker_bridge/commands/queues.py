"""`worker-bridge queues`: how the queues are, and who listens."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from worker_bridge.commands.output import say
from worker_bridge.confine import forbid_dumps
from worker_bridge.errors import StartError, StreamRefused, Unreachable
from worker_bridge.streams.port import Figures

if TYPE_CHECKING:
    from worker_bridge.settings import Settings

_HEADS = ("STREAM", "DEPTH", "LAG", "PENDING", "DEAD", "LISTENERS")


def queues(*, as_json: bool) -> int:
    """Prints them; returns the exit status. Raises StartError."""
    forbid_dumps()
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from worker_bridge.settings import Settings

    settings = Settings()
    found, refused = asyncio.run(_figures(settings))
    if left_out := unnamed(settings):
        print(f"worker-bridge: {left_out}", file=sys.stderr)
    say(json.dumps([asdict(one) for one in found]) if as_json else _table(found))
    if refused:
        raise StartError("; ".join(refused))
    return 0


def unnamed(settings: Settings) -> str:
    """What whoever looks should know of queues that are not shown; empty where the settings name queues.

    Redis is not asked which there are: that takes a command that shows every key, and a bridge's user may not give it.
    """
    if settings.worker_queues or settings.lang_worker_addrs:
        return ""
    shown = ", ".join(settings.node_types)
    return (
        f"shown is what a bridge with these settings reads: {shown}. "
        "LANG_WORKER_ADDRS adds a queue for each runtime in it, WORKER_QUEUES names any others"
    )


async def _figures(settings: Settings) -> tuple[list[Figures], list[str]]:
    """Of each stream, and why those are missing that are missing."""
    from worker_bridge.app import redis_streams

    streams = redis_streams(settings)
    found: list[Figures] = []
    refused: list[str] = []
    try:
        for stream in settings.streams(settings.node_types):
            try:
                found.append(await streams.figures(stream))
            except StreamRefused as error:
                refused.append(str(error))
        return found, refused
    except Unreachable as error:
        raise StartError(f"{settings.redis_addr} cannot be asked: {error}") from None
    finally:
        await streams.close()


def _table(found: Sequence[Figures]) -> str:
    rows = [
        _HEADS,
        *(
            (
                one.stream,
                str(one.depth),
                str(one.lag),
                str(one.pending),
                str(one.dead),
                ", ".join(f"{listener.name} ({listener.pending})" for listener in one.listeners) or "nobody",
            )
            for one in found
        ),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if 0 < column < len(row) - 1 else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
