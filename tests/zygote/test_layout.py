"""A zygote's memory: in one piece, and in large pages where the kernel makes them."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Each load of a library puts its file between what was there and what comes.
MAPPINGS_OF_OBJECTS = """
import bisect, mmap, tempfile
from contextlib import nullcontext
from langserver.sandbox.proc import Proc
from langserver.zygote.layout import side_by_side

with {context}():
    objects, files = [], []
    for _ in range(8):
        objects += [bytes(400) for _ in range(2400)]
        with tempfile.TemporaryFile() as file:
            file.truncate(1 << 21)
            files.append(mmap.mmap(file.fileno(), 1 << 21, prot=mmap.PROT_READ))
memory = sorted(Proc().anonymous_memory())
print(len({{bisect.bisect(memory, (id(each), 1 << 63)) for each in objects}}))
"""


def mappings(context: str) -> int:
    script = MAPPINGS_OF_OBJECTS.format(context=context)
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_what_is_made_inside_lies_side_by_side() -> None:
    assert mappings("side_by_side") < mappings("nullcontext")


ENLARGED = """
import ctypes, mmap, sys
from langserver.sandbox import libc
from langserver.sandbox.proc import Proc
from langserver.zygote.layout import enlarge_pages

MIB = 1 << 20

def large():
    with open("/proc/self/smaps_rollup") as sizes:
        return next(int(line.split()[1]) for line in sizes if line.startswith("AnonHugePages"))

def area():
    made = mmap.mmap(-1, 16 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    made[:] = bytes(range(256)) * (16 * MIB // 256)
    return made

first = area()
start = ctypes.addressof(ctypes.c_char.from_buffer(first))
try:
    libc.madvise(-(-start // (2 * MIB)) * 2 * MIB, 2 * MIB, libc.MADV_COLLAPSE)
    can = True
except OSError:
    can = False
second, before = area(), large()
enlarge_pages(Proc())
assert second[:] == bytes(range(256)) * (16 * MIB // 256)
print(int(can), int(large() > before))
"""


def test_memory_is_in_large_pages_as_far_as_the_kernel_makes_them_and_holds_what_it_held() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", ENLARGED], capture_output=True, text=True, check=True)
    can, has = done.stdout.split()
    assert has == can


@pytest.mark.parametrize("shown", [True, False])
def test_a_zygote_that_may_not_see_its_memory_does_without(shown: bool) -> None:
    script = (
        "from langserver.sandbox.proc import Proc\nfrom langserver.zygote.layout import enlarge_pages\n"
        f"enlarge_pages(Proc({None if shown else 0}))\n"
    )
    subprocess.run([sys.executable, "-I", "-c", script], stdin=subprocess.DEVNULL, check=True)
