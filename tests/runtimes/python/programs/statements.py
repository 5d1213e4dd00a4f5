#: augmented assignment to names, attributes, items and slices, targets evaluated once
log = []
class O: pass
o = O(); o.x = 1; o.l = l = [1, 2, 3]
def get(): log.append("get"); return o
def idx(): log.append("idx"); return 0
get().x += 1
get().l[idx()] *= 10
get().l[1:] += [4]
l[0:1] += (9,)
s = "a"; s *= 3
t = (1,); t += (2,)
n = 7; n //= 2; n **= 3; n %= 10; n <<= 2; n |= 1; n &= 29; n ^= 5; n >>= 1
f = 3.0; f /= 2; f -= 1
st = {1}; st |= {2}; st ^= {1, 3}; st -= {3}
result = [o.x, o.l is l, l, log, s, t, n, f, sorted(st)]
#: del of names, attributes, items, slices and several at once
class O: pass
o = O(); o.a = o.b = 1
l = list(range(10)); d = {"a": 1, "b": 2}
x = y = 1
del o.a, l[0], l[::2], d["a"], x, (y)
try: x
except NameError as e: said = str(e)
result = [hasattr(o, "a"), l, d, said]
#: unpacking everywhere
a, *b, c = range(5)
(d, [e, *f]), g = (1, "xyz"), 2
*h, = "ab"
def p(*args, **kw): return [args, sorted(kw.items())]
l = [*b, *"xy", *{1: 2}]
m = {**{"a": 1}, "b": 2, **{"a": 3}}
s = {*[1, 2], *[2]}
for i, (j, *k) in [(1, (2, 3, 4))]: pass
x = y = z = []
x.append(1)
o = [0, 0]; o[0], o[1] = 1, 2
def ret(): return 1, *[2, 3]
result = [a, b, c, d, e, f, g, h, p(1, *[2], k=1, **{"z": 2}, **{"y": 3}), l, m, sorted(s), i, j, k, z, o, ret()]
#: loops with else, break, continue, while and enumerate
out = []
for i in range(5):
    if i == 1: continue
    if i == 4: break
    out.append(i)
else: out.append("never")
for _ in (): pass
else: out.append("else")
n = 3
while n:
    n -= 1
    if n == 1: continue
else: out.append("while else")
while True:
    break
for i, c in enumerate("ab", 1): out.append((i, c))
for (a, b), c in zip([(1, 2)], [3]): out.append(a + b + c)
result = out
#: walrus in conditions, comprehensions and calls
data = [1, 2, 3, 4]
if (n := len(data)) > 3: out = [n]
out += [y for x in data if (y := x * 2) > 4]
while (v := data.pop()) > 2: out.append(v)
def f(x): return x
out.append(f(z := 5) + z)
total = 0
sums = [total := total + x for x in [1, 2, 3]]
result = [out, sums, total, y]
#: global and nonlocal
count = 0
def bump():
    global count, fresh
    count += 1
    fresh = "made"
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    inner(); inner()
    return n
bump()
result = [count, fresh, outer()]
#: match: literals, or, guards, captures, sequences, mappings
def f(x):
    match x:
        case 0 | 1: return "bit"
        case -1: return "minus"
        case "a" "b": return "ab"
        case None: return "none"
        case True: return "true"
        case [1, 2]: return "one two"
        case [x, *rest] if len(rest) > 3: return ["long", x, rest]
        case (a, b, *_): return ["pair", a, b]
        case []: return "empty"
        case {"type": "x", "v": v, **rest}: return ["x", v, rest]
        case {"k": [{"deep": d}]}: return ["deep", d]
        case {}: return "dict"
        case str(s): return ["str", s]
        case int() | float() as n: return ["num", n]
        case _: return "other"
result = [f(x) for x in [0, 1, -1, "ab", None, True, [1, 2], [1, 2, 3, 4, 5], (7, 8, 9), [], {"type": "x", "v": 1, "q": 2}, {"k": [{"deep": 5}]}, {"z": 1}, "q", 2.5, {1}, [9]]]
#: match on classes by position and keyword, dataclasses, named tuples, enums, builtins
from dataclasses import dataclass
from collections import namedtuple
from enum import Enum
@dataclass
class P:
    x: int
    y: int
