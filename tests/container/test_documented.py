"""The three commands of docs/deploy.md, as they stand there.

Here podman has a store of its own, so that no container or image of the names in the document is in the way, or gone
afterwards; and the settings of a machine that may not raise limits. What the document says about a base image without
a registry is given as it says, by IMAGE_ARGS.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.container import wheels
from tests.container.base import base_image
from tests.container.engine import OUR_SECCOMP, call
from tests.container.image import LOCK, ROOT

PAGE = ROOT / "docs/deploy.md"
COUNT = 3
BUILD_SECONDS = 1500.0
SECONDS = 120.0

Shell = Callable[..., subprocess.CompletedProcess[str]]


def documented() -> list[str]:
    section = PAGE.read_text().partition("## Three commands")[2].partition("\n### ")[0]
    return [block.strip() for block in re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """Runs a command in the clone as a user types it; at the end nothing of it is left."""
    main = json.loads(call("podman", "info", "--format=json"))["store"]["graphRoot"]
    storage = f'[storage]\ndriver = "overlay"\ngraphroot = "{tmp_path}/store"\nrunroot = "{tmp_path}/run"\n'
    Path(tmp_path, "storage.conf").write_text(f'{storage}[storage.options]\nadditionalimagestores = ["{main}"]\n')
    Path(tmp_path, "containers.conf").write_text(
        '[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
    )
    environment = {
        **os.environ,
        "CONTAINERS_STORAGE_CONF": f"{tmp_path}/storage.conf",
        "CONTAINERS_CONF": f"{tmp_path}/containers.conf",
        "BUILDAH_ISOLATION": "chroot",
        "CONTAINER_ENGINE": "podman",
    }

    def run(command: str, timeout: float = SECONDS, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command],
            cwd=ROOT, env={**environment, **more}, capture_output=True, text=True, timeout=timeout,
        )  # fmt: skip

    yield run
    run("podman rm --all --force --time 0; podman rmi --all --force; podman system prune --force")
    subprocess.run(["umount", f"{tmp_path}/store/overlay"], capture_output=True)


def test_there_are_three() -> None:
    assert len(documented()) == COUNT
    assert documented()[0] == "make image"


def ask(shell: Shell) -> None:
    """The second and third command, and what they must have said."""
    _, start, ask = documented()
    started = shell(start)
    assert started.returncode == 0, started.stderr
    answered = shell(ask)
    assert answered.returncode == 0, answered.stdout + answered.stderr
    health, output = answered.stdout.splitlines()
    assert health == "127.0.0.1:50053: the server is SERVING"
    said = re.search(r"^```text\n(.*?)\n```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert said
    assert output == said[1]
    stopped = shell("podman stop --time 60 langserver && podman wait langserver")
    assert stopped.stdout.split()[-1] == "0", stopped.stderr


def test_an_image_that_is_there_answers_by_the_words_of_the_document(image: str, shell: Shell) -> None:
    assert OUR_SECCOMP.rpartition("=")[2].endswith("deploy/seccomp.json")
    tagged = shell(f"podman tag {image} localhost/langserver")
    assert tagged.returncode == 0, tagged.stderr
    ask(shell)


@pytest.mark.slow
@pytest.mark.timeout(BUILD_SECONDS + 300, func_only=True)
def test_from_a_clone_to_an_answer(shell: Shell) -> None:
    folder = wheels.fetch((ROOT / LOCK).read_text())
    arguments = f"--build-arg BASE={base_image()} --build-arg PIP_NO_INDEX=1 --build-arg PIP_FIND_LINKS=/wheels"
    built = shell(documented()[0], BUILD_SECONDS, IMAGE_ARGS=f"{arguments} --volume {folder}:/wheels:ro")
    assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-4000:]
    size = re.search(r"image langserver: (\d+) bytes; what is in it: dist/langserver.cdx.json", built.stdout)
    assert size
    assert int(size[1]) < 250 << 20, "docs/deploy.md argues for less"
    ask(shell)
