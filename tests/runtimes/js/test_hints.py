"""What an author is told to do about an error: from its words and its place alone."""

from __future__ import annotations

import pytest

from langserver.js_runtime.excerpt import line_count, pointed, source_line
from langserver.js_runtime.hints import hint, syntax_hint
from langserver.js_runtime.thrown import Thrown

# Type, message, the source with a ↓ where the error is, and what the hint says ("" for none).
NULL = "Cannot read properties of null (reading 'x')"
ERRORS = {
    "close name": ("ReferenceError", "totl is not defined", "const total = 1;\n↓totl", "did you mean 'total'?"),
    "close name in a list": ("ReferenceError", "nmae is not defined", "const { name } = inputs; ↓nmae", "'name'"),
    "close global": ("ReferenceError", "json is not defined", "↓json.parse('')", "'JSON'"),
    "no close name": ("ReferenceError", "zebra is not defined", "const total = 1; ↓zebra", ""),
    "not itself": ("ReferenceError", "missing is not defined", "missing(); ↓missing()", ""),
    "input elsewhere": ("ReferenceError", "$json is not defined", "↓$json.a", "`inputs`"),
    "input of a node": ("ReferenceError", "$input is not defined", "↓$input.all()", "`inputs`"),
    "time of a node": ("ReferenceError", "$now is not defined", "↓$now.toISO()", "new Date()"),
    "library": (
        "ReferenceError",
        "DateTime is not defined",
        "↓DateTime.now()",
        "`const { DateTime } = require('luxon')`",
    ),
    "short library": ("ReferenceError", "_ is not defined", "↓_.map([])", "`const _ = require('lodash')`"),
    "too early": ("ReferenceError", "Cannot access 'a' before initialization", "↓a; let a;", "`a` is used before"),
    "read": (
        "TypeError",
        "Cannot read properties of undefined (reading 'name')",
        "return order.user.↓name",
        "`order.user` is undefined here: see where it gets its value, or write `order.user?.name`",
    ),
    "read of the input": (
        "TypeError",
        NULL,
        "return inputs.user.↓x",
        "the input has no 'user': it has 'items', 'total'",
    ),
    "read of the input, close": ("TypeError", NULL, "inputs.itmes.↓x", "has no 'itmes': did you mean 'items'?"),
    "read of the input, there": ("TypeError", NULL, "inputs.items.↓x", "`inputs.items` is null here"),
    "read by index": (
        "TypeError",
        "Cannot read properties of undefined (reading '0')",
        "rows[i][↓0]",
        "`rows[i]` is undefined here: see where it gets its value, or write `rows[i]?.[0]`",
    ),
    "read of a call": (
        "TypeError",
        "Cannot read properties of null (reading '1')",
        "const n = text.match(/x/)[↓1]",
        "`text.match(/x/)` is null here",
    ),
    "read after find": (
        "TypeError",
        "Cannot read properties of undefined (reading 'id')",
        "rows.find((r) => r.ok(1)).↓id",
        "find gives undefined when nothing fits",
    ),
    "read, place unknown": (
        "TypeError",
        "Cannot read properties of null (reading 'x')",
        "x",
        "what should have 'x' is null",
    ),
    "read of null itself": (
        "TypeError",
        "Cannot read properties of null (reading 'x')",
        "null.↓x",
        "what should have 'x'",
    ),
    "read behind an emoji": (
        "TypeError",
        "Cannot read properties of null (reading 'x')",
        "'😀'; a.b.↓x",
        "`a.b` is null",
    ),
    "set": (
        "TypeError",
        "Cannot set properties of undefined (setting 'name')",
        "user.profile.name ↓= 5",
        "`user.profile` is undefined here: give it an object first",
    ),
    "destructured": (
        "TypeError",
        "Cannot destructure 'inputs.a' as it is undefined.",
        "const { b } = ↓inputs.a",
        "`inputs.a` is undefined here",
    ),
    "list method": (
        "TypeError",
        "inputs.map is not a function",
        "inputs.↓map(f)",
        "only a list has map, and `inputs` is none",
    ),
    "text method": ("TypeError", "n.padStart is not a function", "n.↓padStart(2)", "only a text has padStart"),
    "close method": ("TypeError", "rows.fliter is not a function", "rows.↓fliter(f)", "did you mean 'filter'?"),
    "method of its own": ("TypeError", "api.send is not a function", "api.↓send(1)", "`api` has no function 'send'"),
    "no function": ("TypeError", "f is not a function", "↓f()", "`f` holds something else"),
    "odd callee": ("TypeError", "(intermediate value)(...) is not a function", "↓(1)(2)", ""),
    "not iterable": ("TypeError", "inputs is not iterable", "for (const a of ↓inputs) f(a)", "Object.values"),
    "not iterable, detail": (
        "TypeError",
        "undefined is not iterable (cannot read property Symbol(Symbol.iterator))",
        "↓x",
        "list",
    ),
    "spread": (
        "TypeError",
        "Spread syntax requires ...iterable[Symbol.iterator] to be a function",
        "f(...↓1)",
        "Object.values",
    ),
    "constant": ("TypeError", "Assignment to constant variable.", "const a = 1; ↓a = 2", "declare it with let"),
    "an object is no JSON text": ("SyntaxError", '"[object Object]" is not valid JSON', "JSON.↓parse({})", "already"),
    "undefined is no JSON text": (
        "SyntaxError",
        '"undefined" is not valid JSON',
        "JSON.↓parse()",
        "was given undefined",
    ),
    "no JSON": ("SyntaxError", "Unexpected token 'a', \"abc\" is not valid JSON", "JSON.↓parse('abc')", "no JSON"),
    "end of JSON": ("SyntaxError", "Unexpected end of JSON input", "JSON.↓parse('')", "no JSON"),
    "recursion": ("RangeError", "Maximum call stack size exceeded", "↓f()", "calls itself"),
    "date": ("RangeError", "Invalid time value", "new Date('x').↓toISOString()", "no date"),
    "own error": ("Error", "Assignment failed", "throw ↓new Error('Assignment failed')", ""),
}


