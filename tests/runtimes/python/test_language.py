"""Ordinary programs: under the policy they must give what plain CPython gives."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "private attributes and properties": """
class Account:
    _count = 0
    def __init__(self):
        self._balance = 1
        self.__secret = 2
        Account._count += 1
    @property
    def balance(self):
        return self._balance + self.__secret
    @balance.setter
    def balance(self, value):
        self._balance = value
def main():
    a = Account()
    a.balance = 10
    a._balance += 5
    return [a.balance, Account._count, a._Account__secret, vars(a)]
""",
    "in-place operators keep the object and evaluate the target once": """
calls = []
class Box: pass
box = Box()
box.items = alias = [1]
def get():
    calls.append(1)
    return box
def main():
    get().items += [2]
    d = {"a": alias}
    d[calls.append(2) or "a"] += [3]
    return [alias, box.items is alias, calls]
""",
    "inheritance, super, class methods": """
class Base:
    def __init__(self, x): self.x = x
    @classmethod
    def make(cls): return cls(1)
    @staticmethod
    def twice(x): return 2 * x
    def __repr__(self): return f"{type(self).__name__}({self.x})"
class Child(Base):
    def __init__(self, x):
        super().__init__(x + 1)
        Base.__init__(self, self.x + 1)
    def twice(self, x): return super().twice(x) + 1
def main():
    c = Child.make()
    return [repr(c), c.twice(3), c.__class__.__name__, [k.__name__ for k in Child.__mro__], isinstance(c, Base)]
""",
    "metaclasses": """
seen = {}
class Meta(type):
    def __new__(mcs, name, bases, namespace, **options):
        made = super().__new__(mcs, name, bases, namespace)
        seen[name] = options
        return made
    def __init__(cls, name, bases, namespace, **options):
        super().__init__(name, bases, namespace)
    def __call__(cls, *args):
        if not hasattr(cls, "_only"):
            cls._only = super().__call__(*args)
        return cls._only
class One(metaclass=Meta, flag=1):
    def __init__(self): self.x = 1
def main():
    return [seen, One() is One(), isinstance(One, type), type(One) is Meta, type(type) is type]
""",
    "dataclasses": """
from dataclasses import dataclass, field, asdict, astuple, replace, fields
@dataclass(order=True)
class P:
    x: int
    y: list = field(default_factory=list)
    _z: int = 0
    def __post_init__(self): self._z = self.x * 2
@dataclass(frozen=True, slots=True)
class F:
    a: int
    def __post_init__(self): object.__setattr__(self, "a", self.a + 1)
def main():
    p = P(1, [2])
    try:
        F(1).a = 3
    except AttributeError as error:
        name = type(error).__name__
    return [asdict(p), astuple(p), repr(replace(p, x=5)), [f.name for f in fields(P)], P(1) < P(2), F(1).a, name]
""",
    "enums and named tuples": """
from enum import Enum, IntEnum, Flag, auto
from collections import namedtuple
from typing import NamedTuple
class Color(Enum):
    RED = 1
    BLUE = 2
    def __init__(self, n): self.double = n * 2
    @classmethod
    def _missing_(cls, value): return cls.RED
class Level(IntEnum):
    LOW = auto()
class Bits(Flag):
    A = auto()
    B = auto()
Point = namedtuple("Point", "x y", defaults=[0])
class Row(NamedTuple):
    a: int
    b: str = "x"
    def both(self): return f"{self.a}{self.b}"
def main():
    match Row(1):
        case Row(a, b="x"):
            found = a
    match Point(3):
        case Point(x, y):
            found += x + y
    return [Color(9).name, Color.BLUE.double, Level.LOW + 1, (Bits.A | Bits.B).value, Point(1)._asdict(),
            Point(1)._replace(x=4), Row(1).both(), found, Row._fields]
""",
    "matching in a class body": """
import enum, types
class C:
    match None:
        case types.CodeType():
            found = "code"
        case types.NoneType():
            found = "none"
class E(enum.Enum):
    match 1:
        case types.CodeType():
            A = 1
        case int(real=x):
            A = x
result = [C.found, [name for name in vars(C) if not name.startswith("__")], list(E.__members__)]
""",
    "matching": """
from datetime import date
class Node:
    __match_args__ = ("left", "right")
    def __init__(self, left, right): self.left, self.right = left, right
def kind(x):
    match x:
        case {"type": "a", "n": int(n), **rest} if n > 1: return ["a", n, rest]
        case [1, *others]: return others
        case Node(Node(a, b), c): return [a, b, c]
        case date(year=y): return y
        case str() | bytes() as text: return len(text)
        case None: return "none"
        case _: return "other"
