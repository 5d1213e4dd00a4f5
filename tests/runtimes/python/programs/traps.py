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
#: private names as values of patterns
class Color:
    _RED = "r"
    blue = "b"
class Holder:
    _inner = Color
    def of(self, value):
        match value:
            case self._inner._RED: return "red"
            case {self._inner._RED: found, **rest}: return [found, rest]
            case Color.blue: return "blue"
            case [Color._RED, x]: return x
        return None
result = [Holder().of(each) for each in ("r", {"r": 1, "x": 2}, "b", ["r", 5], 7)]
#: attributes changed in place, where they are looked after
class A:
    "Doc."
    __slots__ = ("__dict__", "x")
    def __init__(self): self.x = [1]
a = A()
a.x += [2]
a.__dict__ |= {"y": 1}
a.y += 1
def f(a, b=1): "F."
f.__doc__ += " More."
f.__defaults__ += (2,)
f.__name__ += "_"
class Form:
    format = "text"
    mro = 1
form = Form()
form.format += "!"
form.mro += 1
result = [a.x, a.__dict__, a.y, f.__doc__, f.__defaults__, f.__name__, form.format, form.mro]
#: variables around, of classes and of comprehensions with private attributes
class N:
    def __init__(self, v, n=None):
        self._v, self._n = v, n
    def all(self):
        node, out = self, []
        while node is not None:
            out.append(node._v)
            node = node._n
        return out
    def sums(self, k):
        def add(): return self._v + k
        total = 0
        def more():
            nonlocal total
            total += self._v
            self._v += 1
            return total
        return [add(), more(), more(), [self._v + i for i in range(2)], list(n._v for n in (self,)), (lambda: self._v)()]
    def gen(self):
        me = self
        yield (lambda: me._v)()
        me = N(9)
        yield [me._v for _ in range(1)]
top = N(1, N(2))
top._v += 1
result = [top.all(), top.sums(5), list(top.gen()), top._n._v, [each._v for each in (top, top._n)]]
#: super().__init__ in every place
import collections
class B:
    def __init__(self, x=0): self.x = x
class C(B):
    def __init__(self, x):
        super().__init__(x + 1)
        keep = super().__init__
        keep(x + 2)
class D(collections.UserDict):
    def __init__(self, *a):
        super().__init__(*a)
        init = super(D, self).__init__
        init({"again": 1})
class E(C):
    def __init__(self, x): (lambda self: super(E, self).__init__(x))(self)
class F(B):
    def make(cls): return super().__init__
class P(property):
    def __init__(self, f): super().__init__(lambda self: f(self) + 1)
class Uses:
    @P
    def five(self): return 4
f = F.make(F)
it = F()
f(it, 7)
result = [C(1).x, dict(D({"a": 1})), E(5).x, it.x, Uses().five]
#: typed caches, dispatch by protocols and ABCs, descriptors by hand
import functools, typing, abc
calls = []
@functools.lru_cache(maxsize=8, typed=True)
def half(x, *, y=1):
    "Half."
    calls.append(repr(x))
    return x / 2
out = [half(4), half(4.0), half(4), half(x=4), half(4, y=1), half(4, y=1.0), half.cache_info()[:2], half.__doc__, half.__name__]
out += [half.cache_parameters(), half.__wrapped__(2)]
half.cache_clear()
out.append(half.cache_info().currsize)
class M:
    @functools.lru_cache(typed=True)
    def twice(self, x): return x * 2
m = M()
out += [m.twice(2), m.twice(2), M.twice.cache_info().hits]
@typing.runtime_checkable
class Sized(typing.Protocol):
    def size(self): ...
class Box:
    def size(self): return 1
class Base(abc.ABC): pass
class Other: pass
@functools.singledispatch
def kind(x): return "?"
kind.register(Sized, lambda x: "sized")
kind.register(Base, lambda x: "base")
@kind.register
def _(x: int): return "int"
out += [kind(Box()), kind(1), kind(True), kind(Other()), kind("s")]
Base.register(Other)
out += [kind(Other()), kind.dispatch(bool)(1)]
class G:
    @classmethod
    def who(cls): return cls.__name__
    @staticmethod
    def two(): return 2
    @property
    def three(self): return 3
cm = vars(G)["who"]
out += [cm.__get__(None, G)(), cm.__get__(G())(), vars(G)["two"].__get__(None, G)(), vars(G)["three"].__get__(G()), G.who.__func__(G)]
out += [typing.Literal[1, 2] == typing.Literal[2, 1], typing.Literal["a"].__args__, typing.Annotated[int, 1] == typing.Annotated[int, 1]]
out += [typing.Type[int] == typing.Type[int], typing.Type[int] == typing.Type[str], typing.List[typing.Annotated[int, 2]].__args__[0].__metadata__]
result = out
#: variables of a context, groups that are split, copies of wrapped containers, names of groups
import contextvars, copy, re
from collections import UserDict, UserList
level = contextvars.ContextVar("level", default=0)
token = level.set(3)
out = [level.get()]
level.reset(token)
out += [level.get(), contextvars.copy_context().run(lambda: (level.set(9), level.get())[1]), level.get()]
g = ExceptionGroup("x", [ValueError(1), TypeError(2)])
out += [[str(e) for e in ExceptionGroup.split(g, ValueError)], str(g.subgroup(TypeError)), type(ExceptionGroup.split).__name__]
class U(UserDict):
    def __init__(self, d, more):
        super().__init__(d)
        self.more = more
u = U({"a": [1]}, 2)
v = copy.copy(u)
w = u.copy()
x = UserList([1, 2])
out += [v.data, v.more, v.data is u.data, type(w).__name__, w.more, x.__copy__() == x, list(x.copy())]
p = re.compile("(?P<a>x)(?P<b>y)")
out += [dict(p.groupindex), p.groupindex["b"], p.sub(r"\g<b>\g<a>", "xy")]
result = out
