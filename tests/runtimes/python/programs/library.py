#: dataclasses: defaults, order, frozen, slots, kw_only, post_init, InitVar, inheritance, replace, asdict
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, asdict, astuple, dataclass, field, fields, is_dataclass, make_dataclass, replace
import typing
@dataclass
class Base:
    id: int
    tags: list = field(default_factory=list)
@dataclass(order=True)
class Item(Base):
    price: float = 1.0
    _note: str = field(default="n", repr=False, compare=False)
    total: float = field(init=False)
    scale: InitVar[int] = 2
    kind: typing.ClassVar[str] = "item"
    def __post_init__(self, scale): self.total = self.price * scale
@dataclass(frozen=True)
class F:
    x: int
    def moved(self, d): return replace(self, x=self.x + d)
@dataclass(slots=True, kw_only=True)
class S:
    a: int
    b: int = 2
@dataclass
class K:
    a: int
    _: KW_ONLY
    b: int = 3
@dataclass(unsafe_hash=True, repr=False, eq=True)
class U:
    a: int
i = Item(1, price=2.5)
try: F(1).x = 2
except FrozenInstanceError as e: said = str(e)
D = make_dataclass("D", [("x", int), ("y", int, field(default=5))])
result = [repr(i), i.total, i == Item(1, price=2.5), i < Item(2), asdict(i), astuple(F(3)), said, repr(F(1).moved(4)), repr(S(a=1)), repr(K(1, b=2)), hash(U(1)) == hash(U(1)), [f.name for f in fields(Item)], is_dataclass(F), D(1).y, Item.kind, i.tags is Item(1).tags, {F(1): 2}[F(1)]]
#: dataclasses nested, with properties, class methods, sorting and json
import json
from dataclasses import asdict, dataclass, field
@dataclass
class Line:
    sku: str
    qty: int
    price: float
    @property
    def total(self) -> float: return self.qty * self.price
@dataclass
class Order:
    lines: list[Line] = field(default_factory=list)
    meta: dict = field(default_factory=dict)
    @classmethod
    def load(cls, rows): return cls([Line(**r) for r in rows])
    @property
    def total(self): return round(sum(l.total for l in self.lines), 2)
