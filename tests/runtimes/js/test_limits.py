"""Memory, endless programs, and what the child says of them itself."""

from __future__ import annotations

import signal

import pytest

from langserver.core.outcome import ErrorKind

EATERS = {
    "arrays": "const keep = []; for (;;) keep.push(new Array(1e5).fill(1.5));",
    "objects": "const m = new Map(); for (let i = 0; ; i++) m.set({ i }, [i]);",
    "strings": "const keep = []; for (let i = 0; ; i++) keep.push(('x' + i).repeat(1e6).split('').join('y'));",
}


@pytest.mark.parametrize("name", EATERS)
def test_memory_is_bounded(js, name):
    idle = js.run("1").peak
    ended = js.run(f"function main() {{ {EATERS[name]} }}", memory_mib=48, seconds=20)
    assert ended.report is None
    assert ended.signal == signal.SIGTRAP or ended.timed_out
    assert ended.peak - idle < 48 + 32


@pytest.mark.parametrize("source", ["new Uint8Array(4e8)", "function main() { return new ArrayBuffer(4e8); }"])
def test_a_refused_array_buffer_is_the_memory_limit(js, source):
    assert js.run(source).failure.kind is ErrorKind.MEMORY_LIMIT


RESIZED = """const keep = [];
for (let i = 0; i < 40; i++) {
  const buffer = new ArrayBuffer(0, { maxByteLength: 4 << 20 });
  buffer.resize(4 << 20); buffer.resize(0); keep.push(buffer);
}
keep.length"""
UP_TO_THE_LIMIT = """const buffer = new ArrayBuffer(0, { maxByteLength: 100 << 20 });
let refused = '';
try { for (let size = 0; ; size += 16384) buffer.resize(size); } catch (e) { refused = e.message; }
refused"""


@pytest.mark.parametrize("memory_mib", [16, 32, 64, 128])
def test_resized_array_buffers_end_at_the_memory_limit(js, memory_mib):
    failure = js.run(RESIZED, memory_mib=memory_mib).failure
    assert (failure.kind, failure.type, failure.line) == (ErrorKind.MEMORY_LIMIT, "RangeError", 4)


def test_an_answer_needs_no_memory_that_the_program_took(js):
    # Less than 16 KiB is left, which was too little for the engine's callback.
    assert js.run(UP_TO_THE_LIMIT, memory_mib=16).value == "ArrayBuffer.prototype.resize: Out of memory"


def test_a_refused_array_buffer_may_be_caught(js):
    assert js.run("try { new Uint8Array(4e8); } catch (e) { var result = e.name; }").value == "RangeError"


ENDLESS = {
    "microtasks": "function main() { const f = () => { Promise.resolve().then(f); }; f(); return 1; }",
    "toJSON": "function main() { return { toJSON() { for (;;) {} } }; }",
    "thenable": "function main() { const t = { then(r) { r(t); } }; return t; }",
    "thrown getter": "function main() { throw { get message() { for (;;) {} } }; }",
    "timers": "async function main() { setInterval(() => 0, 0); await new Promise(() => {}); }",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_no_result_is_taken_before_the_program_is_over(js, name):
    ended = js.run(ENDLESS[name], seconds=0.4)
    assert ended.timed_out
    assert ended.report is None


def test_runaway_recursion_is_an_error_of_the_program(js):
    failure = js.run("function f() { return f() + 1; }\nfunction main() { return f(); }").failure
    assert (failure.kind, failure.type, failure.line) == (ErrorKind.USER_ERROR, "RangeError", 1)


def test_no_call_that_user_code_causes_needs_more_than_the_seal_leaves(js):
    source = """async function main() {
  const dates = [new Date(2024, 0, 1).toLocaleString('de-DE', { timeZone: 'Asia/Tokyo' })];
  const keep = []; for (let i = 0; i < 200; i++) keep.push(new Array(10000).fill(i)); keep.length = 0;
  const sorted = ['ä', 'z', 'a'].sort(new Intl.Collator('de').compare);
  await new Promise((r) => setTimeout(r, 5));
  return [dates.length, /(?<y>\\d+)/u.exec('in 2024').groups.y, sorted, (3n ** 500n).toString().length,
          typeof Temporal, JSON.stringify(structuredCloneOf({ a: [1] }))];
}
function structuredCloneOf(value) { return JSON.parse(JSON.stringify(value)); }"""
    assert js.run(source).value == [1, "2024", ["a", "ä", "z"], 239, "object", '{"a":[1]}']
