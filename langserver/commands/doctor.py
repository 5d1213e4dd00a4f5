"""`langserver doctor`: what this host can do, shown by doing it: the self-test and one task a runtime."""

from __future__ import annotations

import os
import platform
import sys
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

from langserver import __version__
from langserver.commands import as_json, selftest_table
from langserver.commands.exits import ExitStatus
from langserver.commands.one_task import perform_on, start_zygote, until_signal
from langserver.commands.present import Colour, Page
from langserver.core.jit import profile
from langserver.errors import StartError
from langserver.limits import Ceilings
from langserver.sandbox.probe import LayerStatus, probe
from langserver.sandbox.selftest import Finding, complaint
from langserver.server.capabilities import with_packages
from langserver.server.fitting import advice, fit
from langserver.settings import Settings
from langserver.zygote.failures import ZygoteError
from langserver.zygote.job import LogLine
from langserver.zygote.launch import Facts
from langserver.zygote.request import RUNTIMES, TaskRequest, make_job

_TRIALS = {"python": "def main():\n    return 6 * 7\n", "js": "function main() { return 6 * 7 }\n"}
_ANSWER = b"42"


@dataclass(frozen=True, slots=True)
class Trial:
    """How one runtime did. `version` is empty when it did not start; `detail` says what happened.

    `profile` is how it executes code and what that costs in safety, empty where there is one way only.
    """

    name: str
    version: str
    ok: bool
    detail: str
    profile: str
    selftest: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Wall:
    """One layer here. `required`: a server with this environment does not start without it.

    A void one can be had and protects nobody: it is neither active nor missing.
    """

    name: str
    active: bool
    required: bool
    detail: str
    void: bool


