"""Which variables may be read twice: those that only the running frame can bind."""

from __future__ import annotations

import ast

import pytest

from langserver.python_runtime import plant
from langserver.python_runtime.policy import Policy

METHOD = """
class K:
    def f(self, other):
        local = other
        {}
"""


def is_inlined(source: str) -> bool:
    """Whether the one private attribute of `source` is tested in place; else the guard is called with its object."""
    tree = Policy(source.split("\n")).visit(ast.parse(source))
    return any(isinstance(node, ast.Name) and node.id in {plant.PLAIN, plant.USER} for node in ast.walk(tree))


@pytest.mark.parametrize(
    "statement",
    [
        "self._x",
        "local._x",
        "self._x = 1",
        "self.x = 1",
        "del other._x",
        "[each._x for each in other]",
        "(self._x for each in other)",
        "lambda: self._x",
        "lambda it: it._x",
        "super().__init__()",
    ],
)
def test_a_variable_of_the_frame_costs_one_look_up(statement):
    assert is_inlined(METHOD.format(statement))


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\nx._y",
        "x = 1\nx.y = 1",
        "class K:\n    z = 1\n    z._y",
        "def f():\n    global x\n    x = 1\n    x._y",
        "def f():\n    x._y",
        "def f(x):\n    def g():\n        nonlocal x\n        x = 1\n    x._y",
        "def f():\n    def g():\n        nonlocal x\n        x = 1\n    x = 1\n    x._y",
        "def f(x):\n    def g():\n        nonlocal x\n        x._y",
        "def f():\n    [x for x in ()]\n    x._y",
        "def f():\n    lambda: (x := 1)\n    x._y",
        "def f():\n    class K:\n        x = 1\n    x._y",
        "def f(a=x._y):\n    x = 1",
        "def f(x):\n    yield lambda: x._y\n    x = 1",
        "async def f(x):\n    g = lambda: x._y\n    x = 1",
        "def f(x):\n    class K:\n        x._y",
        "class K:\n    def f(self):\n        [super().__init__ for _ in ()]",
        "class K:\n    def f():\n        super().__init__",
        "class K:\n  def f(self):\n    def g():\n      nonlocal self\n      self = 1\n    super().__init__",
        "[o._y for o.x in ()]",
        "[o for o._y in ()]",
        "(f())._y",
    ],
)
def test_what_something_else_may_bind_is_read_once(source):
    assert not is_inlined(source)
