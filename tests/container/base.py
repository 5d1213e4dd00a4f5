"""The base image: a small Debian with Python, made by debootstrap. No registry of images is needed.

It stays in the engine's store, under a name that says what it is made of: the first run of the tests makes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import platform
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.container.engine import call

PYTHON, PYTHON_FULL, GLIBC = (3, 13), "3.13.5", (2, 41)  # of this release
RELEASE = "trixie"
_SIGNERS = Path(f"/usr/share/keyrings/debian-archive-{RELEASE}-stable.gpg")
# In a mount namespace of its own: what it mounts is gone when it ends, however it ends.
_DEBOOTSTRAP = (
    "unshare",
    "--mount",
    "debootstrap",
    "--variant=minbase",
    "--force-check-gpg",  # where the keyring is missing it would only warn, and install whatever it is given
    "--include=python3,python3-venv,ca-certificates",
    RELEASE,
)
# What a slim image leaves out, and device files, which the engine gives each container.
_LEFT_OUT = (
    "dev",
    "var/cache/apt",
    "var/lib/apt/lists",
    "var/log",
    "usr/share/doc",
    "usr/share/man",
    "usr/share/locale",
)
_KEY = hashlib.sha256(repr((_DEBOOTSTRAP, _LEFT_OUT, platform.machine())).encode()).hexdigest()[:12]
_NAME = f"localhost/langserver-test-base:{RELEASE}-{_KEY}"
_SECONDS = 900.0


def base_image() -> str:
    """The name of the base image, which is made if it is not there."""
    return kept(_NAME, _make)


def kept(name: str, make: Callable[[str], None]) -> str:
    """The name of an image that stays in the engine's store; `make` is given it if there is none."""
    folder = call("podman", "info", "--format={{.Store.RunRoot}}").strip()
    with Path(folder, f"{name.rpartition('/')[2].replace(':', '-')}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another run of the tests may be making it
        if subprocess.run(["podman", "image", "exists", name]).returncode != 0:
            make(name)
    return name


def _make(name: str) -> None:
    assert _SIGNERS.exists(), (
        f"{_SIGNERS} is not here, by which {RELEASE}'s packages are checked: "
        "apt-get install debian-archive-keyring (Debian 12 has it from 2023.3+deb12u2 on)"
    )
    with tempfile.TemporaryDirectory(prefix="langserver-base-") as folder:
        call(*_DEBOOTSTRAP, folder, timeout=_SECONDS)
        archive = Path(folder).with_suffix(".tar")
        try:
            left_out = [f"--exclude=./{path}/*" for path in _LEFT_OUT]
            call("tar", "--create", f"--file={archive}", f"--directory={folder}", *left_out, ".", timeout=_SECONDS)
            call("podman", "import", "--quiet", archive, name, timeout=_SECONDS)
        finally:
            archive.unlink(missing_ok=True)
