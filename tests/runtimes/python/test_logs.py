"""Printed lines."""

from __future__ import annotations


def test_lines_in_order_partial_last(run, plain):
    source = "print('a', 1, sep='-')\nprint('b', end='')\nprint('c\\nd', flush=True)\nprint('last', end='')"
    for start in (run, plain):
        assert start(source).logs == [("stdout", "a-1"), ("stdout", "bc"), ("stdout", "d"), ("stdout", "last")]


def test_logs_survive_a_failure(run):
    ran = run("print('before')\n1 / 0")
    assert ran.logs == [("stdout", "before")]
    assert ran.failure.type == "ZeroDivisionError"


def test_print_is_a_value_and_takes_a_file(run):
    source = "import io\ns = io.StringIO()\nf = print\nf('x', file=s)\nlist(map(print, [1]))\nresult = s.getvalue()"
    ran = run(source)
    assert (ran.value, ran.logs) == ("x\n", [("stdout", "1")])


def test_hostile_str_ends_the_task_only(run):
    ran = run("class E:\n    def __str__(self): raise ValueError('no')\nprint(E())")
    assert (ran.failure.type, ran.logs) == ("ValueError", [])


def test_budget_and_long_text(run):
    ran = run("for i in range(1000): print('x' * 100)", log_bytes=2000)
    assert ran.truncated
    assert len(ran.logs) == 16
    assert run("print('y' * 10**7)", log_bytes=20_000).truncated
    unbroken = run("for i in range(100): print('z' * 1000, end='')")
    assert sum(len(text) for _, text in unbroken.logs) == 100_000


def test_logging_warnings_and_traceback_go_to_stderr(run):
    source = """
import logging, traceback, warnings
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
logging.getLogger("x").info("n=%d", 5)
warnings.warn("careful")
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
    logging.exception("failed")
"""
    lines = [text for stream, text in run(source).logs if stream == "stderr"]
    assert lines[:2] == ["INFO n=5", "UserWarning: careful"]
    assert lines[2] == "Traceback (most recent call last):"
    assert '"node.py", line 7' in lines[3]
    assert "ERROR failed" in lines


HOSTILE = """
ran = []
class Line:
    def split(self, *a):
        ran.append("split")
        return [self, self]
    def encode(self, *a): return b"forged"
class Text(str):
    def __radd__(self, other):
        ran.append("radd")
        return Line()
    def encode(self, *a): return b"forged"
"""


def test_of_a_text_what_it_holds(run):
    ran = run(f"{HOSTILE}\nimport sys\nsys.stdout.write(Text('held'))\nresult = ran")
    assert (ran.value, ran.logs) == ([], [("stdout", "held")])


def test_a_failure_is_named_by_what_the_name_holds(run):
    ran = run(f"{HOSTILE}\nclass E(Exception): pass\nE.__name__ = Text('Held')\nraise E('x')")
    assert (ran.failure.type, ran.failure.message) == ("Held", "x")
