"""Requests at and over every edge: a clear answer each time, and the server goes on."""

from __future__ import annotations

import json

import grpc
import pytest

from langserver.pb import lang_pb2
from tests.integration.holds.conftest import ServerProcess

MIB = 1 << 20


def kind(response: lang_pb2.ExecuteResponse) -> str:
    return lang_pb2.ErrorKind.Name(response.error.kind).removeprefix("ERROR_KIND_")


def refused(server: ServerProcess, *args: str, **other: object) -> tuple[str, str]:
    with pytest.raises(grpc.RpcError) as error:
        server.execute(*args, **other)  # type: ignore[arg-type]
    return error.value.code().name, error.value.details()  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def unharmed(server: ServerProcess) -> object:
    yield
    assert server.execute("def main(): return 1").output_json == "1"
    assert server.execute("function main() { return 1 }", "js").output_json == "1"


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_code_of_5_mb(runtime: str, server: ServerProcess) -> None:
    code = ("# " if runtime == "python" else "// ") + "x" * 5_000_000
    assert refused(server, code, runtime) == (
        "INVALID_ARGUMENT",
        f"the code has {len(code)} bytes, the limit is {MIB} (LANG_CODE_BYTES)",
    )


def test_input_of_20_mb(server: ServerProcess) -> None:
    text = '"' + "x" * 20_000_000 + '"'
    assert refused(server, "1", input_json=text) == (
        "INVALID_ARGUMENT",
        f"input_json has {len(text)} bytes, the limit is {16 * MIB} (LANG_INPUT_BYTES)",
    )


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_input_up_to_its_limit_arrives(runtime: str, server: ServerProcess) -> None:
    code = {"python": "def main(inputs): return len(inputs)", "js": "function main(inputs) { return inputs.length }"}
    length = 16 * MIB - 2
    assert server.execute(code[runtime], runtime, '"' + "x" * length + '"').output_json == str(length)


@pytest.mark.parametrize("runtime", ["python", "js"])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_100_000_levels_in_the_input(runtime: str, opening: str, server: ServerProcess) -> None:
    closing = "]" if opening == "[" else "}"
    status, message = refused(server, "1", runtime, opening * 100_000 + "1" + closing * 100_000)
    assert status == "INVALID_ARGUMENT"
    assert message == "input_json is nested over 200 levels"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("(" * 100_000 + ")" * 100_000, "too many nested parentheses"),
        ("[" * 100_000 + "]" * 100_000, "too many nested parentheses"),
        ("x = " + "-" * 100_000 + "1", "nested too deeply"),
        ("x = a" + ".a" * 100_000, "nested too deeply"),
        ("if 1:\n", "expected an indented block"),
    ],
    ids=["parentheses", "lists", "minus", "dots", "no body"],
)
def test_python_code_that_nests_for_ever(code: str, message: str, server: ServerProcess) -> None:
    response = server.execute(code)
    assert kind(response) == "SYNTAX_ERROR", response.error
    assert message in response.error.message


@pytest.mark.parametrize(
    "code",
    [
        "(" * 100_000 + "1" + ")" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "{" * 100_000 + "}" * 100_000,
        "-" * 100_000 + "1",
        "!" * 100_000 + "1",
        "a=>" * 100_000 + "1",
    ],
    ids=["parentheses", "arrays", "blocks", "minus", "not", "arrows"],
)
def test_javascript_code_that_nests_for_ever(code: str, server: ServerProcess) -> None:
    response = server.execute(code, "js")
    assert kind(response) == "SYNTAX_ERROR", response.error
    assert response.error.message == "the source is nested too deeply"


def test_no_code(server: ServerProcess) -> None:
    status, message = refused(server, "")
    assert (status, message) == ("INVALID_ARGUMENT", "there is no code: inline_code.code is empty")


@pytest.mark.parametrize(
    ("runtime", "code"), [("python", "# only this"), ("js", "// only this"), ("python", "\n\n"), ("js", "  ")]
)
def test_code_that_does_nothing(runtime: str, code: str, server: ServerProcess) -> None:
    response = server.execute(code, runtime)
    assert (response.success, response.output_json) == (True, "null")


@pytest.mark.parametrize(
    ("runtime", "code"), [("python", "x = 1\0"), ("python", "# \0\ndef main(): return 1"), ("js", "let x = 1\0")]
)
def test_nul_in_the_code(runtime: str, code: str, server: ServerProcess) -> None:
    assert kind(server.execute(code, runtime)) == "SYNTAX_ERROR"


def test_nul_in_a_value_arrives(server: ServerProcess) -> None:
    assert server.execute("def main(inputs): return inputs", input_json='"a\\u0000b"').output_json == '"a\\u0000b"'
    assert server.execute("function main(i) { return i }", "js", '"a\\u0000b"').output_json == '"a\\u0000b"'


