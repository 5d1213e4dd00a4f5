"""Wheels for the image's Python, fetched by this host's pip: the image is then built without a network."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import requires
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.container.base import GLIBC, PYTHON, PYTHON_FULL
from tests.container.engine import call

_OLDEST_GLIBC = (2, 5)  # the first that wheels were made for (PEP 513)
_THERE = {"python_full_version": PYTHON_FULL, "python_version": ".".join(map(str, PYTHON))}  # for PEP 508's markers
_SECONDS = 300.0


def target() -> list[str]:
    """pip's options for the image's interpreter, whatever this one is."""
    version, machine = "".join(map(str, PYTHON)), platform.machine()
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(GLIBC[1], _OLDEST_GLIBC[1] - 1, -1)]
    platforms += [f"manylinux2014_{machine}", "any"]
    abis = [f"cp{version}", "abi3", "none"]
    options = [*(f"--platform={name}" for name in platforms), *(f"--abi={name}" for name in abis)]
    return [*options, "--implementation=cp", f"--python-version={version}", "--only-binary=:all:", "--no-deps"]


def fetch(lock: str) -> Path:
    """A folder with exactly the wheels of a lock, its hashes checked. It is kept for the next run of the tests."""
    key = hashlib.sha256(repr((for_image(lock), target())).encode()).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "langserver-tests")
    folder = cache / f"wheels-{key}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as making:
            pip("download", for_image(lock), *target(), "--require-hashes", f"--dest={making}/wheels")
            try:
                Path(making, "wheels").rename(folder)
            except OSError:
                if not folder.exists():  # else another run of the tests was quicker
                    raise
    return folder


def install(lock: str, folder: Path) -> None:
    """Puts the wheels of a lock into a folder from which the image's Python can import."""
    pip(
        "install",
        for_image(lock),
        *target(),
        "--require-hashes",
        "--no-index",
        f"--find-links={fetch(lock)}",
        f"--target={folder}",
    )
    shutil.rmtree(folder / "bin", ignore_errors=True)


def pip(command: str, lock: str, *options: str) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".lock") as file:
        file.write(lock)
        file.flush()
        call(sys.executable, "-m", "pip", "--quiet", command, *options, f"--requirement={file.name}", timeout=_SECONDS)


def for_image(lock: str) -> str:
    """The entries that the image's interpreter needs, without their conditions: pip would ask this interpreter."""
    kept = []
    for entry in re.split(r"\n(?=\S)", lock.strip()):
        pin, _, rest = entry.partition(" \\\n")
        name, _, condition = pin.partition(" ; ")
        if not condition or Marker(condition).evaluate(_THERE):
            kept.append(f"{name} \\\n{rest}")
    return "\n".join(kept) + "\n"


def part_of(lock: str, names: Iterable[str]) -> str:
    """The entries of a lock for these distributions and all that they need."""
    wanted: set[str] = set()
    left = list(map(canonicalize_name, names))
    while left:
        name = left.pop()
        if name not in wanted:
            wanted.add(name)
            needed = map(Requirement, requires(name) or [])
            left += [canonicalize_name(one.name) for one in needed if not one.marker or one.marker.evaluate(_THERE)]
    entries = re.split(r"\n(?=\S)", lock.strip())
    return "\n".join(entry for entry in entries if canonicalize_name(re.split("[= ]", entry)[0]) in wanted) + "\n"
