"""The processes of a container at work, as this host's /proc shows them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest

from tests.container.engine import UID, Engine
from tests.container.server import ContainerServer, serving
from tests.integration.server.harness import wait_for

ENDLESS = {"python": "print('started')\nwhile True: pass", "js": "console.log('started'); for (;;) {}"}
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


def threads(pid: int) -> list[dict[str, str]]:
    """What /proc says of each thread."""
    texts = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status")]
    return [dict(line.split(":\t", 1) for line in text.splitlines()) for text in texts]


def zygotes(server: ContainerServer) -> dict[str, psutil.Process]:
    """One a runtime."""
    found = {}
    for process in psutil.Process(server.pid).children():
        command = process.cmdline()
        if "langserver.zygote.main" in command:
            found[command[command.index("langserver.zygote.main") + 1]] = process
    return found


@pytest.mark.parametrize(("runtime", "count"), [("python", 1), ("js", 2)])
def test_every_thread_of_a_child_at_work_is_sealed(engine: Engine, image: str, runtime: str, count: int) -> None:
    no_warm = ["--env=LANG_WARM_CHILDREN=0", f"--env=LANG_RUNTIMES={runtime}"]
    with serving(engine, image, no_warm) as server, server.connect() as client:
        call = client.stream(ENDLESS[runtime], runtime=runtime)
        assert next(call).log.text == "started"
        (zygote,) = zygotes(server).values()
        (child,) = zygote.children()
        (outer,) = {thread["Seccomp_filters"] for thread in threads(server.pid)}  # the container's own
        assert [thread["Seccomp_filters"] for thread in threads(zygote.pid)] == [outer]
        found = threads(child.pid)
        assert len(found) == count
        for thread in found:
            assert (thread["Seccomp"], thread["Seccomp_filters"]) == ("2", str(int(outer) + 1))
            assert thread["NoNewPrivs"] == "1"
            assert {thread[name] for name in CAPABILITIES} == {"0" * 16}
            assert set(thread["Uid"].split()) | set(thread["Gid"].split()) == {str(UID)}
            assert thread["Groups"].strip() in ("", str(UID))
        assert Path(f"/proc/{child.pid}/oom_score_adj").read_text() == "1000\n"
        assert Path(f"/proc/{child.pid}/environ").stat().st_uid == 0, "not dumpable: its files are root's"
        call.cancel()


def test_a_killed_zygote_is_replaced_and_nothing_of_it_stays(server: ContainerServer) -> None:
    """The server is pid 1 there: whoever loses its parent becomes its child, and has to be waited for by it."""
    zygote = zygotes(server)["python"]
    wait_for(lambda: len(zygote.children()) > 0)
    gone = [zygote, *zygote.children()]
    os.kill(zygote.pid, signal.SIGKILL)
    wait_for(lambda: not any(process.is_running() for process in gone))  # a zombie is
    with server.connect() as client:
        assert client.execute("return 1").output_json == "1"
    assert zygotes(server)["python"].pid != zygote.pid
