"""The committed code under langserver/pb and coordinator/pb is what `make proto` makes of proto/ today."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROTOS = {"langserver": "lang", "coordinator": "coordinator"}
FILES = [
    (package, f"{name}_pb2{ending}")
    for package, name in PROTOS.items()
    for ending in (".py", ".pyi", "_grpc.py", "_grpc.pyi")
]


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("proto")
    # A make that runs this test has left its own flags in the environment.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    subprocess.run(
        # -o: the interpreter that runs the tests has all that is needed; no set-up now.
        ["make", "-o", "setup", "proto", f"OUT={out}", f"BIN={Path(sys.executable).parent}"],
        cwd=ROOT,
        env=environment,
        check=True,
        timeout=60,
    )
    return out


@pytest.mark.parametrize(("package", "name"), FILES)
def test_committed_file_is_what_the_generator_writes(regenerated: Path, package: str, name: str) -> None:
    assert (ROOT / package / "pb" / name).read_text() == (regenerated / package / "pb" / name).read_text(), (
        "run `make proto`"
    )


@pytest.mark.parametrize("package", PROTOS)
def test_nothing_else_lies_beside_the_generated_files(package: str) -> None:
    committed = {path.name for path in (ROOT / package / "pb").iterdir() if path.is_file()}
    assert committed == {"__init__.py", *(name for owner, name in FILES if owner == package)}


@pytest.mark.parametrize(
    ("distribution", "file", "pattern"),
    [
        ("grpcio", "lang_pb2_grpc.py", r"GRPC_GENERATED_VERSION = '([\d.]+)'"),
        ("protobuf", "lang_pb2.py", r"Protobuf Python Version: ([\d.]+)"),
    ],
)
def test_lower_bound_is_not_below_what_the_generated_code_asks_for(distribution: str, file: str, pattern: str) -> None:
    generated = re.search(pattern, (ROOT / "langserver" / "pb" / file).read_text())
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    bound = re.search(rf"^{distribution}>=([\d.]+)", "\n".join(dependencies), re.MULTILINE)
    assert generated is not None
    assert bound is not None
    assert _numbers(bound[1]) >= _numbers(generated[1])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
