"""The image's three commands together, with TLS and tokens on every link."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.container.engine import GUARD_SECONDS, OUR_SECCOMP, UID, Engine, call
from tests.container.test_stop import PATIENT
from tests.coordinator.servers import RedisServer, free_port
from tests.integration.server.harness import wait_for
from tests.links.pki import Pki

KEYS = "/keys"
LONG_SECONDS = 240.0  # a guard only
TOKENS = {"langserver": "token-of-a-bridge-1", "coordinator": "token-of-a-bridge-2"}
A_SECOND = "import time\ntime.sleep(1)\nreturn inputs['number']"


@dataclass
class Installation:
    """Its containers share this host's loopback, where the tests' Redis is. The rest is as an operator has it."""

    engine: Engine
    image: str
    keys: Path
    settings: dict[str, str]

    @contextmanager
    def running(self, *command: str, ready: str = "", **more: str) -> Iterator[str]:
        """The name of a new container, which has said that it is ready; killed at the end if it still runs."""
        name = self.engine.name()
        settings = [f"--env={key}={value}" for key, value in {**self.settings, **more}.items()]
        options = [f"--volume={self.keys}:{KEYS}:ro", "--tmpfs=/state:rw,noexec,size=16m,mode=1777", OUR_SECCOMP]
        line = self.engine.command(self.image, *command, options=[*options, *settings], name=name, network="host")
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                if ready:
                    assert process.stdout is not None
                    assert process.stdout.readline().startswith(ready), process.communicate(timeout=GUARD_SECONDS)
                yield name
            finally:
                if process.poll() is None:
                    call("podman", "rm", "--force", "--time=0", name)
                process.communicate(timeout=GUARD_SECONDS)

    @contextmanager
    def both(self, **more: str) -> Iterator[tuple[str, str]]:
        """A language server, and a bridge with these settings besides."""
        with (
            self.running("langserver", "serve", ready="langserver listening on ") as languages,
            self.running("worker-bridge", "run", **more) as bridge,
        ):
            yield languages, bridge

    def do(self, name: str, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        inside = ["podman", "exec", "--interactive", name, *command]
        return subprocess.run(inside, input=stdin, capture_output=True, text=True, timeout=GUARD_SECONDS)


@pytest.fixture(scope="module")
def installation(engine: Engine, image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    redis = RedisServer(tmp_path_factory.mktemp("redis"))
    redis.start()
    keys = tmp_path_factory.mktemp("keys")
    pki = Pki(keys)
    for name, token in TOKENS.items():
        pki.write(f"{name}.token", token)
        pki.write(f"{name}.tokens", f"bridge:{token}\n")
    for entry in (keys, *keys.iterdir()):
        os.chown(entry, UID, UID)
    keys.chmod(0o755)
    languages, coordinator = (f"127.0.0.1:{free_port()}" for _ in range(2))
    cert, key = (f"{KEYS}/{Path(file).name}" for file in pki.server)
    settings = {
        "LANG_LISTEN_ADDR": languages,
        "LANG_MAX_CONCURRENCY": "8",
        "LANG_TLS_CERT": cert,
        "LANG_TLS_KEY": key,
        "LANG_AUTH_TOKENS_FILE": f"{KEYS}/langserver.tokens",
        "COORDINATOR_LISTEN_ADDR": coordinator,
        "COORDINATOR_DATABASE_URL": "sqlite:////state/coordinator.db",
        "COORDINATOR_REQUIRE_DIGEST": "1",
        "COORDINATOR_TLS_CERT": cert,
        "COORDINATOR_TLS_KEY": key,
        "COORDINATOR_AUTH_TOKENS_FILE": f"{KEYS}/coordinator.tokens",
        "COORDINATOR_ADDR": coordinator,
        "COORDINATOR_TLS_CA": f"{KEYS}/ca.pem",
        "COORDINATOR_TOKEN_FILE": f"{KEYS}/coordinator.token",
        "REDIS_ADDR": redis.addr,
        "LANG_WORKER_ADDRS": f"python:{languages},js:{languages}",
        "LANG_WORKER_TLS_CA": f"{KEYS}/ca.pem",
        "LANG_WORKER_TOKEN_FILE": f"{KEYS}/langserver.token",
    }
    try:
        yield Installation(engine, image, keys, settings)
    finally:
        redis.kill()


@pytest.fixture(scope="module")
def coordinator(installation: Installation) -> Iterator[str]:
    with installation.running("coordinator", "serve", ready="coordinator listening on ") as name:
        yield name


@pytest.mark.slow
def test_a_task_goes_all_the_way(installation: Installation, coordinator: str) -> None:
    """With the health checks that deploy/compose.yaml and the manifests give them."""
    with installation.both() as (languages, bridge):
        assert installation.do(languages, "langserver", "health").returncode == 0
        assert installation.do(coordinator, "coordinator", "status", "--run-id", "health").returncode == 0
        wait_for(lambda: installation.do(bridge, "worker-bridge", "queues").returncode == 0)
        given = ["--node-type", "js", "--input", json.dumps({"code": "return 6 * 7"}), "--wait", "50"]
        done = installation.do(coordinator, "coordinator", "submit", *given)
        assert json.loads(done.stdout)["output"] == 42, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600, func_only=True)
def test_what_is_stopped_loses_nothing(installation: Installation, coordinator: str) -> None:
    tasks = [{"node_type": "python", "input": {"code": A_SECOND, "input": {"number": n}}} for n in range(24)]
    lines = "\n".join(map(json.dumps, tasks))
    keep = "import sys; open('/state/tasks', 'w').write(sys.stdin.read())"
    assert installation.do(coordinator, "python3", "-c", keep, stdin=lines).returncode == 0
    submitted = installation.do(coordinator, "coordinator", "submit", "--file", "/state/tasks")
    run = json.loads(submitted.stdout.splitlines()[0])["run_id"]

    def found() -> list[dict[str, Any]]:
        asked = installation.do(coordinator, "coordinator", "status", "--run-id", run, "--json")
        return [json.loads(line) for line in asked.stdout.splitlines()]

    def ended() -> int:
        return sum(one["state"] in ("COMPLETED", "FAILED") for one in found())

    # One task at a time: it is stopped long before it has done them all, however slow this machine is.
    with installation.both(WORKER_CONCURRENCY="1") as (languages, bridge):
        wait_for(ended)
        call(*PATIENT, bridge)  # in the middle: what it runs ends, what it did not start goes back
        call(*PATIENT, languages)
        assert ended() < len(tasks)
    with installation.both():
        end = time.monotonic() + LONG_SECONDS
        while ended() < len(tasks):
            assert time.monotonic() < end, found()
    assert {one["state"] for one in found()} == {"COMPLETED"}
    assert sorted(one["output"] for one in found()) == [*range(24)]
    assert {one["attempt"] for one in found()} == {1}, "a drained task was executed twice"
