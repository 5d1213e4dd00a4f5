"""The demo: a server of its own, a dozen tasks over gRPC, and a table of what became of each; then a batch by a queue.

Ends with status 0 when every outcome was the expected one, 1 otherwise.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import grpc
from apart import told_apart
from batch import BATCH, Queued
from batch import run as run_batch
from table import Column, heading, line
from tasks import SUCCESS, TASKS, Task

from coordinator.errors import StartError as CoordinatorStartError
from langserver.pb import lang_pb2, lang_pb2_grpc
from worker_bridge.errors import StartError as BridgeStartError

_READY = "langserver listening on "
_STOP_SECONDS = 40  # above the server's own time for draining
_STOPPED_BY = {
    "SYNTAX_ERROR": "the parser",
    "TIMEOUT": "the wall clock",
    "CPU_LIMIT": "the limit of CPU time",
    "MEMORY_LIMIT": "the memory limit",
    "OUTPUT_LIMIT": "the output limit",
    "POLICY_VIOLATION": "the language policy",
    "SANDBOX_VIOLATION": "the sandbox",
    "USER_ERROR": "its own error",
}
_LOG_LIMIT = "the log limit (it ran on)"
_COLUMNS = (
    Column("task", 16),
    Column("runtime", 6),
    Column("outcome", 16),
    Column("line", 4, number=True),
    Column("what stopped it", len(_LOG_LIMIT)),
    Column("ms", 6, number=True),
    Column("peak MiB", 6, number=True),
)


class Failed(Exception):
    """The demo itself went wrong, in words."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of a task; `wrong` says what was not as expected."""

    task: Task
    response: lang_pb2.ExecuteResponse
    milliseconds: float
    wrong: str

    @property
    def outcome(self) -> str:
        """SUCCESS or the error kind, without its prefix."""
        return _outcome(self.response)


@contextmanager
def serving() -> Iterator[str]:
    """A server for the time of the block: its address. Raises Failed when it does not start or stop."""
    command = [sys.executable, "-m", "langserver.cli", "serve", "--listen", "127.0.0.1:0"]
    # With settings of its own the server might answer something else than the demo expects.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LANG_")}
    environment["LANG_LOG_LEVEL"] = "warning"  # what becomes of each task is what the demo itself prints
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        first = server.stdout.readline()
        if not first.startswith(_READY):
            server.kill()
            raise Failed("the server did not start")
        try:
            yield first.removeprefix(_READY).strip()
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                status = server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                raise Failed(f"the server still ran {_STOP_SECONDS} s after SIGTERM") from None
    if status:
        raise Failed(f"the server ended with status {status}")


def perform(address: str, tasks: Sequence[Task]) -> list[Row]:
    """Sends the tasks one after another, and prints what became of each."""
    print(heading(_COLUMNS), flush=True)
    rows = []
    with grpc.insecure_channel(address) as channel:
        server = lang_pb2_grpc.LanguageServerStub(channel)
        for number, task in enumerate(tasks, 1):
            rows.append(_perform(server, task, number))
            print(line(_COLUMNS, _cells(rows[-1])), flush=True)
    return rows


def _perform(server: lang_pb2_grpc.LanguageServerStub, task: Task, number: int) -> Row:
    request = lang_pb2.ExecuteRequest(
        task_id=f"demo-{number}",
        runtime=task.runtime,
        input_json=task.input_json,
        timeout_seconds=task.timeout_seconds,
        inline_code=lang_pb2.InlineCode(code=task.code),
    )
    start = time.perf_counter()
    response = server.Execute(request, timeout=task.timeout_seconds + 30)
    took = (time.perf_counter() - start) * 1000
    return Row(task, response, took, _wrong(task, response))


def _wrong(task: Task, response: lang_pb2.ExecuteResponse) -> str:
    """What is not as it must be; empty when all is."""
    outcome = _outcome(response)
    if outcome not in task.outcomes:
        return f"expected {' or '.join(task.outcomes)}, got {outcome} {response.error.message}".rstrip()
    if response.success and json.loads(response.output_json) != task.output:
        return f"expected the output {json.dumps(task.output)}, got {response.output_json[:200]}"
    if task.line and response.error.line != task.line:
        return f"expected line {task.line} to be named, got {response.error.line}"
    if response.logs_truncated != task.logs_cut:
        return f"expected logs_truncated to be {task.logs_cut}"
    return ""


def _outcome(response: lang_pb2.ExecuteResponse) -> str:
    return SUCCESS if response.success else lang_pb2.ErrorKind.Name(response.error.kind).removeprefix("ERROR_KIND_")


def _cells(row: Row) -> tuple[str, ...]:
    response = row.response
    stopped = _LOG_LIMIT if response.logs_truncated else _STOPPED_BY.get(row.outcome, "")
    return (
        row.task.name,
        row.task.runtime,
        row.outcome,
        str(response.error.line or ""),
        stopped,
        f"{row.milliseconds:.1f}",
        f"{response.usage.peak_memory_bytes / (1 << 20):.1f}",
    )


def main(tasks: Sequence[Task] = TASKS, batch: Sequence[Queued] = BATCH) -> int:
    """Runs both halves and prints their tables; returns the exit status."""
    try:
        with told_apart():
            _run(tasks, batch)
    except (Failed, CoordinatorStartError, BridgeStartError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\nEvery outcome is the expected one.")
    return 0


def _run(tasks: Sequence[Task], batch: Sequence[Queued]) -> None:
    """Raises Failed."""
    print("1. Tasks sent to a language server, one after another. Some are honest, some are not.\n", flush=True)
    with serving() as address:
        rows = perform(address, tasks)
    succeeded = sum(row.response.success for row in rows)
    print(f"\n{succeeded} tasks succeeded, {len(rows) - succeeded} failed or were stopped, each in its own process.")
    wrong = [f"{row.task.name} ({row.task.runtime}): {row.wrong}" for row in rows if row.wrong]
    wrong += asyncio.run(run_batch(batch))
    for one in wrong:
        print(f"\nNOT AS EXPECTED: {one}")
    if wrong:
        raise Failed("not every outcome is the expected one")


if __name__ == "__main__":
    sys.exit(main())
