"""Public names of the standard library that lead out of a program: real in plain CPython, closed or written anew here.

Each row gives back a piece of what it reached. The policy is tried alone, with nothing behind it that could refuse the
last step, and with all layers.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from types import ModuleType
from typing import Any

import pytest

from langserver.core.outcome import ErrorKind
from langserver.python_runtime import catalog
from langserver.sandbox.layers import POLICY
from langserver.zygote.job import Outcome
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import OneZygote, one_zygote, output
from tests.security.layers import AVAILABLE
from tests.security.public_names import ELSEWHERE, INSTEAD, OUT, SECRET

EVERY = frozenset(name for name, status in AVAILABLE.items() if status.available)
SETS = {"policy alone": frozenset({POLICY}), "all layers": EVERY}

# Runs rows of programs as plain CPython does: on stdin a list of [source, path], on stdout the results.
PLAIN = """
import asyncio, inspect, json, sys, types
results = []
for source, path in json.load(sys.stdin):
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    try:
        exec(compile(source, "<task>", "exec"), vars(module))
        made = module.main(path)
        results.append(asyncio.run(made) if inspect.iscoroutine(made) else made)
    except Exception as error:
        results.append(f"{type(error).__name__}: {error}")
json.dump(results, sys.stdout)
"""


def in_plain_python(rows: list[tuple[str, str]]) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", PLAIN],
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    results: list[Any] = json.loads(done.stdout)
    return results


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("host") / "secret.txt"
    file.write_text(SECRET)
    for folder in (file.parent, *file.parents[1:3]):  # for the user that a root's children become
        folder.chmod(0o755)
    return str(file)


@pytest.fixture(params=SETS)
async def walled(request: pytest.FixtureRequest) -> AsyncIterator[OneZygote]:
    async with one_zygote("python", SETS[request.param]) as supply:
        yield supply


def text_of(outcome: Outcome) -> str:
    """All that a program came to say: its result, its log, its error."""
    said = outcome.verdict.report.output.decode() if outcome.verdict.report else ""
    failure = outcome.verdict.failure
    return said if failure is None else f"{said}\n{failure.type}\n{failure.message}\n{failure.traceback}"


def test_in_plain_python_each_of_them_is_out(path: str) -> None:
    results = in_plain_python([(source, path) for source, _ in OUT.values()])
    held = {
        name: result for (name, row), result in zip(OUT.items(), results, strict=True) if not re.search(row[1], result)
    }
    assert held == {}


async def test_here_none_of_them_is(walled: OneZygote, path: str) -> None:
    got = {}
    for name, (source, evidence) in OUT.items():
        outcome = await walled.run(TaskRequest("python", source, input_json=json.dumps({"path": path})))
        failure, said = outcome.verdict.failure, text_of(outcome)
        assert failure is None or failure.kind is not ErrorKind.CRASHED, name
        if SECRET in said or (failure is None and re.search(evidence, json.loads(said) or "")):
            got[name] = said
    assert got == {}


def hops() -> list[tuple[str, str]]:
    """Each module of the catalog, and each other module that the real one has as a public name."""
    found = []
    for name in catalog.MODULES:
        module = importlib.import_module(name)
        shown = {each.rpartition(".")[2] for each in catalog.MODULES if each.rpartition(".")[0] == name}
        found += [
            (name, key)
            for key, value in vars(module).items()
            if isinstance(value, ModuleType) and not key.startswith("_") and key not in shown
        ]
    return found


def trying(statements: list[str]) -> str:
    """A program whose result is the texts of the modules that it came to hold."""
    tries = "".join(
        f"try:\n    {statement}\n    if repr(held).startswith('<module'): got.append(repr(held))\n"
        "except (ImportError, AttributeError):\n    pass\n"
        for statement in statements
    )
    return f"def main(path):\n    got = []\n{textwrap.indent(tries, '    ')}    return got"


def ways(name: str, key: str) -> list[str]:
    # In this order: the first loads a module of a package that `import name` leaves alone.
    return [f"from {name} import {key} as held", f"import {name} as m; held = m.{key}"]


async def test_no_module_leads_to_another_in_one_hop(walled: OneZygote, path: str) -> None:
    source = trying([way for name, key in hops() for way in ways(name, key)])
    (plain,) = in_plain_python([(source, path)])
    assert len(plain) == 2 * len(hops()) >= 100
    assert output(await walled.run(TaskRequest("python", source, input_json=json.dumps({"path": path})))) == []


async def test_no_other_module_is_had(walled: OneZygote, path: str) -> None:
    late = [f"import {name} as held" for name in ELSEWHERE if name.partition(".")[0] not in catalog.NEVER]
    early = [f"import {name} as held" for name in ELSEWHERE if name in catalog.NEVER]
    assert len(late) + len(early) == len(ELSEWHERE)
    (plain,) = in_plain_python([(trying(late + early), path)])
    assert len(plain) == len(ELSEWHERE)
    request = TaskRequest("python", trying(late), input_json=json.dumps({"path": path}))
    assert output(await walled.run(request)) == []
    for statement in early:
        failure = (await walled.run(TaskRequest("python", trying([statement])))).verdict.failure
        assert failure is not None
        assert failure.kind is ErrorKind.POLICY_VIOLATION, statement


async def test_what_to_use_instead_works(walled: OneZygote, path: str) -> None:
    expected = in_plain_python([(source, path) for source in INSTEAD.values()])
    for (name, source), wanted in zip(INSTEAD.items(), expected, strict=True):
        outcome = await walled.run(TaskRequest("python", source, input_json=json.dumps({"path": path})))
        assert output(outcome) == json.loads(json.dumps(wanted)), name
        assert outcome.events == (), name
