#: orders grouped and totalled with rounding
inputs = {"orders": [{"id": 1, "customer": {"name": "Ann"}, "items": [{"sku": "a", "price": "10.50", "qty": 2}]}, {"id": 2, "customer": None, "items": []}]}
from decimal import Decimal
def main(inputs):
    out = []
    for order in inputs.get("orders") or []:
        name = (order.get("customer") or {}).get("name", "unknown")
        total = sum((Decimal(i["price"]) * i["qty"] for i in order["items"]), Decimal(0))
        out.append({"id": order["id"], "name": name, "total": str(total.quantize(Decimal("0.01")))})
    return {"orders": out, "count": len(out)}
result = main(inputs)
#: n8n style items with json and pairedItem
_items = [{"json": {"email": " Ann@X.com ", "tags": "a, b,,c"}}, {"json": {"email": None}}]
out = []
for i, item in enumerate(_items):
    j = dict(item["json"])
    j["email"] = (j.get("email") or "").strip().lower() or None
    j["tags"] = [t.strip() for t in (j.get("tags") or "").split(",") if t.strip()]
    out.append({"json": j, "pairedItem": {"item": i}})
result = out
#: parsing of logs by regular expression, with counters
import re
from collections import Counter, defaultdict
LOG = """2024-01-01 10:00:00 ERROR db timeout
2024-01-01 10:00:05 INFO ok
bad line
2024-01-01 11:00:00 ERROR db down"""
PAT = re.compile(r"^(?P<ts>\S+ \S+) (?P<level>[A-Z]+) (?P<msg>.*)$")
levels, by_hour, bad = Counter(), defaultdict(list), 0
for line in LOG.splitlines():
    if not (m := PAT.match(line)):
        bad += 1
        continue
    levels[m["level"]] += 1
    by_hour[m["ts"][11:13]].append(m["msg"])
result = {"levels": dict(levels), "by_hour": by_hour, "bad": bad}
#: flattening and unflattening of nested json
def flat(o, prefix="", sep="."):
    if isinstance(o, dict):
        return {k2: v2 for k, v in o.items() for k2, v2 in flat(v, f"{prefix}{sep}{k}" if prefix else k, sep).items()}
    if isinstance(o, list):
        return {k2: v2 for i, v in enumerate(o) for k2, v2 in flat(v, f"{prefix}[{i}]", sep).items()}
    return {prefix: o}
def deep_get(o, path, default=None):
    for p in path.replace("[", ".").replace("]", "").split("."):
        try: o = o[int(p)] if isinstance(o, list) else o[p]
        except (KeyError, IndexError, TypeError, ValueError): return default
    return o
d = {"a": {"b": [1, {"c": 2}]}, "d": None}
result = [flat(d), deep_get(d, "a.b[1].c"), deep_get(d, "a.x", "no")]
#: validation by a small schema of classes
class Field:
    def __init__(self, kind, required=True, check=None): self.kind, self.required, self.check = kind, required, check
class SchemaMeta(type):
    def __new__(mcs, name, bases, ns):
        fields = {k: v for k, v in ns.items() if isinstance(v, Field)}
        cls = super().__new__(mcs, name, bases, {k: v for k, v in ns.items() if k not in fields})
        cls._fields = {**getattr(cls, "_fields", {}), **fields}
        return cls
class Schema(metaclass=SchemaMeta):
    @classmethod
    def errors(cls, row):
        for name, f in cls._fields.items():
            if name not in row:
                if f.required: yield f"{name}: missing"
            elif not isinstance(row[name], f.kind): yield f"{name}: not {f.kind.__name__}"
            elif f.check and not f.check(row[name]): yield f"{name}: bad"
class User(Schema):
    name = Field(str)
    age = Field(int, check=lambda v: 0 < v < 150)
    nick = Field(str, required=False)
result = [list(User.errors(r)) for r in ({"name": "x", "age": 5}, {"name": 1}, {"name": "y", "age": 200})]
#: retry with backoff, timing and jitter left out
import time
from functools import wraps
def retry(times=3, errors=(Exception,)):
    def deco(f):
        @wraps(f)
        def inner(*a, **k):
            for n in range(1, times + 1):
                try: return f(*a, **k)
                except errors as e:
                    inner.log.append(f"{n}: {e}")
                    if n == times: raise
                    time.sleep(0)
        inner.log = []
        return inner
    return deco
@retry(times=2, errors=(ValueError,))
def flaky(n=[0]):
    n[0] += 1
    if n[0] < 2: raise ValueError("again")
    return n[0]
result = [flaky(), flaky.log, flaky.__name__]
#: dates: business days, ranges, ages, humanised
from datetime import date, datetime, timedelta, timezone
import calendar
def business_days(a, b):
    return sum(1 for n in range((b - a).days) if (a + timedelta(n)).weekday() < 5)
