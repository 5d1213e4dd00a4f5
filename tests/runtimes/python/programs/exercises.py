#: primes, gcd, fibonacci, factorials with asserts
import math
def is_prime(n):
    if n < 2: return False
    return all(n % i for i in range(2, int(math.sqrt(n)) + 1))
def fib(n, memo={0: 0, 1: 1}):
    if n not in memo: memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]
assert [n for n in range(20) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19]
assert fib(50) == 12586269025
assert math.lcm(4, 6) == 12
result = "ok"
#: longest common subsequence in nested lists and by lru_cache
from functools import lru_cache
def lcs(a, b):
    t = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            t[i + 1][j + 1] = t[i][j] + 1 if a[i] == b[j] else max(t[i][j + 1], t[i + 1][j])
    return t[-1][-1]
@lru_cache(None)
def lis(s): return 0 if not s else max([1 + lis(tuple(x for x in s[i + 1:] if x > v)) for i, v in enumerate(s)])
assert lcs("AGGTAB", "GXTXAYB") == 4
result = [lis((10, 9, 2, 5, 3, 7, 101, 18)), lis.cache_info().misses > 0]
#: a linked list with dunder methods
class Node:
    def __init__(self, data, next=None): self.data, self.next = data, next
class LinkedList:
    def __init__(self, items=()):
        self.head = None
        self.__size = 0
        for x in items: self.append(x)
    def append(self, x):
        self.__size += 1
        if not self.head: self.head = Node(x); return
        n = self.head
        while n.next: n = n.next
        n.next = Node(x)
    def __iter__(self):
        n = self.head
        while n:
            yield n.data
            n = n.next
    def __len__(self): return self.__size
    def __repr__(self): return " -> ".join(map(str, self))
    def __getitem__(self, i):
        for j, x in enumerate(self):
            if j == i: return x
        raise IndexError(i)
    def reverse(self):
        prev, cur = None, self.head
        while cur: cur.next, prev, cur = prev, cur, cur.next
        self.head = prev
        return self
l = LinkedList([1, 2, 3])
result = [repr(l.reverse()), len(l), l[0], 3 in l, list(reversed(list(l)))]
#: a binary tree, traversals by generators
class Tree:
    def __init__(self, v): self.v = v; self.l = self.r = None
    def insert(self, v):
        side = "l" if v < self.v else "r"
        if (kid := getattr(self, side)) is None: setattr(self, side, Tree(v))
        else: kid.insert(v)
    def __iter__(self):
        if self.l: yield from self.l
        yield self.v
        if self.r: yield from self.r
    @property
    def height(self): return 1 + max((k.height for k in (self.l, self.r) if k), default=0)
