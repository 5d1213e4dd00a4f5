"""A record is one line, whatever it holds; and nobody waits for who reads it."""

from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operating.telemetry.lines import LINE_BYTES, Console, Json, Lines, fields

EVIL = 'x\n2026-01-01 00:00:00,000 ERROR langserver.audit: forged\r\x1b[2J\u202e\u2028\x85"}'

SENT = "CANARY7f3a"
HANDLED = "try:\n    int(sent)\nexcept ValueError as error:\n    {}"


def record(
    message: str = "said %s", *args: object, error: BaseException | None = None, **told: Any
) -> logging.LogRecord:
    trace = (type(error), error, error.__traceback__) if error else None
    made = logging.LogRecord("a.logger", logging.WARNING, "file", 1, message, args or ("it",), trace)
    made.__dict__.update(fields(**told))
    return made


def raised(text: str) -> ValueError:
    try:
        raise ValueError(text)
    except ValueError as error:
        return error


def test_json_has_what_programs_read() -> None:
    line = json.loads(Json().format(record(task_id="t", run_seconds=0.5, empty="", none=None, count=0)))
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "a.logger",
        "message": "said it",
        "task_id": "t",
        "run_seconds": 0.5,
        "count": 0,
    }


def test_console_has_what_people_read() -> None:
    line = Console().format(record(task_id="t 1", run_seconds=0.5))
    assert line.partition(" WARNING ")[2] == 'a.logger: said it task_id="t 1" run_seconds=0.5'


def test_a_fault_of_ours_has_its_place_and_its_kind() -> None:
    error = raised("the words")
    assert json.loads(Json().format(record(error=error)))["exception"].endswith(
        "in raised\n    raise ValueError(text)\nValueError"
    )
    lines = Console().format(record(error=error)).splitlines()
    assert lines[-1] == "    ValueError"
    assert len(lines) > 2


def failed(code: str) -> BaseException:
    """As our own code fails on what a task sent, which is in the error's words."""
    try:
        exec(code, {"sent": SENT})
    except BaseException as error:
        return error
    raise AssertionError(code)


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        ("int(sent)", ["ValueError"]),
        ("{}[sent]", ["KeyError"]),
        ("open(f'/{sent}')", ["FileNotFoundError: No such file or directory"]),
        ("raise OSError(sent)", ["OSError"]),
        ("raise SyntaxError(sent, (sent, 1, 1, sent))", ["SyntaxError"]),
        (
            "raise ExceptionGroup(sent, [KeyError(sent), OSError(1, sent)])",
            ["ExceptionGroup of KeyError, PermissionError: Operation not permitted"],
        ),
        (HANDLED.format("raise TypeError(sent) from error"), ["ValueError", "TypeError"]),
        (HANDLED.format("raise TypeError(sent)"), ["ValueError", "TypeError"]),
        (HANDLED.format("raise TypeError(sent) from None"), ["TypeError"]),
        ("error = KeyError(sent)\nerror.add_note(sent)\nerror.__cause__ = error\nraise error", ["KeyError"]),
        ("raise type('Own', (Exception,), {'__module__': 'ours'})(sent)", ["ours.Own"]),
    ],
)
@pytest.mark.parametrize("made", [Console(), Json()], ids=["console", "json"])
def test_the_words_of_an_error_are_in_no_line(made: logging.Formatter, code: str, kinds: list[str]) -> None:
    line = made.format(record(error=failed(code)))
    assert SENT not in line
    text = json.loads(line)["exception"] if isinstance(made, Json) else line.replace("\n    ", "\n")
    assert [part for part in text.splitlines()[isinstance(made, Console) :] if not part.startswith(" ")] == kinds


REPORTED = """\
import asyncio, gc, sys
from operating.telemetry.lines import set_up

async def fails(sent):
    raise ValueError(sent)

async def main(sent):
    asyncio.get_running_loop().call_soon(int, sent)
    forgotten = asyncio.ensure_future(fails(sent))
    await asyncio.wait([forgotten])
    del forgotten
    gc.collect()

set_up(sys.stderr, "console", "warning")
asyncio.run(main(sys.argv[1]))
"""


def test_what_asyncio_reports_is_without_what_was_sent() -> None:
    """Its words for a failed callback have the arguments in them, and those for a forgotten task the error's words."""
    ended = subprocess.run([sys.executable, "-c", REPORTED, SENT], capture_output=True, text=True, check=True)
    said = [line.partition(" ERROR ")[2] for line in ended.stderr.splitlines() if not line.startswith(" ")]
    assert sorted(said) == ["asyncio: Exception in callback int", "asyncio: Task exception was never retrieved"]
    assert SENT not in ended.stderr


@pytest.mark.parametrize("made", [Console(), Json()], ids=["console", "json"])
@settings(max_examples=40)
@given(text=st.text(max_size=3000) | st.sampled_from([EVIL, EVIL * 100, "\U0001f600" * 2000, "\ud800" * 3000]))
def test_nothing_begins_a_line_or_steers_a_terminal(made: logging.Formatter, text: str) -> None:
    first, *more = written(made, record("said %s", text, error=raised(text), task_id=text, run_id=text, principal=text))
    assert all(line.startswith(b"    ") for line in more)
    if isinstance(made, Json):
        assert more == []
        assert json.loads(first)["level"] == "warning"
    decoded = b"\n".join([first, *more]).decode("utf-8", "replace")
    assert not {char for char in decoded if (char < " " and char != "\n") or char in "\x7f\x85\x9b\u2028\u2029\u202e"}


def written(made: logging.Formatter, what: logging.LogRecord) -> list[bytes]:
    """The lines that come out at the end of a pipe, which are at most LINE_BYTES together."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as reader:
        with os.fdopen(write, "w") as stream:
            handler = Lines(stream)
            handler.setFormatter(made)
            handler.emit(what)
        data = reader.read()
    assert 0 < len(data) <= LINE_BYTES
    assert data.endswith(b"\n")
    return data[:-1].split(b"\n")


def test_who_does_not_read_stops_nobody() -> None:
    """The pipe is blocking, as standard error is: a write without a look would wait for ever."""
    read, write = os.pipe()
    with os.fdopen(read, "rb") as reader, os.fdopen(write, "w") as stream:
        handler = Lines(stream)
        handler.setFormatter(Json())
        for number in range(1000):
            handler.emit(record("said %s " + "x" * 200, number))
        os.set_blocking(read, False)
        got = reader.read().splitlines()
        assert 10 < len(got) < 1000
        handler.emit(record("the end%s", ""))
        told, last = reader.read().splitlines()
    assert json.loads(told)["message"].startswith(f"{1000 - len(got)} log lines before were left out")
    assert json.loads(last)["message"] == "the end"


def test_a_reader_who_is_gone_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stream:
        handler = Lines(stream)
        handler.setFormatter(Json())
        handler.emit(record())


def test_a_stream_in_memory() -> None:
    stream = io.StringIO()
    handler = Lines(stream)
    handler.setFormatter(Json())
    handler.emit(record())
    assert json.loads(stream.getvalue())["message"] == "said it"


def test_a_record_that_cannot_be_made_into_text_is_told_without_it() -> None:
    stream = io.StringIO()
    handler = Lines(stream)
    handler.setFormatter(Json())
    handler.emit(record("said %d", "no number"))
    assert stream.getvalue() == "a log line of a.logger could not be made: TypeError\n"
    assert sys.stderr is not stream
