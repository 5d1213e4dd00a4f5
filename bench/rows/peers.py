"""Others on the same tasks. Each is what it is without a server in front: ours is a whole call over gRPC."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.calls import Caller, Task
from bench.context import DRIVERS, ROOT, Context
from bench.measure import NotAvailable, NotHere, Ratio, Row, repeat
from bench.rows.baselines import PAUSE_MS
from bench.tasks import INVOICE, TRIVIAL

_PEERS = ROOT / "bench" / "peers"
_MONTY_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
_ISOLATED_VM = _PEERS / "node_modules" / "isolated-vm" / "out" / "isolated_vm.node"
_NODE = shutil.which("node")
_SECONDS = 120

_TASKS = {"trivial": TRIVIAL, "invoice": INVOICE}
_OURS = "ours, {} {}"
_ROW = "{}, {}"


@dataclass(frozen=True, slots=True)
class _Peer:
    """Run by `command`. One that is `warm` takes the number of tasks and prints nanoseconds, another runs one task.

    `needs` must exist; `lack` says so where it does not.
    """

    name: str
    runtime: str
    command: tuple[str, ...]
    warm: bool
    gives_up: str
    needs: Path | None = None
    lack: str = ""


_PEERS_HERE = (
    _Peer(
        "a `python -I` a task",
        "python",
        (sys.executable, "-I", str(_PEERS / "plain.py")),
        False,
        "every protection: a program has the files, the network and the rights of whoever starts it",
    ),
    _Peer(
        "RestrictedPython in the caller's process",
        "python",
        (sys.executable, "-I", str(DRIVERS / "restricted_task.py")),
        True,
        "limits of time and memory, and all behind the language: a loop stops the caller, one hole has all of it",
    ),
    _Peer(
        "pydantic-monty, a session a task",
        "python",
        (str(_MONTY_PYTHON), "-I", str(_PEERS / "monty.py")),
        True,
        "CPython: part of the language, little of its library; nothing of the kernel's is behind the interpreter",
        _MONTY_PYTHON,
        "pydantic-monty is not installed: make bench-peers",
    ),
    _Peer(
        "a `node` a task",
        "js",
        (_NODE or "", str(_PEERS / "plain.mjs")),
        False,
        "every protection, as with python",
        Path(_NODE or "/nowhere"),
        "there is no node",
    ),
    _Peer(
        "isolated-vm, an isolate a task",
        "js",
        (_NODE or "", "--no-node-snapshot", str(_PEERS / "isolated.mjs")),
        True,
        "a process of its own: a hole in V8 has the caller's; and all that is beside the language",
        _ISOLATED_VM,
        "isolated-vm is not installed: make bench-peers",
    ),
)

RATIOS = tuple(
    Ratio(
        f"{task}: {peer.name} over ours",
        _ROW.format(peer.name, task),
        (_OURS.format(peer.runtime, task),),
        f"gives up {peer.gives_up}",
    )
    for task in _TASKS
    for peer in _PEERS_HERE
)


def rows(context: Context) -> list[Row]:
    """A trivial task, and one of two dozen lines; each must give the same output everywhere."""
    found = asyncio.run(_ours(context))
    for name, tasks in _TASKS.items():
        for peer in _PEERS_HERE:
            row = _ROW.format(peer.name, name)
            try:
                found.append(Row(row, _measure(peer, tasks[peer.runtime], context)))
            except NotAvailable as reason:
                found.append(Row(row, missing=str(reason), fault=not isinstance(reason, NotHere)))
    return found


async def _ours(context: Context) -> list[Row]:
    found = []
    async with Caller(context.language_server().address) as caller:
        for name, tasks in _TASKS.items():
            for runtime, task in tasks.items():
                taken = await caller.one_at_a_time(task, context.count(150), pause_seconds=PAUSE_MS / 1000)
                found.append(Row(_OURS.format(runtime, name), tuple(one.ns for one in taken)))
    return found


def _measure(peer: _Peer, task: Task, context: Context) -> tuple[int, ...]:
    if peer.needs is not None and not peer.needs.exists():
        raise NotHere(peer.lack)
    given = json.dumps({"code": task.code, "input": task.input_json, "expected": task.expected})
    if peer.warm:
        return tuple(json.loads(_output(peer, (str(context.count(200)),), given)))

    def once() -> None:
        said = _output(peer, (), given).strip()
        if said != task.expected:
            raise NotAvailable(f"it printed {said[:80]!r}")

    return repeat(context.count(30), once)


def _output(peer: _Peer, arguments: tuple[str, ...], given: str) -> str:
    try:
        ran = subprocess.run(
            (*peer.command, *arguments), input=given, stdout=subprocess.PIPE, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise NotAvailable(f"it took longer than {_SECONDS} s") from None
    if ran.returncode:
        raise NotAvailable(f"it ended with status {ran.returncode}")
    return ran.stdout
