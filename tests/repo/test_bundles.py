"""The bundled JavaScript libraries are what their manifest says, and what `make bundles` makes of js/ today."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "langserver" / "js_runtime" / "vendor"
MANIFEST = json.loads((VENDOR / "manifest.json").read_text())
PERMISSIVE = {"MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0"}


def test_each_bundle_has_the_bytes_of_the_manifest_and_nothing_else_lies_there() -> None:
    hashes = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in VENDOR.glob("*.js")}
    assert hashes == {name: bundle["sha256"] for name, bundle in MANIFEST["bundles"].items()}
    others = {path.name for path in VENDOR.iterdir()} - {f"{name}.js" for name in hashes}
    assert others == {"manifest.json", "LICENSES.txt"}


def test_a_bundle_is_one_expression_of_ascii() -> None:
    for path in VENDOR.glob("*.js"):
        text = path.read_bytes().decode("ascii")
        assert text.startswith("(host)=>{"), path
        assert text.rstrip().endswith("return bundle}"), path


def test_every_package_is_pinned_permissive_and_its_licence_is_there() -> None:
    lock = json.loads((ROOT / "js" / "package-lock.json").read_text())["packages"]
    licences = (VENDOR / "LICENSES.txt").read_text()
    used = {name for bundle in MANIFEST["bundles"].values() for name in bundle["packages"]}
    assert used == set(MANIFEST["packages"])
    for name, package in MANIFEST["packages"].items():
        assert lock[f"node_modules/{name}"]["version"] == package["version"], name
        assert package["license"] in PERMISSIVE, name
        assert package["source"].startswith("https://"), name
        assert f"{name} {package['version']}\nlicence: {package['license']}\nsource: {package['source']}\n" in licences


def test_versions_are_exact_and_no_address_is_kept() -> None:
    wanted = json.loads((ROOT / "js" / "package.json").read_text())["devDependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted.values()), wanted
    text = (ROOT / "js" / "package-lock.json").read_text()
    assert "://" not in text, "write it by `make lock-js`"
    lock = json.loads(text)["packages"]
    assert [name for name, package in lock.items() if name and "integrity" not in package] == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_building_them_again_gives_the_same_bytes(tmp_path: Path) -> None:
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are not here: whether the bundles are what js/ builds was NOT tested")
    shutil.copytree(ROOT / "js", tmp_path / "js", ignore=shutil.ignore_patterns("node_modules"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    installed = subprocess.run(
        install, cwd=tmp_path / "js", env=environment, capture_output=True, text=True, check=False
    )
    if installed.returncode:
        pytest.skip(f"npm could install nothing, so the bundles were NOT built again: {installed.stderr[-300:]}")
    subprocess.run(["node", "build.mjs", str(tmp_path / "vendor")], cwd=tmp_path / "js", check=True, timeout=120)
    built = {path.name: path.read_bytes() for path in (tmp_path / "vendor").iterdir()}
    assert built == {path.name: path.read_bytes() for path in VENDOR.iterdir()}, "run `make bundles`"