@dataclass(frozen=True, slots=True)
class Together:
    """What all tasks of a server here may do, and the sum behind it. `problem` is empty where all that is wanted fits.

    No task fits where `max_concurrency` is 0.
    """

    max_concurrency: int
    wanted_concurrency: int
    max_queue: int
    warm_children: int
    memory_bytes: int
    memory_from: str
    account: str
    problem: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the examination showed. `limits` and `together` are those of a server with this environment."""

    ok: bool
    layers: tuple[Wall, ...]
    runtimes: tuple[Trial, ...]
    limits: Ceilings
    together: Together


def doctor(options: Namespace) -> int:
    """Examines this host; returns the exit status. Raises Interrupted."""
    settings = Settings()
    layers = with_packages(probe(), settings)
    walls = tuple(_wall(layer, settings.required_layers) for layer in layers)
    available = frozenset(layer.name for layer in layers if layer.available)
    tried = until_signal(_try_all(available, settings))
    trials = tuple(trial for trial, _ in tried)
    together = _together(settings, {trial.name: facts for trial, facts in tried if facts is not None})
    healthy = available >= settings.required_layers and all(trial.ok for trial in trials)
    found = Findings(healthy and together.max_concurrency > 0, walls, trials, settings.ceilings, together)
    page = Page.of(sys.stdout)
    if options.json:
        page.line(as_json.dumps(_as_object(found)))
    else:
        _show(page, found)
    return ExitStatus.SUCCESS if found.ok else ExitStatus.NO_SANDBOX


def _wall(layer: LayerStatus, required: frozenset[str]) -> Wall:
    active, void = layer.available and not layer.void, bool(layer.void)
    return Wall(layer.name, active, layer.name in required and not void, layer.void or layer.detail, void)


def _together(settings: Settings, facts: Mapping[str, Facts]) -> Together:
    fitted, found = fit(settings, {name: facts[name] for name in settings.runtimes if name in facts})
    return Together(
        max_concurrency=found.tasks,
        wanted_concurrency=found.wanted.tasks,
        max_queue=fitted.max_queue,
        warm_children=found.waiting,
        memory_bytes=found.room.size,
        memory_from=found.room.where,
        account=found.account(),
        problem=advice(found) if found.is_lowered else "",
    )


async def _try_all(layers: frozenset[str], settings: Settings) -> tuple[tuple[Trial, Facts | None], ...]:
    return tuple([await _try(runtime, layers, settings) for runtime in RUNTIMES])


async def _try(runtime: str, layers: frozenset[str], settings: Settings) -> tuple[Trial, Facts | None]:
    ceilings = settings.ceilings
    job = make_job(TaskRequest(runtime, _TRIALS[runtime]), ceilings, "run")
    way = profile(runtime, settings.jit(runtime))
    try:
        zygote = await start_zygote(runtime, layers, settings.packages(runtime), settings.jit(runtime))
    except StartError as error:
        return Trial(runtime, "", False, str(error), way), None
    facts = zygote.facts
    trial = Trial(runtime, zygote.facts.version, False, "", way)
    try:
        findings = await zygote.try_walls(layers)
        trial = replace(trial, selftest=findings)
        if complaint(findings) is not None:
            return replace(trial, detail="the self-test failed, see below"), facts
        outcome = await perform_on(zygote, job, ceilings, layers, _quiet)
    except ZygoteError as error:
        return replace(trial, detail=str(error), selftest=()), facts
    finally:
        await zygote.close()
    blind = f"; {zygote.watch.blind}" if zygote.watch.blind else ""
    judged = outcome.verdict
    if judged.report is not None and judged.report.output == _ANSWER:
        return replace(trial, ok=True, detail=f"a task took {outcome.usage.wall_seconds * 1000:.1f} ms{blind}"), facts
    failure = judged.failure
    said = f"{failure.kind.name}: {failure.message}" if failure else judged.message or "the trial gave a wrong answer"
    return replace(trial, detail=said), facts


def _quiet(_: LogLine) -> None:
    """A trial logs nothing."""


def _as_object(found: Findings) -> dict[str, Any]:
    host = os.uname()
    versions = {
        "version": __version__,
        "python": platform.python_version(),
        "mini_racer": version("mini-racer"),
        "kernel": host.release,
        "machine": host.machine,
    }
    return {**versions, **asdict(found)}


def _show(page: Page, found: Findings) -> None:
    host = os.uname()
    page.line(f"langserver {__version__}, Python {platform.python_version()}, mini-racer {version('mini-racer')}")
    page.line(f"{host.sysname} {host.release}, {host.machine}")
    _heading(page, "Layers")
    for wall in found.layers:
        page.line(f"  {wall.name:<12}{_mark(page, wall)}  {wall.detail}")
    _heading(page, "Runtimes")
    for trial in found.runtimes:
        mark = page.paint("ok     ", Colour.GREEN) if trial.ok else page.paint("FAILED ", Colour.RED)
        page.line(f"  {trial.name:<12}{mark}  {f'{trial.version}: ' if trial.version else ''}{page.safe(trial.detail)}")
        if trial.profile:
            page.line(f"  {'':<12}         {trial.profile}")
    if any(trial.selftest for trial in found.runtimes):
        page.line()
        selftest_table.show(page, {trial.name: trial.selftest for trial in found.runtimes})
    _heading(page, "Limits of a task")
    for name, value in _limits(found.limits):
        page.line(f"  {name:<14}{value}")
    _heading(page, "All tasks together")
    for name, value in _all(found.together):
        page.line(f"  {name:<14}{value}")
    if found.together.problem:
        none = found.together.max_concurrency == 0
        page.line(page.paint(f"  {found.together.problem}", Colour.RED if none else Colour.YELLOW))
    if not found.ok:
        page.line()
        page.line(page.paint("No task is run here as it should be: see above.", Colour.RED))


def _heading(page: Page, text: str) -> None:
    page.line()
    page.line(page.paint(text, Colour.BOLD))


def _mark(page: Page, wall: Wall) -> str:
    if wall.active:
        return page.paint("active ", Colour.GREEN)
    if wall.void:
        return page.paint("VOID   ", Colour.YELLOW)
    return page.paint("MISSING", Colour.RED) if wall.required else page.paint("off    ", Colour.YELLOW)


def _limits(limits: Ceilings) -> list[tuple[str, str]]:
    return [
        ("timeout", f"{limits.default_timeout_seconds} s, at most {limits.max_timeout_seconds} s"),
        ("cpu", f"{limits.cpu_seconds} s" if limits.cpu_seconds else "as the timeout"),
        ("memory", f"{limits.memory_mb} MiB over an idle child"),
        ("output", _size(limits.output_bytes)),
        ("log", _size(limits.log_bytes)),
        ("code", _size(limits.code_bytes)),
        ("input", _size(limits.input_bytes)),
    ]


def _all(together: Together) -> list[tuple[str, str]]:
    lowered = f", lowered from {together.wanted_concurrency}" if together.problem else ""
    return [
        ("at once", f"{together.max_concurrency}{lowered}"),
        ("in the queue", f"{together.max_queue}"),
        ("waiting", f"{together.warm_children} children of each runtime"),
        ("memory", together.account),
    ]


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"
