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


# glibc's getrandom answers by itself from 2.41 on, where the kernel's vDSO has it (Linux 6.11), out of pages of the
# process: a key, and bytes in stock. They are the only droppable ones (MAP_DROPPABLE; `dp` in proc_pid_smaps(5)).
KEPT = """
import ctypes, os
def kept_by_libc():
    kept, ends = [], []
    with open("/proc/self/smaps") as smaps:
        for line in smaps:
            name, *words = line.split()
            if not name.endswith(":"):
                ends = [int(end, 16) for end in name.split("-")]
            elif name == "VmFlags:" and "dp" in words:
                kept.append(ctypes.string_at(ends[0], ends[1] - ends[0]))
    return kept
def drawn_by_libc(size):
    drawn = ctypes.create_string_buffer(size)
    assert ctypes.CDLL(None).getrandom(drawn, ctypes.c_size_t(size), 0) == size
    return drawn.raw.hex()
"""
# The library's generators, and where else bytes are kept that should be nobody's: found, not listed.
PYTHON = f"""{KEPT}
import gc, random, secrets, ssl, tempfile, uuid
"""
PYTHON += """
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
        "libc": drawn_by_libc(16),
        **{f"kept by libc {place}": pages.hex() for place, pages in enumerate(kept_by_libc())},
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

    async def take(self, makes_way: bool = False) -> Child:
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


FORKED = f"""{KEPT}
import json
drawn_by_libc(16)
reading, writing = os.pipe()
if os.fork() == 0:
    found = [any(pages) for pages in kept_by_libc()]
    os.write(writing, json.dumps([found, drawn_by_libc(16)]).encode())
    os._exit(0)
os.wait()
print(json.dumps([[any(pages) for pages in kept_by_libc()], *json.loads(os.read(reading, 4096)), drawn_by_libc(16)]))
"""


def test_a_fork_gets_nothing_of_what_libc_keeps_for_getrandom() -> None:
    """The kernel empties the pages (MADV_WIPEONFORK in madvise(2)), and the child's first draw asks it for a new key.

    Else all children of a zygote would draw the same, the first times.
    """
    done = subprocess.run([sys.executable, "-I", "-c", FORKED], capture_output=True, text=True, timeout=60, check=True)
    kept, inherited, childs, parents = json.loads(done.stdout)
    assert childs != parents
    if not kept:
        pytest.skip("this C library, or this kernel's vDSO, keeps nothing: each draw is a system call")
    assert all(kept)
    assert inherited
    assert not any(inherited)


# Only a process that has drawn nothing yet has no such pages: not even for the secret of its hashes.
KEEPS_NOTHING = f"""{KEPT}
import sys
sys.path.insert(0, sys.argv[1])
from langserver.sandbox import libc
from langserver.sandbox.seccomp import Filter
assert not kept_by_libc(), "it has drawn"
program, report = Filter("python"), os.dup2(1, 3)
libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
program.apply()
os.write(report, " ".join([drawn_by_libc(16), drawn_by_libc(16), os.urandom(16).hex(), os.urandom(16).hex()]).encode())
os._exit(0)
"""


def test_a_sealed_child_without_such_pages_asks_the_kernel_each_time() -> None:
    """Its filter refuses to map them, and the C library goes on without."""
    command = [sys.executable, "-s", "-P", "-c", KEEPS_NOTHING, str(ROOT)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True, env={"PYTHONHASHSEED": "0"}, cwd="/"
    )
    assert len(set(done.stdout.split())) == 4


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
