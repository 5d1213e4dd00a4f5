"""Under deploy/seccomp.json, half of what Docker allows, everything is as under the default."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from langserver.pb import lang_pb2
from langserver.sandbox.selftest import ATTEMPTS
from tests.container.engine import OUR_SECCOMP, Engine
from tests.container.server import ContainerServer, serving
from tests.container.test_tasks import HOSTILE, INVOICE, REPORT
from tests.integration.server.harness import request

CALLS = """
import ctypes, errno, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def answer(*call):
    return 0 if libc.syscall(*call) != -1 else ctypes.get_errno()
def family(number):
    try:
        socket.socket(number, socket.SOCK_RAW if number == 16 else socket.SOCK_STREAM, 0).close()
        return 0
    except OSError as error:
        return error.errno
numbers = {"x86_64": {"memfd_create": 319, "io_uring_setup": 425, "add_key": 248, "unshare": 272, "clone3": 435},
           "aarch64": {"memfd_create": 279, "io_uring_setup": 425, "add_key": 217, "unshare": 97, "clone3": 435}}
found = {name: answer(number, 0, 0, 0, 0, 0) for name, number in numbers[os.uname().machine].items()}
print(json.dumps([found, {number: family(number) for number in (1, 2, 10, 16, 38, 40)}]))
"""
EPERM, ENOSYS = 1, 38


@pytest.fixture(scope="module")
def tight(engine: Engine, image: str) -> Iterator[ContainerServer]:
    with serving(engine, image, [OUR_SECCOMP]) as running:
        yield running


def test_it_is_in_force(tight: ContainerServer) -> None:
    calls, families = json.loads(tight.do("python3", "-c", CALLS).stdout)
    assert calls == {name: ENOSYS if name == "clone3" else EPERM for name in calls}
    assert {number for number, answer in families.items() if answer != EPERM} == {"1", "2", "10", "16"}


def test_each_wall_holds(engine: Engine, image: str) -> None:
    done = engine.run(image, "langserver", "doctor", "--json", options=[OUR_SECCOMP])
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["ok"]
    for runtime in found["runtimes"]:
        assert {finding["attempt"] for finding in runtime["selftest"]} >= {attempt.name for attempt in ATTEMPTS}
        assert all(finding["held"] for finding in runtime["selftest"])


def test_ordinary_and_hostile_tasks(tight: ContainerServer) -> None:
    given = json.dumps({"lines": [{"price": "19.99", "count": 2}], "rate": "0.19"})
    orders = json.dumps({"orders": [{"city": "Ulm", "price": 4}]})
    with tight.connect() as client:
        for runtime, code, kind in HOSTILE:
            answer = client.execute(code, runtime=runtime, timeout_seconds=1 if kind == "TIMEOUT" else 20, timeout=60)
            assert lang_pb2.ErrorKind.Name(answer.error.kind) == f"ERROR_KIND_{kind}", answer.error
        assert client.execute(INVOICE, input_json=given, timezone="Europe/Berlin").success
        assert client.execute(REPORT, runtime="js", input_json=orders).success


def test_a_flood_beside_another_caller(engine: Engine, image: str, tmp_path: Path) -> None:
    """What makes way on the cores calls what nothing else does."""
    tokens = tmp_path / "tokens"
    tokens.write_text("heavy:0123456789abcdef\nlight:fedcba9876543210\n")
    tokens.chmod(0o444)  # of root's, and read by another user
    tmp_path.chmod(0o755)
    heavy, light = ((("authorization", f"Bearer {token}"),) for token in ("0123456789abcdef", "fedcba9876543210"))
    options = [OUR_SECCOMP, f"--volume={tokens}:/tokens:ro", "--env=LANG_AUTH_TOKENS_FILE=/tokens"]
    with serving(engine, image, [*options, "--env=LANG_MAX_CONCURRENCY=4"]) as server, server.connect() as client:
        assert client.stub.Execute(request("return 1"), metadata=light, timeout=60).output_json == "1"
        task = request("import time\ntime.sleep(0.2)\nreturn 2")
        flood = [client.stub.Execute.future(task, metadata=heavy, timeout=60) for _ in range(12)]
        assert [call.result().output_json for call in flood] == ["2"] * 12
        subprocess.run(["podman", "stop", "--time=60", server.name], check=True, capture_output=True)
        _, errors = server.wait()
        assert "cannot make way" not in errors
