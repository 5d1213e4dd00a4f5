"""Runs a command that finds no vDSO, as on a host whose clock only the kernel can read: `without_vdso.py COMMAND...`.

There clock_gettime and gettimeofday are system calls; with a vDSO they are none, and no test would see them (vdso(7)).
The kernel tells a program of its vDSO in the auxiliary vector on its stack: that entry is struck out before the first
instruction runs. Ends with status NO_TRACE where one process may not trace another.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

NO_TRACE = 77
TRACE_ME, DETACH = 0, 17  # linux/ptrace.h
IGNORE, END, VDSO = 1, 0, 33  # linux/auxvec.h: AT_IGNORE, AT_NULL, AT_SYSINFO_EHDR
WORD = struct.calcsize("P")
START_OF_STACK = 28  # proc_pid_stat(5)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def ptrace(request: int, pid: int) -> None:
    if _libc.ptrace(request, pid, None, None) == -1:
        os._exit(NO_TRACE)


def strike_out(pid: int) -> None:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        place = int(stat.read().rpartition(")")[2].split()[START_OF_STACK - 3])
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        memory.seek(place)
        found = memory.read(1024 * WORD)
        words = struct.unpack_from(f"{len(found) // WORD}P", found)
        at = words.index(0, 1) + 1  # argc, the arguments, a null
        at = words.index(0, at) + 1  # the environment, a null
        while words[at] != END:
            if words[at] == VDSO:
                memory.seek(place + at * WORD)
                memory.write(struct.pack("P", IGNORE))
                return
            at += 2


def main() -> None:
    pid = os.fork()
    if pid == 0:
        ptrace(TRACE_ME, 0)
        os.execve(sys.argv[1], sys.argv[1:], {})
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        os._exit(os.waitstatus_to_exitcode(status))
    strike_out(pid)
    ptrace(DETACH, pid)
    _, status = os.waitpid(pid, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    main()