t = Tree(5)
for v in [3, 8, 1, 4, 9]: t.insert(v)
result = [list(t), t.height]
#: graph search with deque, heapq and sets
import heapq
from collections import defaultdict, deque
g = {"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 5}, "c": {"d": 1}, "d": {}}
def bfs(s):
    seen, q, out = {s}, deque([s]), []
    while q:
        n = q.popleft(); out.append(n)
        for m in sorted(g[n]):
            if m not in seen: seen.add(m); q.append(m)
    return out
def dijkstra(s):
    dist = defaultdict(lambda: float("inf"), {s: 0}); h = [(0, s)]
    while h:
        d, n = heapq.heappop(h)
        if d > dist[n]: continue
        for m, w in g[n].items():
            if d + w < dist[m]:
                dist[m] = d + w
                heapq.heappush(h, (dist[m], m))
    return dict(dist)
result = [bfs("a"), dijkstra("a")]
#: matrices, transposition, rotation, spirals, pascal
m = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
def spiral(m):
    m = [r[:] for r in m]; out = []
    while m:
        out += m.pop(0)
        m = [list(r) for r in zip(*m)][::-1]
    return out
def pascal(n):
    row = [1]
    for _ in range(n):
        yield row
        row = [a + b for a, b in zip([0] + row, row + [0])]
matmul = lambda a, b: [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
result = [list(zip(*m)), [list(r)[::-1] for r in zip(*m)], spiral(m), list(pascal(4)), matmul(m, [[1], [0], [1]])]
#: strings: anagrams, palindromes, caesar, run lengths, roman numerals
import re, string
from collections import Counter
from itertools import groupby
def caesar(s, k):
    al = string.ascii_lowercase
    return s.translate(str.maketrans(al + al.upper(), al[k:] + al[:k] + (al[k:] + al[:k]).upper()))
def roman(n):
    out = ""
    for v, r in zip((10, 9, 5, 4, 1), ("X", "IX", "V", "IV", "I")):
        q, n = divmod(n, v); out += r * q
    return out
assert sorted("listen") == sorted("silent")
result = [caesar("Hello", 3), roman(14), "".join(f"{len(list(g))}{k}" for k, g in groupby("aaabbc")), re.sub(r"(.)\1+", r"\1", "aabbcc"), max(Counter("hello").items(), key=lambda t: t[1]), "racecar" == "racecar"[::-1], re.findall("[A-Z][a-z]*", "PythonIsFun"), " ".join(w[0].upper() + w[1:] for w in "the end".split())]
#: lambda with map, filter, sorted and reduce, tuples as records
from functools import reduce
marks = [("English", 88), ("Science", 90), ("Maths", 97), ("Social", 82)]
marks.sort(key=lambda x: x[1])
nums = [1, 2, 3, 4, 5, 6]
result = [marks, list(map(lambda x, y: x + y, nums, nums[::-1])), list(filter(lambda x: x % 2 == 0, nums)), reduce(lambda a, b: a * b, nums), dict(map(lambda kv: (kv[0], kv[1] * 2), {"a": 1}.items())), tuple(sorted({1, 3, 2})), list(map(max, [[1, 5], [2]])), sum(map(int, str(2 ** 20)))]
#: backtracking: queens, subsets, permutations, coin change
def queens(n):
    def go(row, cols, d1, d2):
        if row == n: return 1
        return sum(go(row + 1, cols | {c}, d1 | {row - c}, d2 | {row + c}) for c in range(n) if c not in cols and row - c not in d1 and row + c not in d2)
    return go(0, frozenset(), frozenset(), frozenset())
def subsets(l): return [[]] if not l else (lambda r: r + [[l[0]] + s for s in r])(subsets(l[1:]))
def coins(total, cs):
    ways = [1] + [0] * total
    for c in cs:
        for i in range(c, total + 1): ways[i] += ways[i - c]
    return ways[total]
result = [queens(6), subsets([1, 2, 3]), coins(10, [1, 2, 5])]
#: bits and number theory
def to_base(n, b, digits="0123456789abcdef"):
    out = ""
    while n: n, r = divmod(n, b); out = digits[r] + out
    return out or "0"
sieve = lambda n: [p for p in range(2, n) if not any(p % q == 0 for q in range(2, int(p ** .5) + 1))]
result = [to_base(255, 16), bin(10 ^ 3), ~5 & 0xF, 1 << 10, 0b1010 >> 1, bin(37).count("1"), pow(3, -1, 11), pow(2, 100, 7), sieve(30), int("0b101", 2), (6).bit_count(), divmod(17, 5), [i for i in range(1, 29) if 28 % i == 0], sum(int(d) ** 3 for d in "153") == 153]
#: a stack machine, a calculator with precedence, a tokenizer
import operator as op, re
OPS = {"+": (1, op.add), "-": (1, op.sub), "*": (2, op.mul), "/": (2, op.truediv)}
def calc(text):
    out, st = [], []
    def apply():
        f = OPS[st.pop()][1]; b, a = out.pop(), out.pop(); out.append(f(a, b))
    for num, sym in re.findall(r"(\d+\.?\d*)|([-+*/()])", text):
        if num: out.append(float(num))
        elif sym == "(": st.append(sym)
        elif sym == ")":
            while st[-1] != "(": apply()
            st.pop()
        else:
            while st and st[-1] in OPS and OPS[st[-1]][0] >= OPS[sym][0]: apply()
            st.append(sym)
    while st: apply()
    return out[0]
result = [calc("2 + 3 * (4 - 1) / 2"), calc("10/4-1")]
#: bank accounts, custom errors, class counters and properties
class InsufficientFunds(ValueError):
    def __init__(self, need, have):
        self.need, self.have = need, have
        super().__init__(f"need {need}, have {have}")
class Account:
    _next = 1
    interest = 0.02
    def __init__(self, owner, balance=0):
        self.owner, self._balance = owner, balance
        self.id, Account._next = Account._next, Account._next + 1
        self._log: list[tuple[str, float]] = []
    @property
    def balance(self): return self._balance
    def withdraw(self, n):
        if n > self._balance: raise InsufficientFunds(n, self._balance)
        self._balance -= n
        self._log.append(("w", n))
        return self
    def __iadd__(self, n): self._balance += n; return self
    def __repr__(self): return f"{self.__class__.__name__}({self.owner!r}, {self._balance})"
    def __lt__(self, o): return self._balance < o._balance
class Savings(Account):
    interest = 0.05
    def grow(self): self._balance = round(self._balance * (1 + self.interest), 2); return self
a, b = Account("x", 10), Savings("y", 100)
a += 5
try: a.withdraw(50)
except InsufficientFunds as e: said = [str(e), e.need, isinstance(e, ValueError)]
result = [repr(a), repr(b.grow().withdraw(5)), said, b.id, sorted([b, a])[0].owner, b._log, [c.interest for c in (Account, Savings)]]
#: game of life, dict of tuples, sets of coordinates
def step(cells):
    near = {}
    for x, y in cells:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy: near[x + dx, y + dy] = near.get((x + dx, y + dy), 0) + 1
    return {c for c, n in near.items() if n == 3 or (n == 2 and c in cells)}
s = {(1, 0), (1, 1), (1, 2)}
result = [sorted(step(s)), step(step(s)) == s]
#: generators piped, batches, windows, flattening of anything
from collections.abc import Iterable
from itertools import islice
def flatten(x):
    for i in x:
        if isinstance(i, Iterable) and not isinstance(i, (str, bytes)): yield from flatten(i)
        else: yield i
def batches(it, n):
    it = iter(it)
    while batch := list(islice(it, n)): yield batch
def window(seq, n): return [seq[i:i + n] for i in range(len(seq) - n + 1)]
def running(it):
    total = 0
    for x in it:
        total += x
        yield total
result = [list(flatten([1, [2, (3, {4})], "ab", [[[]]]])), list(batches(range(5), 2)), window("abcd", 2), list(running(x * x for x in range(5)))]
#: a tiny interpreter with a dispatch table and match
def run(program):
    stack, out = [], []
    table = {"add": lambda: stack.append(stack.pop() + stack.pop()), "dup": lambda: stack.append(stack[-1])}
    for ins in program:
        match ins.split():
            case ["push", n]: stack.append(int(n))
            case ["print"]: out.append(stack.pop())
            case [("add" | "dup") as name]: table[name]()
            case other: raise SyntaxError(f"bad {other}")
    return out
try: run(["jump"])
except SyntaxError as e: said = e.msg
result = [run(["push 2", "dup", "add", "print"]), said]
#: sorting algorithms in place and by recursion
def quick(l): return l if len(l) < 2 else quick([x for x in l[1:] if x < l[0]]) + [l[0]] + quick([x for x in l[1:] if x >= l[0]])
def merge_sort(l):
    if len(l) <= 1: return l
    m = len(l) // 2; a, b = merge_sort(l[:m]), merge_sort(l[m:]); out = []
    while a and b: out.append((a if a[0] <= b[0] else b).pop(0))
    return out + a + b
def bubble(l):
    n = len(l)
    for i in range(n):
        for j in range(n - i - 1):
            if l[j] > l[j + 1]: l[j], l[j + 1] = l[j + 1], l[j]
    return l
data = [5, 2, 9, 1, 5]
assert quick(data) == merge_sort(data) == bubble(data[:]) == sorted(data)
result = data
#: an LRU cache, an event emitter, an observer with weak ordering
from collections import OrderedDict
class LRU:
    def __init__(self, n): self._d, self._n = OrderedDict(), n
    def __getitem__(self, k): self._d.move_to_end(k); return self._d[k]
    def __setitem__(self, k, v):
        self._d[k] = v
        self._d.move_to_end(k)
        if len(self._d) > self._n: self._d.popitem(last=False)
    def __contains__(self, k): return k in self._d
class Emitter:
    def __init__(self): self._on = {}
    def on(self, ev):
        def deco(f): self._on.setdefault(ev, []).append(f); return f
        return deco
    def emit(self, ev, *a): return [f(*a) for f in self._on.get(ev, ())]
c = LRU(2); c["a"] = 1; c["b"] = 2; c["a"]; c["c"] = 3
e = Emitter()
@e.on("x")
def one(v): return v + 1
e.on("x")(lambda v: v * 2)
result = ["b" in c, "a" in c, e.emit("x", 5), e.emit("none")]
#: polynomials, vectors and fractions as classes
class Poly:
    def __init__(self, *c): self.c = list(c)
    def __call__(self, x): return sum(a * x ** i for i, a in enumerate(self.c))
    def __add__(self, o):
        from itertools import zip_longest
        return Poly(*[a + b for a, b in zip_longest(self.c, o.c, fillvalue=0)])
    def __mul__(self, o):
        out = [0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c): out[i + j] += a * b
        return Poly(*out)
    def __str__(self): return " + ".join(f"{a}x^{i}" if i else str(a) for i, a in enumerate(self.c) if a)
    __repr__ = __str__
p = Poly(1, 2)
result = [p(3), str(p * p), str(p + Poly(0, 0, 5)), [p]]
#: text tables, wrapping, alignment
rows = [("apple", 1.5, 3), ("kiwi", 10.25, 12)]
widths = [max(len(str(r[i])) for r in rows) for i in range(3)]
for r in rows: print(" | ".join(f"{str(v):<{w}}" if isinstance(v, str) else f"{v:>{w}}" for v, w in zip(r, widths)))
print("-" * sum(widths), end="\n\n")
print("Total:", sum(q * p for _, p, q in rows), sep="\t")
result = widths
#: tuples and sets of the usual exercise kind
t = (1, 2, 2, 3)
nested = ((1, "a"), (2, "b"))
def to_dict(*pairs): return {k: v for k, v in pairs}
def freq(l):
    d = {}
    for x in l: d[x] = d.get(x, 0) + 1
    return d
inv = {}
for k, v in {"a": 1, "b": 1}.items(): inv.setdefault(v, []).append(k)
result = [t.count(2), t.index(3), to_dict(*nested), freq(t), inv, tuple(x for x in t if t.count(x) > 1), set(t) == {1, 2, 3}, [x for x, _ in nested], sum(t, 0), t[::-1], t * 2, (*t, 4), {*t} ^ {3, 4}, len(set(map(type, [1, "a", 2.0])))]
