"""Images of Debian's packages on the base image: a machine with Docker, and a Redis and a PostgreSQL for compose.

They stay in the engine's store, under names that say what they are made of.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.container.base import base_image, kept
from tests.container.engine import build_image

_FOLDER = Path(__file__).parent / "debian"


def packaged(name: str) -> str:
    """The name of the image of `debian/NAME.Containerfile`, which is made if it is not there."""
    files = sorted(_FOLDER.glob(f"{name}[.-]*"))
    base = base_image()
    key = hashlib.sha256(b"".join([base.encode(), *(file.read_bytes() for file in files)])).hexdigest()[:12]
    return kept(f"localhost/langserver-test-{name}:{key}", lambda image: _make(image, name, base))


def _make(image: str, name: str, base: str) -> None:
    file = _FOLDER / f"{name}.Containerfile"
    build_image(_FOLDER, f"--build-arg=BASE={base}", f"--file={file}", f"--tag={image}")
