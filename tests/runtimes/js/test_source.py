"""What is read off a source's text: right, and in a time that grows with the text alone."""

from __future__ import annotations

import pytest

from langserver.js_runtime.source import wanted_lexicals

DECLARED = [
    "const require = 1;",
    "async  function require() {}",
    "function *require() {}",
    "function* require() {}",
    "class require {}",
    "let {require} = inputs",
    "a = 1; const { x, y: [require] }\n = inputs",
    "var [a, require, b] = [1, 2, 3]",
]
MENTIONED = [
    "require('x')",
    "const x = require('x')",
    "const { x } = require('x')",
    "let { required } = inputs; require(1)",
    "let [a] = [require]",
    "if (a) { let b; require } = 1",
]


@pytest.mark.parametrize("source", DECLARED)
def test_a_declared_name_is_not_declared_again(source):
    assert wanted_lexicals(source) == []


@pytest.mark.parametrize("source", MENTIONED)
def test_a_name_that_is_only_mentioned_is_declared(source):
    assert wanted_lexicals(source) == ["require"]


# Quadratic, each of these would take minutes.
LONG = {
    "openings": "let {" * 180_000,
    "openings that end": "let {" * 180_000 + "} = 1",
    "blanks": "let" + " " * 900_000,
    "brackets": "let [" + "] " * 450_000,
    "assignments": "let { a } = " * 80_000,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_source_is_read_once(name):
    assert wanted_lexicals("require;" + LONG[name]) == ["require"]
