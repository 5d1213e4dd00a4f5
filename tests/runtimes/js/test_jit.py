"""The profile in which V8 compiles (LANG_JS_JIT=on): what it must not change, and what it may have."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from langserver.core.outcome import ErrorKind
from langserver.core.verdict import CODE_BYTES
from tests.runtimes.js.driver import ROOT, Forker


@pytest.fixture(scope="module")
def jitless() -> Iterator[Forker]:
    forker = Forker()
    yield forker
    forker.close()


@pytest.fixture(scope="module")
def jit() -> Iterator[Forker]:
    forker = Forker(jit=True)
    yield forker
    forker.close()


# Hot enough for both compilers, each with something that compiled code must not get wrong.
PROGRAMS = {
    "a loop": "function main() { let s = 0; for (let i = 0; i < 3e5; i++) s = (s + i * 7) % 1000003; return s; }",
    "an integer that becomes a double": """function main() {
  const add = (a, b) => a + b; let s = 0;
  for (let i = 0; i < 2e4; i++) s = add(s, 1 << 30);
  return [s, add('a', 'b'), add(0.1, 0.2), Object.is(-0 * s, -0)];
}""",
    "shapes that change": """function main() {
  const get = (o) => o.x; const made = []; let s = 0;
  for (let i = 0; i < 2e4; i++) s += get(i % 3 ? { x: i } : { y: 1, x: i });
  return [s, get({ get x() { return 'got'; } }), get(Object.create({ x: 5 })), get(new Proxy({}, { get: () => 'p' }))];
}""",
    "sorting": """function main() {
  const made = []; let x = 1;
  for (let i = 0; i < 2e4; i++) { x = (x * 1103515245 + 12345) % 2147483648; made.push(x); }
  made.sort((a, b) => a - b); return [made[0], made[9999], made[19999]];
}""",
    "regular expressions": """function main() {
  const text = 'ab1c, de22f; ü9ß '.repeat(2000); let n = 0;
  for (const m of text.matchAll(/(?<w>[a-zü]+)(\\d+)([a-zß])/giu)) n += m[2].length + m.groups.w.length;
  return [n, text.replace(/(\\d)/g, '<$1>').length, 'x'.repeat(25).search(/(x+x+)+y/)];
}""",
    "typed arrays": """function main() {
  const a = new Int8Array(4096), d = new Float64Array(64), v = new DataView(d.buffer);
  for (let k = 0; k < 20; k++) for (let i = 0; i < 5000; i++) a[i] = a[i] + i * 3;
  d.fill(NaN); v.setFloat64(8, -1.5);
  return [a.reduce((s, e) => s + e, 0), a[5000] ?? null, v.getUint8(8), [...d.slice(0, 2)].map(String)];
}""",
    "exceptions and their lines": """function bad(i) {
  if (i > 9000) throw new RangeError('at ' + i);
  return i;
}
function main() {
  for (let i = 0; ; i++) bad(i);
}""",
    "generators and promises": """async function main() {
  function* count(n) { for (let i = 0; i < n; i++) yield i; }
  let s = 0; for (const i of count(2e4)) s += i;
  for (let i = 0; i < 5000; i++) s += await i;
  return s;
}""",
    "big integers and dates": """function main() {
  let b = 1n; for (let i = 1n; i < 300n; i++) b *= i;
  return [b.toString().length, new Date(86400000).toISOString(), (0.1).toFixed(20)];
}""",
    "arguments, closures and eval": """function main() {
  function sum() { let s = 0; for (let i = 0; i < arguments.length; i++) s += arguments[i]; return s; }
  let s = 0; for (let i = 0; i < 1e4; i++) s += sum(i, 1, 2);
  return [s, eval('s + 1'), new Function('a', 'return a * 2')(4), sum.call(null, ...[1, 2])];
}""",
    "recursion without an end": "function f(n) { return f(n + 1) + 1; }\nfunction main() { return f(0); }",
    "asm.js, as plain JavaScript": """function main() {
  function module(stdlib, foreign, heap) {
    'use asm';
    function f(x) { x = x | 0; return (x + 1) | 0; }
    return { f: f };
  }
  return module(globalThis, {}, new ArrayBuffer(65536)).f(41);
}""",
    "the names there are": """function main() {
  return [Object.getOwnPropertyNames(globalThis).sort(), Object.getOwnPropertyNames(Atomics).sort(), typeof WebAssembly,
          typeof SharedArrayBuffer, typeof ShadowRealm, typeof Atomics.wait];
}""",
    "a name there is not": "function main() { return WebAssembly.validate(new Uint8Array(8)); }",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_ends_as_without_it(jit: Forker, jitless: Forker, name: str) -> None:
    compiled, interpreted = (forker.run(PROGRAMS[name], seconds=60).report for forker in (jit, jitless))
    assert compiled is not None
    assert interpreted is not None
    assert (compiled.output, compiled.failures) == (interpreted.output, interpreted.failures)


@pytest.mark.parametrize("eater", ["keep.push(new Array(1e5).fill(1.5))", "keep.push(new Uint8Array(1 << 20).fill(1))"])
def test_memory_is_bounded(jit: Forker, eater: str) -> None:
    idle = jit.run("1").peak
    ended = jit.run(f"function main() {{ const keep = []; for (;;) {eater}; }}", memory_mib=48, seconds=60)
    assert ended.signal == signal.SIGTRAP or ended.failure.kind is ErrorKind.MEMORY_LIMIT
    assert ended.peak - idle < 48 + (CODE_BYTES >> 20)


FILLS = """function main() {
  const keep = [];
  for (let i = 0; i < 40000; i++) {
    const words = []; for (let k = 0; k < 100; k++) words.push('w' + i + '[a-f]+' + k + 'x?');
    const found = new RegExp(words.join('|')); for (let k = 0; k < 4; k++) found.test('w1ab2');
    keep.push(found);
  }
  return keep.length;
}"""


def test_code_has_an_end_too(jit: Forker) -> None:
    idle = jit.run("1").peak
    ended = jit.run(FILLS, memory_mib=512, seconds=100)
    assert (ended.report, ended.signal) == (None, signal.SIGSEGV)
    assert ended.peak - idle > (CODE_BYTES >> 20) * 9 // 10


def test_an_endless_loop_is_ended_from_outside(jit: Forker) -> None:
    assert jit.run("let i = 0; for (;;) i = (i + 1) | 0;", seconds=0.5).timed_out


AWAKE = """
import json, os, sys
from langserver.js_runtime.run import JsRuntime
runtime = JsRuntime(policy=True, jit=True)
runtime.preload()
runtime.wake()
def code():
    size = lambda lines: next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))
    lines = open("/proc/self/smaps").read().splitlines()
    return [(line.split()[1], size(lines[at:])) for at, line in enumerate(lines) if " rwxp " in line]
