"""SIGKILL to a zygote, to the server; zygotes replaced under load."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import grpc
import psutil
import pytest

from tests.integration.holds.conftest import NAMESPACES, ServerProcess, until

SLEEP = {
    "python": "import time\ndef main(): time.sleep(60)",
    "js": "async function main() { await new Promise(r => setTimeout(r, 60000)) }",
}
ONE = {"python": "def main(): return 1", "js": "function main() { return 1 }"}


def is_gone(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def busy_children(server: ServerProcess, runtime: str, warm: int) -> bool:
    zygotes = server.zygotes(runtime)
    return bool(zygotes) and len(zygotes[0].children()) > warm


@pytest.mark.parametrize("runtime", ["python", "js"])
def test_a_killed_zygote_costs_its_running_calls_and_no_later_one(
    runtime: str, make_server: Callable[..., ServerProcess]
) -> None:
    server = make_server(LANG_WARM_CHILDREN="1")
    (zygote,) = server.zygotes(runtime)
    children: list[psutil.Process] = []
    with ThreadPoolExecutor(3) as callers:
        running = [callers.submit(server.execute, SLEEP[runtime], runtime, timeout=90) for _ in range(3)]
        until(lambda: len(zygote.children()) >= 4, "three children run and one waits")
        children = zygote.children()
        os.kill(zygote.pid, signal.SIGKILL)
        for call in running:
            with pytest.raises(grpc.RpcError) as failed:
                call.result()
            assert failed.value.code() is grpc.StatusCode.UNAVAILABLE  # type: ignore[attr-defined]
            assert failed.value.details().startswith("zygote lost")  # type: ignore[attr-defined]
    until(lambda: all(map(is_gone, children)), "the children died with their zygote")
    for _ in range(5):
        assert server.execute(ONE[runtime], runtime).output_json == "1"
    assert server.zygotes(runtime)[0].pid != zygote.pid


def test_calls_go_on_while_zygotes_are_killed_again_and_again(make_server: Callable[..., ServerProcess]) -> None:
    """A task may be caught running, and is told so; one that was not yet sent is repeated silently."""
    server = make_server(LANG_WARM_CHILDREN="2")

    def call(_: int) -> str:
        try:
            return server.execute(ONE["python"]).output_json
        except grpc.RpcError as error:
            return f"{error.code().name} {error.details()}"

    with ThreadPoolExecutor(4) as callers:
        answers = callers.map(call, range(200))
        for _ in range(4):
            found: list[psutil.Process] = []
            until(lambda: bool(found.extend(server.zygotes("python")) or found), "there is a zygote")  # noqa: B023
            os.kill(found[0].pid, signal.SIGKILL)
            assert server.execute(ONE["js"], "js").output_json == "1"
        got = list(answers)
    assert got.count("1") > 150
    assert all(answer == "1" or answer.startswith("UNAVAILABLE zygote lost") for answer in got), set(got)


def test_nothing_survives_a_killed_server(make_server: Callable[..., ServerProcess]) -> None:
    server = make_server(LANG_WARM_CHILDREN="2")
    with ThreadPoolExecutor(2) as callers:
        calls = [callers.submit(server.execute, SLEEP[runtime], runtime, timeout=90) for runtime in SLEEP]
        until(lambda: all(busy_children(server, runtime, 2) for runtime in SLEEP), "both tasks run")
        everybody = server.descendants
        assert len(everybody) == 2 + 2 * 3 + (2 if NAMESPACES else 0)
        server.process.kill()
        server.process.wait()
        for call in calls:
            with pytest.raises(grpc.RpcError):
                call.result()
    until(lambda: all(map(is_gone, everybody)), "zygotes and children are gone")


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"LANG_ZYGOTE_MAX_TASKS": "20"}, id="count"),
        pytest.param({"LANG_ZYGOTE_MAX_AGE": "1"}, id="age", marks=pytest.mark.slow),
    ],
)
def test_a_zygote_is_replaced_under_load_without_a_failed_call(
    settings: dict[str, str], make_server: Callable[..., ServerProcess]
) -> None:
    server = make_server(LANG_WARM_CHILDREN="2", LANG_MAX_QUEUE="100", **settings)
    seen: set[int] = set()

    def call(number: int) -> str:
        seen.update(process.pid for process in server.zygotes("python"))
        return server.execute(f"def main(): return {number}").output_json

    with ThreadPoolExecutor(8) as callers:
        for start in range(0, 2000, 100):
            assert list(callers.map(call, range(start, start + 100))) == [str(n) for n in range(start, start + 100)]
            if len(seen) >= 4:
                break
    assert len(seen) >= 4, "the zygote was replaced three times"
    until(lambda: len(server.zygotes("python")) == 1, "replaced zygotes end")
