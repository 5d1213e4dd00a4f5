"""The worker's name: in use once. Two of one name would take each other's leases and entries for their own."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from typing import Final

from worker_bridge.errors import StartError, StreamRefused, Unreachable
from worker_bridge.shell.patience import Patience
from worker_bridge.streams.port import StreamPort

log = logging.getLogger(__name__)

EXPIRY_SECONDS: Final = 15.0


class Registration:
    """Kept beside the streams, and gone by itself `expiry` seconds after a worker that was killed."""

    def __init__(
        self, streams: StreamPort, worker_id: str, alarm: Callable[[str], None], expiry: float = EXPIRY_SECONDS
    ) -> None:
        """`alarm` is told what an operator has to mend."""
        self._streams = streams
        self._alarm = alarm
        self._worker_id = worker_id
        self._expiry = expiry
        self._nonce = secrets.token_hex(16)

    async def take(self) -> None:
        """Waits for the streams, and for another one's name to expire, once. Raises StartError."""
        patience = Patience()
        refused_at: float | None = None
        while True:
            try:
                await self._streams.check()
                if await self._streams.register(self._nonce, self._expiry):
                    return
            except StreamRefused as error:
                if error.fault:
                    self._alarm(f"cannot begin: {error}")
                elif patience.first:
                    log.warning("cannot begin yet, which is tried again: %s", error)
                await patience.wait()
                continue
            except Unreachable:  # of which the link tells
                await patience.wait()
                continue
            now = time.monotonic()
            if refused_at is None:
                log.warning("WORKER_ID %s is in use: waiting for it to expire", self._worker_id)
                refused_at = now
            # What a worker that was killed left has expired by then, and what is still there lives.
            elif now - refused_at > self._expiry * 4 / 3:
                raise StartError(f"WORKER_ID {self._worker_id} is in use by another worker that lives: choose another")
            await asyncio.sleep(self._expiry / 15)

    async def keep(self) -> None:
        """Returns when another worker has taken the name."""
        while True:
            await asyncio.sleep(self._expiry / 3)
            try:
                if not await self._streams.register(self._nonce, self._expiry):
                    return
            except Unreachable as error:
                log.debug("the registration was not renewed: %s", error)

    async def leave(self) -> None:
        """Frees the name."""
        try:
            await self._streams.unregister(self._nonce)
        except Unreachable as error:
            log.info("the registration is left to expire: %s", error)
