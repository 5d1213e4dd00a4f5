#: parameters of every kind
def f(a, /, b, c=3, *args, d, e=5, **kw): return [a, b, c, args, d, e, kw]
def g(a, b=2, /): return a + b
def h(*, k): return k
out = [f(1, 2, d=4), f(1, 2, 3, 4, 5, d=6, z=7), g(1), h(k=1)]
try: g(a=1)
except TypeError as e: out.append(str(e))
try: h(1)
except TypeError as e: out.append(str(e))
try: f(1)
except TypeError as e: out.append(str(e))
result = out
#: defaults are made once, closures see later values
def f(x, acc=[]): acc.append(x); return acc
fs = [lambda: i for i in range(3)]
gs = [lambda i=i: i for i in range(3)]
f(1)
result = [f(2), [g() for g in fs], [g() for g in gs], f.__defaults__]
#: decorators: plain, with arguments, stacked, of classes, as classes
import functools
log = []
def logged(fn):
    @functools.wraps(fn)
    def wrapper(*a, **k):
        log.append(fn.__name__)
        return fn(*a, **k)
    wrapper.calls = 0
    return wrapper
def times(n):
    def deco(fn):
        return lambda *a: [fn(*a) for _ in range(n)]
    return deco
class Memo:
    def __init__(self, fn): self.fn, self.cache = fn, {}; functools.update_wrapper(self, fn)
    def __call__(self, *a):
        if a not in self.cache: self.cache[a] = self.fn(*a)
        return self.cache[a]
    def __get__(self, obj, owner=None): return functools.partial(self, obj)
def add_repr(cls):
    cls.__repr__ = lambda self: f"{type(self).__name__}!"
    return cls
@logged
@times(2)
def f(x): return x + 1
@Memo
def fib(n):
    "Fibonacci."
    return n if n < 2 else fib(n - 1) + fib(n - 2)
@add_repr
class A:
    @logged
    def m(self): return "m"
    @Memo
    def k(self): return "k"
handlers = {}
def on(name): return lambda fn: handlers.setdefault(name, fn)
@on("x")
def hx(): return "hx"
@(lambda f: f)
def odd(): return 1
result = [f(1), fib(30), fib.__doc__, fib.__name__, repr(A()), A().m(), A().k(), log, handlers["x"](), odd(), A.m.__name__, A.m.__wrapped__.__name__]
#: attributes of functions
def f(a: int, b=2, *, c=3) -> int:
    "Doc."
    f.calls += 1
    return f.calls
f.calls = 0
f.__doc__ = "New."
f._private = 1
f(1); f(2)
f.__name__ = "renamed"
result = [f.calls, f.__doc__, f.__name__, f._private, f.__defaults__, f.__kwdefaults__, sorted(f.__annotations__), f.__dict__, f.__module__ == __name__]
#: generators: send, throw, close, return values, yield from
def g():
    got = []
    try:
        while True:
            try: got.append((yield len(got)))
            except KeyError: got.append("key")
    except GeneratorExit: log.append(got); raise
def sub():
    x = yield 1
    return x
def deleg():
    v = yield from sub()
    yield ["got", v]
    return "done"
def wrap():
    r = yield from deleg()
    yield r
log = []
it = g()
out = [next(it), it.send("a"), it.throw(KeyError), it.send("b")]
it.close()
w = wrap(); out += [next(w), w.send(5), next(w), next(w, "end")]
def count(n):
    while n: yield n; n -= 1
out += [list(count(3)), sum(count(4)), list(x * y for x in count(2) for y in count(2)), [*count(2)]]
try: next(iter(count(0)))
except StopIteration as e: out.append(e.value)
result = [out, log]
#: recursion, mutual recursion, inner helper functions
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
def hanoi(n, a, b, c): return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)
def perms(s):
    def go(rest, acc):
        if not rest: out.append(acc)
        for i, ch in enumerate(rest): go(rest[:i] + rest[i + 1:], acc + ch)
    out = []
    go(s, "")
    return out
