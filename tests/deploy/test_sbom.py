"""The list of what the image gets: valid, complete, and the same each time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from langserver import __version__
from tests.deploy.published import DEPLOY, ROOT, complaints, cyclonedx
from tests.repo.test_locks import canonical, pins


def written(folder: Path) -> str:
    target = folder / "made" / "langserver.cdx.json"
    subprocess.run([sys.executable, DEPLOY / "sbom.py", target], check=True, timeout=60, cwd=folder)
    return target.read_text()


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written(tmp_path_factory.mktemp("sbom")))
    return found


@pytest.fixture(scope="module")
def components(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {component["purl"]: component for component in document["components"]}


def test_it_is_what_cyclonedx_publishes(document: dict[str, Any]) -> None:
    assert complaints(cyclonedx(), document) == []
    assert complaints(cyclonedx(), {**document, "components": [{"name": "no type"}]}) != []


def test_it_is_of_this_version(document: dict[str, Any]) -> None:
    about = document["metadata"]["component"]
    assert (about["name"], about["version"]) == ("langserver", __version__)


def test_every_wheel_of_the_lock_is_in_it(components: dict[str, dict[str, Any]]) -> None:
    locked = {f"pkg:pypi/{name}@{rest.split(' ')[0]}" for name, rest in pins("requirements.lock").items()}
    assert {purl for purl in components if purl.startswith("pkg:pypi/")} == locked
    for entry in re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text().rstrip()):
        name, version = re.match(r"(\S+?)==(\S+)", entry).groups()
        listed = components[f"pkg:pypi/{canonical(name)}@{version}"]
        assert {one["content"] for one in listed["hashes"]} == set(re.findall(r"sha256:(\w{64})", entry))


def test_what_only_some_pythons_need_is_optional(components: dict[str, dict[str, Any]]) -> None:
    pinned = pins("requirements.lock").items()
    of_some = {name for name, rest in pinned if re.search(r"\bpython_(full_)?version\b", rest)}
    assert {one["name"] for one in components.values() if one.get("scope") == "optional"} == of_some
    assert of_some, "else nothing was tried"


def test_every_package_in_a_bundle_is_in_it(components: dict[str, dict[str, Any]]) -> None:
    manifest = json.loads((ROOT / "langserver/js_runtime/vendor/manifest.json").read_text())
    bundled = {name for bundle in manifest["bundles"].values() for name in bundle["packages"]}
    found = {one["name"]: one for purl, one in components.items() if purl.startswith("pkg:npm/")}
    assert found.keys() == bundled
    for name, one in found.items():
        assert one["version"] == manifest["packages"][name]["version"]
        (hashed,) = one["hashes"]
        assert (hashed["alg"], len(hashed["content"])) == ("SHA-512", 128)


def test_each_has_name_version_licence_and_hash(components: dict[str, dict[str, Any]]) -> None:
    for one in components.values():
        assert one["name"]
        assert one["version"]
        assert [licence["expression"] for licence in one["licenses"]] != [""]
        assert one["hashes"]


def test_who_needs_whom(document: dict[str, Any]) -> None:
    needed = {one["ref"].rpartition("@")[0]: one["dependsOn"] for one in document["dependencies"]}
    names = {ref: {other.rpartition("@")[0] for other in others} for ref, others in needed.items()}
    assert {"pkg:pypi/grpcio", "pkg:pypi/mini-racer", "pkg:npm/acorn"} <= names["pkg:pypi/langserver"]
    assert "pkg:pypi/pydantic-core" in names["pkg:pypi/pydantic"]
    reached, left = set(), ["pkg:pypi/langserver"]
    while left:
        ref = left.pop()
        if ref not in reached:
            reached.add(ref)
            left += names[ref]
    assert reached == names.keys(), "something is in it that nothing needs"


def test_the_same_tree_gives_the_same_bytes(tmp_path: Path, document: dict[str, Any]) -> None:
    assert json.loads(written(tmp_path)) == document
