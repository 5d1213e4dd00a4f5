"""What siblings share, and that it ends with their zygote: a layout, learned in one task, is worth nothing after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from langserver.sandbox.layers import PRIVILEGES
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import OneZygote, one_zygote, output
from tests.security.layers import AVAILABLE

EVERY = frozenset(name for name, status in AVAILABLE.items() if status.available)
IS_RANDOM = Path("/proc/sys/kernel/randomize_va_space").read_text().strip() != "0"

# A program's own means: an address, and the secret of its dictionaries.
LEARN = "class A: pass\nresult = [id(len), id(A), hash('a'), hash(b'a')]"
ONE = {"python": "result = 1", "js": "1"}
LIBRARY = {"python": "libc", "js": "libmini_racer.so"}


def maps_of(pid: int) -> list[list[str]]:
    """The fields of each mapping: proc_pid_maps(5)."""
    return [line.split() for line in Path(f"/proc/{pid}/maps").read_text().splitlines()]


async def child_maps(supply: OneZygote) -> list[list[str]]:
    """Of a child that waits, sealed."""
    child = await supply.take()
    maps = maps_of(child.pid)
    child.kill()
    await child.exit
    supply.done(child)
    return maps


def places(maps: list[list[str]], runtime: str) -> tuple[str, ...]:
    """Where heap and library lie. Of the heap the beginning: what a fork adds while it warms up is a mapping more."""
    starts = [(fields[0].partition("-")[0], fields[-1]) for fields in maps]
    heap = [start for start, name in starts if name == "[heap]"]
    return (*heap[:1], *(start for start, name in starts if LIBRARY[runtime] in name))


@pytest.mark.skipif(not IS_RANDOM, reason="this kernel lays out every process alike (kernel.randomize_va_space is 0)")
@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_another_zygote_lies_elsewhere(runtime: str) -> None:
    seen = []
    for _ in range(2):
        # Without the layer they are dumpable, so that this test may look in.
        async with one_zygote(runtime, EVERY - {PRIVILEGES}) as supply:
            first, second = [places(await child_maps(supply), runtime) for _ in range(2)]
            assert first == second
            seen.append(first)
    assert len(seen[0]) >= 4
    assert set(seen[0]).isdisjoint(seen[1])


@pytest.mark.skipif(not IS_RANDOM, reason="this kernel lays out every process alike (kernel.randomize_va_space is 0)")
async def test_what_a_program_learned_holds_for_its_siblings_only() -> None:
    learned = []
    for _ in range(2):
        async with one_zygote("python", EVERY) as supply:
            first, second = [output(await supply.run(TaskRequest("python", LEARN))) for _ in range(2)]
            assert first[0] == second[0]
            assert first[2:] == second[2:]
            learned.append(first)
    assert all(ours != theirs for ours, theirs in zip(*learned, strict=True))


async def test_no_page_of_a_python_child_is_writable_and_executable() -> None:
    """Of a JavaScript one: test_seen_from_outside.py."""
    async with one_zygote("python", EVERY - {PRIVILEGES}) as supply:
        rights = [fields[1] for fields in await child_maps(supply)]
    assert "r-xp" in rights
    assert [each for each in rights if "w" in each and "x" in each] == []
