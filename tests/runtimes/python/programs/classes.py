#: inheritance, super with and without arguments
class A:
    def f(self, x): return ["A", x]
class B(A):
    def f(self, x): return ["B", *super().f(x)]
class C(A):
    def f(self, x): return ["C", *super(C, self).f(x)]
class D(B, C):
    def f(self, x): return ["D", *super().f(x)]
result = [D().f(1), [k.__name__ for k in D.__mro__], D.__bases__ == (B, C), D.__base__ is B, issubclass(D, A)]
#: super in class methods, static methods and properties
class A:
    @classmethod
    def make(cls): return [cls.__name__]
    @staticmethod
    def twice(x): return 2 * x
    @property
    def size(self): return 1
class B(A):
    @classmethod
    def make(cls): return super().make() + ["B"]
    @staticmethod
    def twice(x): return A.twice(x) + 1
    @property
    def size(self): return super().size + 1
result = [B.make(), B.twice(3), B().size, B.__base__.__name__]
#: super inside a comprehension's function and a nested function
class A:
    def f(self): return 1
class B(A):
    def f(self):
        def inner(): return super(B, self).f()
        return [inner(), (lambda: super(B, self).f())()]
result = B().f()
#: properties with setter and deleter
class T:
    def __init__(self): self._c = 0
    @property
    def c(self):
        "Celsius."
        return self._c
    @c.setter
    def c(self, value):
        if value < -273: raise ValueError("cold")
        self._c = value
    @c.deleter
    def c(self): self._c = None
t = T(); t.c = 10; t.c += 5
first = t.c
try: t.c = -300
except ValueError as e: error = str(e)
del t.c
result = [first, error, t.c, T.c.__doc__, T.c.fget(t)]
#: overriding only the setter of a property
class P:
    @property
    def name(self): return self._n
    @name.setter
    def name(self, v): self._n = v
class Q(P):
    @P.name.setter
    def name(self, v): self._n = v.upper()
class R(P):
    @property
    def name(self): return super().name
    @name.setter
    def name(self, v): super(R, R).name.__set__(self, v * 2)
q = Q(); q.name = "ab"
r = R(); r.name = "ab"
result = [q.name, r.name]
#: private names are mangled
class A:
    __count = 0
    def __init__(self):
        self.__x = 1
        A.__count += 1
    def __hidden(self): return self.__x
    def get(self): return self.__hidden() + self.__x + A.__count
    def get_later(self): return (lambda: [self.__x for _ in range(2)])()
class B(A):
    def __init__(self):
        super().__init__()
        self.__x = 10
    def mine(self): return self.__x
class _Under:
    def __init__(self): self.__y = 3
    def get(self): return self.__y
b = B()
result = [b.get(), b.get_later(), b.mine(), sorted(vars(b)), b._A__x, _Under().get(), _Under()._Under__y, hasattr(b, "__x")]
#: mangled names as variables, parameters and keywords
class A:
    def f(self, __p=1):
        __v = __p
        def g(): return __v
        return g()
    def h(self): return self.f(_A__p=5)
result = [A().f(), A().h(), A.f.__defaults__]
#: mangling of deletion, augmentation and for-targets
class A:
    def __init__(self): self.__n = 0
    def up(self):
        self.__n += 2
        for self.__i in range(3): pass
        return [self.__n, self.__i]
    def drop(self):
        del self.__n
        return hasattr(self, "_A__n")
a = A()
result = [a.up(), a.drop()]
#: operators
class V:
    def __init__(self, *p): self.p = p
    def __add__(self, o): return V(*(a + b for a, b in zip(self.p, o.p)))
    def __radd__(self, o): return self if o == 0 else NotImplemented
    def __mul__(self, k): return V(*(a * k for a in self.p))
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self.p, o.p))
    def __neg__(self): return V(*(-a for a in self.p))
    def __pow__(self, e, m=None): return ["pow", e, m]
    def __eq__(self, o): return isinstance(o, V) and self.p == o.p
    def __hash__(self): return hash(self.p)
    def __lt__(self, o): return self.p < o.p
    def __bool__(self): return any(self.p)
    def __abs__(self): return max(self.p)
    def __getitem__(self, i): return self.p[i]
    def __len__(self): return len(self.p)
    def __iter__(self): return iter(self.p)
    def __contains__(self, x): return x in self.p
    def __repr__(self): return f"V{self.p}"
    def __round__(self, n=0): return ["round", n]
    def __index__(self): return 1
    def __invert__(self): return "inv"
    def __divmod__(self, o): return "dm"
    def __rlshift__(self, o): return o
