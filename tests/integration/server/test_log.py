"""The server's own log: its lines are its own words, whatever callers and programs write."""

from __future__ import annotations

import re

import grpc

from tests.integration.server.harness import running_server

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ langserver\.[\w.]+: .*")
WORD = "FOREIGN"
HOSTILE = f"{WORD}\n2026-01-01 00:00:00,000 ERROR langserver.server.app: {WORD}\r\x1b[31m\u202e"


def test_no_word_of_a_caller_or_a_program_is_in_it():
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
                        task_id=HOSTILE,
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
