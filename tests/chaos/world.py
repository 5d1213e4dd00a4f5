"""Two bridges, two language servers, coordinator, Redis, two proxies between, one who is paid; and who ends them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import psutil
import redis.asyncio as redis

from tests.chaos.lossy import LossyProxy
from tests.chaos.payments import Payments
from tests.chaos.processes import GUARD_SECONDS, Part, free_port, python
from tests.chaos.tasks import Planned
from tests.chaos.witness import Witness

LEASE_SECONDS = 3
VICTIMS = ("redis", "coordinator", "bridge-0", "bridge-1", "server-0", "server-1", "zygote-0", "zygote-1")


class World:
    """All parts of one chaos run."""

    def __init__(
        self,
        folder: Path,
        database_url: str,
        witness: Witness,
        lossy: LossyProxy,
        payments: Payments,
        ports: dict[str, int],
    ) -> None:
        self.folder, self.witness, self.lossy, self.payments = folder, witness, lossy, payments
        self.killed: Counter[str] = Counter()
        self._ports = ports
        servers = [f"127.0.0.1:{ports['server-0']}", f"127.0.0.1:{ports['server-1']}"]
        for_bridges = {
            "COORDINATOR_ADDR": f"127.0.0.1:{witness.port}",
            "REDIS_ADDR": f"127.0.0.1:{lossy.port}",
            "HTTP_ALLOW_NETWORKS": "127.0.0.0/8",
            "LANG_WORKER_ADDRS": ",".join(f"{runtime}:{server}" for runtime in ("python", "js") for server in servers),
            "LEASE_TTL_SECONDS": str(LEASE_SECONDS),
            "TASK_TIMEOUT_SECONDS": "20",
            "WORKER_CONCURRENCY": "6",
            "WORKER_MAX_DELIVERIES": "50",
        }
        keep = ["--appendonly", "yes", "--save", "", "--dir", str(folder)]
        self.parts = {
            "redis": self._part(
                "redis",
                ["redis-server", "--bind", "127.0.0.1", "--port", str(ports["redis"]), *keep],
                r"Ready to accept connections",
            ),
            "coordinator": self._part(
                "coordinator",
                python("coordinator.cli", "serve"),
                r"coordinator listening on",
                COORDINATOR_LISTEN_ADDR=f"127.0.0.1:{ports['coordinator']}",
                COORDINATOR_DATABASE_URL=database_url,
                REDIS_ADDR=f"127.0.0.1:{lossy.port}",
                LEASE_TTL_SECONDS=str(LEASE_SECONDS),
                WORKER_MAX_DELIVERIES="50",
            ),
        }
        for number, server in enumerate(servers):
            self.parts[f"server-{number}"] = self._part(
                f"server-{number}", python("langserver.cli", "serve", "--listen", server), r"langserver listening on"
            )
            self.parts[f"bridge-{number}"] = self._part(
                f"bridge-{number}",
                python("worker_bridge.cli", "run"),
                WORKER_METRICS_ADDR=f"127.0.0.1:{ports[f'metrics-{number}']}",
                **for_bridges,
            )

    def _part(self, name: str, command: list[str], ready: str | None = None, **environment: str) -> Part:
        return Part(name, command, self.folder / f"{name}.log", ready, **environment)

    async def start(self) -> None:
        """Everything at once: none needs another to be up first."""
        await asyncio.gather(*(part.start() for part in self.parts.values()))

    async def end(self, victim: str) -> None:
        """SIGKILL to one of VICTIMS, which is then started again; a zygote its server starts again."""
        kind, _, number = victim.partition("-")
        if kind == "zygote":
            for zygote in self.parts[f"server-{number}"].zygotes():
                with contextlib.suppress(psutil.NoSuchProcess):
                    zygote.kill()
        else:
            await self.parts[victim].kill()
            await self.parts[victim].start()
        self.killed[victim] += 1

    async def submit(self, tasks: list[Planned], run: str) -> None:
        """By the command line, again until the coordinator took them: the same ids are the same tasks."""
        file = self.folder / f"{tasks[0].task_id}.jsonl"
        file.write_text("".join(task.line(run) + "\n" for task in tasks))
        async with asyncio.timeout(GUARD_SECONDS):
            while (await self.command("submit", "--file", str(file)))[0] != 0:  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.2)

    async def command(self, *arguments: str) -> tuple[int, str]:
        """`coordinator ...`: its exit status and what it printed."""
        process = await asyncio.create_subprocess_exec(
            *python("coordinator.cli", *arguments),
            env={"PATH": "", "COORDINATOR_ADDR": f"127.0.0.1:{self._ports['coordinator']}"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode in (0, 4), err.decode()
        return process.returncode, out.decode()

    async def status(self, run: str) -> list[dict[str, object]]:
        """What the coordinator says of each task of a run; nothing where it is not up."""
        status, text = await self.command("status", "--run-id", run, "--json")
        return [] if status else [json.loads(line) for line in text.splitlines()]

    def redis(self) -> redis.Redis:
        """A client that goes past the proxy."""
        return redis.Redis(port=self._ports["redis"], decode_responses=True)

    async def workers(self) -> list[str]:
        """The names of the bridges that read."""
        names: list[str] = []
        async with self.redis() as client, asyncio.timeout(GUARD_SECONDS):
            while len(names) < 2:
                await asyncio.sleep(0.1)
                names = [key.removeprefix("tasks:worker:") for key in await client.keys("tasks:worker:*")]
        return names

    async def in_hand(self) -> list[float]:
        """How many slots each bridge says to be in use."""
        return [await asyncio.to_thread(_figure, self._ports[f"metrics-{number}"]) for number in range(2)]

    async def left_in_streams(self) -> dict[str, int]:
        """By stream, what is still there, pending or not; the dead letters' streams are not counted."""
        left = {}
        async with self.redis() as client:
            for key in await client.keys("tasks:*"):
                if (
                    not key.endswith(":dead")
                    and await client.type(key) == "stream"
                    and (there := await client.xlen(key))
                ):
                    left[key] = there
        return left


@contextlib.asynccontextmanager
async def world(folder: Path, database_url: str, seed: int) -> AsyncIterator[World]:
    """All started; all ended."""
    ports = {name: free_port() for name in ("redis", "coordinator", "server-0", "server-1", "metrics-0", "metrics-1")}
    coordinator = f"127.0.0.1:{ports['coordinator']}"
    async with (
        Witness(coordinator, 25, seed) as witness,
        LossyProxy(ports["redis"], 150, seed) as lossy,
        Payments(seed) as payments,
    ):
        made = World(folder, database_url, witness, lossy, payments, ports)
        try:
            await made.start()
            yield made
        finally:
            for part in made.parts.values():
                if part.running:
                    await part.kill()


def _figure(port: int) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=GUARD_SECONDS) as answer:
        found = re.search(r"^worker_bridge_in_hand (\S+)$", answer.read().decode(), re.MULTILINE)
    assert found
    return float(found[1])


def victims(seed: int, rounds: int) -> list[str]:
    """Whom to end, in which order: each once a round."""
    random, order = Random(seed), []
    for _ in range(rounds):
        order += random.sample(VICTIMS, len(VICTIMS))
    return order