def main():
    return [kind(x) for x in ({"type": "a", "n": 2, "z": 0}, [1, 2, 3], Node(Node(1, 2), 3), date(2020, 1, 2), "abc",
                              None, 1.5)]
""",
    "closures, generators, comprehensions, walrus, try": """
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
def numbers():
    got = yield 1
    try:
        yield from [got, 2]
    finally:
        log.append("closed")
log = []
def main():
    step = counter()
    step()
    g = numbers()
    values = [next(g), g.send(7), next(g)]
    g.close()
    try:
        try:
            raise KeyError("k")
        except KeyError as error:
            raise ValueError("v") from error
    except ValueError as error:
        log.append(type(error.__cause__).__name__)
    else:
        log.append("never")
    squares = {x: y for x in range(3) if (y := x * x) < 4}
    return [step(), values, log, squares, [*"ab", *(1, 2)], (lambda *a, k=1, **kw: [a, k, kw])(1, z=2)]
""",
    "formatting": """
import operator
class Thing:
    def __init__(self): self.name, self._hidden, self.format = "n", "h", "csv"
def main():
    t = Thing()
    return ["{0.name} {1[a]:>5} {x!r}".format(t, {"a": 1}, x="q"), "{} {:{w}.{p}f}".format(1, 2.5, w=8, p=2),
            "{a}".format_map({"a": 1}), f"{t.name!r:>6} {t._hidden} {3=}", "%s %(a)s"[:2] % 1, t.format,
            "{0._hidden}".format(t), operator.attrgetter("name", "_hidden")(t), operator.methodcaller("upper")("x")]
""",
    "functools": """
import functools
def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    wrapper.calls = 1
    return wrapper
@logged
def add(a, b=1):
    "Adds."
    return a + b
class K:
    n = 0
    @functools.cached_property
    def once(self):
        K.n += 1
        return K.n
    @functools.lru_cache(maxsize=None)
    def slow(self, x): return x * 2
@functools.total_ordering
class V:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
@functools.singledispatch
def show(x): return "any"
@show.register
def _(x: int): return "int"
@show.register(list)
def _(x): return "list"
def main():
    k = K()
    return [add(1), add.__name__, add.__doc__, add.__wrapped__(1, 2),
            add.calls, k.once + k.once, k.slow(4),
            V(2) >= V(1), show(1), show([]), show("s"),
            functools.reduce(lambda a, b: a + b, [1, 2]), functools.partial(add, 5)(6)]
""",
    "copying": """
import copy
class Node:
    def __init__(self): self.items, self._next = [1, [2]], self
class Tagged(dict):
    pass
class Slotted:
    __slots__ = ("a",)
    def __init__(self): self.a = [1]
def main():
    n = Node()
    shallow, deep = copy.copy(n), copy.deepcopy(n)
    t = Tagged(x=[1])
    t.label = "l"
    u = copy.deepcopy(t)
    s = copy.deepcopy(Slotted())
    return [shallow.items is n.items, deep.items == n.items, deep.items is n.items, deep._next is deep, u, u.label,
            u["x"] is t["x"], type(u).__name__, s.a, copy.deepcopy((1, [2])), copy.copy({1: 2})]
""",
    "typing and abstract classes": """
from __future__ import annotations
from abc import ABC, abstractmethod
from typing import Generic, Optional, Protocol, TypedDict, TypeVar, get_args, get_origin
from collections.abc import Mapping
T = TypeVar("T")
class Box(Generic[T]):
    def __init__(self, x: T) -> None:
        self._x: Optional[T] = x
    def get(self) -> T: return self._x
class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...
class Square(Shape):
    def area(self): return 4
class Sized(Protocol):
    def size(self) -> int: ...
class Row(TypedDict, total=False):
    id: int
class View(Mapping):
    def __init__(self, d): self._d = d
    def __getitem__(self, k): return self._d[k]
    def __iter__(self): return iter(self._d)
    def __len__(self): return len(self._d)
def main():
    try:
        Shape()
    except TypeError as error:
        text = "abstract" in str(error)
    return [Box(3).get(), Square().area(), text, Row(id=1), dict(View({"a": 1})), get_args(dict[str, int])[1] is int,
            get_origin(list[int]) is list, View({"a": 1}).get("b", 5)]
""",
    "exceptions": """
