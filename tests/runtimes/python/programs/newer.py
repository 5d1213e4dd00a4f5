#: 3.12 type parameters of functions, classes and aliases
type Pair[T] = tuple[T, T]
type Tree = dict[str, "Tree"] | int
def first[T](l: list[T]) -> T: return l[0]
class Box[T: (int, str), *Ts, **P]:
    def __init__(self, x: T): self._x = x
    def get(self) -> T: return self._x
    def map[U](self, f) -> "Box[U]": return Box(f(self._x))
class Sub(Box):
    def get(self): return super().get() + 1
result = [first([1, 2]), Box(1).get(), Box[int, [str], [int]](3).map(str).get(), Sub(1).get(), Pair.__name__, str(Pair.__value__), [str(p) for p in Box.__type_params__], first.__type_params__[0].__name__, Tree.__name__, Pair[int].__args__[0] is int, Box.__type_params__[0].__constraints__ == (int, str)]
#: 3.12 f-strings that nest and reuse quotes, with comments and backslashes
d = {"k": ["x", "y"]}
result = [f"{d["k"][0]}", f"{"\n".join(d["k"])}", f"{f"{f"{1}"}"}", f"{
    d["k"][1]  # a comment
}", f"{"a" if d else 'b'}", f"{'\t'}", f"{d["k"]!r:>{5 + 10}}"]
#: 3.12 comprehensions in classes see what they should
class A:
    xs = [1, 2]
    ys = [x * 2 for x in xs]
    f = lambda self: [self.xs for _ in range(1)]
x = "outer"
l = [x for x in range(3)]
result = [A.ys, A().f(), x, l]
#: 3.12 override, itertools.batched, math.sumprod, and calls of super in every place
import itertools, math
from typing import override
class A:
    def f(self, *a): return a
class B(A):
    @override
    def f(self, *a): return super().f(*a, 1), [super(B, self).f(x) for x in a]
result = [B().f(5), list(itertools.batched("abcde", 2)), math.sumprod([1, 2], [3, 4])]
#: 3.12 type parameters with private names and nested scopes
class Outer:
    class __Hidden[T]:
        v = 1
    def get(self): return self.__Hidden.v
def outer[T]():
    x = 1
    class C[U]:
        y = x
        def f[V](self): return [T.__name__, U.__name__, V.__name__, x]
    return C().f()
result = [Outer().get(), outer()]
#: 3.13 defaults of type parameters, copy.replace, docstrings without indent
import copy
from dataclasses import dataclass
class Box[T = int]: pass
@dataclass
class P:
    x: int
    y: int = 2
class R:
    def __init__(self, v): self.v = v
    def __replace__(self, **changes): return R(changes.get("v", self.v))
def f():
    """One.

        Two.
    """
result = [Box.__type_params__[0].__default__ is int, copy.replace(P(1), y=5), copy.replace(R(1), v=2).v, f.__doc__]
#: 3.14 template strings, deferred annotations, except without parentheses
name = "x"
t = t"hi {name!r:>5}"
class A:
    b: Later = None
class Later: pass
try: raise KeyError
except KeyError, ValueError: caught = True
result = [t.strings, t.values, t.interpolations[0].expression, A.__annotations__["b"] is Later, caught]
