"""The second half of the demo: a batch of tasks through coordinator, stream and worker bridge.

What `langserver dev` runs is run here too, in this process: with REDIS_ADDR set its streams are in that Redis server.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import redis.asyncio as redis
from server import web_server
from table import Column, heading, line

from coordinator.settings import Settings
from langserver_dev.stack import Stack
from operating.redis.connection import LinkedConnection
from operating.redis.link import Link

_WAIT_SECONDS = 60
_CONNECT_SECONDS = 5
_OURS = ("LANG_", "WORKER_", "COORDINATOR_", "LEASE_", "TASK_", "HTTP_ALLOW_")
_SERVER = "{server}"
_COLUMNS = (
    Column("task", 16),
    Column("type", 6),
    Column("state", 9),
    Column("attempts", 1, number=True),
    Column("what came of it", 60),
)


@dataclass(frozen=True, slots=True)
class Queued:
    """A task of the batch and what must become of it. `error` is how the error begins.

    `what` is a program, or of an http task the URL, in which {server} is the demo's own.
    """

    name: str
    node_type: str
    what: str
    state: str = "COMPLETED"
    output: object = None
    error: str = ""
    attempts: int = 1
    input: dict[str, object] = field(default_factory=dict)

    def line(self, server: str) -> str:
        """As `coordinator submit --file` reads it."""
        if self.node_type == "http":
            given: dict[str, object] = {"method": "GET", "url": self.what.replace(_SERVER, server), **self.input}
        else:
            given = {"code": self.what, "input": self.input}
        return json.dumps({"task_id": self.name, "node_type": self.node_type, "input": given})


BATCH = (
    Queued("order total", "python", "def main(prices):\n    return sum(prices)", output=42, input={"prices": [20, 22]}),
    Queued("greeting", "js", "return `Hello, ${inputs.name}`", output="Hello, Ada", input={"name": "Ada"}),
    Queued("fails each time", "python", "def main():\n    return 1 / 0", "FAILED", error="USER_ERROR: ", attempts=3),
    Queued("does not parse", "js", "return (", "FAILED", error="SYNTAX_ERROR: "),
    Queued("exchange rates", "http", "{server}/rates", output={"EUR": 1, "USD": 1.25}),
    Queued("no such page", "http", "{server}/nowhere", "FAILED", error="HTTP_STATUS: 404 Not Found: there is no"),
    Queued("cloud's secrets", "http", "http://169.254.169.254/latest/", "FAILED", error="EGRESS_REFUSED: "),
    Queued("tries to leave", "python", "import os\nreturn os.environ", "FAILED", error="POLICY_VIOLATION: "),
)
POISON = {"task_id": "no-task-at-all", "input": "{"}


async def run(batch: Sequence[Queued] = BATCH) -> list[str]:
    """Submits the batch and prints what became of it; what was not as expected, in words."""
    # With settings of its own an installation might answer something else than the demo expects.
    # Where Redis is, and how it is reached, is the one thing that it takes from outside.
    ours = _OURS if os.environ.get("REDIS_ADDR") else (*_OURS, "REDIS_")
    for name in [name for name in os.environ if name.startswith(ours)]:
        del os.environ[name]
    # Streams of its own in a Redis server that others may use too.
    os.environ["STREAM_PREFIX"] = f"demo-{os.getpid()}"
    os.environ["LANG_LOG_LEVEL"] = "warning"  # what becomes of each task is what the demo itself prints
    # Its own web server is on this machine, which http tasks do not reach by default.
    os.environ["HTTP_ALLOW_NETWORKS"] = "127.0.0.1/32"
    async with web_server() as server, Stack("127.0.0.1:0") as stack:
        where = "in this process" if stack.streams is not None else f"in Redis at {os.environ['REDIS_ADDR']}"
        print(
            "\n2. Tasks submitted to a coordinator, all at once, with one entry that is no task. A worker bridge reads"
        )
        print(f"   them from streams ({where}), and has the language server run them.\n", flush=True)
        stream = stack.bridge.reads[0]
        await _poison(stack, stream)
        answers = await _submitted([task.line(server) for task in batch], str(stack.coordinator.address))
        dead = await _dead(stack, stream)
        print("\n".join(_lines(batch, answers, dead)))
    if stack.streams is None:
        await _tidied()
    return _wrong(batch, answers, dead)


async def _submitted(lines: Sequence[str], address: str) -> list[dict[str, object]]:
    """By the command line, as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "batch.jsonl")
        await asyncio.to_thread(file.write_text, "".join(line + "\n" for line in lines))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "coordinator.cli", "submit", "--file", str(file), "--wait", str(_WAIT_SECONDS)),
            env={**os.environ, "COORDINATOR_ADDR": address},
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
    return [json.loads(line) for line in out.decode().splitlines()]


async def _poison(stack: Stack, stream: str) -> None:
    if stack.streams is not None:
        await stack.streams.add(stream, POISON)
        return
    async with _redis() as client:
        await client.xadd(stream, {name: value for name, value in POISON.items()})  # noqa: C416


async def _dead(stack: Stack, stream: str) -> list[dict[str, str]]:
    """What was parked, the reason with it."""
    if stack.streams is not None:
        return [fields for _, fields in await stack.streams.oldest(f"{stream}:dead", 10)]
    async with _redis() as client:
        letters = await client.xrange(f"{stream}:dead") or ()
        return [{str(name): str(value) for name, value in (fields or {}).items()} for _, fields in letters]


async def _tidied() -> None:
    async with _redis() as client:
        if names := await client.keys(f"{os.environ['STREAM_PREFIX']}:*"):
            await client.delete(*names)


def _redis() -> redis.Redis:
    """As bridge and coordinator reach it, with the same password and certificates."""
    pool = redis.ConnectionPool(
        connection_class=LinkedConnection,
        link=Link(Settings().redis_link),
        socket_connect_timeout=_CONNECT_SECONDS,
        decode_responses=True,
    )
    return redis.Redis.from_pool(pool)


def _lines(batch: Sequence[Queued], answers: Sequence[dict[str, object]], dead: Sequence[dict[str, str]]) -> list[str]:
    lines = [heading(_COLUMNS)]
    for task, answer in zip(batch, answers, strict=False):
        came = json.dumps(answer["output"]) if answer["state"] == "COMPLETED" else str(answer["error"])
        lines.append(
            line(_COLUMNS, [task.name, task.node_type, str(answer["state"]), str(answer["attempt"]), came[:80]])
        )
    lines += [line(_COLUMNS, ["(no task)", "", "parked", "", letter.get("reason", "")[:80]]) for letter in dead]
    return lines


def _wrong(batch: Sequence[Queued], answers: Sequence[dict[str, object]], dead: Sequence[dict[str, str]]) -> list[str]:
    if len(answers) != len(batch):
        return [f"{len(answers)} of {len(batch)} tasks were answered"]
    wrong = []
    for task, answer in zip(batch, answers, strict=True):
        expected = (task.state, task.attempts, task.output)
        if (answer["state"], answer["attempt"], answer["output"]) != expected:
            wrong.append(f"{task.name}: expected {expected}, got {answer}")
        elif not str(answer["error"]).startswith(task.error):
            wrong.append(f"{task.name}: expected an error {task.error!r}, got {answer['error']!r}")
    if len(dead) != 1:
        wrong.append(f"expected one entry to be parked, got {len(dead)}")
    return wrong
