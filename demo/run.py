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
from batch import BATCH, Queued
from batch import run as run_batch
from tasks import SUCCESS, TASKS, Task

from langserver.pb import lang_pb2, lang_pb2_grpc

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
_HEADINGS = ("task", "runtime", "outcome", "line", "what stopped it", "ms", "peak MiB")
_RIGHT = {3, 5, 6}


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
    """A server for the time of the block: its address. Raises SystemExit when it fails to start or to stop."""
    command = [sys.executable, "-m", "langserver.cli", "serve", "--listen", "127.0.0.1:0"]
    # With settings of its own the server might answer something else than the demo expects.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LANG_")}
    environment["LANG_LOG_LEVEL"] = "warning"  # what becomes of each task is what the demo itself prints
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line.startswith(_READY):
            server.kill()
            sys.exit("the server did not start: it says why above")
        try:
            yield line.removeprefix(_READY).strip()
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                status = server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                sys.exit(f"the server still ran {_STOP_SECONDS} s after SIGTERM")
    if status:
        sys.exit(f"the server ended with status {status}")


def perform(address: str, tasks: Sequence[Task]) -> list[Row]:
    """Sends the tasks one after another."""
    with grpc.insecure_channel(address) as channel:
        server = lang_pb2_grpc.LanguageServerStub(channel)
        return [_perform(server, task, number) for number, task in enumerate(tasks, 1)]


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


def table(rows: Sequence[Row]) -> list[str]:
    """The lines of the table."""
    cells = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(_HEADINGS))]
    rule = "  ".join("-" * width for width in widths)
    lines = ["  ".join(_fit(text, column, widths) for column, text in enumerate(line)).rstrip() for line in cells]
    return [lines[0], rule, *lines[1:]]


def _cells(row: Row) -> tuple[str, ...]:
    response = row.response
    stopped = "the log limit (it ran on)" if response.logs_truncated else _STOPPED_BY.get(row.outcome, "")
    return (
        row.task.name,
        row.task.runtime,
        row.outcome,
        str(response.error.line or ""),
        stopped,
        f"{row.milliseconds:.1f}",
        f"{response.usage.peak_memory_bytes / (1 << 20):.1f}",
    )


def _fit(text: str, column: int, widths: Sequence[int]) -> str:
    return text.rjust(widths[column]) if column in _RIGHT else text.ljust(widths[column])


def main(tasks: Sequence[Task] = TASKS, batch: Sequence[Queued] = BATCH) -> int:
    """Runs both halves and prints their tables; returns the exit status."""
    with serving() as address:
        print(f"a server listens on {address}; {len(tasks)} tasks go there, one after another\n", flush=True)
        rows = perform(address, tasks)
    print("\n".join(table(rows)))
    wrong = [f"{row.task.name} ({row.task.runtime}): {row.wrong}" for row in rows if row.wrong]
    succeeded = sum(row.response.success for row in rows)
    print(
        f"\n{succeeded} tasks succeeded, {len(rows) - succeeded} failed or were stopped, each in a process of its own."
    )
    wrong += asyncio.run(run_batch(batch))
    for line in wrong:
        print(f"\nNOT AS EXPECTED: {line}")
    print(
        "\nEvery outcome is the expected one." if not wrong else f"\n{len(wrong)} outcomes are not the expected ones."
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
