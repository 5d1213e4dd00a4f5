"""The locks: complete, hashed, free of addresses, and the image's a part of the developers'."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-fuzz.lock", "requirements-peers.lock")


def pins(lock: str) -> dict[str, str]:
    """Distribution to its exact version and marker."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==(.+?) \\$", (ROOT / lock).read_text(), re.MULTILINE)
    return {canonical(name): rest for name, rest in found}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_exact_and_hashed(lock: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text().rstrip())
    assert len(entries) >= 3
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


@pytest.mark.parametrize("lock", LOCKS)
def test_no_address_of_an_index(lock: str) -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links", (ROOT / lock).read_text())


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_abandoned_distribution_of_the_same_import_name_is_absent(lock: str) -> None:
    assert "mini-racer" in pins(lock)
    assert "py-mini-racer" not in pins(lock)


def test_declared_dependencies_are_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    assert names([*project["dependencies"], *extras["reflection"]]) <= pins("requirements.lock").keys()
    assert names(extras["dev"]) - {"langserver"} <= pins("requirements-dev.lock").keys()


def test_tests_run_with_what_the_image_gets() -> None:
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


def test_fuzzing_is_of_what_is_tested_and_its_engine_is_nowhere_else() -> None:
    fuzz, tested = pins("requirements-fuzz.lock"), pins("requirements-dev.lock")
    assert fuzz.keys() - tested.keys() == {"atheris"}
    assert all(fuzz[name] == tested[name] for name in fuzz.keys() & tested.keys())


def test_nothing_of_the_product_needs_a_peer() -> None:
    assert "pydantic-monty" in pins("requirements-peers.lock")
    assert not [name for lock in LOCKS[:3] for name in pins(lock) if "monty" in name]


def test_the_peers_of_npm_are_locked_with_hashes_and_without_addresses() -> None:
    text = (ROOT / "bench" / "peers" / "package-lock.json").read_text()
    assert "://" not in text, "write it by `make lock-js`"
    packages = json.loads(text)["packages"]
    assert (
        packages.pop("")["dependencies"] == json.loads((ROOT / "bench/peers/package.json").read_text())["dependencies"]
    )
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())


def names(requirements: list[str]) -> set[str]:
    return {canonical(re.split(r"[\[<>=!~; ]", requirement)[0]) for requirement in requirements}