o = Order.load([{"sku": "a", "qty": 2, "price": 1.5}, {"sku": "b", "qty": 1, "price": 9.99}])
result = [o.total, json.dumps(asdict(o)), sorted(o.lines, key=lambda l: -l.total)[0].sku]
#: enums of every kind
import enum
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto, unique
class Color(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = 1
    @property
    def pretty(self): return self.name.title()
    @classmethod
    def parse(cls, s): return cls[s.upper()]
    @classmethod
    def _missing_(cls, v): return cls.GREEN if v == "g" else None
class Level(IntEnum):
    LOW = 1
    HIGH = 10
class Perm(Flag):
    R = auto(); W = auto(); X = auto()
    RW = R | W
class S(StrEnum):
    A = auto()
    B = "bee"
class Planet(Enum):
    EARTH = (5.97, 6.37)
    def __init__(self, mass, radius): self.mass, self._r = mass, radius
    def ratio(self): return round(self.mass / self._r, 3)
class Auto(Enum):
    def _generate_next_value_(name, start, count, last): return name.lower()
    X = auto()
    Y = auto()
class Old(str, Enum):
    OK = "ok"
    def __str__(self): return self.value
class N(int, Enum):
    ONE = 1
Fn = Enum("Fn", "P Q")
Fd = Enum("Fd", {"K": "v"})
try:
    @unique
    class Dup(Enum):
        A = 1
        B = 1
except ValueError as e: said = "duplicate" in str(e)
try: Color(9)
except ValueError as e: bad = str(e)
result = [list(Color), Color.RED.pretty, Color.parse("green").value, Color("g").name, Color.CRIMSON is Color.RED, len(Color), Color.RED in Color, [m.name for m in Level if m > 5], Level.LOW + 1, Perm.RW & Perm.R, (Perm.R | Perm.X).value, Perm.W in Perm.RW, S.A, S.B.upper(), Planet.EARTH.ratio(), Auto.Y.value, f"{Old.OK}", Old.OK == "ok", N.ONE + 1, list(Fn), Fd.K.value, said, bad, Color.__members__["RED"].value, Color.RED.__class__ is Color, {Color.RED: 1}[Color.RED], IntFlag("IF", "A B").B.value]
#: named tuples of both kinds
from collections import namedtuple
from typing import NamedTuple
P = namedtuple("P", ["x", "y"], defaults=[5])
class E(NamedTuple):
    name: str
    age: int = 3
    def hello(self): return f"hi {self.name}"
class Sub(namedtuple("Base", "a b")):
    __slots__ = ()
    @property
    def sum(self): return self.a + self.b
p = P(1)
x, y = p
result = [p, p._asdict(), p._replace(y=9), P._fields, P._make([3, 4]), x + y, p[0], E("z").hello(), E("q", 4), E.__annotations__["name"] is str, Sub(1, 2).sum, Sub(1, 2)._replace(a=5), p == (1, 5), P._field_defaults, isinstance(p, tuple), namedtuple("R", "a class", rename=True)._fields]
#: typing: TypedDict, Protocol, Generic, NewType, overload, cast, Literal, Annotated, Self
from typing import Annotated, Any, Callable, Final, Generic, Literal, NewType, Optional, Protocol, Self, TypedDict, TypeVar, Union, cast, get_args, get_origin, overload, runtime_checkable
T = TypeVar("T", bound="Base")
K = TypeVar("K")
class Movie(TypedDict, total=False):
    title: str
    year: int
@runtime_checkable
class Closer(Protocol):
    def close(self) -> None: ...
class Door:
    def close(self): pass
class Stack(Generic[K]):
    def __init__(self) -> None: self._items: list[K] = []
    def push(self, x: K) -> Self: self._items.append(x); return self
    def pop(self) -> K: return self._items.pop()
UserId = NewType("UserId", int)
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x): return x
MAX: Final = 3
def g(cb: Callable[[int], str], m: Optional[Movie] = None, *, k: Literal["a", "b"] = "a", u: Union[int, None] = None, a: Annotated[int, "meta"] = 0, z: "Later" = None) -> dict[str, Any]: return {}
m: Movie = {"title": "x"}
m2 = Movie(title="y", year=1)
result = [isinstance(Door(), Closer), isinstance(1, Closer), Stack[int]().push(1).push(2).pop(), UserId(5), f("s"), m2["year"], cast(int, "s"), get_args(Literal["a", "b"]), get_origin(list[int]) is list, get_args(dict[str, int])[0] is str, Movie.__total__, sorted(Movie.__annotations__), str(Optional[int]), g.__annotations__["k"] == Literal["a", "b"], MAX, Stack.__name__]
#: collections
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
c = Counter("mississippi"); c.update("ss"); c.subtract("i")
d = defaultdict(lambda: defaultdict(int))
for a, b in ["ab", "ab", "cd"]: d[a][b] += 1
g = defaultdict(list)
for w in ["apple", "avocado", "bean"]: g[w[0]].append(w)
q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); q.rotate(1)
o = OrderedDict(a=1, b=2); o.move_to_end("a"); o.popitem(last=False)
cm = ChainMap({"a": 1}, {"a": 2, "b": 3})
d.default_factory = None
result = [c.most_common(2), c["zz"], sum(c.values()), {k: dict(v) for k, v in d.items()}, dict(g), list(q), list(o), cm["a"], cm["b"], (Counter("aab") - Counter("ab")), Counter(a=3) & Counter(a=1), sorted(Counter("ab").elements()), q.popleft(), cm.new_child({"b": 0})["b"]]
#: itertools, functools, operator, math
import functools, itertools, math, operator
result = [list(itertools.chain([1], [2])), list(itertools.islice(itertools.count(5, 2), 3)), list(itertools.combinations("abc", 2)), [list(g) for _, g in itertools.groupby("aabb")], list(itertools.accumulate([1, 2, 3], operator.mul)), list(itertools.zip_longest("ab", "c", fillvalue="-")), list(itertools.product([0, 1], repeat=2)), list(itertools.pairwise("abc")), list(itertools.starmap(pow, [(2, 3)])), list(itertools.takewhile(lambda x: x < 3, [1, 2, 3, 1])), len(list(itertools.permutations("abc"))), functools.reduce(operator.add, [1, 2, 3]), math.gcd(12, 18), math.isclose(0.1 + 0.2, 0.3), math.comb(5, 2), math.floor(-1.5), math.inf > 1, round(math.pi, 3), math.prod([2, 3]), list(itertools.chain.from_iterable(["ab", "c"]))]
#: datetime, decimal, fractions, statistics
from datetime import date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, getcontext, localcontext
from fractions import Fraction
import statistics
d = datetime(2024, 2, 28, 23, 30, tzinfo=timezone.utc)
getcontext().prec = 10
with localcontext() as ctx:
    ctx.prec = 3
    third = Decimal(1) / 3