N = namedtuple("N", "a b")
class C(Enum):
    R = 1
class Own:
    __match_args__ = ("left", "right")
    def __init__(self, l, r): self.left, self.right = l, r
class D:
    a = 1
def f(v):
    match v:
        case P(0, y): return ["P0", y]
        case P(x=x, y=y) if x == y: return ["diag", x]
        case P(): return "P"
        case N(a, b): return ["N", a, b]
        case C.R: return "R"
        case Own(Own(l, _), r): return ["own own", l, r]
        case Own(left=l): return ["own", l]
        case D(a=1): return "D"
        case list([int(i), str(s)]): return ["list", i, s]
        case bool(b): return ["bool", b]
        case int(i): return ["int", i]
        case dict(d): return ["dict", d]
result = [f(v) for v in [P(0, 2), P(3, 3), P(1, 2), N(1, 2), C.R, Own(Own(1, 2), 3), Own(5, 6), D(), [1, "s"], True, 5, {"a": 1}, None]]
#: match evaluates lazily, binds even when a guard fails, works in loops and in class bodies
def f(v):
    match v:
        case int(n): return n
        case Missing(x): return x
def g(v):
    match v:
        case [a, b] if a > b: return "desc"
        case _: return [a, b]
class K:
    match 3:
        case int(x): size = x
found = []
for item in ["a", 1, (2, 3)]:
    match item:
        case str(): continue
        case int(): found.append(item)
        case tuple((p, q)): found.append(p + q); break
result = [f(1), g([1, 2]), K.size, found]
#: with: several managers, suppression, exit order, tuples as targets
log = []
class M:
    def __init__(self, n): self.n = n
    def __enter__(self): log.append("in" + self.n); return (self.n, 1)
    def __exit__(self, t, v, tb): log.append("out" + self.n + (t.__name__ if t else "")); return self.n == "s"
with M("a") as (x, y), M("b"): log.append(x)
with (M("c") as c, M("s")): raise KeyError("k")
try:
    with M("d"): raise ValueError
except ValueError: log.append("through")
result = log
#: try, except, else, finally in every order of leaving
log = []
def f(n):
    try:
        if n == 0: return "ret"
        if n == 1: raise KeyError("k")
        if n == 2: raise ValueError("v")
    except KeyError as e:
        log.append(str(e)); return "key"
    except (ValueError, TypeError) as e:
        log.append(e.args); raise RuntimeError("r") from e
    else:
        log.append("else")
    finally:
        log.append("fin")
    return "end"
out = [f(0), f(1), f(3)]
try: f(2)
except RuntimeError as e: out.append([type(e.__cause__).__name__, str(e)])
for i in range(3):
    try:
        if i == 1: continue
        if i == 2: break
    finally: log.append(i)
try: e
except NameError: log.append("e is gone")
result = [out, log]
#: custom exceptions, chaining, from None, context, notes, args, subclass hooks
class AppError(Exception):
    def __init__(self, code, msg="m"):
        super().__init__(msg)
        self.code = code
    def __str__(self): return f"[{self.code}] {super().__str__()}"
class Sub(AppError): pass
out = []
try:
    try: {}["x"]
    except KeyError as e: raise Sub(4) from e
except AppError as e:
    e.add_note("a note")
    out += [str(e), e.code, e.args, repr(e.__cause__), e.__notes__, e.__suppress_context__]
try:
    try: 1 / 0
    except ZeroDivisionError: raise Sub(5, "n") from None
except Sub as e: out += [e.__cause__, type(e.__context__).__name__, e.__suppress_context__]
try:
    try: raise KeyError
    finally: raise IndexError("i")
except IndexError as e: out.append(type(e.__context__).__name__)
try: raise Sub
except TypeError as e: out.append("code" in str(e))
result = out
#: exception groups and except*
out = []
def f():
    raise ExceptionGroup("g", [ValueError("a"), TypeError("b"), ExceptionGroup("in", [ValueError("c"), KeyError("d")])])
try: f()
except* ValueError as g: out.append(["V", str(g), [str(e) for e in g.exceptions[:1]]])
except* (TypeError, KeyError) as g: out.append(["TK", len(g.exceptions)])
try:
    try: f()
    except* ValueError: pass