def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)
try: (lambda f: f(f))(lambda f: f(f))
except RecursionError as e: said = type(e).__name__
result = [even(10), hanoi(5, "a", "b", "c"), perms("abc"), deep(500), said]
#: lambdas, higher-order functions, partial, reduce, sorted keys
from functools import cmp_to_key, lru_cache, partial, reduce, singledispatch, total_ordering
compose = lambda *f: reduce(lambda a, b: lambda x: b(a(x)), f)
@lru_cache(maxsize=None)
def fact(n): return 1 if n < 2 else n * fact(n - 1)
@singledispatch
def show(x): return "obj"
@show.register
def _(x: int): return "int"
@show.register(list)
def _(x): return "list"
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
curry = lambda f: lambda a: lambda b: f(a, b)
result = [compose(str, len)(12345), partial(pow, 2)(5), fact(20), fact.cache_info().hits, show(1), show([]), show("s"), V(1) <= V(2), sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)), max({"a": 3, "b": 5}.items(), key=lambda kv: kv[1]), list(map(lambda x, y: x * y, [1, 2], [3, 4])), list(filter(None, [0, 1, "", "a"])), curry(max)(1)(2)]
#: comprehensions: nested, conditional, with several loops, over dicts, with unpacking
m = [[1, 2], [3, 4]]
result = [[x for r in m for x in r], [[r[i] for r in m] for i in range(2)], {k: v for k, v in [("a", 1)]}, {x % 3 for x in range(9)} == {0, 1, 2}, [a + b for a in "xy" for b in "12" if a + b != "x1"], [(i, j) for i in range(3) for j in range(i)], [x if x % 2 else -x for x in range(4)], sum(x * x for x in range(4)), dict(zip("ab", range(2))), [y for x in [1, 2] for y in [x * 10]], {**{k: 1 for k in "a"}}, [f"{i}" for i, in [(1,), (2,)]]]
#: generators in any(), all(), next(), sorted(), join, min with default
people = [{"n": "a", "v": 3}, {"n": "b", "v": 1}]
result = [any(p["v"] > 2 for p in people), all(p["v"] > 2 for p in people), next((p["n"] for p in people if p["v"] == 1), None), sorted(people, key=lambda p: p["v"])[0]["n"], ", ".join(p["n"] for p in people), min((p["v"] for p in people if p["v"] > 9), default=-1), max(people, key=lambda p: (p["v"], p["n"]))["n"]]
#: coroutine driven by hand, async generator methods
async def c(): return 5
co = c()
try: co.send(None)
except StopIteration as e: v = e.value
class Aw:
    def __await__(self): yield "w"; return 6
async def d(): return await Aw()
co = d(); first = co.send(None)
try: co.send(None)
except StopIteration as e: second = e.value
result = [v, first, second]
#: print as a value, file, sep, end, flush
import io
def report(items, out=print): [out("-", i) for i in items]
buf = io.StringIO()
print("a", 1, None, sep="|", end="!\n", file=buf)
print(*[1, 2], sep=", ")
print(); print("x", end=""); print("y", flush=True)
got = []
report("ab", out=lambda *a: got.append(a))
report("c")
say = print
say("said")
list(map(print, "de"))
result = [buf.getvalue(), got, print.__name__, callable(print)]
#: a variable named like a builtin, a module or a guard of old
list_ = [1]
printed = 2
sum = lambda x: "mine"
format = "f"
obj = {"a": 1}
type_ = type
def id(x): return "own id"
input = [1, 2]
class Thing:
    format = "csv"
    def obj(self): return self.format
    def mro(self): return "mine"
len_ = len
def open(name): return name
result = [sum([1]), format, obj, printed, id(1), input, Thing().obj(), Thing().format, Thing().mro(), open("x")]
#: shadowing type, object and other builtins inside a function
def f(type, object=None, list=None): return [type, type is object, list]
def g():
    type = "t"
    return type
class C:
    type = "kind"
    id = 5
    def f(self): return [self.type, self.id, type(self).__name__]
result = [f(1, 1), g(), C().f(), type(1) is int]
#: sorting with several keys, stability, reverse, itemgetter, attrgetter
from operator import attrgetter, itemgetter, methodcaller
class P:
    def __init__(self, n, a): self.n, self.a = n, a
ps = [P("x", 2), P("y", 1), P("z", 2)]
rows = [{"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 0}]
result = [[p.n for p in sorted(ps, key=attrgetter("a"))], [p.n for p in sorted(ps, key=attrgetter("a", "n"), reverse=True)], sorted(rows, key=itemgetter("a", "b")), methodcaller("upper")("x"), attrgetter("n.real")(P(5, 1)), sorted("bA", key=str.lower), sorted([(1, "b"), (1, "a")], key=lambda t: t[0])]
#: __annotations__, inspect-like access that is allowed
def f(a, b: str = "x"): pass
def g(*args, **kwargs): return f(*args, **kwargs)
result = [f.__annotations__, f.__qualname__, g.__name__, (lambda: 0).__name__, f.__defaults__]
#: unicode identifiers, normalised as the parser does
größe = 3
ﬁeld = 4
变量 = "v"
def añadir(ñ): return ñ + größe
class Größe:
    länge = 1
    def μ(self): return self.länge
result = [añadir(1), field, 变量, Größe().μ(), Größe.__name__]
#: dir() of a scope and of objects
a, _b = 1, 2
def f(x):
    y = 1
    return dir()
class A:
    z = 1
    inside = [n for n in dir() if not n.startswith("__")]
result = [f(1), A.inside, [n for n in dir() if not n.startswith("__") and n != "inputs"], "upper" in dir("")]
#: what is registered with singledispatch can be looked at
from functools import singledispatch
@singledispatch
def show(x): return "any"
@show.register(int)
@show.register(bool)
def _(x): return "int"
result = [list(show.registry), show.registry[int] is show.dispatch(bool), show.registry[object](1), len(show.registry)]
