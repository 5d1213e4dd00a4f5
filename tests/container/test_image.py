"""What the image is made of, and what a container of it may do."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from langserver import __version__
from tests.container import wheels
from tests.container.engine import UID, Engine, call
from tests.container.image import LOCK, REVISION, ROOT, SOURCE, VERSION, build
from tests.container.server import ContainerServer, serving
from tests.repo.test_locks import canonical

INSTALLED = """
import json
from importlib.metadata import distributions
print(json.dumps({one.name: one.version for one in distributions()}))
"""
# Of each file: what it is called, its mode and whose it is. The image has no `find`, and no shell.
FILES = """
import json, os
found = []
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/dev")]
    for name in (*folders, *files):
        path = os.path.join(folder, name)
        state = os.lstat(path)
        found.append((path, state.st_mode, state.st_uid))
print(json.dumps(found))
"""
PROGRAM = re.compile(
    r"(ba|da|z|k|c)?sh|busybox|perl.*|cc|gcc|g\+\+|ld|make|pip.*|easy_install|apt.*|dpkg.*|curl|wget|git|su|mount"
)
WRITE = """
import json, os, sys
written = []
for place in sys.argv[1:]:
    try:
        os.close(os.open(os.path.join(place, "file"), os.O_CREAT | os.O_WRONLY))
        written.append(place)
    except OSError:
        pass
