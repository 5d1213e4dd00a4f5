"""A sink is where the interpreter or C code reads an attribute whose name is data: none gives a closed name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from langserver.core.outcome import ErrorKind
from langserver.python_runtime import names
from langserver.python_runtime.compiler import compile_source

PROGRAM = (Path(__file__).parent / "sinks_program.py").read_text("utf-8")


@pytest.fixture(scope="module")
def plainly() -> Any:
    """What plain CPython gives: the pairs that exist, and by which sink each was reached."""
    code = PROGRAM + "\nimport json\nprint(json.dumps(result))"
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-"], input=code, capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.timeout(600)  # thousands of pairs, in one program
def test_no_sink_gives_a_closed_name(run, plainly):
    _, reached = run(PROGRAM).value
    exist = {tuple(pair) for pair in plainly[0]}
    found = {sink: real for sink, pairs in reached.items() if (real := [p for p in pairs if tuple(p) in exist])}
    assert found == {}


def test_each_sink_is_real(plainly):
    exist, reached = plainly
    assert len(exist) > 300
    missing = {line for line in PROGRAM.split("SINKS = {")[1].split("\n}")[0].split("\n    ") if line.strip()}
    sinks = {line.strip().split('"')[1] for line in missing if line.strip().startswith('"')}
    assert sinks - reached.keys() == set()
    names_reached = {name for pairs in reached.values() for _, name in pairs}
    assert {"gi_frame", "__globals__", "tb_frame", "__reduce_ex__", "mro", "get_loop", "_convert_"} <= names_reached


WRITTEN = {
    "read": "x = o.{n}",
    "call": "o.{n}()",
    "write": "o.{n} = 1",
    "augmented": "o.{n} += 1",
    "delete": "del o.{n}",
    "for target": "for o.{n} in []: pass",
    "with target": "with o as o.{n}: pass",
    "annotated": "o.{n}: int = 1",
    "unpacked": "a, *o.{n} = 1, 2",
    "pattern": "match o:\n  case object({n}=x): pass",
    "pattern value": "match o:\n  case o.{n}: pass",
    "method": "class A:\n  def {n}(self): pass",
    "field": "class A:\n  {n} = 1",
    "annotated field": "class A:\n  {n}: int",
    "class in a class": "class A:\n  class {n}: pass",
    "import in a class": "class A:\n  import json as {n}",
    "f-string": "x = f'{{o.{n}}}'",
    "f-string spec": "x = f'{{1:{{o.{n}}}}}'",
    "decorator": "@o.{n}\ndef f(): pass",
    "default": "def f(x=o.{n}): pass",
    "annotation": "def f(x: o.{n}): pass",
    "lambda": "f = lambda: o.{n}",
    "comprehension": "x = [o.{n} for o in []]",
    "base": "class A(o.{n}): pass",
    "keyword of a class": "class A(metaclass=o.{n}): pass",
    "handler": "try: pass\nexcept o.{n}: pass",
    "deep": "x = o.a[0].b().{n}.c",
    "match args": "class A:\n  __match_args__ = ('{n}',)",
}
CLOSED = sorted(names.FRAME_NAMES | {"__globals__", "__code__", "__closure__", "__builtins__", "__reduce_ex__"})


@pytest.mark.parametrize("form", WRITTEN)
def test_no_form_of_source_has_a_closed_name(form):
    for name in CLOSED:
        source = WRITTEN[form].replace("{n}", name).replace("{{", "{").replace("}}", "}")
        program = compile_source("node.py", source, policy=True)
        assert program.code is None, name
        assert {failure.kind for failure in program.failures} == {ErrorKind.POLICY_VIOLATION}
        assert all(failure.line and failure.column and failure.hint for failure in program.failures), program.failures
