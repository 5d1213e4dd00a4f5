"""A child that takes memory by ways around its limit: `hoarder.py ROOT RUNTIME LAYERS WAY [DOOR]`.

Prints its pid and the bytes that an idle child holds, and, when the child has taken what it gets, how many MiB those
are, or `gone`. The child lives until the end of standard input. What counts is what the kernel shows of it from
outside: resident pages and page tables.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import libc, rlimits
from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.layers import RLIMITS, parse_layers
from langserver.sandbox.proc import Proc, held_bytes

MIB = 1 << 20
LIMIT = 64 * MIB
WANTED = 256 * MIB
RW, NO_ACCESS, PRIVATE, SHARED, FIXED, GROWS_DOWN, NO_RESERVE = 3, 0, 0x22, 0x21, 0x10, 0x100, 0x4000
MMAP, MPROTECT, MUNMAP, MREMAP, MADVISE = ((9, 222), (10, 226), (11, 215), (25, 216), (28, 233))
COLUMN = ("x86_64", "aarch64").index(os.uname().machine)


def call(numbers: tuple[int, int], *arguments: int) -> int:
    return libc.syscall(numbers[COLUMN], *arguments)


def touch(start: int, size: int) -> None:
    for at in range(start, start + size, 4096):
        ctypes.c_char.from_address(at).value = b"x"


def ordinary(flags: int = PRIVATE) -> None:
    for _ in range(WANTED // MIB):
        touch(call(MMAP, 0, MIB, RW, flags, -1, 0), MIB)


def shared() -> None:
    """Shared pages are no data to RLIMIT_DATA."""
    ordinary(SHARED)


def grow_down() -> None:
    """Nor is a mapping that could grow like a stack."""
    ordinary(PRIVATE | GROWS_DOWN)


def forget_rights() -> None:
    """Pages without rights are no data to RLIMIT_DATA, and stay."""
    for _ in range(WANTED // MIB):
        start = call(MMAP, 0, MIB, RW, PRIVATE, -1, 0)
        touch(start, MIB)
        call(MPROTECT, start, MIB, NO_ACCESS)


def move_stack() -> None:
    """Nor is a stack, however long it is made."""
    with open("/proc/self/maps") as maps:
        low, high = next(line.split()[0].split("-") for line in maps if "[stack]" in line)
    global stack
    stack = int(low, 16), int(high, 16)


def use_moved_stack() -> None:
    touch(call(MREMAP, stack[0], 4096, WANTED, 1), WANTED)


def cut_stack() -> None:
    """Nor is each half of a stack that was cut, and each may be as long as a whole one."""
    longest, bottom = 8 * MIB, stack[1] - 8 * MIB
    touch(bottom, 4096)
    for _ in range(WANTED // longest):
        call(MUNMAP, bottom + 4096, 4096)
        bottom += 4096 - longest
        touch(bottom, longest - 4096)


def scatter() -> None:
    """A page in each GiB costs a page table each; the pages themselves go back."""
    for number in range(WANTED // 4096):
        start = (0x100 + number % 0x7000) << 30 | number // 0x7000 << 21
        call(MMAP, start, 4096, NO_ACCESS, PRIVATE | FIXED, -1, 0)  # as V8 does; with rights it would be refused
        call(MPROTECT, start, 4096, RW)
        ctypes.c_char.from_address(start).value = b"x"
        call(MADVISE, start, 4096, 4)


def give_back() -> None:
    """Each page is given back before the next one is taken; the table that it was in stays."""
    start = call(MMAP, 0, WANTED * 512, NO_ACCESS, PRIVATE | NO_RESERVE, -1, 0)
    call(MMAP, start, WANTED * 512, NO_ACCESS, PRIVATE | FIXED, -1, 0)  # so that what is given back merges with it
    for at in range(start, start + WANTED * 512, 2 * MIB):
        call(MPROTECT, at, 4096, RW)
        ctypes.c_char.from_address(at).value = b"x"
        call(MMAP, at, 4096, NO_ACCESS, PRIVATE | FIXED, -1, 0)


def reserve(flags: int = PRIVATE) -> None:
    """What is reserved without rights is counted when it gets some."""
    start = call(MMAP, 0, WANTED, NO_ACCESS, flags, -1, 0)
    for at in range(start, start + WANTED, MIB):
        call(MPROTECT, at, MIB, RW)
        touch(at, MIB)


def reserve_no_swap() -> None:
    """Nor does it help to ask that no swap be set aside for it."""
    reserve(PRIVATE | NO_RESERVE)


stack = 0, 0
WAYS = {
    "ordinary": ordinary,
    "reserve": reserve,
    "reserve_no_swap": reserve_no_swap,
    "shared": shared,
    "grow_down": grow_down,
    "forget_rights": forget_rights,
    "move_stack": use_moved_stack,
    "cut_stack": cut_stack,
    "scatter": scatter,
    "give_back": give_back,
}


def held(pid: int | str) -> int:
    with open(f"/proc/{pid}/status") as status:
        text = status.read()
    return sum(int(re.findall(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)[0]) for field in ("VmRSS", "VmPTE"))


def size(field: str) -> int:
    with open("/proc/self/status") as status:
        return int(re.findall(rf"^{field}:\s+(\d+) kB", status.read(), re.MULTILINE)[0]) << 10


def main() -> None:
    _, _, runtime, layers, way, *door = sys.argv
    jail = Jail(runtime, parse_layers(layers), Proc())
    if RLIMITS in jail.layers:
        rlimits.set_zygote(jail.proc)
    move_stack()
    idle, ceiling = held("self"), size("VmData" if runtime == "js" else "VmSize") + LIMIT
    limits = ChildLimits(ceiling, 60, *map(int, door))
    report_read, report_write = os.pipe()
    input_read, input_write = os.pipe()
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        jail.seal(report_write, input_read, parent, limits, lambda: None, lambda event: None)
        try:
            WAYS[way]()
        except (OSError, MemoryError):
            pass
        os.write(3, b"x")
        os.read(4, 1)
        os._exit(0)
    os.close(report_write)
    os.close(input_read)
    print(pid, held_bytes(Proc().status(os.getpid())), flush=True)
    print((held(pid) - idle) >> 10 if os.read(report_read, 1) else "gone", flush=True)
    sys.stdin.read()
    os.close(input_write)
    os.kill(pid, 9)
    os.waitpid(pid, 0)


main()
