"""Slots that coroutines wait for."""

from __future__ import annotations

import asyncio

from worker_bridge.core.intake import Intake


class Hand:
    """The bridge's slots: one for each entry that it has taken and not put away."""

    def __init__(self, slots: int) -> None:
        self._intake = Intake(slots)
        self._waiting: dict[str, asyncio.Future[int]] = {}

    @property
    def in_hand(self) -> int:
        """Slots in use."""
        return self._intake.in_hand

    async def take(self, reader: str, most: int | None = None) -> int:
        """Waits for the reader's turn; the number of slots that it has now, and has to give back."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting[reader] = turn
        self._intake.ask(reader, most)
        self._deal()
        try:
            return int(await turn)
        except asyncio.CancelledError:
            self._waiting.pop(reader, None)
            self._intake.withdraw(reader)
            if turn.done() and not turn.cancelled():
                self.give_back(turn.result())
            raise

    def give_back(self, count: int) -> None:
        """So many slots are free again."""
        self._intake.give_back(count)
        self._deal()

    def _deal(self) -> None:
        while grant := self._intake.grant():
            turn = self._waiting.pop(grant.reader)
            if turn.cancelled():  # with its coroutine, which has not run since to withdraw
                self._intake.give_back(grant.count)
            else:
                turn.set_result(grant.count)
