"""What callers do all the time: ordinary tasks, attacks of the security suite, and calls that are given up."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field

import grpc

from langserver.pb import lang_pb2, lang_pb2_grpc
from tests.integration.holds import mixed
from tests.security.suite.attack import load

GUARD_SECONDS = 120.0
_LONGEST_SECONDS = 2  # of an attack that aims at the time limit
_MOST_MB = 64
_RUNTIMES = {"python": "python", "javascript": "js"}  # native code has no way through a server: the policy stands there
_SURROGATE = re.compile("[\ud800-\udfff]")
_ATTACKS = [
    one for one in load() if one.runtime in _RUNTIMES and not _SURROGATE.search(one.code)
]  # no protobuf has one
_GIVEN_UP = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)


@dataclass
class Seen:
    """What became of the calls, and what should not have."""

    ended: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Load:
    """Callers who can be told to rest."""

    def __init__(self, seed: int) -> None:
        self.seen = Seen()
        self._chance = random.Random(seed)
        self._go = asyncio.Event()
        self._under_way = 0
        self._resting = asyncio.Event()
        self._resting.set()
        self._number = 0

    async def call_on(self, stub: lang_pb2_grpc.LanguageServerStub, token: str) -> None:
        """One caller, without an end."""
        metadata = (("authorization", f"Bearer {token}"),)
        while True:
            await self._go.wait()
            self._under_way += 1
            self._resting.clear()
            try:
                await self._call(stub, metadata)
            finally:
                self._under_way -= 1
                if not self._under_way:
                    self._resting.set()

    def go(self) -> None:
        """Everybody calls."""
        self._go.set()

    async def rest(self) -> None:
        """Nobody calls any more; returns when no call is under way."""
        self._go.clear()
        await self._resting.wait()

    async def _call(self, stub: lang_pb2_grpc.LanguageServerStub, metadata: tuple[tuple[str, str], ...]) -> None:
        self._number += 1
        kind = self._chance.choices(("ordinary", "attack", "given up"), (60, 30, 10))[0]
        number, patience = self._number, GUARD_SECONDS
        task = self._chance.choice(mixed.TASKS)
        what, request = task.code, mixed.request(task, number)
        if kind == "attack":
            attack = self._chance.choice(_ATTACKS)
            what = attack.id
            limits = attack.limits
            request = lang_pb2.ExecuteRequest(
                task_id=f"task-{number}",
                runtime=_RUNTIMES[attack.runtime],
                inline_code=lang_pb2.InlineCode(code=attack.code),
                input_json=json.dumps(attack.input),
                timeout_seconds=min(limits.timeout_seconds if limits else _LONGEST_SECONDS, _LONGEST_SECONDS),
                limits=lang_pb2.Limits(memory_mb=min(limits.memory_mb if limits else _MOST_MB, _MOST_MB)),
            )
        elif kind == "given up":
            patience = self._chance.random() * 0.1
        try:
            response = await stub.Execute(request, timeout=patience, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            self._note_status(kind, what, error)
            return
        failure = lang_pb2.ErrorKind.Name(response.error.kind).removeprefix("ERROR_KIND_")
        self.seen.ended[mixed.OK if response.success else failure] += 1
        if failure == "INTERNAL" or (kind == "ordinary" and mixed.judge(task, number, response)):
            self.seen.wrong.append(f"{what}: {failure} {response.error.message}")

    def _note_status(self, kind: str, what: str, error: grpc.aio.AioRpcError) -> None:
        code, details = error.code(), error.details() or ""
        self.seen.ended[code.name] += 1
        lost = code is grpc.StatusCode.UNAVAILABLE and details.startswith("zygote lost")  # zygotes are killed
        refused = kind == "attack" and code is grpc.StatusCode.INVALID_ARGUMENT
        if not (lost or refused or (kind == "given up" and code in _GIVEN_UP)):
            self.seen.wrong.append(f"{what}: {code.name} {details}")
