"""What a failed task is told."""

from __future__ import annotations

import re

import pytest

from langserver.core.outcome import ErrorKind


def test_traceback_has_user_frames_only(run, plain):
    source = "import json\ndef load(text):\n    return json.loads(text)\n\ndef main():\n    return load('{')\n"
    for start in (run, plain):
        failure = start(source).failure
        assert (failure.kind, failure.type, failure.line) == (ErrorKind.USER_ERROR, "JSONDecodeError", 3)
        carets = re.compile(r"^ +[~^]+\n", re.MULTILINE)  # each Python's own: see test_mistakes.py
        assert carets.search(failure.traceback)
        assert carets.sub("", failure.traceback) == (
            "Traceback (most recent call last):\n"
            '  File "node.py", line 6, in main\n'
            "    return load('{')\n"
            '  File "node.py", line 3, in load\n'
            "    return json.loads(text)\n"
            f"JSONDecodeError: {failure.message}\n"
        )


def test_causes_are_shown(run):
    source = "def main():\n    try:\n        {}['k']\n    except KeyError as e:\n        raise ValueError('v') from e\n"
    text = run(source).failure.traceback
    assert text.index("KeyError: 'k'") < text.index("direct cause") < text.index("ValueError: v")


def test_top_level_return_shows_as_module(run):
    failure = run("x = 1\nif x:\n    return 1 / 0\n").failure
    assert (failure.line, failure.type) == (3, "ZeroDivisionError")
    assert "in <module>" in failure.traceback


@pytest.mark.parametrize(
    ("source", "kind", "line", "column", "words"),
    [
        ("def f(:\n  pass", ErrorKind.SYNTAX_ERROR, 1, 7, "invalid syntax"),
        ("x = 1\nbreak", ErrorKind.SYNTAX_ERROR, 2, 1, "outside loop"),
        ("x = 1\nyield 1\nreturn 2", ErrorKind.SYNTAX_ERROR, 2, 1, "outside function"),
        ("a = 'x\x00y'", ErrorKind.SYNTAX_ERROR, 1, 7, "NUL"),
        ("x = a" + ".b" * 20000, ErrorKind.SYNTAX_ERROR, 0, 0, "too deeply"),
        ("from __future__ import nothing", ErrorKind.SYNTAX_ERROR, 1, 1, "not defined"),
        ("s = '\u00e9'; x = s.__code__", ErrorKind.POLICY_VIOLATION, 1, 14, "__code__"),
        ("lazy import os", ErrorKind.SYNTAX_ERROR, 1, 6, "invalid syntax"),
        ("x = 1\ny = '\ud800'", ErrorKind.SYNTAX_ERROR, 2, 1, "the code contains a lone surrogate"),
    ],
)
def test_refused_source_has_its_place(run, source, kind, line, column, words):
    failure = run(source).failure
    assert (failure.kind, failure.line, failure.column) == (kind, line, column)
    assert words in failure.message
    if line:
        assert 'File "node.py"' in failure.traceback
        carets = failure.traceback.splitlines()[2]
        assert set(carets.strip()) == {"^"}
        assert carets.index("^") - 4 + 1 == column - (len(source) - len(source.lstrip()))


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("'\\ud800'", 1),
        ('x = 1\ndef f():\n    """\n    \\udfff"""\n', 3),
        ("async def f(): 'fine'\n\nasync def g():\n    '\\ud800'", 4),
        ("def f():\n    class A:\n        '\\ud800'", 3),  # not run: making such a class is refused everywhere
        ("class A:\n    def f(self):\n        '\\ud800'", 3),
    ],
)
def test_a_docstring_that_is_no_text(run, source, line):
    """CPython 3.13 refuses to compile it, and older ones do not mind."""
    ran = run(source)
    try:
        compile(source, "<plain>", "exec")
    except UnicodeEncodeError:
        failure = ran.failure
        assert (failure.kind, failure.line, failure.column) == (ErrorKind.SYNTAX_ERROR, line, 1)
        assert failure.message == "a docstring contains a lone surrogate: it is no Unicode text"
    else:
        assert ran.value is None


@pytest.mark.parametrize("source", ["x = " + "(" * 5000, "x = " + "-" * 100_000 + "1", "x=" + "[" * 3000 + "]" * 3000])
def test_nesting_of_any_depth_is_answered(run, source):
    ran = run(source)
    assert (ran.kind, ran.status) == (ErrorKind.SYNTAX_ERROR, 0)
    assert "nested" in ran.failure.message


