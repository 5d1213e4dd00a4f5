"""A server that takes money: once for each Idempotency-Key. It fails in all the ways in which such servers do."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from random import Random
from typing import Self

from tests.http_node.servers import Got, Hangup, Server, answer, serving

SHARE = 3  # one request in so many ends in one of the ways below


class Payments:
    """`async with` it. Charges by key; `calm` from when on nothing goes wrong.

    With `turns` it keeps back what it would answer, the money taken, once it has answered so many: until `allow`.
    """

    def __init__(self, seed: int, turns: int | None = None) -> None:
        self.held = 0
        self._turns = None if turns is None else asyncio.Semaphore(turns)
        self.requests: Counter[str] = Counter()
        self.charged: dict[str, list[int]] = {}
        self.troubles: Counter[str] = Counter()
        self.calm = False
        self._random = Random(seed)
        self._serving = serving(self._act)
        self._server = Server()

    @property
    def url(self) -> str:
        return f"{self._server.url}/charges"

    async def __aenter__(self) -> Self:
        self._server = await self._serving.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._serving.__aexit__(None, None, None)

    async def _act(self, got: Got, _reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        key, amount = got.header("idempotency-key"), json.loads(got.body)["amount"]
        assert got.method == "POST"
        assert key is not None
        self.requests[key] += 1
        trouble = self._trouble()
        self.troubles[trouble] += 1
        if trouble == "down":
            writer.write(answer(b"down", "503 Service Unavailable"))
            return
        if trouble == "busy":
            writer.write(answer(b"", "429 Too Many Requests", [("Retry-After", "0")]))
            return
        if key not in self.charged or self.charged[key] != [amount]:
            self.charged.setdefault(key, []).append(amount)
        await self._turn()
        if trouble == "lost":  # the money is taken, and nobody is told
            raise Hangup
        if trouble == "half":
            writer.write(answer(b'{"charged": ')[:-5])
            raise Hangup
        if trouble == "slow":  # time enough to be killed in
            await asyncio.sleep(1)
        writer.write(answer(json.dumps({"charged": amount}).encode()))

    def allow(self, answers: int) -> None:
        """So many more."""
        assert self._turns is not None
        for _ in range(answers):
            self._turns.release()

    async def _turn(self) -> None:
        if self._turns is None:
            return
        self.held += 1
        try:
            await self._turns.acquire()
        finally:
            self.held -= 1

    def _trouble(self) -> str:
        troubles = ("down", "busy", "lost", "half", "slow")
        return "none" if self.calm or self._random.randrange(SHARE) else self._random.choice(troubles)