a, b = V(1, 2), V(3, 4)
result = [str(a + b), str(3 * a), a @ b, str(-a), a ** 2, pow(a, 2, 3), a == V(1, 2), len({a, V(1, 2)}), sorted([b, a])[0] is a, bool(V(0)), abs(b), a[-1], len(a), list(a), 2 in a, str(sum([a, b])), round(a), round(a, 2), [7, 8][a], ~a, divmod(a, 2), 5 << a, a[::-1]]
#: in-place operators of a class of one's own
class N:
    def __init__(self): self.log = []
    def __iadd__(self, o): self.log.append(("+", o)); return self
    def __isub__(self, o): self.log.append(("-", o)); return self
    def __imatmul__(self, o): self.log.append(("@", o)); return self
    def __ior__(self, o): return "replaced"
n = m = N()
n += 1; n -= 2; n @= 3
same = n is m
n |= 4
result = [same, m.log, n]
#: attribute hooks
class Lazy:
    def __init__(self): object.__setattr__(self, "data", {"a": 1})
    def __getattr__(self, name):
        try: return self.data[name]
        except KeyError: raise AttributeError(name) from None
    def __setattr__(self, name, value): self.data[name] = value
    def __delattr__(self, name): del self.data[name]
    def __dir__(self): return sorted(self.data)
x = Lazy(); x.b = 2; x.a += 1
del x.b
result = [x.a, hasattr(x, "b"), getattr(x, "zz", 9), dir(x)]
#: __getattribute__ of one's own
class Loud:
    seen = []
    def __getattribute__(self, name):
        Loud.seen.append(name)
        return object.__getattribute__(self, name)
    def __init__(self): self.v = 1
l = Loud()
result = [l.v, type(l).__name__, Loud.seen]
#: a frozen class and a counting one
class Frozen:
    __slots__ = ("x",)
    def __init__(self, x): object.__setattr__(self, "x", x)
    def __setattr__(self, name, value): raise AttributeError(f"cannot set {name}")
class Counting:
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        super().__setattr__("n", getattr(self, "n", 0) + 1)
f = Frozen(1)
try: f.x = 2
except AttributeError as e: said = str(e)
c = Counting(); c.a = 1; c.b = 2
result = [f.x, said, c.n]
#: slots
class S:
    __slots__ = ("a", "_b", "__c")
    def __init__(self): self.a, self._b, self.__c = 1, 2, 3
    def all(self): return [self.a, self._b, self.__c]
class T(S):
    __slots__ = ["d"]
s = T()
try: s.z = 1
except AttributeError: refused = True
result = [s.all(), S.__slots__, refused, hasattr(s, "d"), hasattr(s, "__dict__")]
#: descriptors
class Positive:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, value):
        if value < 0: raise ValueError(self.name)
        setattr(obj, self.name, value)
    def __delete__(self, obj): delattr(obj, self.name)
class Order:
    price = Positive()
    count = Positive()
    def __init__(self, p, c): self.price, self.count = p, c
o = Order(2, 3)
try: o.price = -1
except ValueError as e: said = str(e)
del o.count
result = [o.price, said, hasattr(o, "count"), type(Order.price).__name__, vars(o), Order.price.__get__(o), Order.__dict__["price"].name]
#: __init_subclass__ and class keywords
class Plugin:
    known = {}
    def __init_subclass__(cls, /, key=None, **more):
        super().__init_subclass__(**more)
        Plugin.known[key or cls.__name__] = cls