class AppError(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code
        self._detail = "d"
def main():
    out = []
    try:
        raise AppError("bad", code=7)
    except AppError as error:
        error.add_note("note")
        error.extra = 1
        out += [str(error), error.code, error._detail, error.args, error.__notes__]
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as group:
        out.append(len(group.exceptions))
    except* TypeError:
        out.append("type")
    try:
        None.nothing
    except AttributeError as error:
        out.append(str(error))
    try:
        import not_there_at_all
    except ImportError:
        out.append("missing")
    return out
""",
    "async": """
import asyncio
class Session:
    async def __aenter__(self): return self
    async def __aexit__(self, *exc): pass
    def __aiter__(self): return self.pages()
    async def pages(self):
        for i in range(3):
            await asyncio.sleep(0)
            yield i
async def work(i):
    await asyncio.sleep(0.001 * (3 - i))
    return i * i
async def main():
    async with Session() as s:
        pages = [p async for p in s]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work(i)) for i in range(3)]
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.001)
    except TimeoutError:
        pages.append("late")
    queue = asyncio.Queue()
    await queue.put(1)
    return [pages, await asyncio.gather(*map(work, range(3))), [t.result() for t in tasks], await queue.get()]
""",
    "standard library tour": """
import base64, bisect, calendar, csv, datetime, decimal, hashlib, heapq, html, io, itertools, json, math, random, re
import statistics, string, textwrap, urllib.parse, uuid, zlib, collections
def main():
    rows = list(csv.DictReader(io.StringIO("a;b\\n1;2\\n"), delimiter=";"))
    decimal.getcontext().prec = 5
    rng = random.Random(3)
    return [rows, str(decimal.Decimal(1) / 3), base64.b64encode(b"x").decode(), hashlib.md5(b"x").hexdigest(),
            datetime.datetime.strptime("31 Jan 2024", "%d %b %Y").isoformat(), math.isqrt(17), rng.randint(1, 9),
            re.sub(r"(?P<d>\\d)", r"<\\g<d>>", "a1"), statistics.mean([1, 2]), textwrap.shorten("a b c d", 5),
            urllib.parse.urlparse("http://h:1/p?q=1").port, str(uuid.uuid5(uuid.NAMESPACE_DNS, "x")),
            zlib.decompress(zlib.compress(b"x")).decode(), html.escape("<"), calendar.monthrange(2024, 2)[1],
            string.Template("$a").substitute(a=1), json.loads('{"a": [1.5, null]}'), heapq.nsmallest(1, [3, 1]),
            list(itertools.pairwise("abc")), bisect.bisect([1, 3], 2), collections.Counter("aab").most_common(1),
            "x".encode("utf-16-le").hex(), b"\\xe9".decode("latin-1"), "b\\u00fc.example".encode("idna").decode()]
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_policy_changes_no_result(run, plain, name):
    guarded, unguarded = run(PROGRAMS[name]), plain(PROGRAMS[name])
    assert guarded.value == unguarded.value


def test_one_task_leaves_nothing_to_the_next(run):
    dirty = (
        "import decimal, random\ndecimal.getcontext().prec = 3\nrandom.seed(1)\nresult = str(decimal.Decimal(1) / 3)"
    )
    assert run(dirty).value == "0.333"
    assert len(run("import decimal\nresult = str(decimal.Decimal(1) / 3)").value) == 30


def test_random_is_fresh_or_seeded(run, plain):
    source = "import random\nresult = [random.random(), random.randrange(10**9)]"
    for start in (run, plain):
        assert start(source).value != start(source).value
        assert start(source, seed=5).value == start(source, seed=5).value
    unseeded = "import uuid, secrets\nresult = [str(uuid.uuid4()), secrets.token_hex(8)]"
    assert run(unseeded, seed=5).value != run(unseeded, seed=5).value


def test_encoding_that_is_not_loaded_is_unknown(run):
    assert run("result = 'é'.encode('shift_jis', 'replace').decode()").value == "?"
    assert run("'x'.encode('cp037')").failure.type == "LookupError"


def test_time_zone_is_the_tasks(run):
    source = "import time, datetime\n"
    source += "result = [time.strftime('%H', time.localtime(0)), datetime.datetime.fromtimestamp(0).hour]"
    assert run(source, zone="Asia/Tokyo").value == ["09", 9]
    assert run(source).value == ["00", 0]


def test_seeds_give_the_same_numbers_and_each_its_own(run):
    def numbers(seed):
        return run("import random\nresult = [random.random() for _ in range(3)]", seed=seed).value

    assert numbers(5) == numbers(5) == [0.6229016948897019, 0.7417869892607294, 0.7951935655656966]
    assert len({tuple(numbers(seed)) for seed in (5, -5, 0, -1, 1, 2**63 - 1, -(2**63))}) == 7
