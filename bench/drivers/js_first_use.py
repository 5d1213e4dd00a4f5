"""Forks children with an isolate each and runs one program in each; prints the nanoseconds from source to report, a
JSON array a program, and those of the prelude itself.

Arguments: the number of children for each program. Children are not sealed: what is measured is JavaScript. They begin
with what a rehearsal compiled, as those of a zygote do.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable

from langserver.js_runtime import JsRuntime
from langserver.js_runtime import isolate as isolate_texts
from langserver.js_runtime.catalog import OPTIONAL
from langserver.js_runtime.isolate import Isolate
from langserver.js_runtime.libraries import Libraries
from langserver.js_runtime.rehearsal import learned
from langserver.js_runtime.v8_engine import V8Engine
from langserver.js_runtime.v8_interface import Code
from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader

PROGRAMS = {
    "trivial": "function main(inputs) { return inputs.n + 1 }",
    "await in a body": "const n = await Promise.resolve(inputs.n);\nreturn [\n  { json: { n } },\n];",
    "await (x) in main": "async function main(inputs) { return await (async () => inputs.n)(); }",
    "await, and a last expression": "const n = await Promise.resolve(inputs.n);\nn + 1",
    "export default": "export default (inputs) => inputs.n + 1",
    "console.log": "console.log({ a: [1] })",
    "an error": "function main() { throw new Error('x') }",
    "TextEncoder": "new TextEncoder().encode('x')[0]",
    "atob": "atob('aGk=')",
    "Buffer": "Buffer.from('hi').toString('base64')",
    "URL": "new URL('https://example.org/a?b=c').href",
    "URL, a host that is not ASCII": "new URL('https://b\u00fccher.example').host",
    "crypto.randomUUID": "crypto.randomUUID()",
    "crypto.subtle": "crypto.subtle.digest('SHA-256', new Uint8Array(3)).then(() => 1)",
    "structuredClone": "structuredClone({ a: new Map([[1, 2]]) }).a.size",
    "EventTarget": "new EventTarget().dispatchEvent(new Event('x'))",
    "AbortController": "new AbortController().signal.aborted",
    "Headers": "new Headers({ a: '1' }).get('a')",
    "performance": "performance.now()",
    "a name that the source does not have": "new (globalThis['Hea' + 'ders'])({ a: '1' }).get('a')",
    "require('crypto')": "require('crypto').createHash('sha256').update('x').digest('hex')",
    "require('util')": "require('util').format('%s', 1)",
    "require('assert')": "require('assert').deepStrictEqual([1], [1])",
    "require('url')": "require('url').parse('http://example.org/a').pathname",
    "require('querystring')": "require('querystring').stringify({ a: 1 })",
    "require('events')": "new (require('events'))().listenerCount('x')",
    "require('path')": "require('path').join('a', 'b')",
    "require('lodash')": "require('lodash').chunk([1, 2, 3], 2).length",
    "require('dayjs')": "require('dayjs')(0).year()",
    "require('luxon')": "require('luxon').DateTime.fromMillis(0).year",
}
PRELUDE, PRELUDE_ALONE = "prelude", "prelude without what waits to be used"


def told_by_child(work: Callable[[], bytes]) -> bytes:
    """What `work` returns in a child."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            with open(write_end, "wb") as pipe:
                pipe.write(work())
        finally:
            os._exit(0)
    os.close(write_end)
    with open(read_end, "rb") as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    if not said:
        sys.exit("a child failed")
    return said


def in_child(work: Callable[[], int]) -> int:
    """What `work` returns in a child: nanoseconds."""
    return int(told_by_child(lambda: str(work()).encode()))


def run(runtime: JsRuntime, source: str) -> int:
    """From the source to the report, of a child that has its isolate."""
    runtime.wake()
    channel = Channel(os.open(os.devnull, os.O_WRONLY))
    channel.set_log_budget(1 << 18)
    header = TaskHeader("run", "UTC", None, "task.js", 1 << 21, 1 << 18)
    started = time.perf_counter_ns()
    program = runtime.compile(header, source)
    runtime.parse_input(b'{"n": 41}')
    runtime.reseed(header)
    runtime.run(program, None, header, channel)
    return time.perf_counter_ns() - started


def load(engine: V8Engine, code: Code) -> int:
    """One script of ours in a new isolate that has run something before."""
    engine.open()
    engine.load(Code(b"1"))
    engine.collect(10)
    started = time.perf_counter_ns()
    engine.load(code)
    if engine.collect(10) is None:
        raise SystemExit("no answer")
    return time.perf_counter_ns() - started


def used_by_all(engine: V8Engine, prelude: Code, libraries: Libraries) -> bytes:
    """What is compiled of the prelude when the trivial program has run."""
    isolate = Isolate(engine, {isolate_texts.PRELUDE: prelude}, libraries)
    channel = Channel(os.open(os.devnull, os.O_WRONLY))
    isolate.set_task(1 << 18, 1 << 21, "task.js", None)
    isolate.parse_input(b'{"n": 41}')
    isolate.follow(isolate.answer(isolate.run_script(PROGRAMS["trivial"].encode(), channel)), channel)
    return engine.compiled(prelude)


def rehearsed(runtime: JsRuntime) -> bytes:
    """What a zygote learns from its first child."""
    runtime.wake()
    return runtime.rehearse()


def main() -> None:
    """Measures."""
    count = int(sys.argv[1])
    runtime = JsRuntime(policy=True, modules=OPTIONAL)
    runtime.preload()
    engine = V8Engine()
    engine.preload()
    libraries = Libraries(OPTIONAL)
    prelude = Code(isolate_texts.load_prelude(libraries))
    told = told_by_child(lambda: rehearsed(runtime))
    runtime.learn(told)
    scripts = {
        PRELUDE: learned(told, {isolate_texts.PRELUDE: prelude})[isolate_texts.PRELUDE],
        PRELUDE_ALONE: Code(prelude.script, told_by_child(lambda: used_by_all(engine, prelude, libraries))),
    }
    found: dict[str, list[int]] = {name: [] for name in (*PROGRAMS, *scripts)}
    for number in range(-1, count):  # in turn, so that a slow moment falls on all
        times = {name: in_child(lambda source=source: run(runtime, source)) for name, source in PROGRAMS.items()}  # type: ignore[misc]
        times |= {name: in_child(lambda script=script: load(engine, script)) for name, script in scripts.items()}  # type: ignore[misc]
        if number >= 0:
            for name, nanoseconds in times.items():
                found[name].append(nanoseconds)
    print(json.dumps(found))


main()
