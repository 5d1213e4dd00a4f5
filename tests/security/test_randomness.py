"""Nobody can tell a task's random numbers from a sibling's, nor from the time; a seed repeats what it names, only."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from langserver.sandbox.layers import POLICY
from langserver.zygote.child_handle import Child
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import OneZygote, one_zygote, output
from tests.security.layers import AVAILABLE, HAS_LANDLOCK, ROOT
from tests.security.traces import traced

EVERY = frozenset(name for name, status in AVAILABLE.items() if status.available)
DEVICE = "/dev/urandom"
EACCES = -13


def test_v8_reads_the_entropy_device_whenever_it_tries() -> None:
    trace = traced("js", "function main() { return Math.random() }")
    results = [result for path, result in trace["opened"] if path == DEVICE]
    assert results, "it does not ask the kernel another way"
    assert min(results) >= 0
    assert trace["ok"]


@pytest.mark.skipif(not HAS_LANDLOCK, reason="landlock alone could keep it from the device, and this kernel has none")
def test_without_it_v8_goes_on_with_the_time_and_says_nothing() -> None:
    """Hence the test above, and the one of the start."""
    trace = traced("js", "function main() { return Math.random() }", "shut")
    assert {result for path, result in trace["opened"] if path == DEVICE} == {EACCES}
    assert trace["ok"]


# The library's generators, and where else bytes are kept that should be nobody's: found, not listed.
PYTHON = """
import gc, os, random, secrets, ssl, tempfile, uuid
def main():
    gc.unfreeze()
    kept = [each for each in gc.get_objects() if isinstance(each, random.Random) and type(each) is random.Random]
    assert random._inst in kept
    return {
        "kept": [hash(each.getstate()) for each in kept],
        "new": random.Random().random(),
        "random": random.random(),
        "randbytes": random.randbytes(8).hex(),
        "system": random.SystemRandom().random(),
        "secrets": secrets.token_hex(8),
        "urandom": os.urandom(8).hex(),
        "uuid4": str(uuid.uuid4()),
        "uuid1": str(uuid.uuid1()),
        "tempfile": next(tempfile._get_candidate_names()),
        "ssl": ssl.RAND_bytes(8).hex(),
    }
"""
GUARDED = """
import random, secrets, uuid
def main():
    return {
        "random": [random.random(), random.gauss(0, 1), random.sample(range(99), 5), random.randbytes(8).hex()],
        "new": random.Random().random(),
        "system": [random.SystemRandom().random(), secrets.SystemRandom().random()],
        "secrets": [secrets.token_hex(8), secrets.randbelow(1 << 60)],
        "uuid4": str(uuid.uuid4()),
        "uuid1": [str(uuid.uuid1()), uuid.getnode()],
    }
"""
JAVASCRIPT = """
function main() {
  const found = { random: [Math.random(), Math.random()] };
  if (typeof crypto !== 'undefined') found.crypto = [crypto.randomUUID(), ...crypto.getRandomValues(new Uint8Array(9))];
  return found;
}
"""
PROGRAMS = [
    pytest.param("python", PYTHON, frozenset[str](), id="plain python"),
    pytest.param("python", GUARDED, EVERY, id="python"),
    pytest.param("js", JAVASCRIPT, EVERY, id="js"),
]


class Warm(OneZygote):
    """Children that were made and sealed before there was a task for any of them."""

    def __init__(self, zygote: OneZygote, children: Sequence[Child]) -> None:
        super().__init__(zygote.zygote)
        self._waiting = list(children)

    async def take(self) -> Child:
        return self._waiting.pop()


@asynccontextmanager
async def supply_of(runtime: str, layers: frozenset[str], warm: int) -> AsyncIterator[OneZygote]:
    async with one_zygote(runtime, layers) as cold:
        yield Warm(cold, [await cold.take() for _ in range(warm)]) if warm else cold


def numbers(results: Sequence[dict], name: str) -> list[str]:
    return [json.dumps(result[name]) for result in results]


@pytest.mark.parametrize("warm", [0, 3])
@pytest.mark.parametrize(("runtime", "source", "layers"), PROGRAMS)
async def test_no_sibling_draws_what_another_draws(
    runtime: str, source: str, layers: frozenset[str], warm: int
) -> None:
    async with supply_of(runtime, layers, warm) as supply:
        results = [output(await supply.run(TaskRequest(runtime, source))) for _ in range(3)]
    for name in results[0]:
        assert len(set(numbers(results, name))) == 3, name
    for generators in zip(*(result.get("kept", []) for result in results), strict=True):
        assert len(set(generators)) == 3


@pytest.mark.parametrize("warm", [0, 2])
@pytest.mark.parametrize(("runtime", "source", "layers"), PROGRAMS)
async def test_a_seed_repeats_ordinary_numbers_and_no_secrets(
    runtime: str, source: str, layers: frozenset[str], warm: int
) -> None:
    async with supply_of(runtime, layers, warm) as supply:
        results = [output(await supply.run(TaskRequest(runtime, source, seed=7))) for _ in range(2)]
    repeated = {name for name in results[0] if len(set(numbers(results, name))) == 1}
    assert repeated == {"random"} | ({"randbytes", "kept"} & results[0].keys())


LISTED = """
import gc, json, random, sys
from langserver.python_runtime import PythonRuntime
PythonRuntime(policy=sys.argv[1] == "policy").preload()
found = [each for each in gc.get_objects() if isinstance(each, random.Random)]
print(json.dumps([type(each).__name__ for each in found if each is not random._inst]))
"""


@pytest.mark.parametrize("policy", [POLICY, "none"])
def test_a_zygote_holds_one_generator_and_that_is_reseeded(policy: str) -> None:
    """Every other one asks the kernel each time."""
    done = subprocess.run(
        [sys.executable, "-c", LISTED, policy], capture_output=True, text=True, timeout=60, cwd=ROOT, check=True
    )
    assert set(json.loads(done.stdout)) <= {"SystemRandom"}


async def test_texts_hash_otherwise_in_another_zygote() -> None:
    """Within one they hash alike: a fork has the secret of its parent. So a seed repeats no order of a set."""
    hashes = []
    for _ in range(2):
        async with one_zygote("python", EVERY) as supply:
            request = TaskRequest("python", "def main(): return hash('text')", seed=7)
            hashes.append([output(await supply.run(request)) for _ in range(2)])
    (first, second), (third, _) = hashes
    assert first == second != third
