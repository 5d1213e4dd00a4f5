"""Dataclasses whose annotations are text: the marks in them mean what they mean elsewhere."""

from __future__ import annotations

import pytest

MARKED = """
{imports}
@{decorator}
class A:
    x: int
    K: {classvar}[int] = 3
    z: {initvar}[int] = 5
    _: {kw_only}
    y: str = "y"
    def __post_init__(self, z):
        self.x += z
def shown():
    a = A(1, 2, y="w")
    names = [f.name for f in {fields}(A)]
    return [names, a.x, A.K, a.y, repr(a), [f.type for f in {fields}(A)]]
"""
SPELLINGS = [
    ("from dataclasses import *\nfrom typing import ClassVar", "", "ClassVar"),
    ("import dataclasses, typing", "dataclasses.", "typing.ClassVar"),
    ("import dataclasses as dc, typing as t", "dc.", "t.ClassVar"),
    ("from dataclasses import *\nfrom typing import ClassVar as CV\nfrom dataclasses import InitVar", "", "CV"),
]


@pytest.mark.parametrize("name", ["main", "result"])
@pytest.mark.parametrize(("imports", "prefix", "classvar"), SPELLINGS)
def test_marks_in_text(run, plain, imports, prefix, classvar, name):
    source = "from __future__ import annotations" + MARKED.format(
        imports=imports,
        decorator=f"{prefix}dataclass",
        classvar=classvar,
        initvar=f"{prefix}InitVar",
        kw_only=f"{prefix}KW_ONLY",
        fields=f"{prefix}fields",
    )
    source += "main = shown" if name == "main" else "result = shown()"
    expected = [["x", "y"], 3, 3, "w", "A(x=3, y='w')", ["int", "str"]]
    assert run(source).value == expected
    assert plain(source).value == expected


def test_single_annotations_in_text(run, plain):
    source = """
import typing
from dataclasses import dataclass, fields, field
@dataclass
class A:
    a: "typing.ClassVar[int]" = 1
    b: "typing.List[int]" = field(default_factory=list)
    c: "Unknown.ClassVar" = 2
@dataclass
class B(A):
    d: "typing.ClassVar" = 3
    e: "A" = None
result = [[f.name for f in fields(B)], B().b]
"""
    assert run(source).value == plain(source).value == [["b", "c", "e"], []]


def test_library_modules_stay_out_of_reach(run):
    source = """
from __future__ import annotations
import dataclasses, typing
seen = []
class Default:
    def __set_name__(self, owner, name):
        seen.append([repr(typing), hasattr(typing, "sys"), hasattr(dataclasses, "sys")])
    def __get__(self, instance, owner):
        return 1
@dataclasses.dataclass
class A:
    x: int = Default()
    y: typing.ClassVar[int] = 2
result = [seen[0], hasattr(A.__init__, "__globals__"), hasattr(typing, "sys")]
"""
    assert run(source).value == [["<module 'typing'>", False, False], False, False]
