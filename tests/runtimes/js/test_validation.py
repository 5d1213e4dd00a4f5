"""What a validation says: what is wrong with a source, and which modules it names. It runs nothing."""

from __future__ import annotations

import pytest

from langserver.core.outcome import ErrorKind

VALID = [
    "return await 1",
    "var await = 1;",
    "function main() {}",
    "#!/usr/bin/env node\n1",
    "with (Math) { random(); }",
    "",
    "throw new Error('not run')",
    "for (;;) {}",
]


@pytest.mark.parametrize("source", VALID)
def test_valid_source_is_not_run(js, source):
    ended = js.run(source, mode="validate")
    assert ended.report is not None
    assert ended.report.failures == ()
    assert ended.logs == []


def test_validation_lists_what_is_imported(js):
    source = (
        "const a = require('fs'); // require('comment')\nconst b = 'require(\"text\")';\n  const c = require(\"os\");"
    )
    report = js.run(source, mode="validate").report
    assert report.imports == ("fs", "os")
    assert [(f.kind, f.line, f.column) for f in report.failures] == [
        (ErrorKind.POLICY_VIOLATION, 1, 11),
        (ErrorKind.POLICY_VIOLATION, 3, 13),
    ]
    assert report.failures[1].traceback.endswith('\n  const c = require("os");\n            ^')


GUARDED = {
    "try": ("let a; try { a = require('fs'); } catch { a = null; }", 0),
    "in its function": ("try { const f = () => require('fs'); f(); } catch (e) {}", 0),
    "in the handler": ("try { f(); } catch (e) { require('fs'); }", 1),
    "without a handler": ("try { require('fs'); } finally { f(); }", 1),
    "of the program": ("function require(name) { return name; }\nrequire('fs');", 0),
    "a parameter": ("(function (require) { return require('fs'); })((x) => x);", 0),
    "import()": ("(async () => { await import('fs'); })();", 1),
    "import() in try": ("(async () => { try { await import('fs'); } catch {} })();", 0),
}


@pytest.mark.parametrize("name", GUARDED)
def test_validation_takes_a_module_that_the_program_can_do_without(js, name):
    source, problems = GUARDED[name]
    report = js.run(source, mode="validate").report
    assert [f.kind for f in report.failures] == [ErrorKind.POLICY_VIOLATION] * problems


def test_validation_lists_uses_of_what_is_absent(js):
    source = "require('fs'); fetch('x');\nfunction main() {\n  process.exit();\n  return new WebSocket(__dirname);\n}"
    failures = js.run(source, mode="validate").report.failures
    assert [(f.message.partition(" is ")[0], f.line, f.column) for f in failures] == [
        ('require("fs")', 1, 1),
        ("fetch", 1, 16),
        ("process", 3, 3),
        ("WebSocket", 4, 14),
        ("__dirname", 4, 24),
    ]
    assert {f.kind for f in failures} == {ErrorKind.POLICY_VIOLATION}
    assert "make the call in an HTTP step" in failures[1].hint


NOT_CERTAIN = [
    "const fetch = (x) => x; fetch(1)",
    "function f() { return process.pid; } var process = { pid: 1 };",
    "[1].map((location) => location.x); const { history } = inputs; history.at(0)",
    "if (typeof window !== 'undefined') window.x();",
    "try { fetch('x'); } catch { }",
    "globalThis.fetch = () => 1; fetch()",
    "this.fetch = () => 1; fetch()",
    "history = [1]; history.at(0)",
    "for (self of [1]) self.x; [prompt] = [1]; prompt.x",
    "const f = function confirm(n) { return n && confirm(n - 1); };",
    "with (inputs) { document.x; }",
    "a.fetch(); ({ process: 1 }).process; class A { fetch() {} }",
    "setTimeout(() => console.log(1), 1)",
    "import { URL as location } from 'url'; location.parse('x')",
    "let require = (x) => x; try { let a = 1; } catch (global) { global.x; }",
]


def test_validation_takes_an_absent_name_that_the_program_may_give(js):
    assert [source for source in NOT_CERTAIN if js.run(source, mode="validate").report.failures] == []


def test_validation_of_a_source_that_names_many_modules(js):
    report = js.run("require('x')\n" * 70_000, mode="validate", seconds=20).report
    assert report.imports == ("x",)
    assert len(report.failures) == 100


def test_validation_of_module_syntax(js):
    report = js.run("import x from 'y';", mode="validate").report
    assert report.imports == ("y",)
    assert [f.kind for f in report.failures] == [ErrorKind.POLICY_VIOLATION]
    assert js.run("export const a = 1;", mode="validate").report.failures == ()


def test_validation_tells_of_every_refused_module(js):
    source = "import a from 'a';\nconst b = require('b');\n\n  import { c } from 'c';"
    report = js.run(source, mode="validate").report
    assert report.imports == ("a", "b", "c")
    assert [(f.kind, f.line, f.column) for f in report.failures] == [
        (ErrorKind.POLICY_VIOLATION, 1, 1),
        (ErrorKind.POLICY_VIOLATION, 2, 11),
        (ErrorKind.POLICY_VIOLATION, 4, 3),
    ]
    assert all(f'"{name}"' in f.message for name, f in zip("abc", report.failures, strict=True))


NAMED = {
    "comments and strings": ("/* require('a') */ // require('b')\n'require(\"c\")'; require('d')", ["d"]),
    "comment inside": ("require /* x */ ( // y\n 'a' )", ["a"]),
    "template": ("`require('a')`; require(`b`); require(`${'c'}`)", ["b"]),
    "hole of a template": (
        "`${require('a') + `${{ b: {} }}${require('c')}`} require('d')`; require('e')",
        ["a", "c", "e"],
    ),
    "regular expression": ("/require('a')\"[/\"]/.test(x); (() => /'/)(), require('b')", ["b"]),
    "regular expression after a block": ("if (a) {}\n/'/.test(b); require('c')", ["c"]),
    "division": ("a / require('b') / c; d++ / 2 + require('e'); f() / 1. / require('g') / 2", ["b", "e", "g"]),
    "member": ("a.require('b'); a?.require('c'); [...require('e')]", ["e"]),
    "no literal": ("require('a' + b); require(c); require(/d/); require('')", []),
    "escapes": ("requ\\u0069re('\\x66s')", ["fs"]),
    "import statements": (
        "import a, { b as c, 'd e' as f } from 'g'; import 'h'\nimport * as i from 'j'",
        ["g", "h", "j"],
    ),
    "import over lines": ("import {\n  a, // from 'b'\n} from 'c'", ["c"]),
    "export from": ("export * from 'a'; export { b } from 'c'; export const from = 'd'", ["a", "c"]),
    "import call": ("import('a'); import('b', {}); a.import('c')", ["a", "b"]),
    "import as a name": ("({ import: 'a', from: 'b' }); class A { import() { return 'c'; } }", []),
    "longer names": ("requires('a'); $require('b'); important('c')", []),
    "before what is broken": ("require('a');\nlet x = ;\nrequire('b')", ["a"]),
}


@pytest.mark.parametrize("name", NAMED)
def test_validation_names_the_modules(js, name):
    source, expected = NAMED[name]
    assert list(js.run(source, mode="validate").report.imports) == expected
