"""`langserver check`: all that is wrong with some code, without running it."""

from __future__ import annotations

from langserver.pb import lang_pb2
from tests.integration.cli.messages import assert_complete


def test_good_code(cli, task):
    ended = cli("check", task("a.py", "import json\n\ndef main():\n    print('never')\n"))

    assert (ended.status, ended.out, ended.err) == (0, "a.py: ok, imports json\n", "")


def test_good_javascript(cli, task):
    assert cli("check", task("a.js", "function main() { return 1 }")).out == "a.js: ok\n"


def test_nothing_runs(cli, task):
    assert cli("check", task("a.py", "while True:\n    pass\n")).status == 0


def test_every_problem_has_its_place_and_kind(cli, task):
    ended = cli("check", task("b.py", "a = main.__code__\n\ndef main():\n    return a.__globals__\n"))

    assert (ended.status, ended.err) == (1, "")
    heads = [line for line in ended.out.splitlines() if line.startswith("b.py:")]
    assert [head.split(":")[1] for head in heads] == ["1", "4"]
    assert all(" POLICY_VIOLATION: " in head for head in heads)


def test_a_syntax_error(cli):
    ended = cli("check", "-", "--runtime", "js", stdin="let x = ;")

    assert ended.status == 1
    assert ended.out.startswith("task.js:1:9: SYNTAX_ERROR: ")


def test_json_is_complete(cli, task):
    good = cli("check", task("a.py", "import json, csv\n"), "--json")
    assert (good.status, good.err) == (0, "")
    assert_complete(good.json, lang_pb2.ValidateResponse.DESCRIPTOR)
    assert good.json == {"ok": True, "problems": [], "imports": ["json", "csv"]}

    bad = cli("check", task("b.py", "x = (\n"), "--json")
    assert bad.status == 1
    assert_complete(bad.json, lang_pb2.ValidateResponse.DESCRIPTOR)
    assert [problem["kind"] for problem in bad.json["problems"]] == ["ERROR_KIND_SYNTAX_ERROR"]


def test_what_a_server_would_refuse_is_a_status(cli, task):
    ended = cli("check", task("empty.py", ""), "--json")

    assert (ended.status, ended.json["status"]) == (2, "INVALID_ARGUMENT")
