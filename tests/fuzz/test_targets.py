"""Each fuzz target over its seeds, over what fuzzing once found, and over seeds that are changed at random."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
TARGETS = sorted(path.stem for path in (HERE / "targets").glob("*.py"))
FOUND = sorted((HERE / "found").glob("*/*"))
LONGEST = 8192
# How often a seed is changed: what runs through an event loop takes milliseconds.
EXAMPLES = {"execution": 150, "forms": 150, "zygote": 150}


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
    seeds = module.seeds()

    @settings(max_examples=EXAMPLES.get(name, 500))
    @given(st.integers(0, 2**64 - 1))
    def holds(number: int) -> None:
        data = changed(seeds, random.Random(number))
        note(f"python -c 'from tests.fuzz.targets import {name} as t; t.check({data!r})'")
        module.check(data)

    holds()


def changed(seeds: list[bytes], chance: random.Random) -> bytes:
    """Two seeds, cut and joined, with a few bytes replaced, put in, left out or repeated."""
    first, second = chance.choice(seeds), chance.choice(seeds)
    data = bytearray(first)
    if chance.random() < 0.5:
        data[chance.randint(0, len(first)) :] = second[chance.randint(0, len(second)) :]
    for _ in range(chance.randint(0, 6)):
        start = chance.randint(0, len(data))
        end = start + chance.randint(0, 8)
        old, new = bytes(data[start:end]), chance.randbytes(chance.randint(1, 8))
        data[start:end] = chance.choice([new, new + old, b"", old * 3])
    return bytes(data[:LONGEST])
