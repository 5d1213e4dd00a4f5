"""Each fuzz target over its seeds, over what fuzzing once found, and over seeds that are changed at random."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
TARGETS = sorted(path.stem for path in (HERE / "targets").glob("*.py"))
FOUND = sorted((HERE / "found").glob("*/*"))
# How often a seed is changed: what runs through an event loop takes milliseconds.
EXAMPLES = {"execution": 150, "zygote": 150, "ready": 150}


def target(name: str) -> ModuleType:
    return importlib.import_module(f"tests.fuzz.targets.{name}")


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    module = target(name)
    for seed in module.seeds():
        module.check(seed)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_stays_mended(path: Path) -> None:
    target(path.parent.name).check(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_changed_seeds(name: str) -> None:
    module = target(name)

    @settings(max_examples=EXAMPLES.get(name, 500), suppress_health_check=[HealthCheck.too_slow])
    @given(changed(module.seeds()))
    def holds(data: bytes) -> None:
        module.check(data)

    holds()


def changed(seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """Two seeds, cut and joined, with a few bytes replaced, put in, left out or repeated."""
    change = st.tuples(st.integers(0, 200), st.integers(0, 8), st.binary(max_size=8), st.integers(0, 3))
    seed = st.sampled_from(seeds)
    return st.builds(_change, seed, seed, st.integers(0, 300), st.lists(change, max_size=6))


def _change(first: bytes, second: bytes, at: int, changes: list[tuple[int, int, bytes, int]]) -> bytes:
    data = bytearray(first[: at % (len(first) + 1)] + second[at % (len(second) + 1) :] if at % 2 else first)
    for place, length, new, times in changes:
        start = place % (len(data) + 1)
        data[start : start + length] = new or bytes(data[start : start + length]) * times
    return bytes(data[:8192])
