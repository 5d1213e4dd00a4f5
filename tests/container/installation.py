"""deploy/compose.yaml on a machine with Docker.

The machine is a container of its own: whatever Docker makes there, networks and volumes too, ends with it, and no rule
of its firewall meets this host's. It has no network but its own loopback.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.container.engine import HARDENED, Engine, call
from tests.container.image import ROOT
from tests.container.packaged import packaged

FILE = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
SERVICES: Mapping[str, Any] = FILE["services"]
UP_SECONDS = 400.0  # a guard, as are all here
_SECONDS = 240.0
_CLONE = "/clone"
# Docker mounts, makes networks and starts containers: the machine may do all that root may.
_SOFTER = (
    "--privileged",
    *(option for option in HARDENED if option.startswith(("--ulimit", "--timeout", "--no-health"))),
)


def eventually(condition: Callable[[], bool], what: str) -> None:
    """Waits for it: containers take their time."""
    deadline = time.monotonic() + _SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {_SECONDS:.0f} s"
        time.sleep(0.2)


def documented() -> list[str]:
    """The commands of docs/deploy.md for compose, a line each."""
    section = (ROOT / "docs/deploy.md").read_text().partition("## Compose")[2].partition("\n## ")[0]
    found = re.search(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert found
    return found[1].splitlines()


class Installation:
    """What is said to the machine. Its commands run as root, in a clone that has `deploy` alone."""

    def __init__(self, machine: str, images: Mapping[str, str], clone: Path) -> None:
        self.machine, self.clone = machine, clone
        self._exec = ["podman", "exec", "--interactive", *(f"--env={name}={image}" for name, image in images.items())]

    def command(self, *words: str) -> list[str]:
        """The command line, for this host, of a command of the machine."""
        return [*self._exec, self.machine, *words]

    def run(self, *words: str, stdin: str = "", timeout: float = _SECONDS) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*words), input=stdin, capture_output=True, text=True, timeout=timeout)

    def call(self, *words: str, stdin: str = "", timeout: float = _SECONDS) -> str:
        """What a command that must succeed wrote to its standard output; if it does not, what the containers said."""
        done = self.run(*words, stdin=stdin, timeout=timeout)
        if done.returncode != 0:
            said = self.compose("logs", "--no-color", "--tail=20")
            raise AssertionError(
                f"{' '.join(words)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}\n{said.stdout[-12000:]}"
            )
        return done.stdout

    def compose(self, *words: str, stdin: str = "", timeout: float = _SECONDS) -> subprocess.CompletedProcess[str]:
        return self.run("docker", "compose", "--file", "deploy/compose.yaml", *words, stdin=stdin, timeout=timeout)

    def inside(self, service: str, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a command in a service's container."""
        return self.compose("exec", "--no-TTY", service, *words, stdin=stdin)

    def up(self) -> None:
        """As the document says, which waits until each service is healthy."""
        self.call(*documented()[2].split(), timeout=UP_SECONDS)

    def inspect(self, service: str) -> dict[str, Any]:
        """What Docker says of a service's container, whether it runs or not."""
        (container,) = self.compose("ps", "--all", "--quiet", service).stdout.split()
        (told,) = json.loads(self.call("docker", "inspect", container))
        return told

    def gateway(self, network: str) -> str:
        """The machine's own address in a network of the file."""
        (told,) = json.loads(self.call("docker", "network", "inspect", f"{FILE['name']}_{network}"))
        address: str = told["IPAM"]["Config"][0]["Gateway"]
        return address

    def submit(self, tasks: Sequence[Mapping[str, Any]], wait: int = 200) -> list[dict[str, Any]]:
        """The tasks as the coordinator's own command submits them, and what became of each."""
        lines = "".join(json.dumps(task) + "\n" for task in tasks)
        words = ["coordinator", "submit", "--file", "-", *(["--wait", str(wait)] if wait else [])]
        done = self.inside("coordinator", *words, stdin=lines)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def installed(engine: Engine, image: str, folder: Path) -> Iterator[Installation]:
    """The commands of the document have been given, up to the one that waits until all is healthy."""
    shutil.copytree(ROOT / "deploy", folder / "deploy", ignore=shutil.ignore_patterns("secrets"))
    images = {"LANGSERVER_IMAGE": image, "REDIS_IMAGE": packaged("redis"), "POSTGRES_IMAGE": packaged("postgres")}
    name = engine.name()
    options = ("--detach", "--label", engine.label, "--network=none", "--name", name, *_SOFTER)
    mounted = f"--volume={folder}:{_CLONE}"
    try:
        start = ("podman", "--runtime=runc", "run", *options, mounted, f"--workdir={_CLONE}", packaged("docker"))
        call(*start, timeout=_SECONDS)
        one = Installation(name, images, folder)
        eventually(lambda: one.run("docker", "info").returncode == 0, "Docker answers")
        _give(one, list(images.values()))
        made = documented()[1].split()
        assert made[0] == "sudo"  # root has none there
        one.call(*made[1:])
        one.up()
        yield one
    finally:
        # The anonymous volume, where Docker's store is, goes with its container.
        call("podman", "rm", "--force", "--ignore", "--volumes", "--time=0", name, timeout=_SECONDS)


def _give(one: Installation, images: Sequence[str]) -> None:
    """Copies images from this host's store into Docker's."""
    saved = subprocess.Popen(["podman", "save", "--quiet", "--multi-image-archive", *images], stdout=subprocess.PIPE)
    end = threading.Timer(_SECONDS, saved.kill)
    end.start()
    try:
        subprocess.run(one.command("docker", "load", "--quiet"), stdin=saved.stdout, check=True, timeout=_SECONDS)
        assert saved.wait() == 0
    finally:
        end.cancel()
        saved.kill()
        saved.wait()
