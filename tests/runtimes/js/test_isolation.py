"""What a program can reach: nothing of the prelude. And nothing it replaces changes what we do."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

# Replaces all that a program can replace by something that throws and tells that it was called.
ARM = """
let called = '', armed = false;
const { ownKeys, getOwnPropertyDescriptor, defineProperty, setPrototypeOf, getPrototypeOf } = Reflect;
const { log } = console, later = setTimeout, micro = queueMicrotask, NativeError = Error;
const trap = (name) => function () { if (armed) called += name + ' '; throw new NativeError(name); };
const todo = [], seen = new Set([globalThis, console]);
function visit(object, path) {
  if (seen.has(object)) return;
  seen.add(object);
  for (const key of ownKeys(object)) {
    if (key === 'prepareStackTrace') continue; // V8 asks it, and a program's own is to be asked
    const found = getOwnPropertyDescriptor(object, key), name = path + '.' + String(key), value = found.value;
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) visit(value, name);
    if (typeof value === 'function') todo.push([object, key, { value: trap(name) }]);
    else if (found.get) todo.push([object, key, { get: trap(name) }]);
  }
}
const SPACES = ['Atomics', 'JSON', 'Math', 'Reflect', 'Intl'], MINE = ['main', 'visit', 'arm'];
const BUILT_IN = ownKeys(globalThis)
  .filter((k) => (typeof globalThis[k] === 'function' || SPACES.includes(k)) && !MINE.includes(k));
for (const name of BUILT_IN) visit(globalThis[name], name);
for (const f of [function* () {}, async function* () {}, async () => {}]) visit(getPrototypeOf(f), 'function');
visit(getPrototypeOf(Uint8Array), 'TypedArray');
visit(getPrototypeOf([].values()), 'ArrayIterator');
const KEYS = '0 1 2 3 9 get set value writable configurable enumerable then constructor toJSON left at order ' +
  'every call id live name depth parent key level message nodes chars line column log seed output label answer cells ' +
  'parents where script raw index groups cause done circle circles depth width errors size main default';
for (const key of KEYS.split(' ')) {
  const d = { get: trap('get ' + key), set: trap('set ' + key), configurable: true };
  todo.push([Object.prototype, key, d], [Array.prototype, key, d]);
}
for (const item of todo) { setPrototypeOf(item[2], null); setPrototypeOf(item, null); }
setPrototypeOf(todo, null);
setPrototypeOf(BUILT_IN, null);
function arm() {
  for (let i = 0; i < todo.length; i++) { try { defineProperty(todo[i][0], todo[i][1], todo[i][2]); } catch {} }
  for (let i = 0; i < BUILT_IN.length; i++) delete globalThis[BUILT_IN[i]];
  armed = true;
}
const shown = {
  a: [1, 'x', { b: null }], m: new Map([[1, 2]]), s: new Set([1]), d: new Date(0), t: new Uint8Array(2), r: [/x/],
  e: Object.assign(new Error('shown', { cause: 1 }), { code: 2 }), c: class A {}, n: [1, , 3], u: [1, 2, 3, 4, 5, 6, 7],
};
"""


def test_everything_works_when_everything_is_replaced(js):
    source = (
        ARM
        + """
function main() {
  const result = { __proto__: null, n: 1.5, t: 'text', list: [1, [2]], d: shown.d };
  defineProperty(result, 'called', { __proto__: null, enumerable: true, get() { return called; } });
  arm();
  log(shown, '%s', 1);
  log('%d %s %o', 5, 'five', shown);
  micro(() => { log('micro'); });
  later(() => { log('late'); }, 1);
  return result;
}"""
    )
    ended = js.run(source)
    expected = {"n": 1.5, "t": "text", "list": [1, [2]], "d": "1970-01-01T00:00:00.000Z", "called": ""}
    assert ended.value == expected
    assert ended.logs[-2:] == [("log", "micro"), ("log", "late")]
    assert any("m: Map(1) { 1 => 2 }" in text for _, text in ended.logs)
    assert any(text.startswith("5 five {") for _, text in ended.logs)


def test_timers_and_errors_work_when_everything_is_replaced(js):
    source = (
        ARM
        + """
function main() {
  later((a) => { log('timer ' + a); later(() => { throw new NativeError(called || 'clean'); }, 1); }, 2, 'one');
  arm();
  return { __proto__: null, then() {} };
}"""
    )
    ended = js.run(source)
    assert ended.failure.message == "clean"
    assert ended.failure.line > 0
    assert ended.logs == [("log", "timer one")]


PROBES = {
    "names on the global object": """
