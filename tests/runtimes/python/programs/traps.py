#: annotations stay objects without the future import
from dataclasses import dataclass, fields
from functools import singledispatch
@dataclass
class A:
    x: int
@singledispatch
def f(v): return "any"
@f.register
def _(v: int): return "int"
def g(a: str) -> list: ...
result = [fields(A)[0].type is int, f(1), f("s"), g.__annotations__["a"] is str]
#: and are text with it
from __future__ import annotations
from dataclasses import dataclass, fields
@dataclass
class A:
    x: int
    y: list[Later] = None
class Later: pass
result = [fields(A)[0].type, A(1), A.__annotations__]
#: what is missing raises, and can be asked for
class A:
    a = None
out = []
try: A().b
except AttributeError as e: out.append([str(e), e.name])
try: getattr(A(), "_c")
except AttributeError as e: out.append(str(e))
result = [out, hasattr(A(), "a"), hasattr(A(), "b"), getattr(A(), "b", 5), getattr(A(), "a", 5)]
#: ranges, lists and tuples of any length
result = [len(range(5000)), sum(range(10 ** 6)), len(list(range(3000))), tuple(range(1500))[-1], list("ab") + [1], isinstance(list(), list)]
#: one's own instances, library objects and functions take attributes
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import getcontext
class Box: pass
b = Box(); b.x = 1; b.__dict__["y"] = 2
c = Counter("aab"); c["z"] += 2
d = defaultdict(int); d["k"] += 1
q = deque([1, 2]); q[0] = 5; del q[1]
o = OrderedDict(); o["a"] = 1
getcontext().prec = 5
def fn(): return fn.label
fn.label = "l"
l = [1, 2, 3]; l[0], l[1:] = 9, [8]
result = [b.x + b.y, c["z"], d["k"], list(q), dict(o), getcontext().prec, fn(), l]
#: += keeps the object, and looks at its key once
calls = []
def k(): calls.append(1); return "k"
x = y = [1]
x += [2]
d = {"k": 1}
d[k()] += 1
t = ([1],)
try: t[0] += [2]
except TypeError: kept = t[0]
result = [x is y, y, d, len(calls), kept]
#: print as a default, a variable called printed, logs of nested functions in order
def outer(log=print):
    log("first")
    def inner(): log("second", "a", sep="-"); print("third", flush=True)
    inner()
    printed = ["fourth"]
    print(*printed)
outer()
result = None
#: class keywords and metaclasses
class Meta(type):
    def __new__(mcs, name, bases, ns, **kw): return super().__new__(mcs, name, bases, {**ns, "kw": sorted(kw)})
    def __init__(cls, *a, **kw): super().__init__(*a)
class A(metaclass=Meta, a=1, b=2): pass
class B:
    def __init_subclass__(cls, tag="none"): cls.tag = tag
class C(B, tag="t"): pass
result = [A.kw, C.tag, type(A).__name__]
#: asyncio runs without sockets or threads
import asyncio
async def work(n):
    await asyncio.sleep(0.001 * n)
    return n
async def go():
    done = [await each for each in asyncio.as_completed([work(2), work(1)])]
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(5): await work(0)
    return [done, await asyncio.gather(work(1), work(2)), loop.time() > 0]
result = asyncio.run(go())
