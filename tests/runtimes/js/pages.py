"""A process that takes rights away from pages of its own, as the engine does with V8's, and prints what became of it.

Started as `python -I pages.py ROOT DEED LIBRARY`.

DEED is the method of ExecutableMemory: `finish` of a page that may be written and executed, `shorten` of a range as V8
reserves it. LIBRARY is how the C library is: `honest`; `own-answers`, where functions that may be answered without the
kernel end the process when they are called, as one does that writes to a page where nobody may; `liar`, whose mprotect
says that it was done. Prints `taken` and the signal of which a process dies that writes there, or the refusal.
"""

from __future__ import annotations

import ctypes
import os
import sys

sys.path.insert(0, sys.argv[1])

from langserver.core.verdict import CODE_BYTES
from langserver.js_runtime.engine import EngineError
from langserver.js_runtime.executable import ExecutableMemory

PAGE = os.sysconf("SC_PAGE_SIZE")
READ, WRITE, EXECUTE = 1, 2, 4
PRIVATE, ANONYMOUS, NORESERVE = 0x2, 0x20, 0x4000
LAST_PAGES = 3
# getrandom and the clocks a vDSO answers (vdso(7); glibc's NEWS for 2.41), but clocks that the interpreter itself needs
# are left out; nanosleep is one more by which the kernel can be had to look at a page.
MAY_ANSWER = ("getrandom", "getentropy", "clock_getres", "nanosleep", "clock_nanosleep")
DIES, SAYS_DONE = {
    "x86_64": (bytes.fromhex("0f0b"), bytes.fromhex("31c0c3")),  # ud2; xor eax, eax and ret
    "aarch64": (bytes.fromhex("00000000"), bytes.fromhex("00008052c0035fd6")),  # udf #0; mov w0, #0 and ret
}[os.uname().machine]

library = ctypes.CDLL(None, use_errno=True)
library.mmap.restype = ctypes.c_void_p
library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def new_pages(size: int, rights: int) -> int:
    start = library.mmap(None, size, rights, PRIVATE | ANONYMOUS | NORESERVE, -1, 0)
    assert start not in {None, ctypes.c_void_p(-1).value}
    return start


def rewrite(name: str, code: bytes) -> None:
    """Puts `code` where a function of the C library begins."""
    start = ctypes.cast(library[name], ctypes.c_void_p).value
    assert start is not None
    first = start // PAGE * PAGE
    pages = start + len(code) - first
    assert library.mprotect(first, pages, READ | WRITE | EXECUTE) == 0
    ctypes.memmove(start, code, len(code))


def end_of_a_writer(address: int) -> int:
    """The signal of which a process dies that writes there, 0 for none."""
    pid = os.fork()
    if pid == 0:
        ctypes.memset(address, 0, 1)
        os._exit(0)
    return os.WTERMSIG(os.waitpid(pid, 0)[1])


def main() -> None:
    _, _, deed, kind = sys.argv
    size = PAGE if deed == "finish" else CODE_BYTES + LAST_PAGES * PAGE
    start = new_pages(size, READ | WRITE | EXECUTE)
    last = start + size - PAGE
    assert end_of_a_writer(last) == 0
    memory = ExecutableMemory()
    if kind == "own-answers":
        for name in MAY_ANSWER:
            rewrite(name, DIES)
    elif kind == "liar":
        rewrite("mprotect", SAYS_DONE)
    try:
        if deed == "finish":
            memory.finish(ctypes.c_void_p(start))
        else:
            memory.shorten(start, size)
    except EngineError as error:
        os.write(1, str(error).encode())
        return
    if deed == "shorten":
        assert end_of_a_writer(start + CODE_BYTES - PAGE) == 0, "more was taken than was to be"
        assert end_of_a_writer(start + CODE_BYTES) == end_of_a_writer(last)
    os.write(1, f"taken {end_of_a_writer(last)}".encode())


main()
