"""How globals and modules come into an isolate: at first touch, whatever their name was put together from, whatever the
program has replaced before, and without one part of one child's randomness in another's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from langserver.core.outcome import ErrorKind
from langserver.js_runtime import catalog
from langserver.js_runtime.libraries import Libraries
from tests.runtimes.js.driver import Forker


@pytest.fixture(scope="module")
def equipped() -> Iterator[Forker]:
    """Children with all modules that an operator may turn on."""
    forker = Forker(catalog.OPTIONAL)
    yield forker
    forker.close()


def test_every_global_is_there(js):
    source = "return inputs.map((name) => [name, typeof (0, eval)(name), name in globalThis]);"
    for name, kind, is_in in js.run(source, list(catalog.GLOBALS)).value:
        assert (kind in {"function", "object"}, is_in) == (True, True), name


def test_every_module_is_there_under_both_of_its_names(js):
    source = "return inputs.map((name) => [typeof require(name), require(name) === require('node:' + name)]);"
    assert {tuple(found) for found in js.run(source, list(catalog.MODULES)).value} <= {
        ("object", True),
        ("function", True),
    }


def test_a_name_that_is_nowhere_in_the_source_is_asked_for(js):
    """The host gives before the run what the source mentions; the rest comes while the program waits for it."""
    source = """const at = (...parts) => globalThis[parts.join('')];
const get = globalThis['req' + 'uire'] ?? eval('req' + 'uire');
return [at('Buf', 'fer').from('hi').toString('hex'), new (at('U', 'RL'))('http://\\u00e4.de/').hostname,
  at('cry', 'pto').randomUUID().length, get('util'.slice(0, 4)).format('%s', 1)];"""
    ended = js.run("const require_ = require; " + source)
    assert ended.value == ["6869", "xn--4ca.de", 36, "1"]
    assert not [
        library for library in Libraries(()).mentioned("return globalThis['Buf' + 'fer']") if "buffer" in library
    ]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("function main({ url, path, events }) { return url + path + events.util }", []),
        ("const { createHash } = require('node:crypto')", ["modules/crypto", "vendor/hashes", "random"]),
        ('import get from "lodash/get"', ["vendor/lodash"]),
        ("require(`util`)", ["modules/util"]),
        ("new URL(inputs.url)", ["url", "vendor/url", "encoding"]),
        ("crypto.subtle.digest('SHA-1', data)", ["webcrypto", "hashes", "vendor/hashes"]),
        ("crypto.randomUUID()", ["webcrypto", "random"]),
    ],
)
def test_what_a_source_mentions(source, wanted):
    found = Libraries(catalog.OPTIONAL).mentioned(source)
    assert set(wanted) <= set(found)
    assert bool(wanted) == bool(found)
    assert "vendor/idna" not in found


def test_log_lines_before_a_library_is_asked_for_stay_in_order(js):
    source = """for (let i = 0; i < 3; i++) console.log('before', i);
console.log(globalThis['Buf' + 'fer'].from('x'));
console.log('after');"""
    assert [text for _, text in js.run(source).logs] == ["before 0", "before 1", "before 2", "<Buffer 78>", "after"]


@pytest.mark.parametrize("name", ["Buffer", "URL", "crypto", "console", "inputs", "setTimeout"])
def test_a_program_may_use_the_names_itself(js, name):
    own = f"[typeof {name}, {name}]"
    assert js.run(f"const {name} = 1; function main() {{ return {own}; }}").value == ["number", 1]
    assert js.run(f"{name} = 2; function main() {{ return {own}; }}").value == ["number", 2]
    if name != "setTimeout":  # V8 lets no strict code assign to a name whose value stands behind the global object
        assert js.run(f"'use strict'; typeof {name}; {name} = 3; return {own};").value == ["number", 3]
    assert js.run(f"var {name} = 4; return [typeof globalThis.{name}, {name}];").value[1] == 4
    assert js.run(f"class {name} {{}} return typeof {name};").value == "function"
    assert js.run(f"globalThis.{name} = 5; return {own};").value == ["number", 5]


def test_a_touched_global_stays_the_same(js):
    source = """const own = Object.getOwnPropertyDescriptor;
return [URL === URL, Buffer === require('buffer').Buffer, URL === require('url').URL,
  own(globalThis, 'URL') === undefined, delete globalThis.URL, typeof URL, require('crypto').webcrypto === crypto,
  require('util').TextEncoder === TextEncoder];"""
    assert js.run(source).value == [True, True, True, True, True, "function", True, True]


def test_secret_randomness_is_of_one_child_alone(js):
    source = """const { randomBytes, randomInt } = require('crypto');
return [crypto.randomUUID(), randomBytes(16).toString('hex'), randomInt(2 ** 47), Math.random()];"""
    drawn = [js.run(source, seed=7).value for _ in range(8)]
    for column in range(3):
        assert len({row[column] for row in drawn}) == len(drawn)
    assert len({row[3] for row in drawn}) == 1  # the seed is for Math.random only


def test_random_bytes_are_spread_evenly(js):
    source = """const counts = new Array(256).fill(0);
