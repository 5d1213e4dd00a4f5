"""Layer `seccomp`: an allow-list of system calls, put on every thread of the child at once."""

from __future__ import annotations

import ctypes
import errno
from typing import Final

from langserver.sandbox import libc
from langserver.sandbox.bpf import (
    JUMP_AT_LEAST,
    JUMP_EQUAL,
    OFFSET_ARCH,
    OFFSET_NUMBER,
    Item,
    Jump,
    Label,
    answer,
    assemble,
    check,
    encode,
    load,
)
from langserver.sandbox.errors import LayerUnavailable, ReadBackError, SandboxError
from langserver.sandbox.layers import SECCOMP
from langserver.sandbox.syscall_rules import ALLOWED, KILLED, Rule
from langserver.sandbox.syscalls import X32_BIT, X86_64, Architecture, native_architecture, number_of

# linux/seccomp.h
KILL_PROCESS: Final = 0x80000000
ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
DENY: Final = _ERRNO | errno.EPERM
PRETEND: Final = _ERRNO | 0  # the call is not made and answers 0 (seccomp(2), SECCOMP_RET_ERRNO)
NOT_THERE: Final = _ERRNO | errno.ENOSYS

_SYS_SECCOMP: Final = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER: Final = 1
_GET_ACTION_AVAIL: Final = 2
_FLAG_TSYNC: Final = 1
_FLAG_TSYNC_ESRCH: Final = 16  # Linux 5.7: a thread that cannot follow is an error, not a positive return value


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def build_filter(runtime: str, arch: Architecture) -> bytes:
    """The filter of a runtime as an array of `struct sock_filter`. Raises KeyError for a runtime that has no list."""
    items: list[Item] = [load(OFFSET_ARCH), Jump(JUMP_EQUAL, arch.audit, "ours"), answer(KILL_PROCESS), Label("ours")]
    items.append(load(OFFSET_NUMBER))
    if arch is X86_64:
        items += [Jump(JUMP_AT_LEAST, X32_BIT, None, "not x32"), answer(KILL_PROCESS), Label("not x32")]
    for rule in ALLOWED[runtime]:
        items += _rule(rule, arch)
    for name in KILLED:
        items += _answer_call(name, arch, KILL_PROCESS)
    # clone3 has its flags in memory, where no filter can look; on ENOSYS glibc falls back to clone, which is refused.
    items += _answer_call("clone3", arch, NOT_THERE)
    items.append(answer(DENY))
    return encode(assemble(items))


def _answer_call(name: str, arch: Architecture, action: int) -> list[Item]:
    number = number_of(name, arch)
    if number is None:
        return []
    return [Jump(JUMP_EQUAL, number, None, f"not {name}"), answer(action), Label(f"not {name}")]


def _rule(rule: Rule, arch: Architecture) -> list[Item]:
    if not rule.ways:
        return _answer_call(rule.name, arch, ALLOW)
    number = number_of(rule.name, arch)
    if number is None:
        return []
    past = f"not {rule.name}"
    items: list[Item] = [Jump(JUMP_EQUAL, number, None, past)]
    for place, way in enumerate(rule.ways):
        other = f"not way {place} of {rule.name}"
        for condition in way.conditions:
            items += check(condition, other)
        items += [answer(PRETEND if way.pretended else ALLOW), Label(other)]
    # The block ends with an answer: the accumulator holds an argument here, no later compare may see it.
    return [*items, answer(DENY), Label(past)]


class Filter:
    """A filter ready to be put on: built in the zygote, so that a child only makes the call."""

    def __init__(self, runtime: str) -> None:
        """Raises LayerUnavailable when this host cannot give the layer."""
        arch = native_architecture()
        reason = unavailable()
        if arch is None or reason is not None:
            raise LayerUnavailable(SECCOMP, reason or "unknown architecture")
        program = build_filter(runtime, arch)
        # Kept alive by this object: the kernel follows the pointer at `apply`.
        self._buffer = ctypes.create_string_buffer(program, len(program))
        self._program = _Program(len(program) // 8, ctypes.addressof(self._buffer))
        self._seccomp = _SYS_SECCOMP[arch.name]
        denied = number_of("getppid", arch)
        assert denied is not None
        self._denied = denied

    def apply(self) -> None:
        """Puts the filter on every thread. Needs no_new_privs. Raises OSError or ReadBackError."""
        flags = _FLAG_TSYNC | _FLAG_TSYNC_ESRCH
        result = libc.syscall(self._seccomp, _SET_MODE_FILTER, flags, ctypes.addressof(self._program))
        if result != 0:  # the id of a thread that is not filtered
            raise SandboxError(f"seccomp answered {result}")
        self._read_back()

    def _read_back(self) -> None:
        # prctl and /proc are out of reach by now. getppid never fails without a filter, and libc's own wrapper of it
        # would not set errno: hence the raw call.
        try:
            libc.syscall(self._denied)
        except OSError as error:
            if error.errno == errno.EPERM:
                return
        raise ReadBackError("a call outside the list was answered")


def unavailable() -> str | None:
    """Why this host cannot give the layer, None when it can. Changes nothing."""
    arch = native_architecture()
    if arch is None:
        return "no system call numbers for this architecture"
    number = _SYS_SECCOMP[arch.name]
    action = ctypes.c_uint32(KILL_PROCESS)
    try:
        libc.syscall(number, _GET_ACTION_AVAIL, 0, ctypes.addressof(action))
    except OSError as error:
        return f"no filters that kill a process: {error.strerror}"
    try:
        # Flags are looked at before the program: EFAULT for the missing program means that they are known.
        libc.syscall(number, _SET_MODE_FILTER, _FLAG_TSYNC | _FLAG_TSYNC_ESRCH, 0)
    except OSError as error:
        if error.errno == errno.EFAULT:
            return None
        return f"the kernel does not know TSYNC_ESRCH: {error.strerror}"
    return "the kernel took a filter that was none"
