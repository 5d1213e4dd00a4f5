"""The image's three commands together, with TLS and tokens on every link: what is stopped loses nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.container.engine import GUARD_SECONDS, OUR_SECCOMP, UID, Engine, call
from tests.container.test_stop import PATIENT
from tests.coordinator.servers import RedisServer, free_port
from tests.integration.server.harness import wait_for
from tests.links.pki import Pki

KEYS = "/keys"
TOKENS = {"langserver": "token-of-a-bridge-1", "coordinator": "token-of-a-bridge-2"}
A_SECOND = "import time\ntime.sleep(1)\nreturn inputs['number']"


@dataclass
class Installation:
    """Its containers share this host's loopback, where the tests' Redis is. The rest is as an operator has it."""

    engine: Engine
    image: str
    keys: Path
    settings: dict[str, str]
    stack: ExitStack

    def start(self, *command: str, ready: str = "", **more: str) -> str:
        """The name of a new container, which has said that it is ready."""
        name = self.engine.name()
        self.stack.enter_context(self._running(name, command, ready, {**self.settings, **more}))
        return name

    @contextmanager
    def _running(self, name: str, command: tuple[str, ...], ready: str, environment: dict[str, str]) -> Iterator[None]:
        settings = [f"--env={key}={value}" for key, value in environment.items()]
        options = [
            f"--volume={self.keys}:{KEYS}:ro",
            "--tmpfs=/state:rw,noexec,size=16m,mode=1777",
            OUR_SECCOMP,
            *settings,
        ]
        line = self.engine.command(self.image, *command, options=options, name=name, network="host")
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                if ready:
                    assert process.stdout is not None
                    assert process.stdout.readline().startswith(ready), process.communicate(timeout=GUARD_SECONDS)
                yield
            finally:
                if process.poll() is None:
                    call("podman", "rm", "--force", "--time=0", name)
                process.communicate(timeout=GUARD_SECONDS)

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
        with ExitStack() as stack:
            yield Installation(engine, image, keys, settings, stack)
    finally:
        redis.kill()


@pytest.mark.timeout(600, func_only=True)
def test_a_task_goes_all_the_way_and_what_is_stopped_loses_none(installation: Installation) -> None:
    languages = installation.start("langserver", "serve", ready="langserver listening on ")
    coordinator = installation.start("coordinator", "serve", ready="coordinator listening on ")
    # One task at a time: it is stopped long before it has done them all, however slow this machine is.
    bridge = installation.start("worker-bridge", "run", WORKER_CONCURRENCY="1")

    # The health checks that deploy/compose.yaml and the manifests give them.
    assert installation.do(languages, "langserver", "health").returncode == 0
    assert installation.do(coordinator, "coordinator", "status", "--run-id", "health").returncode == 0
    wait_for(lambda: installation.do(bridge, "worker-bridge", "queues").returncode == 0)

    tasks = [{"node_type": "python", "input": {"code": A_SECOND, "input": {"number": n}}} for n in range(24)]
    tasks.append({"node_type": "js", "input": {"code": "return 6 * 7"}})
    lines = "\n".join(map(json.dumps, tasks))
    kept = installation.do(
        coordinator, "python3", "-c", "import sys; open('/state/t', 'w').write(sys.stdin.read())", stdin=lines
    )
    assert kept.returncode == 0, kept.stderr
    submitted = installation.do(coordinator, "coordinator", "submit", "--file", "/state/t")
    run = json.loads(submitted.stdout.splitlines()[0])["run_id"]

    def counts() -> Counter[str]:
        asked = installation.do(coordinator, "coordinator", "status", "--run-id", run, "--json")
        states = [json.loads(line)["state"] for line in asked.stdout.splitlines()]
        return Counter(states)

    wait_for(lambda: counts()["COMPLETED"] > 0)
    call(*PATIENT, bridge)  # in the middle: what it runs ends, what it did not start goes back
    call(*PATIENT, languages)
    assert counts()["COMPLETED"] < len(tasks)
    installation.start("langserver", "serve", ready="langserver listening on ")
    installation.start("worker-bridge", "run")
    wait_for(lambda: counts()["COMPLETED"] + counts()["FAILED"] == len(tasks))
    told = installation.do(coordinator, "coordinator", "status", "--run-id", run, "--json").stdout
    ended = [json.loads(line) for line in told.splitlines()]
    assert {one["state"] for one in ended} == {"COMPLETED"}
    assert sorted(one["output"] for one in ended) == sorted([*range(24), 42])
    assert {one["attempt"] for one in ended} == {1}, "a drained task was executed twice"