result = [(d + timedelta(hours=1)).isoformat(), d.strftime("%d/%m/%y %H:%M"), datetime.strptime("2024-01-31", "%Y-%m-%d").weekday(), (date(2024, 3, 1) - date(2024, 2, 1)).days, datetime.fromisoformat("2024-01-01T10:00:00+02:00").astimezone(timezone.utc).hour, time(1, 2).isoformat(), str(timedelta(days=1, seconds=5)), str(third), str(Decimal(1) / 7), str(Decimal("2.345").quantize(Decimal("0.01"), ROUND_HALF_UP)), str(Fraction(1, 3) + Fraction(1, 6)), statistics.mean([1, 2, 3]), statistics.median([1, 3, 2]), statistics.stdev([1, 2, 3]), d.timestamp(), date(2024, 1, 1).isocalendar().week, d.replace(day=1).day, max(date(2024, 1, 1), date(2023, 1, 1)).year, f"{d:%Y-%m}", f"{Decimal('1.50'):.1f}"]
#: contextlib
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, nullcontext, suppress
import asyncio
log = []
@contextmanager
def tag(n):
    log.append("<" + n)
    try: yield n.upper()
    except KeyError: log.append("key")
    finally: log.append(n + ">")
@tag("d")
def decorated(): return log.append("in d")
with tag("a") as a, ExitStack() as st:
    st.enter_context(tag("b")); st.callback(log.append, "cb")
with tag("e"): raise KeyError
with suppress(ValueError): int("x")
with nullcontext(5) as five: pass
decorated()
@asynccontextmanager
async def am():
    log.append("a in"); yield 1; log.append("a out")
async def go():
    async with am() as v: log.append(v)
asyncio.run(go())
result = [a, five, log]
#: csv, io, base64, hashlib, hmac, uuid, textwrap, html, urllib, struct, zlib, heapq, bisect
import base64, bisect, csv, hashlib, heapq, hmac, html, io, struct, textwrap, uuid, zlib
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlparse
rows = list(csv.DictReader(io.StringIO("a,b\n1,\"x,y\"\n")))
out = io.StringIO()
w = csv.DictWriter(out, fieldnames=["a", "b"], lineterminator="\n"); w.writeheader(); w.writerows(rows)
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0)
with io.BytesIO() as b: b.write(b"ab"); data = b.getvalue()
result = [rows, out.getvalue(), base64.b64encode(b"hi").decode(), hashlib.md5(b"a").hexdigest(), hmac.new(b"k", b"m", "sha256").hexdigest()[:8], str(uuid.uuid5(uuid.NAMESPACE_DNS, "a")), textwrap.dedent("  a\n  b"), textwrap.shorten("hello big world", 11), html.escape("<a>"), urlparse("https://a.b/c?d=1#e").netloc, parse_qs("a=1&a=2"), urlencode({"a": "x y"}), quote("a/b c"), urljoin("http://a/b/", "c"), struct.unpack(">HB", b"\x01\x02\x03"), zlib.decompress(zlib.compress(b"z")) == b"z", heapq.nsmallest(2, h), bisect.bisect([1, 3, 5], 3), data]
#: copy of nested data and of objects with hooks
import copy
class A:
    def __init__(self): self.l, self._p = [1], {"k": [2]}
class B(A):
    def __copy__(self): b = B(); b.l = "copied"; return b
    def __deepcopy__(self, memo): b = B(); b.l = copy.deepcopy(self.l, memo) + ["deep"]; return b
class S:
    __slots__ = ("x",)
    def __init__(self, x): self.x = x