@pytest.mark.parametrize("name", ERRORS)
def test_hint(name):
    type_name, message, marked, expected = ERRORS[name]
    before, mark, after = marked.partition("↓")
    column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2 + 1 if mark else 0
    thrown = Thrown(type_name, message, keys=("items", "total"))
    told = hint(thrown, before + after, before.count("\n") + 1 if mark else 0, column)
    assert expected in told
    assert bool(told) == bool(expected)


BROKEN = {
    "close keyword": ("Unexpected number", "retrun ↓5", "did you mean 'return'?"),
    "close keyword before a name": ("Unexpected identifier 'x'", "cosnt ↓x = 1", "did you mean 'const'?"),
    "close keyword before a bracket": ("Unexpected token '{'", "whlie (a) ↓{", ""),
    "quotes": ("Invalid or unexpected token", "const x = ↓\u201chello\u201d;", "typographic quotes"),
    "await": (
        "await is only valid in async functions and the top level bodies of modules",
        "↓await g()",
        "write async",
    ),
    "await in a module": (
        "Cannot use keyword 'await' outside an async function",
        "export default () => { ↓await g() }",
        "async",
    ),
    "type alias": ("Unexpected identifier 'A'", "type ↓A = string;", "TypeScript"),
    "generic": ("Unexpected token '<'", "function f↓<T>(a) {}", "TypeScript"),
    "cast": ("Unexpected token '<'", "let x = ↓<string>inputs.a;", "TypeScript"),
    "assertion": ("Unexpected token '!'", "let a = inputs↓!; return a", "TypeScript"),
    "own type": ("Missing initializer in const declaration", "const ↓row: Row[] = []", "TypeScript"),
    "own type of an argument": ("Unexpected token ':'", "function f(a, row↓: Row) {}", "TypeScript"),
    "type of a result": ("Unexpected token ':'", "function f()↓: Row[] {", "TypeScript"),
    "as": ("Unexpected identifier 'as'", "const a = inputs ↓as Row;", "TypeScript"),
    "property in a class": ("Unexpected identifier 'a'", "  private ↓a = 1;", "TypeScript"),
    "a colon": ("Unexpected token ':'", "const a = 1 ↓: 2", ""),
    "a list": ("Unexpected token ':'", "[a↓: 1]", ""),
    "less than": ("Unexpected token '<'", "if (a <↓< ) {}", ""),
    "not": ("Unexpected token '!'", "a ↓! b", ""),
    "types": ("Missing initializer in const declaration", "const ↓x: string = 'a';", "TypeScript"),
    "types of arguments": ("Unexpected token ':'", "function f(a↓: number) {}", "TypeScript"),
    "interface": ("Unexpected identifier 'X'", "interface ↓X {", "TypeScript"),
    "python with types": ("Unexpected identifier 'main'", "def ↓main(a: object):", "Python"),
    "python": ("Unexpected identifier 'main'", "def ↓main(inputs):", "Python"),
    "object": ("Unexpected token '}'", "const a = { b: 1, ↓}}", ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_syntax_hint(name):
    message, marked, expected = BROKEN[name]
    before, _, after = marked.partition("↓")
    told = syntax_hint(message, before + after, 1, len(before) + 1)
    assert expected in told
    assert bool(told) == bool(expected)


LONG = {
    "read": "Cannot read properties of null (reading 'x')",
    "name": "x is not defined",
    "function": "a" * 4000 + ".b is not a function",
    "json": "x" * 4000 + " is not valid JSON",
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("text", ["a.", "(", "[", "a?.", "([", " ", "a:", "x "])
def test_a_long_line_is_no_longer_work(name, text):
    source = text * (900_000 // len(text))
    for type_name in ("TypeError", "ReferenceError", "SyntaxError"):
        hint(Thrown(type_name, LONG[name]), source, 1, len(source) + 1)
    syntax_hint("Unexpected token", source, 1, len(source) + 1)


def test_lines_are_those_of_the_language():
    source = "a\r\nb\rc\u2028d\u2029e\n"
    assert [source_line(source, number) for number in range(1, 8)] == ["a", "b", "c", "d", "e", "", None]
    assert line_count(source) == 6
    assert source_line("a\x0bb\x85c", 1) == "a\x0bb\x85c"


def test_a_caret_stands_under_its_character():
    assert pointed("\tconst a = '😀' + b", 18) == "\tconst a = '😀' + b\n\t" + " " * 15 + "^"
    assert pointed("a", 2) == "a\n ^"
    shown, caret = pointed("x" * 1000 + "y" + "z" * 1000, 1001).split("\n")
    assert (shown[caret.index("^")], len(shown)) == ("y", 200)