@pytest.mark.parametrize(
    ("text", "python", "js"),
    [
        ("NaN", "NaN is no JSON value", '"NaN" is not valid JSON'),
        ("{", "Expecting property name enclosed in double quotes at line 1 column 2", "Expected property name or '}'"),
        ("[1,]", "Illegal trailing comma before end of array at line 1 column 3", "Unexpected token ']'"),
        ("+1", "Expecting value at line 1 column 1", "Unexpected token '+'"),
        ("{}x", "Extra data at line 1 column 3", "Unexpected non-whitespace character after JSON at position 2"),
        ("\0", "Expecting value at line 1 column 1", "Unexpected token"),
    ],
)
@pytest.mark.parametrize("runtime", ["python", "js"])
def test_input_that_is_no_json(runtime: str, text: str, python: str, js: str, server: ServerProcess) -> None:
    status, message = refused(server, "1", runtime, text)
    assert status == "INVALID_ARGUMENT"
    assert message.startswith("input_json is not JSON: " + {"python": python, "js": js}[runtime])


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_lone_surrogates_in_values_and_logs(runtime: str, server: ServerProcess) -> None:
    code = {
        "python": "def main(inputs):\n    print(inputs)\n    return inputs",
        "js": "function main(inputs) { console.log(inputs); return inputs }",
    }[runtime]
    response = server.execute(code, runtime, '"a\\ud800b"')
    assert json.loads(response.output_json) == "a\ufffdb"  # strict readers of JSON refuse a lone surrogate
    assert [line.text for line in response.logs] == ["a\ufffdb"]


@pytest.mark.parametrize("runtime", ["python", "js"])
@pytest.mark.parametrize("given", ['"\\ud800"', '"\\udfff"'])
def test_a_lone_surrogate_that_is_the_whole_result(runtime: str, given: str, server: ServerProcess) -> None:
    length = {"python": "len(inputs)", "js": "inputs.length"}[runtime]
    literal = server.execute(f"return {given}", runtime)
    read = server.execute(f"return [{length}, inputs]", runtime, given)
    assert (literal.success, literal.output_json, read.output_json) == (True, '"\ufffd"', '[1,"\ufffd"]')


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_lone_surrogates_in_errors(runtime: str, server: ServerProcess) -> None:
    code = {"python": "raise ValueError('a\\ud800b')", "js": "throw new Error('a\\ud800b')"}[runtime]
    assert server.execute(code, runtime).error.message == "a\ufffdb"


@pytest.mark.parametrize("name", ["ruby", "", "Python", "py\0thon"])
def test_an_unknown_runtime(name: str, server: ServerProcess) -> None:
    status, message = refused(server, "1", name)
    assert status == "INVALID_ARGUMENT"
    assert message.endswith("expected one of javascript, js, node, python")


@pytest.mark.parametrize("alias", ["js", "javascript", "node"])
def test_aliases_of_javascript(alias: str, server: ServerProcess) -> None:
    assert server.execute("6 * 7", alias).output_json == "42"


@pytest.mark.parametrize("zone", ["Mars/Olympus", ":/etc/passwd", "../../etc/passwd", "EST5EDT,M3.2.0,M11.1.0"])
def test_an_unknown_zone(zone: str, server: ServerProcess) -> None:
    status, message = refused(server, "1", timezone=zone)
    assert (status, message[:17]) == ("INVALID_ARGUMENT", "unknown timezone ")


@pytest.mark.parametrize("field", ["memory_mb", "cpu_seconds", "output_bytes", "log_bytes"])
def test_a_negative_limit(field: str, server: ServerProcess) -> None:
    status, message = refused(server, "1", limits=lang_pb2.Limits(**{field: -1}))
    assert (status, message) == ("INVALID_ARGUMENT", f"{field} is -1: a limit is 0 (the default) or more")


def test_a_negative_timeout(server: ServerProcess) -> None:
    request = lang_pb2.ExecuteRequest(runtime="python", inline_code=lang_pb2.InlineCode(code="1"), timeout_seconds=-5)
    with pytest.raises(grpc.RpcError) as error:
        server.stub.Execute(request)
    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[attr-defined]


def test_limits_above_the_ceiling_are_clamped(server: ServerProcess) -> None:
    response = server.execute("def main(): return 'x' * 3_000_000", limits=lang_pb2.Limits(output_bytes=2**31 - 1))
    assert kind(response) == "OUTPUT_LIMIT"
    assert str(2 * MIB) in response.error.message


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_an_output_just_within_its_limit_and_one_over(runtime: str, server: ServerProcess) -> None:
    code = {
        "python": "def main(inputs): return 'x' * inputs['n']",
        "js": "function main(inputs) { return 'x'.repeat(inputs.n) }",
    }[runtime]
    whole = server.execute(code, runtime, f'{{"n": {2 * MIB - 2}}}')
    assert (whole.success, len(whole.output_json)) == (True, 2 * MIB)
    assert kind(server.execute(code, runtime, f'{{"n": {2 * MIB - 1}}}')) == "OUTPUT_LIMIT"


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_logs_over_their_limit_are_cut_and_said_so(runtime: str, server: ServerProcess) -> None:
    code = {
        "python": "for i in range(100000): print('line', i)",
        "js": "for (let i = 0; i < 100000; i++) console.log('line', i)",
    }
    response = server.execute(code[runtime], runtime)
    assert response.success
    assert response.logs_truncated
    assert [line.text for line in response.logs[:2]] == ["line 0", "line 1"]
    assert sum(len(line.text) + 24 for line in response.logs) <= 256 << 10


@pytest.mark.parametrize(
    ("runtime", "code"),
    [
        ("python", "def main():\n    a = []\n    while True: a.append(' ' * 1000000)"),
        ("js", "const a = []; for (;;) a.push('x'.repeat(1000) + a.length)"),
    ],
)
@pytest.mark.parametrize("megabytes", [0, 24])
def test_a_memory_bomb_names_the_limit_in_force(runtime: str, code: str, megabytes: int, server: ServerProcess) -> None:
    response = server.execute(code, runtime, limits=lang_pb2.Limits(memory_mb=megabytes))
    assert kind(response) == "MEMORY_LIMIT", response.error
    assert response.usage.peak_memory_bytes <= ((megabytes or 128) + 32) * MIB
