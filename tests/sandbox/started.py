"""A zygote for as long as a test needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langserver.zygote.client import Zygote


@asynccontextmanager
async def a_zygote(runtime: str, layers: frozenset[str]) -> AsyncIterator[Zygote]:
    zygote = await Zygote.start(runtime, layers)
    try:
        yield zygote
    finally:
        await zygote.close()
