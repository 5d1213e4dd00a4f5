"""submit, status, cancel and dead, against a coordinator."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import uuid

import pytest

from coordinator.commands.output import line
from tests.coordinator.servers import until
from tests.coordinator.service.serving import COMMAND


def lines(*tasks: dict | str) -> bytes:
    return "\n".join(task if isinstance(task, str) else json.dumps(task) for task in tasks).encode()


def test_one_task(cli, worker):
    ended = cli("submit", "--node-type", "python", "--input", '{"value": {"a": [1, 2.50]}}', "--wait", "60")

    (told,) = ended.lines
    assert (ended.status, ended.err) == (0, "")
    assert list(told) == ["run_id", "task_id", "state", "attempt", "output", "error"]
    assert (told["state"], told["attempt"], told["output"], told["error"]) == ("COMPLETED", 1, {"a": [1, 2.5]}, "")


def test_without_waiting_it_prints_the_ids(cli):
    ended = cli("submit", "--node-type", "js", "--run-id", "my run", "--task-id", "mine")

    assert ended.status == 0
    assert ended.lines == [{"run_id": "my run", "task_id": "mine"}]
    assert cli("submit", "--node-type", "js", "--run-id", "my run", "--task-id", "mine").status == 0
    assert sum(cli("status", "--run-id", "my run", "--json").lines[0][name] is not None for name in ["task_id"]) == 1


def test_the_input_of_a_file(cli, worker, tmp_path):
    (tmp_path / "in.json").write_text('{"value": "\N{SNOWMAN}"}')

    ended = cli("submit", "--node-type", "python", "--input", "@in.json", "--wait", "60")

    assert ended.lines[0]["output"] == "\N{SNOWMAN}"


def test_a_file_of_tasks_in_its_order_and_one_run(cli, worker, tmp_path):
    tasks = [{"node_type": "python", "input": {"value": number}} for number in range(40)]
    (tmp_path / "tasks.jsonl").write_bytes(lines(*tasks, "", "   "))

    ended = cli("submit", "--file", "tasks.jsonl", "--wait", "60")

    assert ended.status == 0
    assert [told["output"] for told in ended.lines] == list(range(40))
    assert len({told["run_id"] for told in ended.lines}) == 1
    run_id = ended.lines[0]["run_id"]
    assert cli("status", "--run-id", run_id).out.split() == [
        *("PENDING", "0", "QUEUED", "0", "RUNNING", "0"),
        *("COMPLETED", "40", "FAILED", "0"),
    ]
    listed = cli("status", "--run-id", run_id, "--json").lines
    assert [task["task_id"] for task in listed] == [told["task_id"] for told in ended.lines]
    assert listed[7]["output"] == 7
    assert cli("status", "--run-id", run_id, "--json").lines[0]["queue"] == "python"
    assert cli("status", "--json").lines[0]["COMPLETED"] >= 40


def test_failed_tasks_are_tried_again_and_told_by_the_status(cli, worker):
    tasks = lines(
        {"node_type": "python", "input": {"error": "USER_ERROR: no (a.py:3)"}, "max_attempts": 2},
        {"node_type": "python", "input": {"value": 1}},
    )

    ended = cli("submit", "--file", "-", "--wait", "60", stdin=tasks)

    assert ended.status == 1
    assert [(told["state"], told["attempt"]) for told in ended.lines] == [("FAILED", 2), ("COMPLETED", 1)]
    assert ended.lines[0]["error"] == "USER_ERROR: no (a.py:3)"
    assert ended.lines[0]["output"] is None


def test_the_same_ids_again_are_the_same_tasks(cli, worker):
    run_id = uuid.uuid4().hex
    first = lines({"node_type": "python", "input": {"value": 1}, "run_id": run_id, "task_id": "a"})
    other = lines({"node_type": "python", "input": {"value": 2}, "run_id": run_id, "task_id": "a"})

    for text in (first, other, other + b"\n" + other):
        ended = cli("submit", "--file", "-", "--wait", "60", stdin=text)
        assert {told["output"] for told in ended.lines} == {1}
    assert len(ended.lines) == 2


def test_a_wait_that_runs_out(cli):
    ended = cli("submit", "--node-type", "nobody", "--wait", "0.3")

    assert ended.status == 3
    assert ended.lines[0]["state"] in ("PENDING", "QUEUED")
    assert "coordinator status" in ended.err


def test_nobody_answers(typed):
    ended = typed("submit", "--node-type", "js")

    assert (ended.status, ended.out) == (4, "")
    assert ended.err.startswith("coordinator: no answer from 127.0.0.1:1 (--addr, COORDINATOR_ADDR)")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "truncated"),
        ('{"node_type": "js", "input": "\\ud83d"}', "\\ud83d at byte 30 is half of a surrogate pair"),
        ('{"input": {}}', "missing required field `node_type`"),
        ('{"node_type": "js", "inptu": {}}', "unknown field `inptu`"),
        ('{"node_type": "a b", "input": {}}', "node_type may hold letters"),
        ('{"node_type": "js", "input": {}, "max_attempts": 1001}', "max_attempts is 1001"),
        ('{"node_type": "js", "max_attempts": "2"}', "Expected `int`"),
        ('{"node_type": "js", "task_id": "\\u0000"}', "task_id holds characters that are not printable"),
        ('{"node_type": "js", "max_attempts": 99999999999999}', "max_attempts is 99999999999999"),
        ('{"node_type": "js", "max_attempts": -1}', "max_attempts is -1"),
        ("[" * 5000, ""),
    ],
)
def test_a_line_that_is_wrong_is_named_and_nothing_is_submitted(cli, tmp_path, line, said):
    good = '{"node_type": "js", "run_id": "never"}'
    (tmp_path / "tasks.jsonl").write_bytes(lines(good, "", line, good))

    ended = cli("submit", "--file", "tasks.jsonl")

    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("coordinator: tasks.jsonl, line 3: ")
    assert said in ended.err
    assert cli("status", "--run-id", "never", "--json").out == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--node-type", "js", "--input", "{'a': 1}"), "input is no JSON text"),
        (("--node-type", "js", "--input", "@none.json"), "none.json: No such file"),
        (("--file", "none.jsonl"), "none.jsonl: No such file"),
        (("--file", "-"), "- holds no task"),
        (("--node-type", "", "--input", "{}"), "node_type is required"),
        (("--node-type", "js", "--addr", "here"), "here: expected HOST:PORT"),
    ],
)
def test_what_cannot_be_submitted(cli, arguments, said):
    ended = cli("submit", *arguments)

    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_a_file_of_windows(cli, worker, tmp_path):
    text = '{"node_type": "python", "input": {"value": "\N{SNOWMAN}"}}\r\n\r\n'
    (tmp_path / "tasks.jsonl").write_text(text, encoding="utf-8-sig", newline="")

    ended = cli("submit", "--file", "tasks.jsonl", "--wait", "60")

    assert (ended.status, [told["output"] for told in ended.lines]) == (0, ["\N{SNOWMAN}"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("submit", "--node-type", "js", "--run-id", "\udcff"),
        ("status", "--run-id", "\udcff"),
        ("cancel", "--run-id", "\udcff"),
        ("dead", "list", "--queue", "\udcff"),
        ("dead", "requeue", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_are_bad_usage(cli, arguments):
    ended = cli(*arguments)

    assert (ended.status, ended.out, ended.err) == (2, "", "coordinator: '\\udcff' is not UTF-8 text\n")


def test_what_cannot_be_written_is_said(serving):
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [*COMMAND, "submit", "--node-type", "js"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "COORDINATOR_ADDR": serving.addr},
            timeout=60,
            check=False,
        )

    assert ended.returncode == 5
    assert ended.stderr == b"coordinator: standard output: No space left on device\n"


def test_an_interrupted_wait_names_the_run(serving, cli):
    before = json.loads(cli("status", "--json").out)
    waiting = subprocess.Popen(
        [*COMMAND, "submit", "--node-type", "nobody", "--task-id", "interrupted", "--wait", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COORDINATOR_ADDR": serving.addr},
        text=True,
    )
    until(lambda: sum(json.loads(cli("status", "--json").out).values()) > sum(before.values()), "it is submitted")
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=60)

    assert (waiting.returncode, out) == (130, "")
    run_id = err.removeprefix("coordinator: tasks of run ").partition(" ")[0]
    assert cli("status", "--run-id", run_id, "--json").lines[0]["task_id"] == "interrupted"


def test_cancel(cli):
    run_id = uuid.uuid4().hex
    cli("submit", "--file", "-", "--run-id", run_id, stdin=lines(*[{"node_type": "nobody"}] * 3))
    until(lambda: "QUEUED    3" in cli("status", "--run-id", run_id).out, "all are queued")

    ended = cli("cancel", "--run-id", run_id)

    assert (ended.status, ended.out) == (0, "cancelled 3 tasks: 3 QUEUED\n")
    assert cli("cancel", "--run-id", run_id).out == "cancelled 0 tasks\n"
    assert {task["error"].partition(":")[0] for task in cli("status", "--run-id", run_id, "--json").lines} == {
        "CANCELLED"
    }


def test_dead_letters(cli, worker, redis_server, prefix):
    import redis

    failing = lines({"node_type": "python", "input": {"error": "no"}, "max_attempts": 1, "task_id": "t"})
    run_id = cli("submit", "--file", "-", "--wait", "60", stdin=failing).lines[0]["run_id"]
    with redis.Redis(port=redis_server.port, decode_responses=True) as connection:
        dead = f"{prefix}:python:0:dead"
        entry_id = connection.xadd(
            dead, {"task_id": "t", "run_id": run_id, "reason": "too often\x1b[31m", "attempt": "1"}
        )

    shown = cli("dead", "list", "--queue", "python")
    assert shown.out == f"{dead}/{entry_id} run={run_id} task=t: too often\\u001b[31m\n"
    (letter,) = cli("dead", "list", "--json").lines
    assert (letter["stream"], letter["entry_id"], letter["reason"]) == (dead, entry_id, "too often\x1b[31m")

    assert cli("dead", "requeue").status == 2
    assert cli("dead", "requeue", "--all", f"{dead}/1-0").status == 2
    missing = cli("dead", "requeue", f"{dead}/1-0")
    assert (missing.status, missing.out) == (1, f"{dead}/1-0: there is no such entry\n")
    requeued = cli("dead", "requeue", f"{dead}/{entry_id}")
    assert (requeued.status, requeued.out) == (0, f"{dead}/{entry_id} run={run_id} task=t: requeued\n")
    assert cli("dead", "list").out == ""
    assert cli("dead", "drop", f"{dead}/{entry_id}").status == 1
    until(lambda: cli("status", "--run-id", run_id, "--json").lines[0]["attempt"] == 2, "it was tried again")


def test_a_terminal_sees_how_far_it_is(serving, worker):
    ours, theirs = pty.openpty()
    ended = subprocess.run(
        [*COMMAND, "submit", "--node-type", "python", "--wait", "60"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "COORDINATOR_ADDR": serving.addr},
        timeout=60,
        check=False,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)

    assert ended.returncode == 0
    assert shown.endswith("1/1 ended, 0 failed\r\n")
    assert "[" + "#" * 40 + "]" in shown


def test_text_of_others_never_steers_a_terminal(capsys):
    line("a\x1b[2J\n\u202eb\x9bc")

    assert capsys.readouterr().out == "a\\u001b[2J\\u000a\\u202eb\\u009bc\n"


def test_a_second_coordinator_on_one_file_is_refused(typed, tmp_path, redis_server, monkeypatch):
    from tests.coordinator.service.serving import Serving

    serving = Serving(f"sqlite:///{tmp_path}/t.db", redis_server.addr)
    try:
        monkeypatch.setenv("COORDINATOR_DATABASE_URL", f"sqlite:///{tmp_path}/t.db")
        ended = typed("serve", "--listen", "127.0.0.1:0")
    finally:
        serving.kill()

    assert (ended.status, ended.out) == (3, "")
    assert f"{tmp_path}/t.db is in use by another coordinator" in ended.err


def test_beyond_this_machine_it_does_not_listen(typed, monkeypatch):
    ended = typed("serve", "--listen", "0.0.0.0:0")

    assert ended.status == 3
    assert "COORDINATOR_ALLOW_INSECURE=1" in ended.err


def test_a_listen_address_that_is_none(typed):
    ended = typed("serve", "--listen", "here")

    assert ended.status == 3
    assert "COORDINATOR_LISTEN_ADDR is 'here': expected HOST:PORT" in ended.err


def test_dead_letters_are_dropped(cli, redis_server, prefix):
    import redis

    dead, its = f"{prefix}:js:0:dead", ("--queue", "js")
    with redis.Redis(port=redis_server.port, decode_responses=True) as connection:
        old = [connection.xadd(dead, {"reason": "why"}, id=f"{number}-0") for number in (1000, 2000)]
        new = connection.xadd(dead, {"reason": "why"})

    assert cli("dead", "drop", *its).status == 2
    assert cli("dead", "drop", f"{dead}/{new}", "--older-than", "0").status == 2
    named = cli("dead", "drop", f"{dead}/{old[0]}", f"{dead}/9-9")
    said = f"{dead}/{old[0]} run= task=: dropped\n{dead}/9-9: there is no such entry\n"
    assert (named.status, named.out) == (1, said)
    aged = cli("dead", "drop", *its, "--older-than", "86400")
    assert (aged.status, aged.out) == (0, f"{dead}/{old[1]} run= task=: dropped\n")
    assert [letter["entry_id"] for letter in cli("dead", "list", *its, "--json").lines] == [new]
    assert cli("dead", "drop", *its, "--older-than", "0").status == 0
    assert cli("dead", "list", *its).out == ""
