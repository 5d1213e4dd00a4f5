"""What is read off a source's text: whether a parser must be asked, in a time that grows with the text alone."""

from __future__ import annotations

import pytest

from langserver.js_runtime.source import gives_own_value, may_call_await, may_declare_lexical

RETURNS = [
    "const a = await b\nreturn a",
    "await b;\n  return { a: (1) };\n\n",
    "return",
    "await a\nasync function main() {\n}\n",
    "const result = await a\nresult",
]
ENDS_OTHERWISE = [
    "return a\nb",
    "f(() => {\n  return 1 })",
    "`\nreturn 1`",
    "/*\nreturn */ a",
    "returns",
    "",
    "const results = 1\nresults",
    "  const main = 1",
]


def test_a_value_that_a_line_tells():
    assert [source for source in RETURNS if not gives_own_value(source)] == []
    assert [source for source in ENDS_OTHERWISE if gives_own_value(source)] == []


DOUBTFUL = [
    "const require = 1;",
    "async  function require() {}",
    "function *require() {}",
    "function* require() {}",
    "class require {}",
    "let {require} = inputs",
    "a = 1; const { x, y: [require] }\n = inputs",
    "var [a, require, b] = [1, 2, 3]",
    "const a = 1, exports = 2",
    "const /* the first */ module = inputs",
    "const { a, ...exports } = inputs",
    "const module = items[0];",
]
PLAIN = [
    "require('x')",
    "const x = require ('x'), y = require('y').z",
    "const { x } = require('x')",
    "let { required } = inputs; requires(1)",
    "module.exports = { a: 1 }; module . exports.b = 2",
    "exports.a = 1; exports['b'] = 2",
    "item.module; a.b.exports; x.require",
    "const load = require; // this module needs it",
    "exports = module.exports = 1",
]


@pytest.mark.parametrize("source", DOUBTFUL)
def test_what_may_declare_a_name_of_ours_is_doubtful(source):
    assert may_declare_lexical(source)


@pytest.mark.parametrize("source", PLAIN)
def test_a_name_that_is_plainly_used_is_not(source):
    assert not may_declare_lexical(source)


# Quadratic, each of these would take minutes.
LONG = {
    "openings": "let {" * 180_000,
    "blanks": "let" + " " * 900_000,
    "functions": "function " * 100_000,
    "function and blanks": "function" + " " * 900_000,
    "stars": "function " + "* " * 400_000,
    "keyword and blanks": ("const" + " " * 1000) * 900,
    "commas": ", " * 450_000,
    "requires": "require" * 140_000,
    "words": "require " * 120_000,
    "modules": "module" + " " * 450_000 + "." + " " * 450_000,
    "awaits": "await " * 160_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_source_is_read_once(name):
    may_declare_lexical(LONG[name])
    may_call_await(LONG[name])