a = A(); c = copy.copy(a); d = copy.deepcopy(a)
a.l.append(9)
cyc = [1]; cyc.append(cyc); cc = copy.deepcopy(cyc)
result = [c.l, d.l, d._p, copy.copy(B()).l, copy.deepcopy(B()).l, copy.deepcopy(S([1])).x, cc[1] is cc, copy.deepcopy({"a": (1, [2])}), copy.copy({1})]
#: random with a seed, secrets, time
import random, secrets, time
r = random.Random(42)
random.seed(1); a = [random.randint(1, 100), random.random(), random.choice("abc"), random.sample(range(10), 3)]
l = [1, 2, 3, 4]; random.shuffle(l)
result = [r.randint(1, 6), r.choices([1, 2], k=3), a, l, len(secrets.token_hex(4)), time.time() > 1e9, time.strftime("%Y", time.gmtime(0)), time.perf_counter() <= time.perf_counter()]
#: reading text by lines, sentinel iteration, zip strict, iter with a callable, reversed, slices
import io
f = io.StringIO("a\nb\n\nc")
lines = [l.rstrip("\n") for l in f if l.strip()]
it = iter([1, 2, 0, 3])
try: list(zip([1], [1, 2], strict=True))
except ValueError as e: said = str(e)
s = slice(1, None, 2)
result = [lines, list(iter(lambda: next(it), 0)), said, list(reversed(range(3))), [0, 1, 2, 3][s], s.indices(4), list(enumerate("a")), sum([[1], [2]], []), divmod(-7, 2), -7 // 2, -7 % 3, round(2.5), round(-1.567, 2), 0.1 + 0.2, 10 ** 20, 1e16, float("inf"), int("ff", 16), bin(5), hex(255), oct(8), 0b11, 0o17, 1_000, 3 + 4j, abs(3 + 4j), complex("1+2j").imag, bool([]), 5 .bit_length(), (0.5).as_integer_ratio(), int.from_bytes(b"a", "big")]
#: dictionaries and sets
d = {"b": 1, "a": 2}
d.update(c=3); d |= {"d": 4}
e = {k: d[k] for k in sorted(d)}
keys = d.keys() & {"a", "z"}
result = [d.pop("b"), d.setdefault("x", []), d.get("q", "no"), list(e), d | {"a": 9}, keys, dict.fromkeys("ab", 0), sorted(d.items(), key=lambda kv: str(kv[1])), {v: k for k, v in {"a": 1}.items()}, list(reversed(d)), {1, 2} | {3}, {1, 2} - {2}, {1} < {1, 2}, frozenset([1]) in {frozenset([1])}, {**d, "n": 1}["n"], "a" in d, len(d), dict([("a", 1)]), dict(zip("ab", [1, 2])), max(e, key=e.get), d.popitem(), bool({}), list(dict(a=1, **{"b c": 2}))]
#: lists and tuples
l = [3, 1, 2]
l.sort(); l.insert(0, 9); l.extend(x for x in "ab"); l.remove(9); l.reverse()
m = [[0] * 2 for _ in range(2)]; m[0][1] = 5
k = l[:]; k[1:3] = ["x"]; k[::2] = ["p"] * len(k[::2])
result = [l, m, k, l.index(2), l.count(1), l.pop(), [1, 2] + [3], [1] * 3, (1, 2) < (1, 3), (1,) + (2,), 2 in (1, 2), l == l.copy(), [*range(10)][-3:], list(zip(*[[1, 2], [3, 4]])), sorted("bca", reverse=True), any([]), all([]), [[]] * 2, min([3, 1]), len([1, [2, 3]]), list("ab"), tuple([1]), [1, 2, 3][::-1]]
#: warnings, logging, traceback do not disturb
import logging, traceback, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("old", DeprecationWarning)
try: 1 / 0
except ZeroDivisionError: text = traceback.format_exc().splitlines()[-1]
logger = logging.getLogger("x"); logger.setLevel(logging.ERROR); logger.debug("no")
result = [len(caught), str(caught[0].message), text, logger.isEnabledFor(logging.INFO), logger.name]
#: imports of every form
import collections.abc
import json as j, math
import urllib.parse
from collections import *
from math import pi as π, sqrt
try: import nothing_like_this
except ImportError as e: said = type(e).__name__
try: from math import nothing
except ImportError: none = True
def f():
    import re, string as s
    from json import dumps
    return [re.sub("a", "b", "a"), s.digits, dumps(1)]
result = [j.dumps([1]), math.floor(π), sqrt(4), urllib.parse.quote("é"), isinstance([], collections.abc.Sequence), Counter("a"), f(), said, none]
#: overloads, digits, deprecated names
import typing, sys, warnings, logging, lzma
from typing import overload, get_overloads
@overload
def f(a: int) -> int: ...
@overload
def f(a: str) -> str: ...
def f(a): return a
class C:
    @overload
    def m(self, a: int): ...
    @overload
    def m(self, a: str): ...
    def m(self, a): return a
result = [len(get_overloads(f)), f(1), len(get_overloads(C.m)), C().m(2), get_overloads(len), sys.hexversion > 0, sys.getdefaultencoding()]
typing.clear_overloads()
result.append(get_overloads(f))
before = sys.get_int_max_str_digits(); sys.set_int_max_str_digits(0)
result.append(len(str(10**5000))); sys.set_int_max_str_digits(before)
result.append(warnings.formatwarning("m", UserWarning, "f", 1))
result.append(logging.getLoggerClass() is logging.Logger)
#: 3.13 warnings.deprecated
import warnings
result = []
@warnings.deprecated("old")
def g(): return 3
@warnings.deprecated("old class")
class K:
    def __init__(self, x): self.x = x
class Bare: pass
Bare = warnings.deprecated("bare")(Bare)
class N:
    def __new__(cls, x):
        o = super().__new__(cls); o.x = x; return o
    def __init_subclass__(cls, flag=0, **k): super().__init_subclass__(**k); cls.flag = flag
N = warnings.deprecated("n", category=FutureWarning)(N)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    out = [g(), K(2).x, type(Bare()).__name__, g.__name__, N(3).x]
    class S(K): pass
    class T(N, flag=4): pass
    out += [S(4).x, T(5).x, T.flag]
    try: Bare(1)
    except TypeError as e: out.append(str(e))
result += [out, [(str(x.message), x.category.__name__, x.lineno) for x in w]]