for (const byte of crypto.getRandomValues(new Uint8Array(65536))) counts[byte]++;
return counts;"""
    counts = js.run(source).value
    expected = 65536 / 256
    # 255 degrees of freedom: beyond 400 with a probability below one in a hundred million
    assert sum((count - expected) ** 2 / expected for count in counts) < 400


def test_random_numbers_below_a_bound_are_all_equally_likely(js):
    source = """const counts = new Array(6).fill(0);
for (let i = 0; i < 6000; i++) counts[require('crypto').randomInt(6)]++;
return counts;"""
    assert all(800 < count < 1200 for count in js.run(source).value)  # six standard deviations


TAMPERED = {
    "calls": "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 'mine'; };",
    "iteration": "Array.prototype[Symbol.iterator] = function* () { throw 'mine'; };",
    "setters": "Object.defineProperty(Object.prototype, 'value', { set() { throw 'mine'; }, configurable: true });",
    "eval": "globalThis.eval = globalThis.Function = () => { throw 'mine'; };",
    "typed arrays": "for (const n of ['Uint8Array', 'Uint32Array']) globalThis[n] = function () { throw 'mine'; };",
    "strings": "for (const n of ['slice', 'indexOf', 'split']) String.prototype[n] = () => { throw 'mine'; };",
    "JSON": "JSON.parse = JSON.stringify = () => { throw 'mine'; };",
    "maps": "globalThis.Map = globalThis.WeakMap = function () { throw 'mine'; }; ",
    "reflect": "for (const n of Object.getOwnPropertyNames(Reflect)) Reflect[n] = () => { throw 'mine'; };",
    "everything frozen": "for (const o of [Object, Array, Function]) { Object.freeze(o.prototype); Object.freeze(o); }",
}


@pytest.mark.parametrize("what", TAMPERED)
@pytest.mark.parametrize(
    "touch", ["crypto.randomUUID()", "globalThis['cry' + 'pto'].randomUUID()", "console.log({ a: [1] })"]
)
def test_what_a_program_replaced_breaks_that_program_at_most(js, what, touch):
    """It has its result or its error; the channel behind both holds. console and the generator do not even notice."""
    ended = js.run(
        f"{TAMPERED[what]}\nfunction main() {{ try {{ {touch}; }} catch (error) {{ return `${{error}}`; }} return 1; }}"
    )
    assert ended.value == 1 or ("console" not in touch and isinstance(ended.value, str)), ended
    if "console" in touch:
        assert ended.value == 1
        assert ended.logs == [("log", "{ a: [ 1 ] }")]


def test_a_library_that_did_not_load_is_loaded_again(js):
    source = """const define = Object.defineProperty;
Object.defineProperty = () => { throw 'mine'; };
const tries = [];
for (let i = 0; i < 2; i++) { try { tries.push(typeof Buffer); } catch (error) { tries.push(error); } }
Object.defineProperty = define;
tries.push(Buffer.from('hi').toString());
return tries;"""
    assert js.run(source).value == ["mine", "mine", "hi"]


def test_a_library_does_not_meet_itself_half_made(js):
    source = """const define = Object.defineProperty;
const seen = [];
Object.defineProperty = (...given) => { seen.push(typeof Buffer, typeof require('buffer')); return define(...given); };
const made = Buffer.from('hi').toString();
return [made, seen[0], seen.includes('function')];"""
    ended = js.run(source)
    assert ended.value[:2] == ["hi", "undefined"]


def test_errors_tell_no_frame_and_no_path_of_a_library(js):
    source = "function main() {\n  return Buffer.from('x').readUInt32LE(9);\n}"
    failure = js.run(source).failure
    assert (failure.kind, failure.type, failure.line) == (ErrorKind.USER_ERROR, "RangeError", 2)
    assert failure.traceback.count("\n") == 4  # and its code
    stack = js.run("try { new URL('x'); } catch (error) { return error.stack; }").value
    assert "/" not in stack.partition("\n")[2].replace("node:", "")


def test_call_sites_show_nothing_of_a_library(js):
    source = """const seen = [];
const hides = (site) => site.getFunction() === undefined && site.getThis() === undefined;
Error.prepareStackTrace = (error, sites) => {
  for (const site of sites) seen.push([site.getScriptNameOrSourceURL(), hides(site)]);
  return '';
};
const touch = () => { try { new URL('x'); } catch (error) { return error.stack; } };
try { Buffer.from('x').readUInt32LE(9); } catch (error) { error.stack; }
try { require('assert').strictEqual(1, 2); } catch (error) { error.stack; }
[new Proxy({}, { ownKeys() { new Error().stack; return []; } })].forEach((trap) => structuredClone(trap));
touch();
return seen;"""
    # Frames of the program's own sloppy code do show their functions.
    others = [site for site in js.run(source).value if site[0] != "task.js"]
    assert others
    assert all(hidden for _, hidden in others), others


def test_a_timeout_signal_keeps_no_task_waiting(js):
    ended = js.run("AbortSignal.timeout(60_000); return 1;")
    assert (ended.value, ended.seconds < 30) == (1, True)
    assert js.run(
        "const s = AbortSignal.timeout(5); await new Promise((r) => { s.onabort = r; }); return s.aborted;"
    ).value


def test_a_listener_that_throws_ends_the_task_after_the_others(js):
    source = """const target = new EventTarget();
