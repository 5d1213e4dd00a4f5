"""Sealed, ordinary programs go on: what they need was loaded before, and what the kernel refuses them they do without.

The programs are the demo's and these, under all layers. A refused call is shown to be made: where it kills (see
tests/sandbox/second_filter.py), the same program dies.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from demo.tasks import SUCCESS, TASKS
from tests.sandbox.watching import WatchedZygote
from tests.security.layers import KERNEL_LAYERS

OWN_MODULE = {"__task__"}  # where a program's classes are looked up

PYTHON = {
    "clocks and calendars": """
import calendar, datetime, time
def main():
    parsed = datetime.datetime.strptime("29 Feb 2024 +0100", "%d %b %Y %z")
    return [time.strftime("%c %x %X %p %Z"), time.localtime().tm_zone, time.ctime(), calendar.month(2024, 2),
            time.strptime("1 February 2024", "%d %B %Y").tm_yday, datetime.datetime.now().astimezone().isoformat(),
            parsed.strftime("%A %d %B"), parsed.astimezone().tzname()]
""",
    "numbers": """
import decimal, fractions, math, random, secrets, statistics, uuid
def main():
    decimal.getcontext().prec = 200
    return [str(decimal.Decimal(2).sqrt()), str(fractions.Fraction("3.25")), math.comb(50, 25), random.gauss(0, 1),
            statistics.quantiles([1, 2, 3, 4]), statistics.NormalDist(0, 1).cdf(1), len(secrets.token_urlsafe()),
            uuid.uuid4().version, str(uuid.uuid5(uuid.NAMESPACE_DNS, "a.example")), int("9" * 4000) % 7]
""",
    "texts": r"""
import base64, csv, difflib, hashlib, hmac, html, io, json, re, string, textwrap, unicodedata, urllib.parse, zlib
def main():
    table = io.StringIO()
    csv.writer(table).writerows([["a", "b"], [1, "x,y"]])
    return [re.sub(r"(?i)\bA(\w+)", r"<\1>", "Apple äpfel"), textwrap.shorten("some words " * 9, 20),
            html.unescape("&eacute;"), list(difflib.unified_diff(["a"], ["b"])), hashlib.sha3_256(b"x").hexdigest(),
            table.getvalue(), hmac.new(b"k", b"m", "sha256").hexdigest(), base64.b85encode(b"data").decode(),
            json.dumps({"é": [1.5, None]}), string.Template("$a").substitute(a=1), unicodedata.name("é"),
            urllib.parse.quote("a b/ü"), zlib.crc32(b"x"), "bücher.example".encode("idna").decode(),
            "x".encode("utf-16").decode("utf-16"), str(b"\xff", "cp1252")]
""",
    "waiting": """
import asyncio, time
async def one(n):
    await asyncio.sleep(0.001 * n)
    return n
async def main():
    queue = asyncio.Queue()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(n)) for n in range(3)]
    await queue.put(sum(task.result() for task in tasks))
    try:
        async with asyncio.timeout(0.005):
            await asyncio.sleep(9)
    except TimeoutError:
        time.sleep(0.001)
    return [await queue.get(), await asyncio.gather(one(1), one(2))]
""",
    "classes": """
import abc, collections, copy, dataclasses, enum, functools, typing
@dataclasses.dataclass(order=True, frozen=True)
class Point:
    x: int
    y: int = 0
class Colour(enum.Flag):
    RED = enum.auto()
    BLUE = enum.auto()
class Row(typing.NamedTuple):
    a: int = 1
@functools.lru_cache
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def main():
    kept = copy.deepcopy({"p": Point(1), "c": collections.Counter("abca"), "l": [[]]})
    return [dataclasses.asdict(kept["p"]), repr(Colour.RED | Colour.BLUE), Row()._asdict(), fib(80), repr(kept)]
""",
    "mistakes": """
import io, json, logging, traceback, warnings
def main():
    told = []
    for act in (lambda: 1 / 0, lambda: {}["a"], lambda: [][1], lambda: int("x"), lambda: "é".encode("ascii"),
                lambda: json.loads("{"), lambda: None.x, lambda: "x" + 1, lambda: b"\\xff".decode()):
        try:
            act()
        except Exception as error:
            told.append(traceback.format_exc().splitlines()[-1])
            logging.getLogger("a").exception("it failed: %s", error)
    warnings.warn("careful")
    print("done", file=io.StringIO())
    return told
""",
    "much memory": """
def main():
    kept = [bytearray(1 << 16) for _ in range(500)] + [bytearray(1 << 22)]
    kept.clear()
    try:
        return len(bytearray(1 << 40))
    except MemoryError:
        return "x" * 100000
