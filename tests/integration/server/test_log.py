"""The server's own log: its lines are its own words, whatever callers and programs write."""

from __future__ import annotations

import logging
import re

import grpc

from langserver.server.logs import Foreign
from tests.integration.server.harness import running_server

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ langserver\.[\w.]+: .*")
WORD = "FOREIGN"
HOSTILE = f"{WORD}\n2026-01-01 00:00:00,000 ERROR langserver.server.app: {WORD}\r\x1b[31m\u202e"
TASK_ID = HOSTILE.replace(WORD, "AN ID")


def test_no_word_of_a_caller_or_a_program_is_in_it():
    """But his ids, and those as JSON."""
    with running_server(LANG_RUNTIMES="python,js", LANG_ZYGOTE_MAX_TASKS="3") as server:
        with server.connect() as client:
            for runtime, code in (
                ("python", f"print({HOSTILE!r})\nraise ValueError({HOSTILE!r})"),
                ("js", f"console.log({HOSTILE!a}); throw new Error({HOSTILE!a})"),
                ("python", f"import {WORD}"),
                ("python", f"{WORD} ="),
                (HOSTILE, "1"),
            ):
                try:
                    client.execute(
                        code,
                        runtime=runtime,
                        filename=HOSTILE,
                        task_id=TASK_ID,
                        metadata=[("x-name", WORD)],
                        input_json=f'"{WORD}"',
                    )
                except grpc.RpcError:
                    assert runtime == HOSTILE
        server.signal()
        _, out, errors = server.wait()
    assert WORD not in out + errors
    assert errors
    assert [line for line in errors.splitlines() if not LINE.fullmatch(line)] == []
    told = [line for line in errors.splitlines() if " langserver.executions: " in line]
    assert len(told) == 4
    assert all(r' task_id="AN ID\n2026-01-01 00:00:00,000 ERROR langserver' in line for line in told)


def record(name, message, *args, error=None, level=logging.ERROR):
    trace = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord(name, level, "file", 1, message, args, trace)


def raised(error):
    try:
        raise error
    except type(error) as caught:
        return caught


def test_what_libraries_say_is_one_short_line_without_what_callers_sent():
    told = Foreign(lambda: 0.0)
    line = record("grpc._cython.cygrpc", f"bad\n{'x' * 1000} %s", WORD, error=raised(ValueError(WORD)))
    assert told.filter(line)
    text = logging.Formatter().format(line)
    assert re.fullmatch(r"bad\\nx{395}; ValueError in \S+test_log\.py:\d+", text), text
    kept = record("asyncio", "Task exception was never retrieved", error=raised(KeyError(WORD)))
    assert told.filter(kept)
    assert "KeyError in" in kept.getMessage()


def test_callers_faults_are_nothing_to_log():
    told = Foreign(lambda: 0.0)
    name = "grpc._cython.cygrpc"
    assert not told.filter(record(name, "Invalid encoding on %s", b"\xff", error=raised(ValueError())))
    assert not told.filter(record(name, "x", error=raised(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"))))
    assert not told.filter(record(name, "x", error=raised(grpc.aio.InternalError())))


def test_libraries_have_some_lines_a_minute_and_we_have_all():
    clock = [0.0]
    told = Foreign(lambda: clock[0])
    assert [told.filter(record("grpc", "no")) for _ in range(30)] == [True] * 10 + [False] * 20
    assert all(told.filter(record("langserver.server.app", "ours %s", "kept")) for _ in range(30))
    clock[0] = 61.0
    later = record("grpc", "no")
    assert told.filter(later)
    assert later.getMessage() == "no; 20 such lines before were left out"
