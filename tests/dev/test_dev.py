"""`langserver dev`: one command, and tasks given to its coordinator are executed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import psutil
import pytest

GUARD_SECONDS = 60.0  # against hanging
PLAIN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("LANG_", "WORKER_", "COORDINATOR_", "REDIS_"))
}


class Dev:
    """`langserver dev` with its coordinator on a free port."""

    def __init__(self, **settings: str) -> None:
        command = [sys.executable, "-m", "langserver.cli", "dev", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, env={**PLAIN, **settings}, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.lines = [self.process.stdout.readline() for _ in range(3)]
        found = re.fullmatch(r"coordinator listening on (\S+)\n", self.lines[-1])
        assert found, self.lines
        self.address = found[1]

    def coordinator(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "coordinator.cli", *arguments],
            env={**PLAIN, "COORDINATOR_ADDR": self.address},
            capture_output=True,
            text=True,
            timeout=GUARD_SECONDS,
        )

    def submit(self, node_type: str, code: str, *options: str) -> dict[str, object]:
        given = json.dumps({"code": code, "input": {"n": 20}})
        ended = self.coordinator("submit", "--node-type", node_type, "--input", given, *options, "--wait", "30")
        answer: dict[str, object] = json.loads(ended.stdout)
        return answer

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(GUARD_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return status


@pytest.fixture
def make_dev() -> Iterator[Callable[..., Dev]]:
    made: list[Dev] = []

    def make(**settings: str) -> Dev:
        made.append(Dev(**settings))
        return made[-1]

    yield make
    for dev in made:
        dev.stop(signal.SIGKILL)


def test_tasks_of_both_runtimes_go_through_and_it_ends_with_all_its_processes(make_dev: Callable[..., Dev]) -> None:
    dev = make_dev()
    started = psutil.Process(dev.process.pid).children(recursive=True)
    assert dev.lines[1] == "streams are in this process; the bridge reads tasks:http:0, tasks:js:0, tasks:python:0\n"
    assert dev.submit("python", "def main(n):\n    return n + 1")["output"] == 21
    assert dev.submit("javascript", "return inputs.n + 2")["output"] == 22
    failed = dev.submit("python", "def main():\n    return {}['x']", "--max-attempts", "2")
    assert (failed["state"], failed["attempt"]) == ("FAILED", 2)
    assert str(failed["error"]).startswith("USER_ERROR: KeyError: 'x'")
    assert "COMPLETED 2\nFAILED    1\n" in dev.coordinator("status").stdout
    assert dev.stop() == 0
    assert [process for process in started if process.is_running()] == []


def test_settings_are_those_of_the_parts(make_dev: Callable[..., Dev], tmp_path: object) -> None:
    database = f"sqlite:///{tmp_path}/kept.db"
    first = make_dev(LANG_RUNTIMES="js", COORDINATOR_DATABASE_URL=database)
    assert "tasks:js:0\n" in first.lines[1]
    assert first.submit("js", "return 1")["state"] == "COMPLETED"
    assert first.stop(signal.SIGINT) == 0
    second = make_dev(LANG_RUNTIMES="js", COORDINATOR_DATABASE_URL=database)
    assert "COMPLETED 1\n" in second.coordinator("status").stdout


def test_killed_it_leaves_no_language_server(make_dev: Callable[..., Dev]) -> None:
    dev = make_dev(LANG_RUNTIMES="js")
    started = psutil.Process(dev.process.pid).children(recursive=True)
    assert started
    dev.stop(signal.SIGKILL)
    _, alive = psutil.wait_procs(started, GUARD_SECONDS)
    assert alive == []


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"LANG_RUNTIMES": "cobol"}, "LANG_RUNTIMES"),
        ({"WORKER_CONCURRENCY": "0"}, "WORKER_CONCURRENCY is '0': expected a whole number from 1 to "),
        ({"COORDINATOR_DATABASE_URL": "mysql://x"}, "COORDINATOR_DATABASE_URL"),
        ({"LANG_REQUIRED_LAYERS": "moat"}, "LANG_REQUIRED_LAYERS"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_stays(setting: dict[str, str], said: str) -> None:
    command = [sys.executable, "-m", "langserver.cli", "dev", "--listen", "127.0.0.1:0"]
    ended = subprocess.run(
        command, env={**PLAIN, **setting}, capture_output=True, text=True, timeout=GUARD_SECONDS, check=False
    )
    assert ended.returncode == 3
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_where_it_cannot_say_that_it_is_ready_it_ends() -> None:
    command = [sys.executable, "-m", "langserver.cli", "dev", "--listen", "127.0.0.1:0"]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            command, env=PLAIN, stdout=full, stderr=subprocess.PIPE, text=True, timeout=GUARD_SECONDS, check=False
        )
    assert ended.returncode == 3
    assert "standard output: No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_language_server_that_dies_ends_it(make_dev: Callable[..., Dev]) -> None:
    dev = make_dev(LANG_RUNTIMES="js")
    (server,) = psutil.Process(dev.process.pid).children()
    server.kill()
    assert dev.process.wait(GUARD_SECONDS) == 3