def test_long_chains_compile(run):
    assert run("x = " + "+".join(["1"] * 900) + "\nresult = x").value == 900


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("raise SystemExit(3)", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise GeneratorExit", "GeneratorExit"),
        ("def f(): f()\nf()", "RecursionError"),
        ("raise E", "E"),
    ],
)
def test_every_exception_is_the_users(run, statement, name):
    hostile = "class E(BaseException):\n    def __str__(self): raise SystemExit\n    __repr__ = __str__\n"
    failure = run(hostile + statement).failure
    assert (failure.kind, failure.type) == (ErrorKind.USER_ERROR, name)
    assert failure.message


def test_long_messages_and_deep_stacks_are_cut(run):
    failure = run("def f(n):\n    if n: f(n - 1)\n    raise ValueError('x' * 10**6)\nf(200)").failure
    assert len(failure.message) == 4000
    assert "[Previous line repeated 197 more times]" in failure.traceback
    assert len(failure.traceback) < 20_000
    failure = run("def f(n):\n    g(n)\ndef g(n):\n    return f(n - 1) if n else 1 / 0\nf(200)").failure
    assert "more frames" in failure.traceback
    assert failure.traceback.count("File") == 40


def test_a_long_line_is_cut(run):
    failure = run("x = [" + "1, " * 50_000 + "]; 1 / 0").failure
    assert failure.line == 1
    assert failure.column == 150_009
    assert len(failure.traceback) < 500
    assert len(run("x = [" + "1, " * 50_000 + "] 1").failure.traceback) < 700


def test_name_error_suggests(run):
    assert run("total = 1\nprint(totl)").failure.hint == "did you mean 'total'?"
    assert run("json.loads('1')").failure.hint == "add `import json` at the top"
    assert run("retrun = 1\nx = lenn([])").failure.hint == "did you mean 'len'?"


@pytest.mark.parametrize("name", "helpp licence credit credits copyrigth exitt opne evall loadd global".split())
def test_name_error_suggests_only_what_can_be_used(run, name):
    hint = run(f"{name}x()").failure.hint
    meant = hint.removeprefix("did you mean ").removesuffix("?").strip("'")
    assert not meant or not run(f"result = {meant} is None").report.failures
    assert meant not in {"open", "eval", "exec", "globals", "input"}


def test_leaving_a_script_has_its_word_here(run):
    hint = "a program ends by returning; raise an exception if it is to fail"
    assert run("exit()").failure.hint == run("quit(1)").failure.hint == hint


@pytest.mark.parametrize("source", ["x = bytearray(10**9)", "x = []\nwhile True: x.append('a' * 100000)"])
def test_out_of_memory(run, source):
    ran = run(source, memory=64 << 20)
    assert (ran.kind, ran.status) == (ErrorKind.MEMORY_LIMIT, 0)


def test_kernel_refusal_is_a_sandbox_violation(plain):
    # Raised by C code, as after a system call.
    ran = plain("def f(): yield\ni = f(); next(i); i.throw(PermissionError(1, 'Operation not permitted'))")
    assert ran.kind is ErrorKind.SANDBOX_VIOLATION
    assert [event.layer for event in ran.events] == ["seccomp"]
    assert plain("raise PermissionError('mine')").kind is ErrorKind.USER_ERROR


def test_what_a_program_raises_itself_is_its_own(run, plain):
    for start in (run, plain):
        for source in ("raise PermissionError(1, 'no')", "try: raise PermissionError(13, 'no')\nfinally: x = 1"):
            ran = start(source)
            assert (ran.kind, ran.failure.type, ran.events) == (ErrorKind.USER_ERROR, "PermissionError", [])


def test_no_file_is_read_for_an_error_text(plain):
    source = "exec(compile('1/0', '/etc/hostname', 'exec'))"
    failure = plain(source).failure
    with open("/etc/hostname") as file:
        assert file.read().strip() not in failure.traceback
    assert "hostname" not in failure.traceback.replace(source, "")


def test_an_error_that_refuses_to_let_go_is_out_of_memory_all_the_same(run):
    ran = run("class E(MemoryError):\n    def __setattr__(self, name, value): raise ValueError\nraise E")
    assert ran.failure.kind is ErrorKind.MEMORY_LIMIT
