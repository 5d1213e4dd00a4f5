"""What is read off a source's text: whether a parser must be asked, in a time that grows with the text alone."""

from __future__ import annotations

import pytest

from langserver.js_runtime.source import (
    at_named_values,
    at_returns,
    may_call_await,
    may_declare_lexical,
    may_throw_object,
    names_value,
    with_plain_awaits,
)

VALUES = ["await a\nasync function main() {\n}\n", "const result = await a\nresult"]
NO_VALUES = ["const results = 1\nresults", "  const main = 1", "// function main"]


def test_a_value_that_a_line_names():
    assert [source for source in VALUES if not names_value(source)] == []
    assert [source for source in NO_VALUES if names_value(source)] == []


def test_where_a_return_may_be_the_last_statement():
    source = "return 1\nfunction f() {\n  return 2\n}"
    assert list(at_returns(source)) == [
        ("return 1\nfunction f() {\n", "  return 2\n}"),
        ("", source),
    ]
    assert list(at_returns("const a = await b\nreturn a")) == [("const a = await b\n", "return a")]
    assert list(at_returns("returns")) == []


def test_where_main_or_result_may_be_declared():
    source = "f();\nfunction main() {\nlet result = 1;\nconst result = 2;\n}"
    assert list(at_named_values(source)) == [
        ("f();\n", source[5:]),
        ("f();\nfunction main() {\nlet result = 1;\n", "const result = 2;\n}"),
    ]
    assert list(at_named_values("await 1\nvar result = 2")) == [("await 1\n", "var result = 2")]
    assert list(at_named_values("results")) == []


def test_what_may_be_thrown():
    objects = [
        "throw x",
        "throw{}",
        "throw new Fault()",
        "throw new Error('a', { cause })",
        "throw new AggregateError([])",
    ]
    assert [source for source in objects if not may_throw_object(source)] == []
    errors = ["throw new Error('x')", "throw new HttpError(1)", "overthrown", "1"]
    assert [source for source in errors if may_throw_object(source)] == []


def test_awaits_that_no_variable_can_be():
    assert with_plain_awaits("await (x) + await y") == "await 0+  (x) + await y"
    assert with_plain_awaits("await\ufeff(x); await\xa0\ny; await <!--\n(z)") == (
        "await 0+ \ufeff(x); await 0+ \xa0\ny; await 0+  <!--\n(z)"
    )
    assert with_plain_awaits("await\n[x]; for await (x of y);") == "await 0+ \n[x]; for await (x of y);"


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
    "const // the first\n require = 5",
    "let a, // one, and\n\n  module = 1",
    "var <!-- as it was\nexports",
    "const /* of a line\n*/\nrequire = 1",
    "const\n--> a comment too\nmodule = 1",
    "const { a: // renamed\r\n exports } = inputs",
    "const [ // \u2028require ] = inputs",
    "const\ufeff// a mark\n\ufeffrequire = 1",
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
    "// what this gives\nmodule.exports = { a }",
    "if (a) { module.exports = 1 } // or\nexports.a = 2",
    "f(1)\nrequire('x')",
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
    "awaits in brackets": "await (" * 140_000,
    "for awaits": "for await (" * 90_000,
    "throws": ("throw" + " " * 1000) * 900,
    "throw and blanks": "throw" + " " * 900_000,
    "returns": "return " * 140_000,
    "lines with a return": "\n  return" * 100_000,
    "lines with a name": "require\n" * 120_000,
    "comments before a name": "// a comment\nmodule.x\n" * 40_000,
    "comment marks": "//" * 450_000 + "\nrequire",
    "lines of blanks": (" " * 1000 + "\n") * 900,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_source_is_read_once(name):
    may_declare_lexical(LONG[name])
    may_call_await(LONG[name])
    with_plain_awaits(LONG[name])
    may_throw_object(LONG[name])
    names_value(LONG[name])
    assert len(list(at_named_values(LONG[name]))) <= 2
    assert len(list(at_returns(LONG[name]))) <= 2