def ago(then, now):
    s = int((now - then).total_seconds())
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if s >= size: return f"{s // size} {unit}{'s' if s // size != 1 else ''} ago"
    return "just now"
now = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
result = [business_days(date(2024, 1, 1), date(2024, 1, 15)), ago(now - timedelta(hours=5), now), ago(now, now), calendar.monthrange(2024, 2)[1], (now.replace(day=1) - timedelta(days=1)).strftime("%B %Y"), now.isoformat().replace("+00:00", "Z"), datetime.fromtimestamp(0, tz=timezone.utc).isoformat()]
#: csv text in and out with quoting
import csv, io
text = 'name;amount\n"Miller; Ann";1.234,50\nBob;99,9\n'
rows = [{**r, "amount": float(r["amount"].replace(".", "").replace(",", "."))} for r in csv.DictReader(io.StringIO(text), delimiter=";")]
buf = io.StringIO()
csv.writer(buf, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([list(r.values()) for r in rows])
result = [rows, buf.getvalue()]
#: pagination, chunking, dedupe and merge of two lists by key
def merge(left, right, key):
    index = {r[key]: r for r in right}
    return [{**l, **index.get(l[key], {})} for l in left]
def unique(rows, *keys):
    seen = set()
    return [r for r in rows if (k := tuple(r.get(x) for x in keys)) not in seen and not seen.add(k)]
left = [{"id": 1, "a": 1}, {"id": 2, "a": 2}, {"id": 1, "a": 3}]
result = [merge(left, [{"id": 1, "b": 9}], "id"), unique(left, "id"), [left[i:i + 2] for i in range(0, len(left), 2)]]
#: a state machine with enum and match
from enum import Enum, auto
class State(Enum):
    NEW = auto(); PAID = auto(); SENT = auto()
    def on(self, event):
        match self, event:
            case State.NEW, "pay": return State.PAID
            case State.PAID, ("send" | "ship"): return State.SENT
            case state, _: raise ValueError(f"{event} in {state.name}")
s, trail = State.NEW, []
for ev in ["pay", "ship", "pay"]:
    try: s = s.on(ev); trail.append(s.name)
    except ValueError as e: trail.append(str(e))
result = trail
#: asynchronous fan-out with a semaphore and gathered errors
import asyncio
async def fetch(n, sem):
    async with sem:
        await asyncio.sleep(0)
        if n == 2: raise RuntimeError(f"no {n}")
        return n * 10
async def run():
    sem = asyncio.Semaphore(2)
    got = await asyncio.gather(*(fetch(n, sem) for n in range(4)), return_exceptions=True)
    return [str(g) if isinstance(g, Exception) else g for g in got]
result = asyncio.run(run())
#: signing and hashing of a request
import base64, hashlib, hmac, json
from urllib.parse import quote, urlencode
body = json.dumps({"b": 1, "a": [1, 2]}, separators=(",", ":"), sort_keys=True)
sig = hmac.new(b"secret", body.encode(), hashlib.sha256).hexdigest()
token = base64.urlsafe_b64encode(f"u:{sig[:8]}".encode()).rstrip(b"=").decode()
result = [body, sig, token, urlencode({"q": "a b", "n": [1, 2]}, doseq=True), quote("ü/"), hashlib.sha1(b"").hexdigest(), base64.b64decode("aGk=").decode()]
#: slug, template text, html, title case and unicode clean-up
import html, re, string, unicodedata
def slug(s):
    s = unicodedata.normalize("NFKD", s).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", s.lower()).strip("-")
tpl = "Dear {user[name]}, you have {n:,} point{s} ({pct:.1%})."
n = 12345
result = [slug("Crème Brûlée & Co!"), tpl.format(user={"name": "Zoë"}, n=n, s="" if n == 1 else "s", pct=.256), string.Template("$x-${y}").substitute(x=1, y=2), html.unescape("&lt;b&gt;"), string.capwords("hello big world"), "naïve".encode("utf-8").hex(), re.sub(r"<[^>]+>", "", "<p>Hi <b>you</b></p>")]
#: scoring with lambdas in a table and a weighted sum
RULES = [("long", lambda r: len(r["text"]) > 5, 2), ("urgent", lambda r: "!" in r["text"], 5), ("vip", lambda r: r.get("vip", False), 10)]
def score(r):
    hits = [(name, w) for name, test, w in RULES if test(r)]
    return {"score": sum(w for _, w in hits), "why": [n for n, _ in hits]}
rows = [{"text": "help!", "vip": True}, {"text": "hello there"}]
result = sorted(({**r, **score(r)} for r in rows), key=lambda r: (-r["score"], r["text"]))
#: pivot, group with statistics, percentile by hand
from collections import defaultdict
from itertools import groupby
from operator import itemgetter
from statistics import mean, median
data = [{"k": "a", "m": 1, "v": 10}, {"k": "b", "m": 1, "v": 5}, {"k": "a", "m": 2, "v": 30}]
pivot = defaultdict(dict)
for r in data: pivot[r["k"]][r["m"]] = pivot[r["k"]].get(r["m"], 0) + r["v"]
stats = {k: {"mean": mean(vs), "median": median(vs), "n": len(vs)} for k, g in groupby(sorted(data, key=itemgetter("k")), key=itemgetter("k")) if (vs := [r["v"] for r in g])}
def pct(vs, p):
    vs = sorted(vs); i = (len(vs) - 1) * p; lo = int(i)
    return vs[lo] + (vs[min(lo + 1, len(vs) - 1)] - vs[lo]) * (i - lo)
result = [pivot, stats, pct([1, 2, 3, 4], .5)]
#: a pipeline of steps with __or__ and callables
class Step:
    def __init__(self, f): self.f = f
    def __or__(self, o): return Step(lambda x: o.f(self.f(x)))
    def __ror__(self, x): return self.f(x)
    def __call__(self, x): return self.f(x)
clean = Step(str.strip) | Step(str.lower)
result = [" AbC " | clean, clean(" X "), [1, 2, 3] | Step(lambda l: [x * 2 for x in l]) | Step(sum)]
#: safe conversion of mixed values
def num(v, default=None):
    if isinstance(v, bool): return int(v)
    if isinstance(v, (int, float)): return v
    try: return float(str(v).replace(",", "").strip())
    except (TypeError, ValueError): return default
def truthy(v): return str(v).strip().lower() in {"1", "true", "yes", "on"}
result = [[num(v) for v in ("1,234.5", None, True, "x", 3, " 7 ")], [truthy(v) for v in ("Yes", 0, "on", None)], int(float("3.9")), [*map(str, (1, 1.0, None, True))]]
#: a diff of two records and a merge patch
def diff(a, b, path=""):
    for k in sorted(a.keys() | b.keys()):
        p = f"{path}/{k}"
        if k not in a: yield ["add", p, b[k]]
        elif k not in b: yield ["remove", p]
        elif isinstance(a[k], dict) and isinstance(b[k], dict): yield from diff(a[k], b[k], p)
        elif a[k] != b[k]: yield ["replace", p, b[k]]
def patch(t, p):
    if not isinstance(p, dict): return p
    t = dict(t) if isinstance(t, dict) else {}
    for k, v in p.items():
        if v is None: t.pop(k, None)
        else: t[k] = patch(t.get(k), v)
    return t
result = [list(diff({"a": 1, "b": {"c": 1}}, {"b": {"c": 2}, "d": 3})), patch({"a": 1, "b": {"c": 1}}, {"a": None, "b": {"d": 2}})]
#: a query over rows with a mini language and keyword operators
class Q:
    OPS = {"gt": lambda a, b: a > b, "in": lambda a, b: a in b, "contains": lambda a, b: b in a, "eq": lambda a, b: a == b}
    def __init__(self, rows): self._rows = list(rows)
    def filter(self, **kw):
        def ok(r):
            for k, v in kw.items():
                name, _, op = k.partition("__")
                if not self.OPS[op or "eq"](r.get(name), v): return False
            return True
        return Q(filter(ok, self._rows))
    def order_by(self, key):
        return Q(sorted(self._rows, key=lambda r: r[key.lstrip("-")], reverse=key.startswith("-")))
    def values(self, *names): return [tuple(r[n] for n in names) for r in self._rows]
    def __len__(self): return len(self._rows)
    def __getattr__(self, name): raise AttributeError(f"no {name} in Q")
q = Q([{"n": "a", "v": 1}, {"n": "b", "v": 5}, {"n": "c", "v": 9}])
try: q.missing
except AttributeError as e: said = str(e)
result = [q.filter(v__gt=2).order_by("-v").values("n", "v"), len(q.filter(n__in="ab")), said]
#: fallback when a module is missing
try:
    import requests
except ImportError:
    requests = None
try:
    import orjson as json
except ModuleNotFoundError as e:
    import json
    missing = e.name
result = [requests is None or True, json.loads("[1]"), missing]
#: environment of a script: main guard, constants, type checking blocks
"""A script."""
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from nowhere import Nothing
__version__ = "1.0"
__all__ = ["main"]
DEBUG: bool = False
def f(x: Nothing | None = None) -> Nothing: return x
result = None
if __name__ == "__main__":
    result = [f(), __version__, __all__, DEBUG, f.__annotations__["return"], __doc__ is not None]
