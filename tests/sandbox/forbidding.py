"""Runs a command in a process in which one system call answers EPERM, as under a container's seccomp profile.

Started as `python -I forbidding.py ROOT CALL COMMAND...`.
"""

from __future__ import annotations

import ctypes
import os
import sys

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import confine, libc, seccomp
from langserver.sandbox.bpf import JUMP_EQUAL, OFFSET_NUMBER, Jump, Label, answer, assemble, encode, load
from langserver.sandbox.syscalls import native_architecture, number_of


def main() -> None:
    _, _, call, *command = sys.argv
    arch = native_architecture()
    number = number_of(call, arch)
    program = encode(
        assemble(
            [
                load(OFFSET_NUMBER),
                Jump(JUMP_EQUAL, number, None, "other"),
                answer(seccomp.DENY),
                Label("other"),
                answer(seccomp.ALLOW),
            ]
        )
    )
    buffer = ctypes.create_string_buffer(program, len(program))
    prog = seccomp._Program(len(program) // 8, ctypes.addressof(buffer))
    confine.forbid_new_privileges()
    libc.syscall(seccomp._SYS_SECCOMP[arch.name], 1, 0, ctypes.addressof(prog))
    os.execv(command[0], command)


main()
