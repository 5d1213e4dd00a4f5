"""`langserver run`: what a user types, sees, and gets as exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from langserver.core.claims import Report, SecurityClaim
from langserver.core.verdict import Verdict
from langserver.zygote.job import Outcome

HELLO = "def main(inputs):\n    print('a line')\n    return {'sum': inputs['a'] + inputs['b']}\n"
KEY_ERROR = "def main(inputs):\n    order = inputs\n    return order['price']\n"


def test_the_result_is_on_stdout_and_the_log_on_stderr(cli, task):
    ended = cli("run", task("sum.py", HELLO), "--input", '{"a": 1, "b": 2}')

    assert (ended.status, json.loads(ended.out), ended.err) == (0, {"sum": 3}, "a line\n")


@pytest.mark.parametrize("suffix", [".js", ".mjs", ".cjs"])
def test_javascript_by_its_suffix(cli, task, suffix):
    ended = cli(
        "run", task(f"twice{suffix}", "function main({a}) { console.warn('w'); return a * 2 }"), "--input", '{"a": 4}'
    )

    assert (ended.status, ended.out, ended.err) == (0, "8\n", "w\n")


def test_code_from_standard_input(cli):
    ended = cli("run", "-", "--runtime", "node", stdin="return 6 * 7")

    assert (ended.status, ended.out) == (0, "42\n")


def test_a_byte_order_mark_is_no_code(cli, task):
    assert cli("run", task("bom.py", "\ufeffresult = 1\n")).out == "1\n"


def test_input_from_a_file(cli, task):
    given = task("input.json", '{"a": 20, "b": 22}')

    assert json.loads(cli("run", task("sum.py", HELLO), "--input", f"@{given}").out) == {"sum": 42}


def test_the_time_zone_is_that_of_the_task(cli, task):
    code = "function main() { return new Date(0).getHours() }"

    assert cli("run", task("hour.js", code), "--timezone", "Asia/Tokyo").out == "9\n"


def test_a_seed_makes_it_repeatable(cli, task):
    code = task("dice.py", "import random\nresult = random.random()\n")
    first, again, other = (cli("run", code, "--seed", seed).out for seed in ("7", "7", "-8"))

    assert first == again != other


def test_modules_that_the_operator_turned_on(cli, task):
    file = task("task.js", "require('lodash').chunk([1, 2, 3], 2)")
    refused, given = cli("run", file), cli("run", file, env={"LANG_JS_MODULES": "luxon,lodash"})
    assert (refused.status, given.status, given.out) == (1, 0, "[[1,2],[3]]\n")
    assert "the operator can turn it on (LANG_JS_MODULES)" in refused.err
    wrong = cli("run", file, env={"LANG_JS_MODULES": "moment"})
    assert wrong.status == 3
    assert "LANG_JS_MODULES is 'moment': expected some of dayjs, lodash, luxon, separated by commas" in wrong.err


@pytest.mark.parametrize("switch", ["on", "off"])
def test_the_profile_of_javascript(cli, task, switch):
    file = task("task.js", "let s = 0; for (let i = 0; i < 1e5; i++) s += i; [s, typeof WebAssembly]")
    # Less memory than V8 makes for a moment while it wakes: a limit is lowered once the child is sealed.
    ended = cli("run", file, "--memory-mb", "8", env={"LANG_JS_JIT": switch})
    assert (ended.status, ended.out) == (0, '[4999950000,"undefined"]\n')


def test_a_profile_that_there_is_not(cli, task):
    for command in ("run", "check"):
        ended = cli(command, task("task.js", "1"), env={"LANG_JS_JIT": "maybe"})
        assert ended.status == 3
        assert "LANG_JS_JIT is 'maybe': expected on or off" in ended.err


def test_a_failure_names_kind_place_traceback_and_message(cli, task):
    ended = cli("run", task("price.py", KEY_ERROR))

    assert (ended.status, ended.out) == (1, "")
    first, *rest = ended.err.splitlines()
    assert first == "price.py:3:12: USER_ERROR: KeyError: 'price'"
    assert "    return order['price']" in rest


def test_a_refusal_says_once_what_to_do(cli, task):
    ended = cli("run", task("fs.js", "const x = 1;\nconst fs = require('fs');\n"))

    assert ended.status == 1
    assert "fs.js:2:" in ended.err
    assert "POLICY_VIOLATION" in ended.err
    assert ended.err.count("pass their content in `inputs`") == 1


def test_a_hint_that_the_message_lacks_is_shown(cli, task):
    ended = cli("run", task("typo.py", "total = 1\nresult = totl\n"))

    assert ended.status == 1
    assert "hint: did you mean 'total'?" in ended.err


def test_log_lines_of_a_stopped_task_are_shown(cli, task):
    code = "function main() {\n  console.log('before');\n  for (;;) {}\n}\n"
    ended = cli("run", task("loop.js", code), "--timeout", "0.5")

    assert ended.status == 1
    assert ended.err.splitlines() == ["before", "loop.js: TIMEOUT: the task ran longer than its limit of 0.5 s"]


def test_a_cut_log_is_told(cli, task):
    ended = cli("run", task("loud.py", "for i in range(20_000):\n    print('x' * 80)\n"))

    assert ended.status == 0
    assert ended.err.splitlines()[-1] == "warning: the log was cut: its limit is reached"


GREEDY = "def main():\n    return len([0] * 25_000_000)\n"  # 200 MB


def test_memory_has_a_limit(cli, task):
    ended = cli("run", task("greedy.py", GREEDY), "--json")

    assert (ended.status, ended.json["error"]["kind"]) == (1, "ERROR_KIND_MEMORY_LIMIT")


def test_whoever_runs_it_may_raise_the_memory_limit(cli, task):
    assert cli("run", task("greedy.py", GREEDY), "--memory-mb", "300").out == "25000000\n"


def test_a_lower_memory_limit_holds(cli, task):
    code = task("greedy.py", "def main():\n    return len([0] * 5_000_000)\n")  # 40 MB

    assert cli("run", code).status == 0
    ended = cli("run", code, "--memory-mb", "20")
    assert ended.status == 1
    assert "MEMORY_LIMIT" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "absent.py"], "absent.py: No such file or directory"),
        (["run", "."], "--runtime"),
        (["run", "-"], "--runtime"),
        (["run", "notes.txt"], "notes.txt: its name does not end in one of .py, .js, .mjs, .cjs"),
        (["run", "task.py", "--input", "@absent.json"], "absent.json: No such file or directory"),
        (["run", "task.py", "--runtime", "perl"], "unknown runtime 'perl'"),
        (["run", "task.py", "--timezone", "Mars/Olympus"], "unknown timezone 'Mars/Olympus'"),
        (["run", "task.py", "--timeout", "-1"], "timeout_seconds is -1"),
        (["run", "task.py", "--memory-mb", "-1"], "memory_mb is -1"),
        (["run", "task.py", "--timeout", "soon"], "--timeout"),
        (["run", "task.py", "--timeout", "nan"], "--timeout"),
        (["run", "task.py", "--seed", "9223372036854775808"], "64 bits"),
        (["run", "task.py", "--layers", "moat"], "unknown layer 'moat'"),
        (["run", "task.js", "--layers", "rlimits"], "js cannot run without policy"),
        (["run", "empty.py"], "there is no code"),
        (["run"], "FILE"),
    ],
)
def test_what_cannot_be_done_is_said_and_ends_with_2(typed, task, arguments, said):
    for name, code in (("task.py", "result = 1"), ("task.js", "1"), ("empty.py", ""), ("notes.txt", "")):
        task(name, code)
    ended = typed(*arguments)

    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.parametrize("name", ["task.py", "task.js"])
@pytest.mark.parametrize("as_file", [True, False], ids=["file", "argument"])
@pytest.mark.parametrize(("data", "fault"), [(b'"a\xff"', "byte 2 is 0xff"), (b'"\xed\xa0\x80"', "byte 1 is 0xed")])
def test_input_that_is_no_utf_8(cli, task, tmp_path, name, as_file, data, fault):
    given = "@input.json" if as_file else os.fsdecode(data)
    (tmp_path / "input.json").write_bytes(data)
    ended = cli("run", task(name, "result = 1"), "--input", given)

    said = f"langserver: {'input.json' if as_file else '--input'} is not UTF-8: {fault}\n"
    assert (ended.status, ended.out, ended.err) == (2, "", said)


def test_input_that_is_no_json(cli, task):
    ended = cli("run", task("task.py", "result = 1"), "--input", "{")

    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("langserver: input_json is not JSON")


def test_code_that_is_not_utf8(cli, tmp_path):
    (tmp_path / "latin.py").write_bytes(b"result = '\xe9'")
    ended = cli("run", "latin.py", "--json")

    assert ended.status == 2
    assert ended.json == {"status": "INVALID_ARGUMENT", "message": "latin.py is not UTF-8: byte 10 is 0xe9"}


def test_a_reader_that_goes_away_is_no_error(task, tmp_path):
    code = task("loud.py", "for i in range(2_000):\n    print('x' * 80)\nresult = 'y' * 1_000_000\n")
    with subprocess.Popen(
        [sys.executable, "-m", "langserver.cli", "run", code],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 0
    assert "BrokenPipe" not in said


def test_no_server_library_is_loaded(task, tmp_path):
    """What needs no gRPC does not pay for it."""
    code = (
        "import sys\n"
        "from langserver.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "heavy = {'grpc', 'google', 'pydantic', 'pydantic_settings'}\n"
        "print(status, sorted(heavy & {name.partition('.')[0] for name in sys.modules}))\n"
    )
    for command in ("run", "check"):
        ended = subprocess.run(
            [sys.executable, "-c", code, command, task("one.py", "result = 1")],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert ended.stdout.splitlines()[-1] == "0 []"


def test_a_refusal_that_the_program_survived_is_told(typed, task, monkeypatch):
    async def perform(*_: object, jit: bool) -> Outcome:
        claim = SecurityClaim("seccomp", "denied", "openat\x1b[2J")
        return Outcome(Verdict(report=Report(b"1")), events=(claim,))

    monkeypatch.setattr("langserver.commands.run.perform", perform)
    ended = typed("run", task("brave.py", "result = 1"))

    assert (ended.status, ended.out) == (0, "1\n")
    assert ended.err == "warning: seccomp denied: openat\x1b[2J\n"


def test_a_refusal_that_ended_it_is_told_once(cli, task):
    ended = cli("run", task("bold.py", "import socket\n"))

    assert ended.status == 1
    assert "warning:" not in ended.err
    assert ended.err.startswith("bold.py:1:1: POLICY_VIOLATION: ")
