"""A program of a compiled form is the program that was compiled: same result, logs, errors and what is said of them."""

from __future__ import annotations

import marshal
from dataclasses import replace

import pytest

from langserver.core.claims import Report
from langserver.core.outcome import ErrorKind
from langserver.python_runtime.compiler import compile_source
from langserver.python_runtime.forms import form_of
from langserver.wire.channel import FORM_BYTES
from tests.runtimes.python.conftest import Ran, Run
from tests.runtimes.python.program_files import programs
from tests.runtimes.python.test_mistakes import MISTAKES

ASSERTED = "assert [1, 2] == [1,\n  3], 'no'"
# What is read from the code, the source, the name or the tree, once more each.
OTHERS = {
    "an error in the second of two lines": "def f(a,\n      b):\n  return a[\n    b]\nf([1], 5)",
    "an error in a lambda behind text beyond ASCII": "s = 'ä€😀'; f = lambda: s[9]\nf()",
    "a recursion": "def f(n):\n  return f(n + 1)\nf(0)",
    "a chain": "try:\n  {}['k']\nexcept KeyError as e:\n  raise ValueError('v') from e",
    "a group": "raise ExceptionGroup('g', [ValueError(1), KeyError('k')])",
    "an assertion": ASSERTED,
    "a return at the top": "x = inputs['n']\nif x: return x * 2\nprint('none')",
    "an error in a body with a return": "def f(): pass\nx = 1\nif x:\n  return 1 / 0",
    "an await at the top": "async def g(): yield 1\nreturn [n async for n in g()]",
    "main by names": "def main(n, *, missing=3, **rest): return [n, missing, rest]",
    "main that asks too much": "def main(n, nowhere): return n",
    "main behind its own name": "def main(): return __name__\nif __name__ == '__main__': main()",
    "a script": "if __name__ == '__main__': result = 'script'",
    "a refused attribute at run time": "x = getattr((), '__class__')\nx.__subclasses__()",
    "a refused import": "import nowhere",
    "a star import": "from math import *\nresult = [floor(2.5), pi]",
    "the future": "from __future__ import annotations\ndef f(x: Nothing): pass\nresult = f.__annotations__",
    "a module's docstring": '"""Says."""\nresult = __doc__',
    "a pattern": "match inputs:\n  case {'n': int(n)}: result = n\n  case _: result = 'no'",
    "a class": "class A:\n  __slots__ = '_x'\n  def f(self): self._x = 4; return self._x\nresult = A().f()",
    "constants": "result = [1.5, -0.0, 2**70, 'ä', '\\ud800', 3 in {1, 2, 3}, 1e999 > 0, 'x' * 100, (1, (2, 'y'))]",
    "the same constant": "a = 'some text'\ndef f(): return 'some text'\nresult = a is f()",
    "deep nesting": "result = " + "(" * 90 + "1" + ",)" * 90,
    "functions in functions": "\n".join(" " * n + f"def f{n}():" for n in range(18))
    + "\n"
    + " " * 18
    + "pass\nresult = 1",
    "a carriage return": "x = 1\r\ny = x +\\\r\n 0 / 0\r\n",
    "a form feed in a line": "x = 1\n\x0cy = 1 / 0",
    "a byte order mark": "\ufeffresult = 1 / 0",
    "logs": "import sys, logging\nprint('a\\nb', 3)\nprint('e', file=sys.stderr)\nlogging.warning('w')",
    "a warning with its place": "import warnings\nwarnings.warn('careful')\nresult = 1",
    "a result that is none": "result = {1: {2: object()}}",
    "an exit": "raise SystemExit(3)",
}
PROGRAMS = (
    {each.name: each.source for each in programs()}
    | {f"mistake: {source[:60]!r}": source for source, _ in MISTAKES}
    | OTHERS
)


