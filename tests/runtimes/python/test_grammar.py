"""What the policy knows of the grammar is what this interpreter has, fields included."""

from __future__ import annotations

import ast
import sys

import pytest

from langserver.python_runtime import grammar
from langserver.python_runtime.policy import Policy


def test_table_is_this_interpreters():
    version = sys.version_info[:2]
    if version > grammar.KNOWN:
        assert grammar.unknown(grammar.table(grammar.KNOWN), grammar.actual()) == grammar.UNKNOWN
    else:
        assert grammar.table(version) == grammar.actual()
        assert grammar.UNKNOWN == {}


def test_every_node_that_a_program_can_hold_is_decided_about():
    """Each has a handler here, or is refused by RestrictedPython's default."""
    handled = {name.removeprefix("visit_") for name in dir(Policy) if name.startswith("visit_")}
    abstract = {
        name
        for name, kind in vars(ast).items()
        if isinstance(kind, type) and issubclass(kind, ast.AST) and kind.__subclasses__()
    }
    never_made = {"type_param", "Interactive", "FunctionType", "TypeIgnore", "Expression"}
    known = grammar.table(grammar.KNOWN)
    assert known.keys() - handled - abstract - never_made - {"alias"} == set()


def test_each_version_adds_to_the_one_before():
    for minor in range(12, grammar.KNOWN[1] + 1):
        older, newer = grammar.table((3, minor - 1)), grammar.table((3, minor))
        assert all(older[name] <= newer[name] for name in older)
        assert grammar.NEWS[3, minor]
        assert older != newer


@pytest.mark.parametrize(
    ("unknown", "source", "lines"),
    [
        ({"Import": frozenset({"names"})}, "x = 1\nimport json", [2]),
        ({"With": frozenset("*")}, "with a: pass\nwith b: pass", [1, 2]),
        ({"FunctionDef": frozenset({"returns"})}, "def f(): pass\ndef g() -> int: pass", [2]),
        ({}, "x = 1", []),
    ],
)
def test_what_is_unknown_is_found_where_it_is_used(unknown, source, lines):
    assert [node.lineno for node in grammar.used_unknown(ast.parse(source), unknown)] == lines


def test_what_is_unknown_is_refused(run, monkeypatch):
    new = {"Import": frozenset({"names"}), "Constant": frozenset({"kind"})}
    monkeypatch.setattr(grammar.used_unknown, "__defaults__", (new,))
    failure = run("x = 1\nimport json").failure
    assert (failure.type, failure.line) == ("PolicyViolation", 2)
    assert "newer" in failure.message
    assert run("x = 1\nresult = x").value == 1
    assert run("x = u'1'").failure.line == 1


def test_unknown_fields_and_nodes_are_told_apart():
    known = {"Import": frozenset({"names"})}
    found = {"Import": frozenset({"names", "is_lazy"}), "Lazy": frozenset(), "New": frozenset({"x"})}
    assert grammar.unknown(known, found) == {
        "Import": frozenset({"is_lazy"}),
        "Lazy": frozenset("*"),
        "New": frozenset({"x"}),
    }