const standard = new Set(Object.getOwnPropertyNames(globalThis));
function main() {
  const extra = ['console', 'setTimeout', 'inputs', 'require', 'module', 'list', 'tell', 'step', 'emit', 'surface'];
  return extra.filter((name) => standard.has(name));
}""",
    "names in scope": """
function main() {
  const names = ['list', 'native', 'quote', 'emit', 'ringHead', 'step', 'begin', 'surface', 'inspect',
    'settled', 'apply', 'bind'];
  return names.filter((name) => (0, eval)('typeof ' + name) !== 'undefined');
}""",
    "frames below main": """
function main() {
  Error.stackTraceLimit = 1000;
  return new Error('x').stack.split('\\n').slice(1).filter((line) => !/at main /.test(line));
}""",
    "frames of a timer": """
async function main() {
  return await new Promise((done) => setTimeout(() => {
    done(new Error('x').stack.split('\\n').slice(1).filter((line) => !/node\\.js/.test(line)));
  }, 1));
}""",
    "functions of call sites": """
const got = [];
function look() {
  Error.prepareStackTrace = (e, sites) => sites;
  for (const site of new Error().stack) {
    const f = site.getFunction(), t = site.getThis();
    if (f && ![look, main, box.toJSON, box.valueOf].includes(f)) got.push(String(f.name));
    if (t && t !== globalThis && t !== box) got.push('this');
  }
  Error.prepareStackTrace = undefined;
}
const box = { toJSON() { look(); return got; }, valueOf() { look(); return 1; } };
function main() { look(); setTimeout(() => 0, box); console.log({ toString: look }, '%s', box); return box; }""",
    "callers": """
const got = [];
const box = { toJSON: function named() { try { if (named.caller) got.push('caller'); } catch {} return got; } };
function main() { try { if (main.caller) got.push('main'); } catch {} return box; }""",
    "source of functions": """
function main() {
  const all = [setTimeout, clearTimeout, setInterval, queueMicrotask, setImmediate, require, ...Object.values(console)];
  const isPlain = (f) => /native code/.test(Function.prototype.toString.call(f)) && f.constructor === Function;
  return all.filter((f) => !isPlain(f)).map((f) => f.name);
}""",
    "promises of ours": """
const got = [], P = Promise, then = P.prototype.then;
Object.defineProperty(P, Symbol.species, { get() { got.push('species'); return P; } });
P.prototype.constructor = function (run) { got.push('constructor'); return new P(run); };
P.prototype.then = function (...a) { got.push('then'); return Reflect.apply(then, this, a); };
function main() { return { toJSON() { return got; } }; }""",
    "things we would call": """
const got = [];
globalThis.eval = () => got.push('eval'); globalThis.Function = () => got.push('Function');
globalThis.Promise = null; globalThis.JSON = null; globalThis.Reflect = null; globalThis.Object = null;
Function.prototype === undefined;
function main() { return { toJSON() { return got; } }; }""".replace("Function.prototype === undefined;\n", ""),
    "state after a stack overflow": """
function down() { try { down(); } finally { try { console.log('x'); setTimeout(() => 0, 1); } catch {} } }
function main() { try { down(); } catch {} console.log('still here'); return []; }""",
    "paths in stacks of what we throw": """
function main() {
  const got = [];
  for (const f of [() => require('fs'), () => setTimeout(5), () => queueMicrotask()]) {
    let stack = '/';
    try { f(); } catch (e) { stack = e.stack; }
    if (/[/]|prelude|langserver/.test(stack)) got.push(stack);
  }
  return got;
}""",
}


@pytest.mark.parametrize("name", PROBES)
def test_nothing_is_found(js, name):
    assert js.run(PROBES[name]).value == []


EVIL = "console.log('evil'); globalThis.evil = 1;"
# Each closes what might be around it, acts, and opens it again.
SPLICES = [
    f"}}); {EVIL} (function () {{",
    f"}}); {EVIL} (async function () {{",
    f"}})(); {EVIL} (() => {{",
    f"}} {EVIL} {{",
    f"}}\n{EVIL}\nasync function x() {{",
    f"}} }}); {EVIL} (class {{ static {{",
    f"await (1); }} }}); {EVIL} (class {{ static {{ await (1)",
    f"return 1 }}, {EVIL} function () {{",
    f"return 1; }}) ({EVIL}",
    f"a) {{ {EVIL} }} //",
    f") {{ {EVIL} }} //",
    f"*/ {EVIL} /*",
    f"`}} {EVIL} {{",
    f"${{{EVIL}}}",
    f"\\u007d); {EVIL}",
    f"'\u2028}} {EVIL} {{'; }}",
    f"]; {EVIL} [",
    f"<!-- -->\n}} {EVIL} {{",
]


@pytest.mark.parametrize("source", SPLICES)
def test_a_source_ends_nothing_but_itself(js, source):
    """It is parsed alone: as a script, as the body of a function, and where V8 is asked what is wrong with it."""
    for wrap in ("{}", "{}\nreturn 1", "await 0;\n{}"):
        text = wrap.format(source)
        ended = js.run(text)
        assert ended.failure.kind is ErrorKind.SYNTAX_ERROR, text
        assert ended.logs == [], text
        assert js.run(text, mode="validate").report.failures, text


def test_a_main_that_changes_with_each_look(js):
    source = """let n = 0;