def told(ran: Ran) -> Ran:
    """What came back, without how long it took."""
    assert ran.report is not None
    return replace(ran, report=replace(ran.report, compile_ns=0, run_ns=0), form=b"")


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_that_is_seen_of_a_program_depends_on_it(run: Run, name: str) -> None:
    source, inputs = PROGRAMS[name], {"n": 3, "more": [1]}
    first = run(source, inputs, seed=7, form=b"")
    assert first.form, first.report
    again = run(source, inputs, seed=7, form=first.form)
    assert told(again) == told(first)


def test_some_of_them_fail_and_some_log(run: Run) -> None:
    assert run(OTHERS["an assertion"], {}).failure.type == "AssertionError"
    assert len(run(OTHERS["logs"], {}).logs) >= 4


@pytest.mark.parametrize("source", ["def f(:", "x = f.__code__", "x = " + "(" * 5000, "import subprocess"])
def test_what_does_not_compile_has_no_form(run: Run, source: str) -> None:
    ran = run(source, form=b"")
    assert ran.form == b""
    assert told(ran) == told(run(source))


def test_the_plain_interpreter_has_forms_too(plain: Run) -> None:
    """For reviewers: and none of them comes to a child with the policy, since that is another zygote's."""
    first = plain("x = ().__class__.__name__\nreturn x", form=b"")
    assert plain("x = ().__class__.__name__\nreturn x", form=first.form).value == "tuple"


def test_a_form_over_its_cap_is_not_sent(run: Run) -> None:
    source = "\n".join(f"x = '{number:04}' * 1000" for number in range(1000))
    assert len(source) < 30_000
    program = compile_source("node.py", source, policy=True)
    assert len(form_of(program)) > FORM_BYTES
    ran = run(source + "\nresult = 1", form=b"")
    assert (ran.form, ran.value) == (b"", 1)


def test_what_marshal_does_not_take_has_no_form() -> None:
    deep: object = 1
    for _ in range(3000):
        deep = (deep,)
    program = compile_source("node.py", "x = 1", policy=True)
    code = program.code
    assert code is not None
    assert form_of(replace(program, code=code.replace(co_consts=(deep,)))) == b""


def test_a_form_that_needs_too_much_memory_ends_as_that(run: Run) -> None:
    """A bomb is small and unpacks into gigabytes: within the limits of the child that loads it."""
    bomb = b"(" + (40_000_000).to_bytes(4, "little") + b"N" * 10
    ran = run("x = 1", form=bomb, memory=64 << 20)
    assert (ran.report, ran.status) == (None, 70)


def test_compile_seconds_are_those_of_loading(run: Run) -> None:
    source = "\n".join(f"def f{number}(x): return [x + {number} for x in range(x)]" for number in range(300))
    first = run(source, form=b"")
    again = run(source, form=first.form)
    assert isinstance(first.report, Report)
    assert isinstance(again.report, Report)
    assert 0 < again.report.compile_ns < first.report.compile_ns


def test_a_hostile_form_is_the_same_programs(run: Run) -> None:
    """Nothing about a form is checked: whoever could forge one can run what he likes in that child anyway."""
    code = compile("result = 'forged'", "<task>", "exec")
    ran = run("result = 1", form=marshal.dumps((code, (), False, "__main__")))
    assert ran.value == "forged"


@pytest.mark.parametrize("form", [b"x", b"N", b"\xff" * 100, marshal.dumps((1, 2, 3))])
def test_bytes_that_are_no_form_end_the_child(run: Run, form: bytes) -> None:
    ran = run("result = 1", form=form)
    assert (ran.report, ran.status) == (None, 70)


def test_memory_that_runs_out_while_it_compiles_is_a_failure_as_ever(run: Run) -> None:
    source = "x = [" + "[1], " * 200_000 + "]"
    ran = run(source, form=b"", memory=24 << 20)
    assert ran.form == b""
    assert ran.kind in (ErrorKind.SYNTAX_ERROR, ErrorKind.MEMORY_LIMIT)
