"""`worker-bridge` as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.bridge.coordinator import TableCoordinator
from tests.bridge.language_server import LanguageServer
from tests.bridge.redis_server import RedisServer
from tests.bridge.tasks import a_task, fields, program
from tests.bridge.waiting import until
from tests.coordinator.servers import free_port

BRIDGE = Path(sys.executable).with_name("worker-bridge")
KNOWN = ("PATH", "HOME", "LANG", "PYTHONPATH")


def environment(**settings: str) -> dict[str, str]:
    return {name: os.environ[name] for name in KNOWN if name in os.environ} | settings


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BRIDGE, *arguments], env=environment(**settings), capture_output=True, text=True, timeout=60, check=False
    )


def start(settings: dict[str, str]) -> subprocess.Popen[str]:
    """The bridge, with nothing but these settings."""
    return subprocess.Popen([BRIDGE, "run"], env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageServer]:
    one = LanguageServer()
    one.start()
    yield one
    one.stop()


async def test_a_worker_with_the_default_settings(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, server: LanguageServer
) -> None:
    """Addresses alone are given, as a deployment has to; the rest is as it comes."""
    settings = environment(
        COORDINATOR_ADDR=coordinator.address,
        REDIS_ADDR=redis_server.address,
        LANG_WORKER_ADDRS=f"python:{server.address},js:{server.address}",
    )
    process = start(settings)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("worker-bridge ")
        assert line.endswith(" reads tasks:http:0, tasks:js:0, tasks:python:0\n")
        tasks = {
            "python": a_task(input=program("return 'py'")),
            "js": a_task(node_type="js", input=program("return 'js'")),
        }
        for queue, task in tasks.items():
            coordinator.add(task)
            await redis.xadd(f"tasks:{queue}:0", fields(task))
        await until(lambda: all(row.state == "COMPLETED" for row in coordinator.rows.values()))
        assert {report.output for report in coordinator.reports} == {b'"py"', b'"js"'}
        assert {request.ttl_seconds for request in coordinator.acquires} == {90}
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert "Traceback" not in process.stderr.read()  # type: ignore[union-attr]
        assert not await redis.keys("tasks:worker:*")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


async def test_queues_are_shown_to_people_and_programs(redis: Redis, redis_server: RedisServer) -> None:
    await redis.xgroup_create("tasks:python:0", "workers", id="0", mkstream=True)
    for _ in range(3):
        await redis.xadd("tasks:python:0", {"n": "0"})
    await redis.xreadgroup("workers", "w-1", {"tasks:python:0": ">"}, count=2)
    await redis.set("tasks:worker:w-1", "nonce")
    settings = {"REDIS_ADDR": redis_server.address, "WORKER_QUEUES": "python,python:eu-west"}
    shown = run("queues", **settings)
    assert shown.returncode == 0, shown.stderr
    assert [line.split() for line in shown.stdout.splitlines()] == [
        ["STREAM", "DEPTH", "LAG", "PENDING", "DEAD", "LISTENERS"],
        ["tasks:python:0", "3", "1", "2", "0", "w-1", "(2)"],
        ["tasks:python:eu-west:0", "0", "0", "0", "0", "nobody"],
    ]
    first, second = json.loads(run("queues", "--json", **settings).stdout)
    assert first == {
        "stream": "tasks:python:0",
        "depth": 3,
        "lag": 1,
        "pending": 2,
        "dead": 0,
        "listeners": [{"name": "w-1", "pending": 2}],
    }
    assert second["listeners"] == []


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, "http"),
        ({"WORKER_EXECUTORS": "charge=tests.links.no_such:Charge"}, "charge, http"),
        ({"WORKER_QUEUES": "http"}, ""),
        ({"LANG_WORKER_ADDRS": "js:127.0.0.1:1"}, ""),
    ],
)
def test_whoever_names_no_queue_is_told_which_variables_do(
    redis_server: RedisServer, settings: dict[str, str], shown: str
) -> None:
    ended = run("queues", "--json", REDIS_ADDR=redis_server.address, **settings)
    assert ended.returncode == 0
    assert "tasks:http:0" in [one["stream"] for one in json.loads(ended.stdout)]
    said = (
        f"worker-bridge: shown is what a bridge with these settings reads: {shown}. "
        "LANG_WORKER_ADDRS adds a queue for each runtime in it, WORKER_QUEUES names any others\n"
    )
    assert ended.stderr == (said if shown else "")


async def test_queues_beside_one_that_cannot_be_shown(redis: Redis, redis_server: RedisServer) -> None:
    await redis.set("tasks:python:0:dead", "no stream")
    await redis.xadd("tasks:js:0", {"n": "1"})
    shown = run("queues", REDIS_ADDR=redis_server.address, WORKER_QUEUES="python,js")
    assert shown.returncode == 3
    assert shown.stdout.splitlines()[1].split()[:2] == ["tasks:js:0", "1"]
    assert "tasks:python:0:dead: WRONGTYPE" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_what_cannot_be_written_is_said(redis_server: RedisServer) -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [BRIDGE, "queues"],
            env=environment(REDIS_ADDR=redis_server.address, WORKER_QUEUES="python"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (3, "worker-bridge: standard output: No space left on device\n")


def test_queues_of_a_redis_that_is_away() -> None:
    shown = run("queues", REDIS_ADDR=f"127.0.0.1:{free_port()}", WORKER_QUEUES="python")
    assert shown.returncode == 3
    assert "cannot be asked" in shown.stderr
    assert "Traceback" not in shown.stderr


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"WORKER_EXECUTORS": "charge=no_such_module:Charge"}, "no_such_module"),
        ({"HTTP_ALLOW_NETWORKS": "10.0.0.1/8"}, "HTTP_ALLOW_NETWORKS"),
        ({"HTTP_ALLOW_HOSTS": "*.example.com"}, "HTTP_ALLOW_HOSTS"),
        ({"WORKER_METRICS_ADDR": "0.0.0.0:9105"}, "WORKER_METRICS_ALLOW_REMOTE=1"),
        ({"WORKER_LOG_FORMAT": "xml"}, "WORKER_LOG_FORMAT is 'xml': expected one of console, json"),
        ({"LANG_WORKER_ADDRS": "python:h:1", "LEASE_TTL_SECONDS": "0"}, "LEASE_TTL_SECONDS"),
        ({"LANG_WORKER_ADDRS": "python:h:1", "TASK_TIMEOUT_SECONDS": "5"}, "TASK_TIMEOUT_SECONDS"),
    ],
)
def test_it_does_not_start_with_what_cannot_work(settings: dict[str, str], words: str) -> None:
    ended = run("run", **settings)
    assert ended.returncode == 3
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "arguments", [["--version"], ["run", "--version"], ["--help"], ["run", "--help"], ["queues", "-h"]]
)
def test_help_and_version(arguments: list[str]) -> None:
    shown = run(*arguments)
    assert shown.returncode == 0
    assert "worker-bridge" in shown.stdout


@pytest.mark.parametrize("arguments", [[], ["walk"], ["run", "--json"], ["queues", "--js"]])
def test_bad_usage(arguments: list[str]) -> None:
    assert run(*arguments).returncode == 2


async def test_metrics_are_served_where_they_are_asked_for(
    redis: Redis, redis_server: RedisServer, coordinator: TableCoordinator, server: LanguageServer
) -> None:
    port = free_port()
    settings = environment(
        COORDINATOR_ADDR=coordinator.address,
        REDIS_ADDR=redis_server.address,
        LANG_WORKER_ADDRS=f"python:{server.address}",
        WORKER_METRICS_ADDR=f"127.0.0.1:{port}",
    )
    process = start(settings)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        for task in (a_task(input=program("return 1")), a_task(input=program("def ("))):
            coordinator.add(task)
            await redis.xadd("tasks:python:0", fields(task))
        await redis.xadd("tasks:python:0", {"poison": "1"})

        def figures() -> dict[str, float]:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                rows = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if line[0] != "#"]
            return {name: float(value) for name, value in rows}

        stream = 'stream="tasks:python:0"'

        def complete() -> dict[str, float] | None:
            found = figures()
            return found if found.get(f"worker_bridge_stream_dead{{{stream}}}") == 1 else None

        found = await until(complete)
        assert found[f'worker_bridge_outcomes_total{{status="completed",{stream}}}'] == 1
        assert found[f'worker_bridge_outcomes_total{{status="failed",{stream}}}'] == 1
        assert found[f'worker_bridge_entries_total{{fate="ack",{stream}}}'] == 2
        assert found[f'worker_bridge_entries_total{{fate="park",{stream}}}'] == 1
        assert found[f"worker_bridge_stream_depth{{{stream}}}"] == 0
        assert found[f"worker_bridge_stream_lag{{{stream}}}"] == 0
        assert found[f"worker_bridge_stream_pending{{{stream}}}"] == 0
        assert found[f"worker_bridge_stream_listeners{{{stream}}}"] == 1
        assert found["worker_bridge_in_hand"] == 0
        assert found["worker_bridge_alarms_total"] == 0
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0