class A(Plugin, key="a"): pass
class B(Plugin): pass
result = {k: v.__name__ for k, v in Plugin.known.items()}
#: metaclasses: registry, singleton, __call__, __new__, __init__, __iter__
class Meta(type):
    made = []
    def __new__(mcs, name, bases, ns, **kw):
        cls = super().__new__(mcs, name, bases, {**ns, "tag": kw.get("tag", "")})
        return cls
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
        Meta.made.append(name)
    def __call__(cls, *a, **k):
        if not hasattr(cls, "_one"): cls._one = super().__call__(*a, **k)
        return cls._one
    def __iter__(cls): return iter(["x", cls.tag])
    def __len__(cls): return 7
    def __getitem__(cls, k): return k * 2
    def __repr__(cls): return f"<{cls.__name__}>"
class X(metaclass=Meta, tag="t"):
    def __init__(self): self.v = 1
class Y(X): pass
result = [Meta.made, X() is X(), list(X), len(X), X[4], repr(Y), type(X) is Meta, isinstance(X, type), Y.__class__.__name__, type(type(X)) is type]
#: metaclass=ABCMeta, abstract methods and properties, register
from abc import ABC, ABCMeta, abstractmethod
class Shape(metaclass=ABCMeta):
    @property
    @abstractmethod
    def area(self): ...
    @classmethod
    @abstractmethod
    def unit(cls): ...
class Sq(Shape):
    def __init__(self, s): self._s = s
    @property
    def area(self): return self._s ** 2
    @classmethod
    def unit(cls): return cls(1)
try: Shape()
except TypeError as e: said = "abstract" in str(e)
class Duck(ABC): pass
@Duck.register
class Mallard: pass
result = [said, Sq(3).area, Sq.unit().area, isinstance(Mallard(), Duck), issubclass(Mallard, Duck), sorted(Shape.__abstractmethods__), Shape.unit.__isabstractmethod__]
#: class attributes, class methods as constructors, __class_getitem__, __init__ called by hand
class P:
    n = 0
    def __init__(self, x=0): self.x = x; type(self).n += 1
    @classmethod
    def of(cls, t): return cls(*map(int, t.split()))
    def __class_getitem__(cls, item): return f"{cls.__name__}[{item}]"
class Q(P):
    def __init__(self): P.__init__(self, 5)
result = [P.of("4").x, Q().x, P.n, Q.n, P[int], self if (self := 1) else 0]
#: __new__ and subclasses of builtins
class Upper(str):
    def __new__(cls, s): return super().__new__(cls, s.upper())
    @property
    def first(self): return self[0]
class Tup(tuple):
    def __new__(cls, *a): return tuple.__new__(cls, a)
class L(list):
    def second(self): return self[1]
