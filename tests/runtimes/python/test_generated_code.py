"""Code that the library makes for a class of the program reads no more than the program itself could."""

from __future__ import annotations

import pytest

CATCH = """
import enum
from dataclasses import dataclass, field, fields, make_dataclass
class Catch:
    def __eq__(self, other):
        got.append(other)
        return True
def failing(act):
    try:
        act()
    except AttributeError as e:
        return e
"""
# Each leaves in `got` what the policy keeps from a program. In plain CPython all of them do.
LEAKS = {
    "foreign objects in a generated method": """
@dataclass
class E:
    obj: object
E.__eq__(failing(lambda: print.nope), AttributeError("x", name="n", obj=Catch()))""",
    "seen by a metaclass": """
kept = {}
class M(type):
    def __setattr__(cls, name, value):
        kept[name] = value
        try:
            super().__setattr__(name, value)
        except AttributeError:
            pass
@dataclass
class E(metaclass=M):
    obj: object
kept["__eq__"](failing(lambda: print.nope), AttributeError("x", name="n", obj=Catch()))""",
    "a library base behind the dataclass": """
@dataclass(init=False)
class E:
    format: object
class S(E, str): pass
class T(E, str): format = Catch()
one, two = S("{0.__code__}"), S("x")
two.__dict__["format"] = Catch()
E.__eq__(one, two)""",
    "a redirecting property of enum": """
class P(enum.property):
    _attr_type = "desc"
    _attr_name = "obj"
class V:
    q = P()
v = V()
v._value_ = failing(lambda: print.nope)
got.append(v.q)""",
    "a redirecting property of enum, by class": """
class P(enum.property):
    _attr_type = "attr"
    _attr_name = "obj"
    _cls_type = failing(lambda: print.nope)
class V:
    q = P()
got.append(V().q)""",
    "a member that hides a descriptor": """
class V:
    def obj(self): return 1
class E(V, enum.Enum):
    obj = 1
    A = failing(lambda: print.nope)
got.append(E.A.obj) if E.A.obj is not E.obj else None""",
    "a generated initialiser on a library object": """
@dataclass
class N:
    name: str
@dataclass
class A:
    x: int
f = fields(A)[0]
N.__dict__["__init__"](f, "changed")
if f.name == "changed": got.append(f)""",
    "text for a field among those of a base": """
class Any:
    def __eq__(self, other): return True
    def __hash__(self): return 1
class Text:
    type, init, kw_only, _field_type = int, True, False, Any()
    repr = compare = hash = False
    def __init__(self, after): self.after = after
    @property
    def name(self):
        self.after -= 1
        return "y" if self.after else "y, *, w=__import__('sys').stdout.write('LEAKED')"
@dataclass
class A:
    x: int
Text.default = Text.default_factory = fields(A)[0].default
for after in range(1, 12):
    for known in (A.__dataclass_fields__, vars(A)["__dataclass_fields__"]):
        known["y"] = Text(after)
    try:
        @dataclass
        class B(A):
            z: int
    except (SyntaxError, TypeError):
        pass""",
    "text for a field handed to a metaclass": """
class Any:
    def __eq__(self, other): return True
    def __hash__(self): return 1
class Text:
    type, init, kw_only, _field_type = int, True, False, Any()
    repr = compare = hash = False
    def __init__(self, after): self.after = after
    @property
    def name(self):
        self.after -= 1
        return "y" if self.after else "y, *, w=__import__('sys').stdout.write('LEAKED')"
@dataclass
class A:
    x: int
Text.default = Text.default_factory = fields(A)[0].default
class M(type):
    def __setattr__(cls, name, value):
        if name == "__dataclass_fields__":
            value["y"] = Text(after)
        try:
            super().__setattr__(name, value)
        except AttributeError:
            pass
for after in range(1, 12):
    try:
        @dataclass
        class B(metaclass=M):
            z: int
    except (SyntaxError, TypeError):
        pass""",
    "text for a field while others are looked at": """
class Default:
    def __get__(self, instance, owner):
        known = owner.__annotations__
        if "b" in known:
            del known["b"]
            known["a,__import__('sys').stdout.write('LEAKED'),self.a"] = int
        return 1
@dataclass(init=False, repr=False)
class A:
    a: int = Default()
    b: int = 2
A() == A()""",
    "text of a signature": """
class B:
    "B(a=sys.nope)\\n--\\n\\n"
try:
    @dataclass(init=False)
    class C(B): pass
except AttributeError as e:
    got.append(e)""",
    "text of a signature that is there": """
class B:
    "B(a=sys.executable)\\n--\\n\\n"
@dataclass(init=False)
class C(B): pass
if "python" in C.__doc__: got.append(C.__doc__)""",
    "a foreign private attribute": """
import asyncio
@dataclass
class E:
    _maxsize: object
got.append(E.__repr__(asyncio.Queue(7)))""",
}


@pytest.mark.parametrize("name", LEAKS)
def test_nothing_leaks(run, name):
    source = CATCH + LEAKS[name]
    tried = "".join(f"    {line}\n" for line in source.strip().splitlines())
    ran = run(
        f"got = []\ntry:\n{tried}except Exception as error:\n    print(repr(error))\nresult = list(map(repr, got))"
    )
    assert ran.value == [], ran.logs
    assert "LEAKED" not in str(ran.logs)


HONEST = """
from dataclasses import dataclass, field, fields, make_dataclass, asdict, replace, astuple
@dataclass(order=True)
class A:
    obj: object
    format: str = "x"
    _own: int = field(default=1, repr=False)
    self: int = 3
    def evaluate(self): return 1
@dataclass(frozen=True, slots=True)
class F:
    mro: int
    items: list = field(default_factory=list)
@dataclass(init=False)
class N: pass
@dataclass
class D(A):
    more: int = 0
    kind: "int" = field(default=2, kw_only=True)
B = make_dataclass("B", [("a", int), ("obj", int, 4)])
a, b = A(1), A(2, "y")
try:
    F(1).mro = 2
except AttributeError as error:
    frozen = str(error)
try:
    A()
except TypeError as error:
    missing = str(error)
result = [
    repr(a), a == A(1), a == b, a == 5, a != D(1), a < b, a >= b, asdict(a), astuple(b), repr(replace(a, format="z")),
    hash(F(1)) == hash(F(1)) if 0 else 0, repr(F(2)), frozen, missing, repr(D(1)), repr(B(1)), D(1) == D(1, kind=2),
    A.__doc__, N.__doc__, D.__doc__.replace("__main__.", ""), B.__doc__, [f.name for f in fields(D)],
    sorted(D.__dataclass_fields__), A.__eq__(a, 3) is NotImplemented, D.__annotations__,
]
"""


def test_honest_dataclasses_are_those_of_cpython(run, plain):
    assert str(run(HONEST.replace("D.__annotations__", "1")).value) == str(
        plain(HONEST.replace("D.__annotations__", "1")).value
    )


def test_enum_members_with_special_names(run, plain):
    source = """
from enum import Enum
class E(Enum):
    obj = "obj"
    format = "gltf"
result = [E.obj.value, E.format.value, E("gltf").name, [e.name for e in E]]
"""
    assert run(source).value == plain(source).value == ["obj", "gltf", "format", ["obj", "format"]]
