"""The engine under the runtime: what it leaves in a child."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from langserver.js_runtime.catalog import MODULES
from tests.runtimes.js.driver import ROOT
from tests.runtimes.js.forked import FORKED

AWAKE = """
import json, os, sys
before = set(sys.modules)
from langserver.js_runtime import JsRuntime
runtime = JsRuntime(policy=True)
runtime.preload()
threads_before = len(os.listdir("/proc/self/task"))
runtime.wake()
maps = [line.split(None, 5) for line in open("/proc/self/maps")]
print(json.dumps({
    "version": runtime.version(),
    "threads_before": threads_before,
    "threads": len(os.listdir("/proc/self/task")),
    "writable_code": [fields for fields in maps if "w" in fields[1] and "x" in fields[1]],
    "files": sorted(os.readlink(f"/proc/self/fd/{fd}") for fd in (3, 4, 5, 6) if os.path.exists(f"/proc/self/fd/{fd}")),
    "modules": sorted(sys.modules),
}), flush=True)
os._exit(0)
"""


def test_an_awake_process():
    command = [sys.executable, "-c", AWAKE]
    told = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=30, cwd=ROOT).stdout)
    assert len(told["version"]) == 4
    assert told["version"][0] >= 14
    # None before the fork: it would be lost in the child. One after it: no call for another is allowed later.
    assert (told["threads_before"], told["threads"]) == (1, 2)
    assert told["writable_code"] == []
    assert told["files"] == []
    heavy = {"asyncio", "py_mini_racer", "importlib.resources", "tempfile", "socket", "threading"}
    assert heavy.isdisjoint(told["modules"])


LOST = """
import os
from langserver.js_runtime.v8_engine import V8Engine
class Deaf(V8Engine):
    def _receive(self, context, value):
        raise MemoryError
engine = Deaf()
engine.preload()
engine.open()
engine.evaluate(b"1")
try:
    while engine.collect(0.005) is None:
        pass
except MemoryError:
    os.write(1, b"noticed")
os._exit(0)
"""


def test_an_answer_that_could_not_be_taken_is_noticed():
    command = [sys.executable, "-c", LOST]
    assert subprocess.run(command, capture_output=True, check=True, timeout=30, cwd=ROOT).stdout == b"noticed"


# A prelude whose functions answer with whatever the text they are given makes.
ANSWERS = """
import json, os, sys
from langserver.js_runtime.engine import EngineError
from langserver.js_runtime.v8_engine import V8Engine
from langserver.js_runtime.isolate import Isolate
from langserver.js_runtime.libraries import Libraries
from langserver.js_runtime.v8_interface import Code
PRELUDE = b"(() => { 'use strict'; function f() { return (0, eval)(this)() } const b = new SharedArrayBuffer(64);"
engine = V8Engine()
engine.preload()
PRELUDE += b"return [f, f, f, f, f, f, f, f, f, 0, b, f, f, f, f, f] })()"
isolate = Isolate(engine, {"prelude": Code(PRELUDE)}, Libraries(()))
told = []
for text in json.load(sys.stdin):
    try:
        told.append(isolate.check(text.encode()).decode())
    except EngineError:
        told.append(None)
print(json.dumps(told), flush=True)
os._exit(0)
"""
# Scripts of ours that give no value.
UNLOADED = """
import json, os, sys
from langserver.js_runtime.engine import EngineError
from langserver.js_runtime.v8_engine import V8Engine
from langserver.js_runtime.isolate import Isolate
from langserver.js_runtime.libraries import Libraries
from langserver.js_runtime.v8_interface import Code
engine = V8Engine()
engine.preload()
try:
    Isolate(engine, {"prelude": Code(sys.argv[1].encode(), sys.argv[2].encode())}, Libraries(()))
except EngineError as error:
    print(error, flush=True)
os._exit(0)
"""


@pytest.mark.parametrize("script", ["throw new Error('x')", "let a = ;", "null.x"])
@pytest.mark.parametrize("compiled", ["", "something else"])
def test_a_script_of_ours_that_fails_is_noticed(script, compiled):
    command = [sys.executable, "-c", UNLOADED, script, compiled]  # which V8 refuses to take
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, cwd=ROOT)
    assert done.stdout.startswith("prelude does not run: ")


NO_TEXT = """
    ['A'] | new String('A') | 65 | 1.5 | true | null | undefined | 10n | Symbol('A') | new Date(0) | (() => 'A')
    ({ toString() { return 'A' } }) | Promise.resolve('A') | new Uint8Array([65]) | new ArrayBuffer(1)
    new Proxy({}, {}) | (() => { throw 'A' })() | (() => { throw new Error('A') })() | new Map() | function* () {}
""".replace("\n", "|").split("|")


def test_only_a_text_is_an_answer():
    """Anything else would be a live handle of the engine, or a number where a text is read."""
    asked = ["() => 'A'", *(f"() => {each.strip()}" for each in NO_TEXT if each.strip()), "() => 'B'"]
    command = [sys.executable, "-c", ANSWERS]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, timeout=30, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["A", *[None] * (len(asked) - 2), "B"]


def test_the_policy_layer_cannot_be_left_out():
    code = "from langserver.js_runtime import JsRuntime\nJsRuntime(policy=False)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30, cwd=ROOT
    )
    assert done.returncode
    assert "cannot run without its policy layer" in done.stderr


def test_modules_are_sorted():
    assert list(MODULES) == sorted(MODULES)


# What a rehearsal compiled is taken by another child's V8, and is less to compile there.
REHEARSED = (
    FORKED
    + """
def taken():
    runtime.wake()
    return str(runtime._engine._v8.taken).encode()
before = child(taken)
runtime.learn(child(rehearsed))
print(before.decode(), child(taken).decode(), flush=True)
os._exit(0)
"""
)


def test_what_a_rehearsal_compiled_is_taken():
    command = [sys.executable, "-c", REHEARSED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, cwd=ROOT)
    assert done.stdout.split() == ["0", "1"]
