"""Every program under programs/ gives under the policy what it gives in plain CPython: `result`, and what it prints.

All run in one process on either side, one after the other.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from langserver.python_runtime.compiler import compile_source
from tests.runtimes.python.conftest import loaded
from tests.runtimes.python.elsewhere import in_a_process
from tests.runtimes.python.program_files import programs

PROGRAMS = {each.name: each.source for each in programs()}

PLAIN = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
answers = {}
for name, source in json.load(sys.stdin).items():
    names, said = {"__name__": "__main__"}, io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(source, "program", "exec", dont_inherit=True), names)
            answers[name] = repr(names["result"]), said.getvalue()
    except BaseException as error:
        answers[name] = f"FAILED {type(error).__name__}: {error}", ""
print(json.dumps(answers))
"""


def plainly() -> dict[str, list[str]]:
    command = [sys.executable, "-I", "-X", "utf8", "-c", PLAIN]
    done = subprocess.run(command, input=json.dumps(PROGRAMS), capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def guarded() -> dict[str, list[str]]:
    runtime = loaded(policy=True)
    answers = {}
    said = io.StringIO()
    logs = runtime._builtins["print"].__globals__["STDOUT"]
    logs.write = said.write
    for name, source in PROGRAMS.items():
        said.seek(0)
        said.truncate()
        program = compile_source("node.py", source, policy=True)
        if program.code is None:
            answers[name] = [f"{program.failures[0].message} in line {program.failures[0].line}", ""]
            continue
        names = runtime._globals(program.name, {})
        try:
            exec(program.code, names)
            answers[name] = [repr(names["result"]), said.getvalue()]
        except BaseException as error:
            answers[name] = [f"{type(error).__name__}: {error}", ""]
    return answers


@pytest.fixture(scope="module")
def both() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    return plainly(), in_a_process(guarded)


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_plain_python(both: tuple[dict[str, list[str]], dict[str, list[str]]], name: str) -> None:
    plain, ours = both
    assert not plain[name][0].startswith("FAILED "), "it must run in plain Python"
    assert ours[name] == plain[name]
