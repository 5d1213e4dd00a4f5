"""podman and buildah, as these tests use them. Everything that a run of the tests makes is labelled with its number."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

TOOLS = ("podman", "buildah", "debootstrap", "runc")
UID = 65532
LABEL = "langserver.test"
GUARD_SECONDS = 60  # against hanging; nothing is measured with it
_BUILD_SECONDS = 900.0  # a guard too
_CAP_SYS_ADMIN = 21

# What a careful operator gives a container, and no more. The limits of files and processes are named because podman
# would raise them, which root may not do everywhere. The engine ends what a killed run of the tests would leave.
HARDENED = (
    "--read-only",
    "--read-only-tmpfs=false",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
    "--ipc=none",
    "--pids-limit=256",
    "--ulimit=nofile=1024:1024",
    "--ulimit=nproc=1024:1024",
    "--timeout=3600",
    "--no-healthcheck",  # podman has systemd make them, which a machine of tests may not run
)
OUR_SECCOMP = f"--security-opt=seccomp={Path(__file__).parents[2] / 'deploy/seccomp.json'}"


def why_not() -> str | None:
    """Why no container can be built and run here, None when it can."""
    if os.geteuid() != 0:
        return "only root can make a base image with debootstrap"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    (effective,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff:")]
    if not int(effective.split()[1], 16) >> _CAP_SYS_ADMIN & 1:
        return "this root has no CAP_SYS_ADMIN, which mounting a container's file system takes"
    return None


def call(*command: str | Path, timeout: float = GUARD_SECONDS, cwd: Path | None = None) -> str:
    """What a command that must succeed wrote to its standard output."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=timeout, cwd=cwd)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def build_image(folder: Path, *options: str) -> None:
    """Builds an image of what is in `folder`, without a daemon and without namespaces of its own."""
    kind = ("--isolation=chroot", "--format=docker", "--quiet")
    call("buildah", "bud", *kind, *options, folder, timeout=_BUILD_SECONDS)


class Engine:
    """What one run of the tests makes."""

    def __init__(self, number: str) -> None:
        self.label = f"{LABEL}={number}"
        self._made = 0

    def command(
        self, image: str, *inside: str, options: Sequence[str] = (), name: str = "", network: str = "none"
    ) -> list[str]:
        """The command line that runs `inside` in a hardened container; it ends when that does, with its status."""
        named = ("--name", name) if name else ()
        ours = ("--rm", "--label", self.label, f"--network={network}")
        return ["podman", "--runtime=runc", "run", *ours, *named, *HARDENED, *options, image, *inside]

    def run(
        self, image: str, *inside: str, options: Sequence[str] = (), stdin: str = "", timeout: float = GUARD_SECONDS
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in a container of its own."""
        command = self.command(image, *inside, options=("--interactive", *options))
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout)

    def name(self) -> str:
        """A name for a container that no other one has."""
        self._made += 1
        return f"{self.label.replace('=', '-')}-{self._made}"

    def containers(self) -> list[str]:
        """Those that are there, whether they run or not."""
        return call("podman", "ps", "--all", "--quiet", "--no-trunc", f"--filter=label={self.label}").split()

    def images(self) -> list[str]:
        """With a tag or without."""
        return call("podman", "images", "--all", "--quiet", "--no-trunc", f"--filter=label={self.label}").split()

    def clear(self) -> None:
        """Removes what is left; what cannot be removed is a failure."""
        for container in self.containers():
            call("podman", "rm", "--force", "--time=0", container)
        for image in self.images():
            call("podman", "rmi", "--force", image.removeprefix("sha256:"))
        assert (self.containers(), self.images()) == ([], [])