before = code()
hot = b"let f = (x) => x * 3 + 1, s = 0; for (let i = 0; i < 3e5; i++) s += f(i);"
runtime._isolate.evaluate(b"(() => { " + hot + b"})()")
print(json.dumps({"before": before, "after": code(), "threads": len(os.listdir("/proc/self/task"))}), flush=True)
os._exit(0)
"""


def test_it_compiles_and_has_one_thread_of_its_own_all_the_same() -> None:
    told = json.loads(_run(AWAKE).stdout)
    (before,), (after,) = told["before"], told["after"]
    assert after[1] > before[1], "machine code was written"
    assert told["threads"] == 2


BARE = """
import os
from langserver.js_runtime.v8_engine import V8Engine
engine = V8Engine(jit=True)
engine.preload()
engine.open()
engine.evaluate(b'''
const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0];
new WebAssembly.Module(new Uint8Array([...bytes, 65, 42, 11]))
''')
os.write(1, engine.collect(60).text)
os._exit(0)
"""


def test_webassembly_has_no_function_even_where_the_prelude_did_not_take_it_away() -> None:
    assert b"functions count of 1 exceeds internal limit of 0" in _run(BARE).stdout


BROKEN = """
import os, sys
from langserver.js_runtime.v8_engine import V8Engine
engine = V8Engine(jit=True)
engine.preload()
engine.open()
engine.evaluate(b"1")
engine.collect(60)
{}
try:
    engine.protect()
except Exception as error:
    os.write(1, str(error).encode())
os._exit(0)
"""


@pytest.mark.parametrize(
    ("breakage", "said"),
    {
        "engine._code_bytes = 0": b"the engine has 0 bytes for code",
        "engine._executable._mprotect = lambda *_: 0": b"memory that was taken away is still there",
        "it = engine._executable; real = it._mprotect; it._mprotect = lambda a, n, to: real(a, n, to) if to else 0": (
            b"memory that was taken away is still there"
        ),
        "engine._executable._mprotect = lambda *_: -1": b"mprotect",
        "engine._code_start += 1": b"mprotect",
    }.items(),
)
def test_code_that_cannot_be_bounded_is_an_error(breakage: str, said: bytes) -> None:
    assert said in _run(BROKEN.format(breakage)).stdout


def _run(script: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60, cwd=ROOT)