class D(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    def __missing__(self, k): return k * 2
class I(int):
    def __add__(self, o): return I(int(self) + o + 100)
d = D(a=1); d.b = 2
result = [Upper("ab"), Upper("ab").first, Tup(1, 2), L([1, 2]).second(), d.a, d.b, d["zz"], d.none, dict(d), I(1) + 1, type(I(1) + 1).__name__]
#: singleton by __new__, instance counting, __del__
class One:
    _it = None
    def __new__(cls, *a):
        if cls._it is None: cls._it = super().__new__(cls)
        return cls._it
    def __init__(self, v=0): self.v = v
log = []
class Gone:
    def __del__(self): log.append("gone")
g = Gone(); del g
result = [One(1) is One(2), One().v, log]
#: callable objects, containers and context managers
class C:
    def __call__(self, *a, k=1): return sum(a) * k
    def __getitem__(self, key): return key if not isinstance(key, slice) else [key.start, key.stop, key.step]
    def __setitem__(self, key, v): self.set = [str(key), v]
    def __delitem__(self, key): self.gone = key
    def __reversed__(self): return iter("rev")
    def __length_hint__(self): return 3
    def __enter__(self): return "in"
    def __exit__(self, t, v, tb): return t is ValueError
c = C()
c[1, ...] = 2
del c["k"]
with c as inside: raise ValueError
result = [c(1, 2, k=3), c[1:2], c[::2], c[1, 2], c.set, c.gone, list(reversed(c)), inside]
#: formatting hooks
class M:
    def __init__(self, v): self.v = v
    def __format__(self, spec): return f"<{self.v}|{spec}>"
    def __str__(self): return "S"
    def __repr__(self): return "R"
    def __bytes__(self): return b"B"
    def __int__(self): return 4
    def __float__(self): return 4.5
    def __complex__(self): return 1j
m = M(1)
result = [f"{m:>3}", format(m, "x"), f"{m!s} {m!r}", "%s %r" % (m, m), bytes(m).decode(), int(m), float(m), str(complex(m)), "{:q} {!r}".format(m, m)]
#: __hash__ = None, __eq__ alone, __instancecheck__
class E:
    def __eq__(self, o): return True
class H:
    __hash__ = None
def hashable(x):
    try: hash(x); return True
    except TypeError: return False
class Any3(type):
    def __instancecheck__(cls, o): return o == 3
class Three(metaclass=Any3): pass
result = [hashable(E()), hashable(H()), isinstance(3, Three), isinstance(4, Three), E() == 5]
#: nested classes, class in function, closures over class variables
def make(n):
    class Inner:
        k = n
        class Deep:
            v = 5
        def get(self): return self.k + self.Deep.v + n
    return Inner
result = [make(1)().get(), make(2).Deep.v, make(1).__qualname__]
#: functions set on classes and instances afterwards
class A: pass
A.hello = lambda self: "hi " + self.n
a = A(); a.n = "x"
def shout(self): return self.hello().upper()
A.shout = shout
setattr(A, "prop", property(lambda self: len(self.n)))
a.own = lambda: "own"
del A.hello
result = [hasattr(a, "hello"), a.prop, a.own(), A.shout.__name__]
#: fluent interface and __repr__ of nested objects
class Q:
    def __init__(self): self._parts = []
    def select(self, *c): self._parts.append("SELECT " + ", ".join(c)); return self
    def where(self, **kw): self._parts.append("WHERE " + " AND ".join(f"{k}={v!r}" for k, v in kw.items())); return self
    def __str__(self): return " ".join(self._parts)
result = str(Q().select("a", "b").where(x=1, y="z"))
#: an instance takes another class
class Draft:
    def publish(self): self.__class__ = Published
    def state(self): return "draft"
class Published(Draft):
    def state(self): return "published"
d = Draft(); before = d.state(); d.publish()
result = [before, d.state(), type(d) is Published]
#: __class__ in a method, type(self), self.__class__, __name__ and __qualname__
class A:
    def who(self): return [__class__.__name__, type(self).__name__, self.__class__.__name__, type(self).__qualname__, A.who.__qualname__, self.who.__name__, type(self).__module__ == __name__]
class B(A): pass
result = B().who()
#: docstrings
class A:
    """The class."""
    x = 1
    def f(self):
        """The method."""
def g():
    "The function."
    return g.__doc__
result = [A.__doc__, A.f.__doc__, g(), A().f.__doc__]
#: vars, dir, getattr, setattr, delattr, hasattr, callable
class A:
    k = 1
    def __init__(self): self.a, self._b = 1, 2
    def m(self): pass
a = A()
setattr(a, "c", 3); setattr(a, "_d", 4)
delattr(a, "a")
result = [vars(a), [n for n in dir(a) if not n.startswith("__")], getattr(a, "_b"), getattr(a, "q", None), hasattr(a, "m"), callable(a.m), a.__dict__ is vars(a), "k" in vars(A), a.__dict__["c"]]
#: __dict__ updates
class Bag:
    def __init__(self, **kw): self.__dict__.update(kw)
    def __eq__(self, o): return self.__dict__ == o.__dict__
    def __contains__(self, k): return k in self.__dict__
b = Bag(a=1, b=2)
vars(b)["c"] = 3
result = [b.a, b.c, b == Bag(a=1, b=2, c=3), "a" in b, sorted(b.__dict__.items())]
#: functional type checks
result = [type(1) is int, type("") == str, type([]) in (list, tuple), isinstance(True, int), isinstance(1, (str, int)), isinstance(1, int | str), type(None).__name__, type(len).__name__, type(lambda: 0).__name__, type(type).__name__, type(int) is type, issubclass(bool, int), type(1.0).__name__, type({}.keys()).__name__, type(x for x in []).__name__]
#: multiple inheritance with mixins and cooperative __init__
class Base:
    def __init__(self, **kw): self.seen = sorted(kw)
class LogMixin:
    def __init__(self, *, log, **kw): super().__init__(**kw); self.log = log
class NameMixin:
    def __init__(self, *, name, **kw): super().__init__(**kw); self.name = name
class All(LogMixin, NameMixin, Base): pass
a = All(log=1, name="n", extra=2)
result = [a.seen, a.log, a.name]
#: class body with loops, conditions and comprehension
class Table:
    rows = []
    for i in range(3):
        rows.append(i * i)
    if len(rows) > 2:
        big = True
    else:
        big = False
    total = sum(rows)
    del i
    table = {k: v for k, v in zip("abc", rows)}
result = [Table.rows, Table.big, Table.total, Table.table, hasattr(Table, "i")]
#: names like _, _tmp, __secret at every level
_ = 1
_tmp, __secret = 2, 3
def _helper(_x, __y=4): return _x + __y + _tmp + __secret
class _C:
    _v = 5
    def _m(self): return self._v
for _ in range(2): pass
result = [_, _helper(1), _C()._m(), [_ for _ in range(3)], (lambda _: _ * 2)(4)]
#: Python 2 leftovers and labels in a class
class Model:
    __tablename__ = "models"
    __test__ = False
    def __unicode__(self): return "u"
    def __nonzero__(self): return False
    def __div__(self, o): return 1
    def __json__(self): return {"a": 1}
result = [Model.__tablename__, Model().__unicode__(), bool(Model()), Model().__json__(), Model.__test__]
#: subclass of UserDict, UserList, UserString, OrderedDict, Counter, defaultdict, deque
from collections import Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque
class UD(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.lower(), v)
class UL(UserList):
    def total(self): return sum(self.data)
class US(UserString):
    def shout(self): return self.data.upper()
class OD(OrderedDict):
    def first(self): return next(iter(self))
class CT(Counter):
    def top(self): return self.most_common(1)[0][0]
class DD(defaultdict):
    def __missing__(self, k): self[k] = v = len(self); return v
class DQ(deque):
    def push(self, x): self.append(x); return self
d = UD(); d["A"] = 1
dd = DD()
result = [dict(d), UL([1, 2]).total(), US("a").shout(), OD(a=1).first(), CT("aab").top(), [dd["x"], dd["y"], dd["x"]], list(DQ(maxlen=2).push(1).push(2).push(3))]
#: collections.abc classes of one's own
from collections.abc import Iterator, Mapping, MutableMapping, MutableSequence, Sequence, Set
class M(Mapping):
    def __init__(self, **k): self._k = k
    def __getitem__(self, k): return self._k[k]
    def __iter__(self): return iter(self._k)
    def __len__(self): return len(self._k)
class S(Set):
    def __init__(self, it): self._i = sorted(set(it))
    def __contains__(self, x): return x in self._i
    def __iter__(self): return iter(self._i)
    def __len__(self): return len(self._i)
    __hash__ = Set._hash
class Seq(Sequence):
    def __getitem__(self, i): return range(5)[i]
    def __len__(self): return 5
class It(Iterator):
    def __init__(self): self.n = 3
    def __next__(self):
        self.n -= 1
        if self.n < 0: raise StopIteration
        return self.n
m = M(a=1, b=2)
result = [m.get("z", 0), "a" in m, list(m.items()), m == {"a": 1, "b": 2}, list(S([1, 2]) & S([2, 3])), list(S([1]) | {2}), S([1, 2]) <= S([1, 2, 3]), hash(S([1])) == hash(S([1])), Seq().index(3), list(reversed(Seq())), list(It()), isinstance(m, Mapping), {**m}]
