"""Every kind of memory that a program can ask for, in both languages: it ends at its limit, and nobody else notices.

One server for all; beside each task of these runs another one, started before all of them, that must live on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import ServerProcess, start_server, stop_server

MIB = 1 << 20
SLACK = 32 * MIB
MEGABYTES = {"python": 24, "js": 48}  # with less, V8 collects garbage for a long time before it gives up
SPIN_SECONDS = 2  # of CPU time, for a program that would never end

FILL = "keep = []\nwhile True: keep.append({})"
GREEDY = "keep = []\ntry:\n    while True: keep.append(b'x' * 1000)\n"
ONE_CALL = "import collections, itertools\n{}"
PYTHON = {
    "a list, doubled": "a = [0]\nwhile True: a = a + a",
    "strings": FILL.format("'x' * 100_000"),
    "a string, doubled": "s = 'x'\nwhile True: s += s",
    "bytes": FILL.format("b'x' * 100_000"),
    "bytes that nobody touched": FILL.format("bytes(1_000_000)"),
    "a byte array, grown": "b = bytearray()\nwhile True: b += b'x' * 100_000",
    "big integers": "n = 1\nwhile True: n = n << 20_000_000",
    "many dicts": FILL,
    "many instances": "class C: pass\nc = None\nwhile True:\n    d = C()\n    d.next = c\n    c = d",
    "tuples in tuples": "t = ()\nwhile True: t = (t,)",
    "a set": "s = set()\nfor i in range(10 ** 9): s.add(i)",
    "a generator": "def g():\n    keep = []\n    while True: yield keep.append('x' * 10_000)\nfor _ in g(): pass",
    "frames": "def f():\n    keep = b'x' * 1_000_000\n    return f()\nf()",
    "one call: a range": "list(range(10 ** 9))",
    "one call: an iterator": ONE_CALL.format("list(itertools.count())"),
    "one call: a deque": ONE_CALL.format("collections.deque(itertools.count())"),
    "one call: a set": ONE_CALL.format("set(itertools.count())"),
    "one call: join": ONE_CALL.format("''.join(itertools.repeat('x' * 1000))"),
    "one call: pools": ONE_CALL.format("itertools.product(range(999), repeat=10 ** 7)"),
    "one call: far too much": "bytearray(1 << 40)",
    "one call: replace": "s = 'a' * 100_000\ns.replace('a', s)",
    "one call: format": "f'{1:1000000000}'",
    "one call: JSON": "import json\na = ['lol'] * 10\nfor i in range(9): a = [a] * 10\njson.dumps(a)",
    "one call: decimal": "import decimal\ndecimal.getcontext().prec = 10 ** 9\ndecimal.Decimal(1) / 3",
    "an error's text": "class E(Exception):\n    def __str__(self): return 'x' * (1 << 40)\nraise E",
    "an error's text, at the limit": (
        "class E(MemoryError):\n    def __str__(self):\n        m = []\n        while True: m.append(b'x' * 1000)\n"
        + GREEDY
        + "except MemoryError: raise E"
    ),
    "an error that holds all": GREEDY + "except MemoryError: raise MemoryError(keep, keep)",
    "an error through many frames": (
        "def f(n):\n    keep = [b'x' * 1000] * n\n    f(n + 1) if n < 200 else g()\n"
        "def g():\n    keep = []\n    while True: keep.append('y' * 1000)\nf(0)"
    ),
    "an error that is logged": GREEDY
    + "except MemoryError:\n    import logging\n    logging.exception('x')\n    raise",
    "its own MemoryError": "raise MemoryError('mine')",
    "caught and ignored": GREEDY + "except MemoryError: pass\nkeep = 0\nresult = 1",
    "caught and ignored, again and again": (
        "keep = []\nfor _ in range(1000):\n    try:\n        while True: keep.append('x' * 100_000)\n"
        "    except MemoryError: pass\nresult = 1"
    ),
}
ENDLESS_PYTHON = {
    "finally, for ever": GREEDY
    + "finally:\n    while True:\n        try: keep.append(b'x')\n        except MemoryError: pass",
}

KEEP = "const keep = []; for (let i = 0; ; i++) keep.push({});"
JAVASCRIPT = {
    "arrays": KEEP.format("new Array(1e5).fill(1.5)"),
    "many objects": KEEP.format("{ i, a: [i] }"),
    "a map": "const m = new Map(); for (let i = 0; ; i++) m.set({ i }, [i]);",
    "a weak map": "const m = new WeakMap(), k = []; for (;;) m.set(k[k.push({}) - 1], new Array(100).fill(.5));",
    "closures": KEEP.format("() => i + keep.length"),
    "strings": KEEP.format("('x' + i).repeat(1e5).split('').join('y')"),
    "ropes": "const k = []; for (;;) { let s = 'ab' + k.length; for (let i = 0; i < 12; i++) s += s; k.push(s); }",
    "ropes, flattened": (
        "const k = []; for (;;) "
        "{ let s = 'ab' + k.length; for (let i = 0; i < 15; i++) s += s; s.indexOf('y'); k.push(s); }"
    ),
    "big integers": KEEP.format("(1n << 8000000n) + BigInt(i)"),
    "array buffers": KEEP.format("new Uint8Array(1e6).fill(1)"),
    "resized array buffers": KEEP.format("new ArrayBuffer(1 << 20, { maxByteLength: 1 << 21 })"),
    "copies of typed arrays": "const keep = [], a = new Float64Array(1e5).fill(1); for (;;) keep.push(a.slice());",
    "objects of ICU": KEEP.format("new Intl.DateTimeFormat('en-u-ca-japanese', { dateStyle: 'full' })"),
    "promises": "async function main() { const k = []; for (;;) { k.push(new Array(1e4).fill(.5)); await null; } }",
    "a generator": "function* g() { const k = []; for (;;) { k.push({}); yield k; } } for (const _ of g());",
    "frames": "function f() { const keep = new Array(1e5).fill(.5); return f() + keep.length; } f()",
    "one call: repeat": "'x'.repeat(2 ** 29 - 24)",
    "one call: fill": "new Array(1e8).fill(0)",
    "one call: split": "'x,'.repeat(5e6).split(',')",
    "one call: join": "new Array(1e8).join('xy')",
    "one call: spread": "[...new Array(3e7)]",
    "one call: match": "'a'.repeat(1e7).match(/a/g)",
    "one call: JSON": "let a = ['x']; for (let i = 0; i < 9; i++) a = Array(10).fill(a); JSON.stringify(a)",
    "one call: parse": "JSON.parse('[' + '[],'.repeat(8e6) + '1]')",
    "one call: far too much": "new ArrayBuffer(2 ** 32)",
    "logs": "const keep = []; for (;;) { keep.push(new Array(1e5).fill(.5)); console.log(keep.length); }",
}
ENDLESS_JAVASCRIPT = {
    "caught, for ever": "const k = []; for (;;) try { k.push(new Uint8Array(1e6).fill(1)); } catch (e) {}",
    "finally, for ever": (
        "const k = []; try { for (;;) k.push(new Uint8Array(1e6).fill(1)); } "
        "finally { for (;;) try { k.push(new Uint8Array(1e3).fill(1)); } catch (e) {} }"
    ),
    "a rope without end": "let s = 'x'; for (;;) s = s + 'y' + s.length;",
}

# What is refused without harm, or allowed: the program goes on, or its error is its own.
HARMLESS = [
    # runtime, code, kind of the error, output
    ("python", "try: bytearray(1 << 40)\nexcept MemoryError: result = 1", "UNSPECIFIED", "1"),
    ("js", "try { new ArrayBuffer(2 ** 40); } catch (e) { var result = e.name; }", "UNSPECIFIED", '"RangeError"'),
    ("js", "'x'.repeat(2 ** 30)", "USER_ERROR", ""),
    ("js", "1n << (2n ** 40n)", "USER_ERROR", ""),
    ("js", "new SharedArrayBuffer(1)", "POLICY_VIOLATION", ""),
    ("js", "typeof WebAssembly", "UNSPECIFIED", '"undefined"'),
]

ROWS = [
    *(("python", name, code, 0) for name, code in PYTHON.items()),
    *(("python", name, code, SPIN_SECONDS) for name, code in ENDLESS_PYTHON.items()),
    *(("js", name, code, 0) for name, code in JAVASCRIPT.items()),
    *(("js", name, code, SPIN_SECONDS) for name, code in ENDLESS_JAVASCRIPT.items()),
]
# A task that says a line from time to time, for as long as nobody ends it; and what it says.
SIBLINGS = {
    "python": (
        "import time\nkeep = list(range(100_000))\nwhile True:\n    time.sleep(.1)\n    print(sum(keep))",
        "4999950000",
    ),
    "js": (
        (
            "const k = new Array(1e5).fill(7), say = () => console.log(k.reduce((a, b) => a + b));\n"
            "async function main() { for (;;) { await new Promise((r) => setTimeout(r, 100)); say(); } }"
        ),
        "700000",
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    running = start_server(LANG_MEMORY_MB=str(max(MEGABYTES.values())))
    yield running
    stop_server(running)


class Sibling:
    """One that runs."""

    def __init__(self, server: ServerProcess, runtime: str) -> None:
        code, self.line = SIBLINGS[runtime]
        inline = lang_pb2.InlineCode(code=code)
        request = lang_pb2.ExecuteRequest(runtime=runtime, inline_code=inline, timeout_seconds=300)
        self.asked = time.monotonic()
        self.events = server.stub.ExecuteStream(request, timeout=300)
        self.lives_on()

    def lives_on(self) -> None:
        """Now, too: its lines are right up to one that it says after this call."""
        now = time.monotonic() - self.asked  # more than its own clock shows, which began later
        for event in self.events:
            assert event.log.text == self.line, event
            if event.log.at_seconds > now:
                return


@pytest.fixture(scope="module")
def siblings(server: ServerProcess) -> Iterator[dict[str, Sibling]]:
    zygotes = {runtime: server.zygotes(runtime) for runtime in ("python", "js")}
    running = {runtime: Sibling(server, runtime) for runtime in ("python", "js")}
    yield running
    for runtime, sibling in running.items():
        sibling.events.cancel()
        assert server.zygotes(runtime) == zygotes[runtime]
    assert server.process.poll() is None


def kind(response: lang_pb2.ExecuteResponse) -> str:
    return lang_pb2.ErrorKind.Name(response.error.kind).removeprefix("ERROR_KIND_")


@pytest.mark.parametrize(("runtime", "name", "code", "seconds"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_it_ends_at_its_limit(
    runtime: str, name: str, code: str, seconds: int, server: ServerProcess, siblings: dict[str, Sibling]
) -> None:
    megabytes = MEGABYTES[runtime]
    limits = lang_pb2.Limits(memory_mb=megabytes, cpu_seconds=seconds)
    response = server.execute(code, runtime, timeout=100, limits=limits)
    assert kind(response) == "MEMORY_LIMIT", response.error
    assert f"its limit of {megabytes} MiB" in response.error.message
    assert response.usage.peak_memory_bytes <= megabytes * MIB + SLACK
    assert not [event for event in response.security_events if event.action == "killed"]  # its own limit ended it
    siblings[runtime].lives_on()


@pytest.mark.parametrize(("runtime", "code", "error", "output"), HARMLESS, ids=[row[1] for row in HARMLESS])
def test_what_is_no_matter_of_the_limit(
    runtime: str, code: str, error: str, output: str, server: ServerProcess
) -> None:
    response = server.execute(code, runtime)
    assert (kind(response), response.output_json) == (error, output), response.error
    assert response.usage.peak_memory_bytes <= SLACK