print(json.dumps([written, os.getuid()]))
"""


def python(engine: Engine, image: str, program: str, *arguments: str) -> Any:
    done = engine.run(image, "python3", "-c", program, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def files(engine: Engine, image: str) -> list[tuple[str, int, int]]:
    return [(path, mode, owner) for path, mode, owner in python(engine, image, FILES)]


def test_it_runs_as_an_ordinary_user_and_is_stopped_by_sigterm(image: str) -> None:
    (seen,) = json.loads(call("podman", "image", "inspect", image))
    assert seen["Config"]["User"] == f"{UID}:{UID}"
    assert seen["Config"]["StopSignal"] == "SIGTERM"
    assert seen["Config"]["Cmd"] == ["langserver", "serve"]
    assert seen["Healthcheck"]["Test"] == ["CMD", "langserver", "health"]


def test_its_labels_say_what_it_is(image: str) -> None:
    (seen,) = json.loads(call("podman", "image", "inspect", image))
    labels = {name.removeprefix("org.opencontainers.image."): value for name, value in seen["Labels"].items()}
    assert labels.items() >= {
        "title": "langserver", "licenses": "Apache-2.0", "version": VERSION, "revision": REVISION, "source": SOURCE
    }.items()  # fmt: skip


def test_it_has_what_the_lock_names_and_the_wheel(engine: Engine, image: str) -> None:
    found = python(engine, image, INSTALLED)
    wanted = re.findall(r"^(\S+)==(\S+)", wheels.for_image((ROOT / LOCK).read_text()), re.MULTILINE)
    expected = {canonical(name): version for name, version in wanted}
    assert {canonical(name): version for name, version in found.items()} == expected | {"langserver": __version__}


def test_it_says_what_is_in_it(engine: Engine, image: str) -> None:
    listed = python(engine, image, "print(open('/opt/langserver/langserver.cdx.json').read())")
    found = {canonical(name) for name in python(engine, image, INSTALLED)} - {"langserver"}
    ours = [one for one in listed["components"] if one["purl"].startswith("pkg:pypi/")]
    assert {one["name"] for one in ours if one["scope"] == "required"} <= found <= {one["name"] for one in ours}


@pytest.mark.parametrize("command", ["langserver", "worker-bridge", "coordinator"])
def test_it_runs_each_command(engine: Engine, image: str, command: str) -> None:
    done = engine.run(image, command, "--version")
    assert (done.returncode, done.stdout) == (0, f"{command} {__version__}\n")


def test_it_has_what_a_bridge_and_a_coordinator_need_besides(engine: Engine, image: str) -> None:
    program = "import json, ssl; import psycopg; from worker_bridge.executors.http.dialing import trust"
    asked = "paths = ssl.get_default_verify_paths(); import os; trust()"
    told = "print(json.dumps([psycopg.pq.version(), len(os.listdir(paths.capath)) if paths.capath else 0]))"
    libpq, certificates = python(engine, image, f"{program}; {asked}; {told}")
    assert libpq >= 150000
    assert certificates > 100


def test_no_program_but_an_interpreter(files: list[tuple[str, int, int]]) -> None:
    """Nor a file that gives whoever runs it another identity."""
    programs = [
        path
        for path, mode, _ in files
        if stat.S_ISREG(mode) and mode & 0o111 and PROGRAM.fullmatch(path.rpartition("/")[2])
    ]
    assert programs == []
    folders = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/")
    tools = {path for path, _, _ in files if path.startswith(folders)}
    assert {re.sub(r"3\.\d+$", "3", path.rpartition("/")[2]) for path in tools} == {"python3"}
    assert [path for path, mode, _ in files if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID)] == []


@pytest.mark.slow
@pytest.mark.timeout(900, func_only=True)
def test_a_base_without_shell_and_pip_will_do(engine: Engine, image: str, tmp_path: Path) -> None:
    """This image is one itself."""
    again = build(engine, tmp_path, base=image)
    done = engine.run(again, "langserver", "run", "-", "--runtime=python", stdin="return 6 * 7")
    assert (done.returncode, done.stdout) == (0, "42\n")


def test_what_starts_is_compiled_already(files: list[tuple[str, int, int]]) -> None:
    """Else each process would compile it anew, since nothing can be written."""
    paths = {path for path, _, _ in files}
    for path in paths:
        name = path.rpartition("/")[2]
        if name in ("asyncio", "grpc", "langserver") and f"{path}/__init__.py" in paths:
            assert any(one.startswith(f"{path}/__pycache__/__init__.") for one in paths), path


def test_it_owns_nothing_there(files: list[tuple[str, int, int]]) -> None:
    ours = [(mode, owner) for path, mode, owner in files if path.startswith("/opt/langserver")]
    assert len(ours) > 1000
    assert {owner for _, owner in ours} == {0}
    assert [mode for mode, _ in ours if mode & 0o022 and not stat.S_ISLNK(mode)] == []


def test_nothing_can_be_written(engine: Engine, image: str) -> None:
    places = "/ /tmp /var/tmp /run /home /opt/langserver /dev /dev/shm /sys /proc".split()
    assert python(engine, image, WRITE, *places) == [[], UID]


def test_nothing_has_to_be_written(engine: Engine, image: str) -> None:
    """Where it could write, to /tmp for one, it does not."""
    with serving(engine, image, options=["--read-only=false"]) as server, server.connect() as client:
        assert server.do("python3", "-c", "open('/tmp/by-hand', 'w')").returncode == 0
        for runtime in ("python", "js"):
            assert client.execute("return 1", runtime=runtime).output_json == "1"
        changed = call("podman", "diff", server.name).splitlines()
    assert [line for line in changed if line.startswith("A /tmp")] == ["A /tmp/by-hand"]
    assert {line.split()[1].split("/")[1] for line in changed} <= {"tmp", "etc", "run"}  # the last two are the engine's


def test_the_container_is_as_hard_as_these_tests_claim(server: ContainerServer) -> None:
    seen = dict(line.split(":\t", 1) for line in server.read("/proc/1/status").splitlines())
    assert {seen[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert (seen["NoNewPrivs"], seen["Seccomp"], seen["Seccomp_filters"]) == ("1", "2", "1")
    assert set(seen["Uid"].split()) | set(seen["Gid"].split()) == {str(UID)}
    assert [line.split()[0] for line in server.read("/proc/net/dev").splitlines()[2:]] == ["lo:"]
