"""The image, from the wheel and the Dockerfile that are delivered."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.container import wheels
from tests.container.base import base_image
from tests.container.engine import Engine, build_image, call

ROOT = Path(__file__).parents[2]
DOCKERFILE = "deploy/Dockerfile.hardened"
LOCK = "requirements.lock"
VERSION, REVISION, SOURCE = "1.2.3", "0123456789abcdef", "https://example.com/langserver"


def build(engine: Engine, folder: Path, base: str = "") -> str:
    """Builds the image in an empty folder, without a network; returns its name. On another base if there is one, which
    then needs neither pip nor a shell.
    """
    for name in (LOCK, DOCKERFILE, "deploy/trim.py", ".dockerignore"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    make_wheel(folder / "dist")
    call(sys.executable, ROOT / "deploy/sbom.py", folder / "dist/langserver.cdx.json")
    name = f"localhost/{engine.name()}"
    build_image(
        folder,
        f"--volume={wheels.fetch((ROOT / LOCK).read_text())}:/wheels:ro",
        f"--build-arg=BASE={base or base_image()}",
        f"--build-arg=BUILD_BASE={base_image()}",
        "--build-arg=PIP_NO_INDEX=1",
        "--build-arg=PIP_FIND_LINKS=/wheels",
        f"--build-arg=VERSION={VERSION}",
        f"--build-arg=REVISION={REVISION}",
        f"--build-arg=SOURCE={SOURCE}",
        f"--label={engine.label}",
        f"--file={folder / DOCKERFILE}",
        f"--tag={name}",
    )
    return name


def make_wheel(folder: Path) -> None:
    """The wheel of this tree, by the build backend of the lock."""
    call(sys.executable, "-m", "hatchling", "build", "--target=wheel", f"--directory={folder}", cwd=ROOT)
