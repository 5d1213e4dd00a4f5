"""What these tests share: a Redis, a CA, and processes that end with the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.bridge.redis_server import RedisServer
from tests.chaos.processes import Part, free_port, python
from tests.links.pki import Pki

Start = Callable[..., Awaitable[tuple[Part, str]]]


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def pki(tmp_path: Path) -> Pki:
    return Pki(tmp_path)


@pytest.fixture
async def start(tmp_path: Path, redis_server: RedisServer) -> AsyncIterator[Start]:
    """Starts `coordinator`, `langserver` or `worker-bridge`; gives the process and where it listens."""
    started: list[Part] = []

    async def go(kind: str, **settings: str) -> tuple[Part, str]:
        addr = f"127.0.0.1:{free_port()}"
        module, arguments, ready = {
            "coordinator": ("coordinator.cli", ["serve", "--listen", addr], "coordinator listening on"),
            "langserver": ("langserver", ["serve", "--listen", addr], "langserver listening on"),
            "worker-bridge": ("worker_bridge.cli", ["run"], " reads "),
        }[kind]
        known = {
            "REDIS_ADDR": redis_server.address,
            "STREAM_PREFIX": tmp_path.name,
            "COORDINATOR_DATABASE_URL": f"sqlite:///{tmp_path}/tasks.db",
            "LANG_RUNTIMES": "python",
            "LANG_WARM_CHILDREN": "0",
        }
        part = Part(
            kind, python(module, *arguments), tmp_path / f"{kind}-{len(started)}.log", ready, **known | settings
        )
        started.append(part)
        await part.start()
        return part, addr

    yield go
    for part in reversed(started):
        if part.running:
            await part.kill()
