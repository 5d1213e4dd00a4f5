"""The tasks that a command line or a JSON-lines file asks for."""

from __future__ import annotations

import codecs
import sys
import uuid
from argparse import Namespace
from pathlib import Path

import msgspec

from coordinator.commands.exits import UsageError
from coordinator.core.submission import Submitted, checked
from coordinator.errors import InvalidRequest
from coordinator.pb import coordinator_pb2 as pb
from operating.surrogates import half_pair

_EMPTY_OBJECT = b"{}"


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One line. The input's text is kept as it is: a number of many digits keeps them."""

    node_type: str
    input: msgspec.Raw = msgspec.Raw(_EMPTY_OBJECT)
    max_attempts: int = 0
    queue: str = ""
    run_id: str = ""
    task_id: str = ""


def asked_for(options: Namespace) -> list[pb.NewTask]:
    """At least one, each with its ids. Raises UsageError, which names the line of a file."""
    run_id = options.run_id or _new_id()
    if options.file is not None:
        return _of_file(options.file, run_id, options.max_attempts)
    line = _Line(
        node_type=options.node_type,
        input=msgspec.Raw(_input(options.input)),
        max_attempts=options.max_attempts,
        queue=options.queue,
        task_id=options.task_id,
    )
    try:
        return [_task(line, run_id, 0)]
    except InvalidRequest as error:
        raise UsageError(str(error)) from None


def _of_file(name: str, run_id: str, max_attempts: int) -> list[pb.NewTask]:
    text = (sys.stdin.buffer.read() if name == "-" else _read(name)).removeprefix(codecs.BOM_UTF8)
    tasks: list[pb.NewTask] = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            tasks.append(_task(msgspec.json.decode(line, type=_Line), run_id, max_attempts))
        except msgspec.DecodeError as error:
            raise UsageError(f"{name}, line {number}: {half_pair(line) or error}") from None
        except (UnicodeDecodeError, RecursionError, InvalidRequest) as error:
            raise UsageError(f"{name}, line {number}: {error}") from None
    if not tasks:
        raise UsageError(f"{name} holds no task: expected one JSON object a line, with node_type and input")
    return tasks


def _task(line: _Line, run_id: str, max_attempts: int) -> pb.NewTask:
    """Checked as the coordinator will, so that an error can name its line. Raises InvalidRequest."""
    submitted = Submitted(
        run_id=line.run_id or run_id,
        task_id=line.task_id or _new_id(),
        node_id="",
        node_type=line.node_type,
        workflow_id="",
        workflow_version="",
        input_json=bytes(line.input),
        max_attempts=line.max_attempts or max_attempts,
        queue=line.queue,
        traceparent="",
    )
    checked(submitted, default_attempts=1)
    return pb.NewTask(
        task_id=submitted.task_id,
        run_id=submitted.run_id,
        node_type=submitted.node_type,
        input=submitted.input_json,
        max_attempts=submitted.max_attempts,
        queue=submitted.queue,
    )


def _input(text: str) -> bytes:
    return _read(text[1:]) if text.startswith("@") else text.encode("utf-8", "surrogateescape")


def _read(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None


def _new_id() -> str:
    return uuid.uuid4().hex
