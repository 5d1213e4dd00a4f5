"""The Redis of deploy/compose.yaml, run as it says, with the secrets of deploy/secrets.sh."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from coordinator.settings import Settings as CoordinatorSettings
from coordinator.streams.redis import RedisStreams
from operating.redis.link import Link
from tests.coordinator.servers import accepts, found, free_port, until
from tests.deploy.published import DEPLOY, ROOT
from tests.deploy.test_secrets import make, needs_root
from tests.links.guarded_redis import ACL
from worker_bridge.errors import Unreachable
from worker_bridge.settings import Settings as BridgeSettings
from worker_bridge.streams.redis import RedisConsumer

SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


class Installed:
    """Redis as compose starts it, but for its port; and what others are told of it."""

    def __init__(self, folder: Path) -> None:
        self.secrets, self.data, self.port = folder / "secrets", folder / "data", free_port()
        self.data.mkdir()
        assert make(self.secrets).returncode == 0

    def here(self, words: list[str]) -> list[str]:
        """A command of its container, on this machine."""
        places = {"/run/secrets": str(self.secrets), "/data": str(self.data), "6379": str(self.port)}
        return [re.sub(r"^/run/secrets|^/data|^6379$", lambda word: places[word.group()], word) for word in words]

    def settings(self, service: str) -> dict[str, str]:
        """What a service is told of Redis."""
        given = {name: value for name, value in SERVICES[service]["environment"].items() if name.startswith("REDIS_")}
        there = {name: value.replace("/run/secrets", str(self.secrets)) for name, value in given.items()}
        return there | {"REDIS_ADDR": f"127.0.0.1:{self.port}"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    one = Installed(tmp_path_factory.mktemp("installed"))
    found("redis-server", "redis-server")
    program, *arguments = one.here(SERVICES["redis"]["command"])
    server = subprocess.Popen([program, *arguments, "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL)
    try:
        until(lambda: accepts(one.port), "redis-server listens")
        yield one
    finally:
        server.kill()
        server.wait()


@needs_root
def test_its_health_check_holds_and_fails_without_its_user(installed: Installed) -> None:
    found("redis-cli", "redis-tools")
    kind, *check = SERVICES["redis"]["healthcheck"]["test"]
    assert kind == "CMD"
    here = [*installed.here(check)[:1], "-p", str(installed.port), *installed.here(check)[1:]]
    done = subprocess.run(here, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "PONG"), done.stderr
    stranger = ["default" if word == "health" else word for word in here]
    assert subprocess.run(stranger, capture_output=True, timeout=60).returncode != 0


@needs_root
async def test_bridge_and_coordinator_reach_it_with_what_compose_tells_them(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in installed.settings("bridge").items():
        monkeypatch.setenv(name, value)
    bridge = RedisConsumer(Link(BridgeSettings().redis_link), "me", "tasks")
    await bridge.check()
    assert await bridge.register("nonce", 5)
    await bridge.close()
    for name, value in installed.settings("coordinator").items():
        monkeypatch.setenv(name, value)
    coordinator = RedisStreams(Link(CoordinatorSettings().redis_link))
    assert await coordinator.add("tasks:python:0", {"a": "b"})
    await coordinator.close()


@needs_root
async def test_nobody_reaches_it_in_the_clear_or_without_a_password(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = installed.settings("bridge")
    for missing in ({"REDIS_TLS_CA"}, {"REDIS_USER", "REDIS_PASSWORD_FILE"}):
        for name, value in told.items():
            if name in missing:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, value)
        stranger = RedisConsumer(Link(BridgeSettings().redis_link), "me", "tasks")
        with pytest.raises(Unreachable, match=r"it may speak TLS only|Redis wants a password"):
            await stranger.check()
        await stranger.close()


def test_the_docs_have_the_lines_of_the_acl() -> None:
    assert f"```\n{ACL.read_text()}```" in (ROOT / "docs/deploy.md").read_text()