const get = () => (n++ % 2 ? () => 'main' : 5);
for (const k of ['main', 'result', 'then']) Object.defineProperty(globalThis, k, { get });"""
    ended = js.run(source)
    assert ended.report is not None


def test_a_global_object_cut_off_from_what_lies_behind(js):
    source = (
        "const { log } = console; Object.setPrototypeOf(globalThis, null); function main(i) { log('a'); return i; }"
    )
    ended = js.run(source, {"a": 1})
    assert ended.value == {"a": 1}
    assert ended.logs == [("log", "a")]


def test_a_source_url_of_the_program_hides_no_line(js):
    failure = js.run("function main() {\n  null.x;\n}\n//# sourceURL=/etc/passwd").failure
    assert (failure.line, "passwd" in failure.traceback) == (2, False)


# What the parser was asked about: each of these, before anything of the program ran.
PARSED = {
    "await of a call": "const asked = await (async () => 1)();\nreturn {};",
    "module": "export default {};",
    "module with imports": "import { sep } from 'path';\nexport default {};",
    "lexicals": "const a = 1, exports = 2;\n({})",
}
TRACES = """[
  Object.getOwnPropertyNames(globalThis).sort(), RegExp.$1, RegExp.$2, RegExp.input, RegExp.lastMatch,
  RegExp.leftContext, RegExp.rightContext, RegExp.lastParen, Object.keys(Object.prototype), typeof acorn,
  Object.getOwnPropertyNames(Array.prototype).length, Object.getOwnPropertyNames(String.prototype).length,
]"""


@pytest.mark.parametrize("name", PARSED)
def test_a_parser_leaves_no_trace(js, name):
    expected = js.run(f"({TRACES})").value
    assert expected[1:7] == [""] * 6
    assert js.run(PARSED[name].replace("{}", TRACES)).value == expected


def test_what_is_no_part_of_the_language_is_not_there(js):
    absent = "SharedArrayBuffer WebAssembly Worker importScripts load read print quit d8 gc ShadowRealm".split()
    absent += [f"Atomics.{name}" for name in ("wait", "waitAsync", "notify")]
    source = f"[{', '.join(f'typeof {name}' for name in absent)}]"
    assert set(js.run(source).value) == {"undefined"}


SHARED = {
    "by WebAssembly": "new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer",
    "by a view": "new Int32Array(8).buffer.constructor.prototype.constructor[Symbol.species]",
    "by Atomics": "Atomics.waitAsync(new Int32Array(1), 0, 0)",
    "by its own way": "new (Object.getPrototypeOf(Int32Array).prototype.constructor.SharedArrayBuffer)(8)",
}


@pytest.mark.parametrize("name", SHARED)
def test_no_way_leads_back_to_shared_memory(js, name):
    source = (
        f"let got; try {{ got = {SHARED[name]}; }} catch {{}}\n({{}}).toString.call(got === ArrayBuffer ? null : got)"
    )
    assert js.run(source).value in {"[object Null]", "[object Undefined]"}


def test_an_import_call_reaches_nobody(js):
    source = """const told = [];
for (const name of ['fs', 'path', '/etc/passwd', 'data:text/javascript,export default 1', {}, 'x.json']) {
  for (const ask of [(n) => import(n), (0, eval)('(n) => import(n)'), new Function('n', 'return import(n)')]) {
    told.push(await ask(name).then(() => 'got', (error) => error.name));
  }
}
return [...new Set(told)];"""
    assert js.run(source).value == ["Error"]
