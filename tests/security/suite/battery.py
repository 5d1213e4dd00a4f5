"""Runs attacks under one set of layers: one zygote, many children at once, and what came of each.

`python -m tests.security.suite.battery ZYGOTE LAYERS ABI JIT` reads a JSON object, wanted ids and whether something of
the set stops them, and prints what was found. A process of its own: it is the server that attacks aim at.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from langserver.commands.one_task import perform_on, start_zygote
from langserver.core.verdict import Refusal
from langserver.errors import RequestError
from langserver.limits import Asked, Ceilings
from langserver.sandbox import confine
from langserver.sandbox.layers import PRIVILEGES, parse_layers
from langserver.zygote import launch
from langserver.zygote.client import Zygote
from langserver.zygote.job import LogLine
from langserver.zygote.request import TaskRequest, make_job
from tests.security.suite.attack import TWICE, Attack, load
from tests.security.suite.judge import Ending, Finding, judge
from tests.security.suite.world import World, world

# How many run at once: of those that take memory no more than a small machine holds, of those that mostly wait for the
# clock as many as one core still serves in time.
_AT_ONCE: Final = {"ordinary": 6, "memory": 6, "clock": 16}
_TIMEOUT_SECONDS: Final = 30
_PR_SET_CHILD_SUBREAPER: Final = 36
_OLDER_LANDLOCK: Final = Path(__file__).with_name("older_landlock.py")

# Honest programs, before and after: a set that refuses everything proves nothing, nor does one that is broken by then.
_CONTROLS: Final = {
    "python": (
        "import json\ndef main(inputs):\n    print('x')\n    return json.loads(json.dumps({'a': inputs['a'] + 1}))\n",
        "def main(inputs):\n    return {'a': len([str(i) for i in range(inputs['a'] + 1)])}\n",
    ),
    "js": ("function main(inputs) { console.log('x'); return {a: inputs.a + 1} }",),
}


class BrokenSet(Exception):
    """What was found under this set of layers means nothing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An attack to be run, and whether something of the set stops it: else it is given what is harmless."""

    attack: Attack
    stopped: bool


class Battery:
    """A zygote, replaced when it is lost, and the attacks run on it."""

    def __init__(self, runtime: str, layers: frozenset[str], around: World, jit: bool = False) -> None:
        self._runtime = runtime
        self._layers = layers
        self._jit = jit
        self._around = around
        self._zygote: Zygote | None = None
        self._known = _our_processes()

    async def run(self, wanted: Iterable[Wanted]) -> dict[str, Finding]:
        """What came of each, by id. Raises BrokenSet when an honest program fails or something is left alive."""
        self._zygote = await start_zygote(self._runtime, self._layers, jit=self._jit)
        try:
            await self._control()
            found = await self._run_all(list(wanted))
            await self._control()
            self._look_for_survivors()
            return found
        finally:
            await self._zygote.close()

    async def _run_all(self, wanted: list[Wanted]) -> dict[str, Finding]:
        found: dict[str, Finding] = {}
        crowd = [one for one in wanted if not one.attack.alone]
        for kind, at_once in _AT_ONCE.items():
            part = [one for one in crowd if _kind(one.attack) == kind]
            gate = asyncio.Semaphore(at_once)
            findings = await asyncio.gather(*(self._behind(gate, one) for one in part))
            found |= {one.attack.id: finding for one, finding in zip(part, findings, strict=True)}
        for one in wanted:
            if one.attack.alone:
                found[one.attack.id] = await self._try_on_its_own(one)
            elif found[one.attack.id].shaken:
                found[one.attack.id] = await self._try(one)
        return found

    async def _try_on_its_own(self, one: Wanted) -> Finding:
        """On a zygote that no other task will have where nothing keeps the attack from it."""
        finding = await self._try(one)
        if not one.stopped:
            assert self._zygote is not None
            await self._zygote.close()
        return finding

    async def _behind(self, gate: asyncio.Semaphore, one: Wanted) -> Finding:
        async with gate:
            return await self._try(one)

    async def _try(self, one: Wanted) -> Finding:
        attack = one.attack
        given = json.dumps(self._around.fill(attack.input_for(stopped=one.stopped)))
        first = await self._end(attack, given) if attack.judged in TWICE else None
        return judge(attack, await self._end(attack, given), first, self._layers)

    async def _end(self, attack: Attack, given: str) -> Ending:
        limits = attack.limits
        return await self._perform(
            attack.code,
            given,
            Asked(
                timeout_seconds=limits.timeout_seconds if limits else _TIMEOUT_SECONDS,
                memory_mb=limits.memory_mb if limits else 0,
            ),
        )

    async def _perform(self, code: str, given: str, asked: Asked) -> Ending:
        ceilings = Ceilings(memory_mb=max(Ceilings().memory_mb, asked.memory_mb))
        try:
            job = make_job(TaskRequest(self._runtime, code, given, asked=asked), ceilings, "run")
        except RequestError as error:
            return Ending(Refusal.INVALID_ARGUMENT, None, str(error), "", b"", (), 0.0, 0)
        lines: list[LogLine] = []
        zygote = await self._living_zygote()
        return Ending.of(await perform_on(zygote, job, ceilings, self._layers, lines.append), lines)

    async def _living_zygote(self) -> Zygote:
        assert self._zygote is not None
        if self._zygote.lost:
            await self._zygote.close()
            self._zygote = await start_zygote(self._runtime, self._layers, jit=self._jit)
        return self._zygote

    async def _control(self) -> None:
        for code in _CONTROLS[self._runtime]:
            ending = await self._perform(code, '{"a": 1}', Asked(timeout_seconds=_TIMEOUT_SECONDS))
            if not ending.succeeded or json.loads(ending.output) != {"a": 2}:
                raise BrokenSet(f"an honest program fails under these layers: {ending}")

    def _look_for_survivors(self) -> None:
        assert self._zygote is not None
        zygote = psutil.Process(self._zygote.pid)
        left = _our_processes() - self._known - {zygote.pid, zygote.ppid()}  # the latter is a launcher, or ourselves
        if left:
            raise BrokenSet(f"left alive: {sorted(left)}")


def _kind(attack: Attack) -> str:
    if attack.limits is None:
        return "ordinary"
    return "memory" if attack.family in ("memory", "output") else "clock"


def _our_processes() -> set[int]:
    """All that come from this process and are no zombies; it is whom orphans are handed to."""
    below = psutil.Process().children(recursive=True)
    return {process.pid for process in below if process.status() != psutil.STATUS_ZOMBIE}


def main(argv: list[str]) -> None:
    """One battery."""
    runtime, layer_names, abi, jit = argv
    layers = parse_layers(layer_names)
    if PRIVILEGES in layers:
        confine.forbid_dumps()  # as `langserver run` does
    if int(abi):
        launch._INTERPRETER = ("-I", "-X", "utf8", str(_OLDER_LANDLOCK), abi)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    attacks = {attack.id: attack for attack in load()}
    asked: dict[str, Any] = json.load(sys.stdin)
    wanted = [Wanted(attacks[name], stopped) for name, stopped in asked.items()]
    with world() as around:
        found = asyncio.run(Battery(runtime, layers, around, jit == "1").run(wanted))
    print(json.dumps({name: asdict(finding) for name, finding in found.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
