"""A second seccomp filter, put on before the jail's own: of two answers the kernel takes the stricter one (seccomp(2)).

So a call that the jail's filter allows can be made deadly in one child, with the jail as it is, and whoever makes the
call is found out.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from langserver.sandbox import bpf, libc, seccomp
from langserver.sandbox.bpf import Is, Item, Jump, Label
from langserver.sandbox.syscalls import NUMBERS, native_architecture
from tests.sandbox.numbers import OTHERS

ARCH = native_architecture()
assert ARCH is not None, "no seccomp numbers for this architecture"

Call = tuple[str, tuple[Is, ...]]  # its name, and what its arguments are


def filter_answering(action: int, calls: Iterable[Call]) -> bytes:
    """A filter that gives this answer to these calls and allows all others."""
    items: list[Item] = []
    for place, (name, conditions) in enumerate(calls):
        number = (NUMBERS | OTHERS)[name][ARCH.column]
        assert number is not None, f"{name} is no call of this architecture"
        past = f"not {place}"
        items += [bpf.load(bpf.OFFSET_NUMBER), Jump(bpf.JUMP_EQUAL, number, None, past)]
        for condition in conditions:
            items += bpf.check(condition, past)
        items += [bpf.answer(action), Label(past)]
    return bpf.encode(bpf.assemble([*items, bpf.answer(seccomp.ALLOW)]))


def install(program: bytes) -> None:
    """Puts it on every thread. Needs no_new_privs."""
    buffer = ctypes.create_string_buffer(program, len(program))
    prog = seccomp._Program(len(program) // 8, ctypes.addressof(buffer))
    number = seccomp._SYS_SECCOMP[ARCH.name]
    flags = seccomp._FLAG_TSYNC | seccomp._FLAG_TSYNC_ESRCH
    assert libc.syscall(number, seccomp._SET_MODE_FILTER, flags, ctypes.addressof(prog)) == 0


class Both:
    """In the place of a jail's filter: a second one, then the jail's own."""

    def __init__(self, second: bytes, own: seccomp.Filter) -> None:
        self._second = second
        self._own = own

    def apply(self) -> None:
        install(self._second)
        self._own.apply()