target.addEventListener('x', () => { throw new TypeError('of a listener'); });
target.addEventListener('x', () => console.log('other'));
function main() { target.dispatchEvent(new Event('x')); return new Promise((done) => setTimeout(done, 20)); }"""
    ended = js.run(source)
    assert (ended.failure.type, ended.failure.message) == ("TypeError", "of a listener")
    assert ended.logs == [("log", "other")]


def test_results(js):
    source = "return [Buffer.from('hi'), new URL('http://a.b'), { when: new Date(0) }];"
    assert js.run(source).value == [
        {"type": "Buffer", "data": [104, 105]},
        "http://a.b/",
        {"when": "1970-01-01T00:00:00.000Z"},
    ]


@pytest.mark.parametrize(
    "source",
    [
        "Buffer.alloc(2 ** 31 - 1)",
        "new Uint8Array(2 ** 32)",
        "const kept = []; for (;;) kept.push(Buffer.alloc(1 << 22, 1));",
        "Buffer.alloc(1).fill('x'.repeat(2 ** 28));",
        "require('crypto').randomBytes(2 ** 31 - 1);",
    ],
)
def test_memory_is_bounded(js, source):
    ended = js.run(source, memory_mib=64, seconds=30)
    assert ended.peak < 64 + 48 + 45
    if ended.report is not None:
        assert ended.failure.kind in {ErrorKind.MEMORY_LIMIT, ErrorKind.USER_ERROR}, ended.report


def test_a_size_beyond_all_bounds_is_an_error_of_the_program(js):
    failure = js.run("Buffer.alloc(1e10)").failure
    assert (failure.kind, failure.type) == (ErrorKind.USER_ERROR, "RangeError")


def test_modules_of_the_operator(equipped):
    source = """const _ = require('lodash');
const { DateTime, Duration } = require('luxon');
const dayjs = require('dayjs');
dayjs.extend(require('dayjs/plugin/utc'));
dayjs.extend(require('dayjs/plugin/duration.js'));
return [_.chunk([1, 2, 3], 2), require('lodash/get')({ a: [{ b: 3 }] }, 'a[0].b'), _.camelCase('foo bar'),
  DateTime.fromISO('2024-02-29T12:00:00Z', { zone: 'utc' }).plus({ years: 1 }).toISODate(),
  Duration.fromObject({ minutes: 90 }).shiftTo('hours').hours, DateTime.name,
  dayjs.utc('2024-01-31').add(1, 'month').format('YYYY-MM-DD'), dayjs.duration(90, 'minutes').asHours()];"""
    assert equipped.run(source, zone="Europe/Berlin").value == [
        [[1, 2], [3]],
        3,
        "fooBar",
        "2025-02-28",
        1.5,
        "DateTime",
        "2024-02-29",
        1.5,
    ]


@pytest.mark.parametrize(
    "name", ["lodash/fp", "lodash/nope", "lodash/__proto__", "lodash/", "dayjs/locale/de", "luxon/x"]
)
def test_parts_that_there_are_not(equipped, name):
    failure = equipped.run(f"require({json.dumps(name)})").failure
    assert (failure.kind, name in failure.message) == (ErrorKind.POLICY_VIOLATION, True)


def test_a_refusal_names_the_modules_that_are_on(equipped):
    assert ", events, lodash, luxon, path, " in equipped.run("require('nope')").failure.message
    assert equipped.run("require('underscore')").failure.hint == "use what the language has or lodash"


@pytest.mark.parametrize(
    "name", ["__proto__", "constructor", "toString", "", "node:", "node:node:util", "vendor/url", "url/"]
)
def test_what_is_no_module_of_the_table_is_refused(js, name):
    failure = js.run(f"require({json.dumps(name)})").failure
    assert failure.kind is ErrorKind.POLICY_VIOLATION


def test_texts_are_small_enough_for_the_ring():
    """Asked for while a program runs, a text comes through it in one piece."""
    ring_bytes = 1 << 18
    libraries = Libraries(catalog.OPTIONAL)
    for path in (Path(catalog.__file__).parent).glob("vendor/*.js"):
        if path.stem != "acorn":
            assert len(libraries.message([f"vendor/{path.stem}"], "0" * 88)) <= ring_bytes, path.name


def test_every_library_is_ascii_and_belongs_to_something():
    libraries = Libraries(catalog.OPTIONAL)
    folder = Path(catalog.__file__).parent
    files = {path.relative_to(folder / "globals").with_suffix("").as_posix() for path in folder.glob("globals/**/*.js")}
    files |= {f"vendor/{path.stem}" for path in folder.glob("vendor/*.js") if path.stem != "acorn"}
    assert files == {name for name in files if len(libraries.message([name], "")) > len(libraries.message([], ""))}
    for path in folder.glob("globals/**/*.js"):
        path.read_bytes().decode("ascii")
