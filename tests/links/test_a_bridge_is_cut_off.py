"""What an operator sees of a bridge whose Redis or coordinator is away or sends it away: few lines, and a figure."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.request import urlopen

import pytest
from redis import Redis

from tests.bridge.waiting import until
from tests.chaos.processes import Part, free_port
from tests.coordinator.servers import RedisServer
from tests.links.conftest import Start

GUARD = 60.0
TRIES_SECONDS = 5.0  # in which a reader tries again some seven times, for each of its streams
OURS = "has to be mended by an operator"


class Watched:
    """A bridge and its figures."""

    def __init__(self, part: Part, metrics: str) -> None:
        self.part = part
        self._metrics = metrics

    def lines(self, words: str) -> list[str]:
        return [line for line in self.part.words.splitlines() if words in line]

    def figure(self, name: str) -> float:
        with urlopen(f"http://{self._metrics}/metrics") as answer:
            text = answer.read().decode()
        return next(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(f"{name} "))

    def answers(self, link: str) -> float:
        return self.figure(f'worker_bridge_link_answers{{link="{link}"}}')


async def a_bridge(start: Start, **settings: str) -> Watched:
    metrics = f"127.0.0.1:{free_port()}"
    part, _ = await start(
        "worker-bridge", WORKER_QUEUES="http", LEASE_TTL_SECONDS="6", WORKER_METRICS_ADDR=metrics, **settings
    )
    return Watched(part, metrics)


async def test_a_password_that_redis_does_not_know_is_one_line_with_its_address(tmp_path: Path, start: Start) -> None:
    server = RedisServer(tmp_path, arguments=("--requirepass", "right"))
    server.start()
    admin = Redis(port=server.port, password="right")
    password = tmp_path / "password"
    password.write_text("right")
    password.chmod(0o600)
    try:
        _, at = await start("coordinator", REDIS_ADDR=server.addr, REDIS_PASSWORD="right")
        bridge = await a_bridge(start, COORDINATOR_ADDR=at, REDIS_ADDR=server.addr, REDIS_PASSWORD_FILE=str(password))
        await until(lambda: bridge.answers("redis") == 1, GUARD, bridge.part.words)
        password.write_text("wrong")
        admin.client_kill_filter(_type="normal", skipme=True)
        await until(lambda: bridge.answers("redis") == 0, GUARD, bridge.part.words)
        await asyncio.sleep(TRIES_SECONDS)
        (line,) = bridge.lines(OURS)
        assert f"worker_bridge.streams.redis: Redis at {server.addr}: " in line
        assert "Redis does not know this password" in line
        assert bridge.figure("worker_bridge_alarms_total") > 1
        assert not bridge.lines("cannot be ")
        password.write_text("right")
        await until(lambda: bridge.answers("redis") == 1, GUARD, bridge.part.words)
        assert len(bridge.lines(f"Redis at {server.addr} answers again, after ")) == 1
    finally:
        admin.close()
        server.kill()


@pytest.mark.parametrize("link", ["redis", "coordinator"])
async def test_who_is_away_is_few_lines_and_a_figure(tmp_path: Path, start: Start, link: str) -> None:
    server = RedisServer(tmp_path)
    server.start()
    try:
        coordinator, at = await start("coordinator", REDIS_ADDR=server.addr)
        bridge = await a_bridge(start, COORDINATOR_ADDR=at, REDIS_ADDR=server.addr)
        await until(lambda: bridge.answers(link) == 1, GUARD, bridge.part.words)
        name = f"Redis at {server.addr}" if link == "redis" else f"coordinator at {at}"
        if link == "redis":
            server.kill()
        else:
            await coordinator.kill()
        await until(lambda: bridge.answers(link) == 0, GUARD, bridge.part.words)
        await asyncio.sleep(TRIES_SECONDS)
        lines = bridge.lines(" WARNING ")
        assert 1 <= len(lines) <= 3, lines  # the end of the connections, and that there are no others
        assert all(f": {name}: " in line for line in lines), lines
        assert bridge.figure("worker_bridge_alarms_total") == 0
        if link == "redis":
            server.start()
        else:
            await coordinator.start()
        await until(lambda: bridge.answers(link) == 1, GUARD, bridge.part.words)
        assert len(bridge.lines(f"{name} answers again, after ")) == 1
    finally:
        server.kill()
