"""What the image is made of, and what a container of it may do."""

from __future__ import annotations

import json

from langserver import __version__
from tests.container.engine import UID, Engine, call
from tests.container.image import LOCK
from tests.container.server import ContainerServer, serving
from tests.repo.test_locks import canonical, pins

INSTALLED = """
import json
from importlib.metadata import distributions
print(json.dumps({one.name: one.version for one in distributions()}))
"""


def test_it_runs_as_an_ordinary_user_and_is_stopped_by_sigterm(image: str) -> None:
    (seen,) = json.loads(call("podman", "image", "inspect", image))
    assert seen["Config"]["User"] == f"{UID}:{UID}"
    assert seen["Config"]["StopSignal"] == "SIGTERM"
    assert seen["Config"]["Cmd"] == ["langserver", "serve"]


def test_it_has_what_the_lock_names_and_the_wheel(engine: Engine, image: str) -> None:
    found = json.loads(engine.run(image, "python3", "-c", INSTALLED).stdout)
    expected = {name: version.split(" ")[0] for name, version in pins(LOCK).items()}
    assert {canonical(name): version for name, version in found.items()} == expected | {"langserver": __version__}


def test_no_tool_that_makes_programs_or_fetches_them(engine: Engine, image: str) -> None:
    done = engine.run(image, "sh", "-c", "command -v sh; command -v cc gcc g++ ld make pip pip3 curl wget git")
    assert done.stdout.split() == ["/usr/bin/sh"]


def test_it_owns_nothing_there(engine: Engine, image: str) -> None:
    done = engine.run(image, "find", "/opt/langserver", "!", "-user", "0", "-o", "-perm", "/022", "!", "-type", "l")
    assert (done.returncode, done.stdout) == (0, "")


def test_nothing_can_be_written(engine: Engine, image: str) -> None:
    places = "/ /tmp /var/tmp /run /home /opt/langserver /dev /dev/shm /sys /proc"
    done = engine.run(image, "sh", "-c", f"for place in {places}; do touch $place/file && echo $place; done; id -u")
    assert done.stdout == f"{UID}\n", done.stderr


def test_nothing_has_to_be_written(engine: Engine, image: str) -> None:
    """Where it could write, to /tmp for one, it does not."""
    with serving(engine, image, options=["--read-only=false"]) as server, server.connect() as client:
        assert server.do("touch", "/tmp/by-hand").returncode == 0
        for runtime in ("python", "js"):
            assert client.execute("return 1", runtime=runtime).output_json == "1"
        changed = call("podman", "diff", server.name).splitlines()
    assert [line for line in changed if line.startswith("A /tmp")] == ["A /tmp/by-hand"]
    assert {line.split()[1].split("/")[1] for line in changed} <= {"tmp", "etc", "run"}  # the last two are the engine's


def test_the_container_is_as_hard_as_these_tests_claim(server: ContainerServer) -> None:
    seen = dict(line.split(":\t", 1) for line in server.do("cat", "/proc/1/status").stdout.splitlines())
    assert {seen[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (seen["NoNewPrivs"], seen["Seccomp"], seen["Seccomp_filters"]) == ("1", "2", "1")
    assert set(seen["Uid"].split()) | set(seen["Gid"].split()) == {str(UID)}
    assert [line.split()[0] for line in server.do("cat", "/proc/net/dev").stdout.splitlines()[2:]] == ["lo:"]
