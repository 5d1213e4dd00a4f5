"""Bridges are killed while they pay, and the one who is paid fails in every way: each task is charged once."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

from tests.chaos.payments import Payments
from tests.chaos.processes import Part, free_port, python

TASKS, KILLS, LEASE_SECONDS, SEED = 150, 8, 3, 8_161
TURNS, HELD = 12, 5  # answers between two kills, and how many are kept back when one comes
STUCK_SECONDS = 120.0


async def test_one_charge_a_task(tmp_path: Path) -> None:
    redis_port, coordinator = free_port(), f"127.0.0.1:{free_port()}"
    common = {
        "REDIS_ADDR": f"127.0.0.1:{redis_port}",
        "LEASE_TTL_SECONDS": str(LEASE_SECONDS),
        "WORKER_MAX_DELIVERIES": "50",
    }
    for_bridges = {
        **common,
        "COORDINATOR_ADDR": coordinator,
        "HTTP_ALLOW_NETWORKS": "127.0.0.0/8",
        "TASK_TIMEOUT_SECONDS": "20",
    }
    redis = ["redis-server", "--bind", "127.0.0.1", "--port", str(redis_port), "--save", "", "--dir", str(tmp_path)]
    parts = [
        Part("redis", redis, tmp_path / "redis.log", "Ready to accept"),
        Part(
            "coordinator", python("coordinator.cli", "serve"), tmp_path / "coordinator.log", "coordinator listening on",
            COORDINATOR_LISTEN_ADDR=coordinator, COORDINATOR_DATABASE_URL=f"sqlite:///{tmp_path}/tasks.db", **common,
        ),
    ]  # fmt: skip
    bridges = [
        Part(
            f"bridge-{number}",
            python("worker_bridge.cli", "run"),
            tmp_path / f"{number}.log",
            " reads tasks:http:0",
            **for_bridges,
        )
        for number in range(2)
    ]
    async with Payments(SEED, TURNS) as payments:
        try:
            for part in (*parts, *bridges):
                await part.start()
            file = tmp_path / "tasks.jsonl"
            file.write_text("".join(line(number, payments.url) + "\n" for number in range(TASKS)))
            waiting = asyncio.create_task(submitted(file, coordinator))
            await killed(bridges, payments, waiting)
            payments.calm = True
            payments.allow(100 * TASKS)
            states = await waiting
        finally:
            for part in (*bridges, *parts):
                if part.running:
                    await part.kill()
    assert [state for state in states if state["state"] != "COMPLETED"] == []
    assert [state["output"] for state in states] == [{"charged": number} for number in range(TASKS)]
    assert payments.charged == {f"pay-{number}": [number] for number in range(TASKS)}
    # What this is about did happen: many were asked for more than once, and went wrong in every way.
    assert sum(payments.requests.values()) > TASKS + KILLS
    assert set(payments.troubles) == {"none", "down", "busy", "lost", "half", "slow"}


def line(number: int, url: str) -> str:
    asked = {"method": "POST", "url": url, "body": {"amount": number}, "timeout_seconds": 10}
    return json.dumps({"task_id": f"pay-{number}", "node_type": "http", "input": asked, "max_attempts": 30})


async def killed(bridges: list[Part], payments: Payments, waiting: asyncio.Task[object]) -> None:
    """SIGKILL to one bridge after the other, each while some have paid and were not told so."""
    for number in range(KILLS):
        since = time.monotonic()
        while payments.held < HELD:
            assert not waiting.done()
            assert time.monotonic() - since < STUCK_SECONDS, bridges[0].words
            await asyncio.sleep(0.01)
        bridge = bridges[number % 2]
        await bridge.kill()
        payments.allow(TURNS)
        await bridge.start()


async def submitted(file: Path, coordinator: str) -> list[dict[str, object]]:
    process = await asyncio.create_subprocess_exec(
        *python("coordinator.cli", "submit", "--file", str(file), "--wait", str(int(STUCK_SECONDS))),
        env={"PATH": "", "COORDINATOR_ADDR": coordinator},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, (out[-2_000:], err[-2_000:])
    return [json.loads(text) for text in out.decode().splitlines()]
