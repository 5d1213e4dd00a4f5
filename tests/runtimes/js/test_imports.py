"""The scanner that finds the modules a source names: what is code and what is not."""

from __future__ import annotations

import pytest

from langserver.js_runtime.imports import imports

FOUND = {
    "comments and strings": ("/* require('a') */ // require('b')\n'require(\"c\")'; require('d')", ["d"]),
    "comment inside": ("require /* x */ ( // y\n 'a' )", ["a"]),
    "template": ("`require('a')`; require(`b`); require(`${'c'}`)", ["b"]),
    "hole of a template": (
        "`${require('a') + `${{ b: {} }}${require('c')}`} require('d')`; require('e')",
        ["a", "c", "e"],
    ),
    "regular expression": ("/require('a')\"[/\"]/.test(x); return /'/, require('b')", ["b"]),
    "division": ("a / require('b') / c; d++ / 2 + require('e'); f() / 1. / require('g') / 2", ["b", "e", "g"]),
    "regular expression after a block": ("if (a) {}\n/'/.test(b); require('c')", ["c"]),
    "member": ("a.require('b'); a?.require('c'); this.#require('d'); [...require('e')]", ["e"]),
    "no literal": ("require('a' + b); require(c); require(/d/); require(''); require('\\x65')", []),
    "escaped quotes": (r"'\'require(\'a\')'; require('b')", ["b"]),
    "string over two lines": ("'\\\nrequire(\"a\")'; require('b')", ["b"]),
    "import statements": (
        "import a, { b as c, 'd e' as f } from 'g'; import 'h'\nimport * as i from 'j'",
        ["g", "h", "j"],
    ),
    "import over lines": ("import {\n  a, // from 'b'\n} from 'c'", ["c"]),
    "export from": ("export * from 'a'; export { b } from 'c'; export const from = 'd'", ["a", "c"]),
    "import call": ("import('a'); import('b', {}); a.import('c'); import.meta", ["a", "b"]),
    "import as a name": ("({ import: 'a', from: 'b' }); class A { import() { return 'c'; } }", []),
    "longer names": ("requires('a'); $require('b'); important('c')", []),
    "never closed": ("require('a'); `${require('b')", ["a", "b"]),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    source, expected = FOUND[name]
    assert [found.name for found in imports(source)] == expected


def test_places():
    found = imports("const a = require('a');\n\n\tconst b = require('b'), c = require('c');\nimport d from 'd';")
    assert [(i.name, i.line, i.column, i.is_statement) for i in found] == [
        ("a", 1, 11, False),
        ("b", 3, 12, False),
        ("c", 3, 30, False),
        ("d", 4, 1, True),
    ]
