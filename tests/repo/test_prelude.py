"""The prelude looks nothing up that a program may have replaced, but for what is said here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Plain objects on purpose: the program gets them, or they are read by their own properties only.
PLAIN = (
    "const given = apply(show, value, [left, { depth: left }, inspectForPrograms]);",
    "const made = {};",
    "const wanted = typeof options === 'boolean' ? { depth } : options;",
)

LINT = """
import json, os, sys
from langserver.js_runtime.v8_engine import V8Engine
from langserver.js_runtime.libraries import library_text
from langserver.js_runtime.v8_interface import Code
engine = V8Engine()
engine.preload()
engine.open()
def answer():
    while (reply := engine.collect(1)) is None:
        pass
    return reply
lint, texts = json.load(sys.stdin)
engine.load(Code(f"[function () {{ 'use strict'; return ({lint})(({library_text('acorn')})())(this) }}]".encode()))
function = engine.item(answer().handle, 0)
told = []
for text in texts:
    engine.call(function, text.encode())
    told.append(json.loads(answer().text))
print(json.dumps(told), flush=True)
os._exit(0)
"""


def lint(texts: list[str]) -> list[list[tuple[int, str]]]:
    """What prelude_lint.js has to say of each text."""
    rule = (ROOT / "tests" / "repo" / "prelude_lint.js").read_text()
    command = [sys.executable, "-c", LINT]
    given = json.dumps([rule, texts])
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=60, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    found: list[list[tuple[int, str]]] = json.loads(done.stdout)
    return found


TEXT = """
import json
from langserver.js_runtime import isolate
from langserver.js_runtime.libraries import Libraries
libraries = Libraries(())
later = [isolate._part(name) for parts, _ in isolate._LATER.values() for name in parts]
early = [isolate._part(name) for name in (*isolate._PARTS, isolate._LAST_PART)]
print(json.dumps([early, later, libraries.accessors(), libraries.modules_table()]))
"""


def test_the_prelude_uses_captured_names_only() -> None:
    done = subprocess.run([sys.executable, "-c", TEXT], capture_output=True, text=True, check=True, cwd=ROOT)
    early, later, accessors, modules = json.loads(done.stdout)
    # A library, but one whose secrets no program may have, whatever it has replaced before it is made.
    random = (ROOT / "langserver" / "js_runtime" / "globals" / "random.js").read_text()
    # What waits is a function that is called when a program has run: nothing in it runs before.
    waiting = "\n".join([*later, modules, f"const ofRandom = {random.rstrip().rstrip(';')};"])
    texts = "\n".join([*early[:-1], accessors, early[-1].replace("\nreturn [", "\nconst handles = [")])
    names = "const makeShowing = 0, makeLibraries = 0;"
    whole = f"(() => {{\n{names}\n{texts}\nconst later = () => {{\n{waiting}\n}};\n}})()"
    lines = whole.split("\n")
    told = [f"{what}: {lines[line - 1].strip()}" for line, what in lint([whole])[0]]
    unknown = [each for each in told if not any(plain in each for plain in PLAIN)]
    assert unknown == []
    assert [plain for plain in PLAIN if not any(plain in each for each in told)] == [], "no longer there"


BAD = {
    "items.push(1)": "calls a member: items.push",
    "apply(f, null, [...items])": "spreads by an iterator",
    "for (const a of items) f(a)": "ForOf",
    "new Map()": "new of what is not captured",
    "f(Object)": "a global: Object",
    "/x/": "a regular expression",
    "`${items}`": "a template calls toString",
    "const [a] = items": "takes an array apart",
    "f({ get: 1 })": "an object that inherits",
    "items[f()]()": "calls a member",
}
GOOD = """
const f = (a) => a;
function list(items, { length }, ...rest) {
  const first = { __proto__: null, name: items[0], push: length };
  try { f(first.name, `x`); } catch (error) { f(error, rest); }
  outer: for (let i = 0; i < items.length; i++) break outer;
}
const made = new Map([...[1].map(String)]);
"""


def test_the_rule_sees_what_it_is_for() -> None:
    before = "(() => {\nconst f = 1, items = [], apply = f;\n"
    inside = lint([f"{before}() => {{ {code}; }};\n}})()" for code in BAD])
    for code, told in zip(BAD, inside, strict=True):
        assert {line for line, _ in told} == {3}, code
        assert any(what.startswith(BAD[code]) for _, what in told), code
    outside = lint([f"{before}{code};\n}})()" for code in BAD])
    assert outside == [[]] * len(BAD), "it has run before the program"


def test_the_rule_takes_what_is_good() -> None:
    assert lint([f"(() => {{ {GOOD} }})()"]) == [[]]