""",
}
JS = {
    "clocks": """
const of = (timeZone) => new Intl.DateTimeFormat('de', { timeZone, dateStyle: 'full' });
const all = ['UTC', 'America/New_York'].map(of);
return [new Date(0).toString(), new Date().toLocaleDateString('fr'), ...all.map((one) => one.format(0))].length;
""",
    "texts": """
const found = 'aAäÄ'.replace(/[a-zä]/giu, (one) => one + '-').normalize('NFD');
const sorted = ['ä', 'a', 'z'].sort(new Intl.Collator('de').compare).join('');
return [found, (1234567.891).toLocaleString('de'), sorted].length;
""",
    "waiting": """
const later = (ms) => new Promise((done) => setTimeout(done, ms));
await Promise.all([later(1), later(2)]);
for (let i = 0; i < 20; i++) await later(0);
return 1;
""",
    "much memory": """
let kept = [];
for (let round = 0; round < 3; round++) {
  kept = [];
  for (let i = 0; i < 50000; i++) kept.push({ i, text: 'x' + i });
  for (let i = 0; i < 20; i++) new Uint8Array(2 << 20).fill(1);
}
return 'x'.repeat(500000).length + kept.length;
""",
    "logs": "for (let i = 0; i < 300; i++) console.log('line', i, { i }); return 1;",
    "mistakes": """
const told = [];
for (const act of [() => null.x, () => JSON.parse('{'), () => [].reduce(Math.max), () => new Array(-1), () => 1n + 1]) {
  try { act(); } catch (error) { told.push(String(error)); console.error(error); }
}
return told;
""",
}

# Calls of honest programs that are refused: runtime, call, program. Others are made by chance: V8's threads ask for
# their priority when they meet at a lock, glibc tries mremap for some large blocks before it copies them.
REFUSED = [
    ("python", "openat", "return 1"),  # tzset(3) looks for a file by the name of the zone, if it is not that of before
    ("js", "openat", JS["clocks"]),  # ICU asks what the local zone is called
    ("js", "newfstatat", JS["clocks"]),
    ("js", "prctl", JS["much memory"]),  # V8 names the memory that it gives back
]


@pytest.fixture(scope="module")
def zygotes() -> Iterator[dict[str, WatchedZygote]]:
    made = {runtime: WatchedZygote(runtime, f"policy,audit,{KERNEL_LAYERS}") for runtime in ("python", "js")}
    yield made
    for zygote in made.values():
        zygote.close()


def check(ended: dict) -> None:
    assert (ended["signal"], ended["exit"], ended["failures"], ended["events"]) == (0, 0, [], [])
    assert set(ended["late"]) <= OWN_MODULE, "loaded after the seal"


@pytest.mark.parametrize(
    ("runtime", "program"),
    [
        pytest.param(runtime, program, id=f"{runtime} {name}")
        for runtime, programs in (("python", PYTHON), ("js", JS))
        for name, program in programs.items()
    ],
)
def test_a_program_needs_nothing_that_was_not_there(
    zygotes: dict[str, WatchedZygote], runtime: str, program: str
) -> None:
    check(zygotes[runtime].run(program, memory_mib=128, late=True))


@pytest.mark.parametrize("task", [task for task in TASKS if task.outcomes == (SUCCESS,)], ids=lambda task: task.name)
def test_nor_does_one_of_the_demo(zygotes: dict[str, WatchedZygote], task) -> None:
    check(zygotes[task.runtime].run(task.code, inputs=json.loads(task.input_json or "{}"), late=True))


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_nor_one_that_fails(zygotes: dict[str, WatchedZygote], runtime: str) -> None:
    for program in (
        "1 +",
        {"python": "def main():\n    raise ValueError('é')", "js": "throw new TypeError('é')"}[runtime],
    ):
        ended = zygotes[runtime].run(program, late=True)
        assert (ended["signal"], ended["exit"], len(ended["failures"]), ended["events"]) == (0, 0, 1, [])
        assert set(ended["late"]) <= OWN_MODULE


@pytest.mark.parametrize(("runtime", "call", "program"), REFUSED, ids=[f"{row[0]} {row[1]}" for row in REFUSED])
def test_a_refused_call_ends_no_task(zygotes: dict[str, WatchedZygote], runtime: str, call: str, program: str) -> None:
    ended = zygotes[runtime].run(program, watch=[[call, []]], zone="Asia/Tokyo", memory_mib=128)
    assert ended["signal"] == signal.SIGSYS, "it is not made"
    check(zygotes[runtime].run(program, zone="Asia/Tokyo", memory_mib=128, late=True))
