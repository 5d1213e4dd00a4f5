"""Forks children with an isolate each and runs one program in each; prints the nanoseconds from source to report, a
JSON array a program, and those of the prelude itself.

Arguments: the number of children for each program. Children are not sealed: what is measured is JavaScript.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable

from langserver.js_runtime import JsRuntime
from langserver.js_runtime.catalog import OPTIONAL
from langserver.js_runtime.engine import V8Engine
from langserver.js_runtime.isolate import load_prelude
from langserver.js_runtime.libraries import Libraries
from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader

PROGRAMS = {
    "trivial": "function main(inputs) { return inputs.n + 1 }",
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


def in_child(work: Callable[[], int]) -> int:
    """What `work` returns in a child: nanoseconds."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write_end, str(work()).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    said = os.read(read_end, 64)
    os.close(read_end)
    os.waitpid(pid, 0)
    if not said:
        sys.exit("a child failed")
    return int(said)


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


def evaluate(engine: V8Engine, script: bytes) -> int:
    """One script in a new isolate that has run something before."""
    engine.open()
    engine.evaluate(b"1")
    engine.collect(10)
    started = time.perf_counter_ns()
    engine.evaluate(script)
    if engine.collect(10) is None:
        raise SystemExit("no answer")
    return time.perf_counter_ns() - started


def bare(prelude: bytes, accessors: str) -> bytes:
    """The prelude without the texts and the accessors that only wait."""
    text, replaced = re.subn(rb'(?m)^const ([A-Z]+) = ".*$', rb"const \1 = '';", prelude)
    found = accessors.encode()
    if replaced < 2 or found not in text:
        sys.exit("the prelude is another than this driver knows")
    return text.replace(found, b"const lazySurface = { __proto__: getPrototypeOf(globalThis) };\n")


def main() -> None:
    """Measures."""
    count = int(sys.argv[1])
    runtime = JsRuntime(policy=True, modules=OPTIONAL)
    runtime.preload()
    engine = V8Engine()
    engine.preload()
    libraries = Libraries(())
    prelude = load_prelude(libraries)
    scripts = {PRELUDE: prelude, PRELUDE_ALONE: bare(prelude, libraries.accessors())}
    found: dict[str, list[int]] = {name: [] for name in (*PROGRAMS, *scripts)}
    for number in range(-1, count):  # in turn, so that a slow moment falls on all
        times = {name: in_child(lambda source=source: run(runtime, source)) for name, source in PROGRAMS.items()}  # type: ignore[misc]
        times |= {name: in_child(lambda script=script: evaluate(engine, script)) for name, script in scripts.items()}  # type: ignore[misc]
        if number >= 0:
            for name, nanoseconds in times.items():
                found[name].append(nanoseconds)
    print(json.dumps(found))


main()