except ExceptionGroup as rest: out.append([rest.message, len(rest.exceptions)])
g = ExceptionGroup("x", [ValueError(1), OSError(2)])
a, b = g.split(ValueError)
out += [a.exceptions[0].args, b.exceptions[0].args, g.subgroup(lambda e: isinstance(e, OSError)).message]
class MyGroup(ExceptionGroup):
    def derive(self, excs): return MyGroup(self.message, excs)
out.append(type(MyGroup("m", [ValueError()]).subgroup(ValueError)).__name__)
result = out
#: raise in every form, reraise, assert with message
out = []
try:
    try: raise ValueError
    except ValueError: raise
except Exception as e: out.append(type(e).__name__)
try: assert 1 == 2, "unequal"
except AssertionError as e: out.append(str(e))
try: raise StopIteration(5)
except StopIteration as e: out.append(e.value)
for error in (KeyError("k"), OSError(2, "gone", "f"), UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), SystemExit(3), KeyboardInterrupt()):
    try: raise error
    except BaseException as e: out.append([type(e).__name__, str(e), list(map(str, e.args))])
try: int("x")
except ValueError as e: out.append(str(e))
try: raise PermissionError(1, "mine")
except OSError as e: out += [e.errno, e.strerror, type(e).__name__]
try: "a" + 1
except TypeError as e: out.append(str(e))
result = out
#: if __name__ == "__main__"
out = []
def run(): out.append("ran")
if __name__ == "__main__":
    run()
result = out
#: annotated assignment, type aliases, annotations as data
import typing
x: int = 1
y: "list[str]"
Pair = tuple[int, str]
Alias: typing.TypeAlias = dict[str, Pair]
class A:
    a: int
    b: str = "b"
    c: typing.ClassVar[int] = 1
    d: typing.Optional["A"] = None
def f(p: int, *q: str, r: float = 1.0, **s: bytes) -> Pair: ...
obj = A()
obj.z: int = 5
l = [0]
l[0]: int = 7
result = [x, A.__annotations__["a"] is int, sorted(A.__annotations__), obj.z, l, {k: str(v) for k, v in f.__annotations__.items()}, hasattr(A, "a")]
#: several statements on a line, backslashes, long expressions, semicolons, tabs
a = 1; b = 2
c = a + \
    b
d = (a
     + b
     + c)
if a:
	e = 5
def f(): return 1; pass
result = [a, b, c, d, e, f()]
#: ellipsis, pass, chained comparison, conditional expressions, boolean operators
def stub(): ...
x = 5
result = [stub(), 1 < x <= 5 != 6, "a" if x > 9 else "b" if x > 4 else "c", None or 0 or "z", 1 and [] and 2, not x, x is not None, 3 not in [1], ... is Ellipsis, (1,), ()]
#: star expressions in index, return, yield, for and subscripts
class T:
    def __getitem__(self, k): return k
def g():
    yield 1, *[2, 3]
out = []
for x in *[1], *[2]: out.append(x)
result = [T()[*[1, 2], 3], next(g()), out]
#: async: await, gather, async for, async with, comprehensions, generators
import asyncio
class AM:
    async def __aenter__(self): return "in"
    async def __aexit__(self, *a): return False
class AI:
    def __init__(self, n): self.n = n
    def __aiter__(self): return self
    async def __anext__(self):
        if not self.n: raise StopAsyncIteration
        self.n -= 1
        await asyncio.sleep(0)
        return self.n
async def agen(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)
async def sq(x):
    await asyncio.sleep(0)
    return x * x
async def go():
    out = []
    async with AM() as v: out.append(v)
    async for i in AI(3): out.append(i)
    out.append([i async for i in agen(4) if i % 2])
    out.append({i: await sq(i) async for i in agen(3)})
    out.append(await asyncio.gather(*(sq(i) for i in range(4))))
    out.append([await sq(i) for i in range(3)])
    g = agen(2)
    out.append([await anext(g), await g.asend(None)])
    await g.aclose()
    try: await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError: out.append("late")
    async with asyncio.TaskGroup() as tg: t = tg.create_task(sq(5))
    out.append(t.result())
    q = asyncio.Queue()
    await q.put(1)
    out.append(await q.get())
    return out
result = asyncio.run(go())
