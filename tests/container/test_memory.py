"""A container's memory limit decides how many tasks run at once; at their limits together they do not end it."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from langserver.pb import lang_pb2
from tests.container.engine import Engine
from tests.container.server import serving

MIB = 1 << 20
FILLS = {
    "python": "held = []\nwhile True:\n    held.append(bytearray(1 << 20))\n",
    "js": "const held = []; for (;;) held.push(new Uint8Array(1 << 20).fill(1))",
}


@pytest.fixture(scope="module", autouse=True)
def _memory_can_be_bounded(engine: Engine, image: str) -> None:
    done = engine.run(image, "langserver", "--version", options=["--memory=900m"])
    if done.returncode != 0:
        pytest.skip(f"no memory limit for a container here: {done.stderr[-500:]}")


def doctor(engine: Engine, image: str, limit: str) -> tuple[subprocess.CompletedProcess[str], dict[str, object]]:
    done = engine.run(
        image,
        "langserver",
        "doctor",
        "--json",
        options=[f"--memory={limit}", "--env=LANG_MAX_CONCURRENCY=8"],
    )
    return done, json.loads(done.stdout)["together"]


def test_doctor_has_the_sum(engine: Engine, image: str) -> None:
    done, together = doctor(engine, image, "900m")
    assert done.returncode == 0, done.stdout
    assert together["memory_bytes"] == 900 * MIB
    assert (together["wanted_concurrency"], together["problem"] != "") == (8, True)
    assert 2 <= together["max_concurrency"] <= 4
    done, together = doctor(engine, image, "260m")
    assert (done.returncode, together["max_concurrency"]) == (3, 0)


def test_all_slots_at_their_limits_do_not_end_the_container(engine: Engine, image: str) -> None:
    with serving(engine, image, ["--memory=900m", "--env=LANG_MAX_CONCURRENCY=8"]) as server:
        with server.connect() as client:
            slots = client.capabilities().max_concurrency
            assert 2 <= slots <= 4
            for runtime, code in FILLS.items():
                with ThreadPoolExecutor(slots) as callers:
                    calls = [callers.submit(client.execute, code, runtime=runtime) for _ in range(3 * slots)]
                    kinds = {call.result().error.kind for call in calls}
                assert kinds == {lang_pb2.ERROR_KIND_MEMORY_LIMIT}
            assert client.execute("return 'still here'").output_json == '"still here"'
        assert server.process.poll() is None
