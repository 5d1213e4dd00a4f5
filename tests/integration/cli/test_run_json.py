"""`langserver run --json`: the response of a server, complete, for programs."""

from __future__ import annotations

import json

import pytest
from google.protobuf import json_format

from langserver.pb import lang_pb2
from tests.integration.cli.messages import assert_complete

LOGS_AND_EVENT = """\
def main():
    print('seen')
    try:
        import socket
    except ImportError:
        pass
    return {'a': '\u00e9'}
"""


def test_a_success_is_complete(cli, task):
    ended = cli("run", task("a.py", LOGS_AND_EVENT), "--json")

    assert (ended.status, ended.err) == (0, "")
    got = ended.json
    assert_complete(got, lang_pb2.ExecuteResponse.DESCRIPTOR)
    assert got["success"] is True
    assert got["error"] is None
    assert json.loads(got["output_json"]) == {"a": "é"}
    assert [(line["stream"], line["text"]) for line in got["logs"]] == [("stdout", "seen")]
    assert int(got["usage"]["peak_memory_bytes"]) > 0
    assert got["usage"]["wall_seconds"] > 0


def test_a_failure_is_complete(cli, task):
    ended = cli("run", task("b.py", "def main(inputs):\n    return inputs['x']\n"), "--json")

    assert ended.status == 1
    got = ended.json
    assert_complete(got, lang_pb2.ExecuteResponse.DESCRIPTOR)
    assert (got["success"], got["output_json"]) == (False, "")
    error = got["error"]
    assert (error["kind"], error["type"], error["line"]) == ("ERROR_KIND_USER_ERROR", "KeyError", 2)


def test_a_refusal_is_among_the_events(cli, task):
    got = cli("run", task("c.js", "require('fs')"), "--json").json

    assert_complete(got, lang_pb2.ExecuteResponse.DESCRIPTOR)
    assert [(event["layer"], event["action"]) for event in got["security_events"]] == [("policy", "refused")]


@pytest.mark.parametrize("code", [LOGS_AND_EVENT, "1 +", "def main():\n    return object()\n"])
def test_protobuf_reads_it(cli, task, code):
    got = cli("run", task("d.py", code), "--json")

    message = json_format.Parse(got.out, lang_pb2.ExecuteResponse())
    assert message.success is (got.status == 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "[1, NaN]"], "input_json is not"),
        (["--input", "[" * 300 + "]" * 300], "200"),
        (["--timezone", "Nowhere"], "unknown timezone"),
        (["--timeout", "-2"], "timeout_seconds"),
        (["--runtime", "ruby"], "unknown runtime"),
    ],
)
def test_what_a_server_would_refuse_is_a_status(cli, task, arguments, message):
    ended = cli("run", task("e.py", "result = 1"), "--json", *arguments)

    assert ended.status == 2
    assert set(ended.json) == {"status", "message"}
    assert ended.json["status"] == "INVALID_ARGUMENT"
    assert message in ended.json["message"]


def test_too_much_code_is_a_status_that_names_the_limit(cli, task):
    ended = cli("run", task("f.py", "#" * (1 << 20) + "\n"), "--json")

    assert ended.status == 2
    assert ended.json["message"] == "the code has 1048577 bytes, the limit is 1048576 (LANG_CODE_BYTES)"
