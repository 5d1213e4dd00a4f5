"""The kernel calls that Python's standard library does not offer, each raising OSError with its errno."""

from __future__ import annotations

import ctypes
import os
from typing import Final

_libc: Final = ctypes.CDLL(None, use_errno=True)

# Raw numbers go through syscall(2), whose arguments are longs: a bare Python int would be passed as a 32-bit int.
_libc.syscall.restype = ctypes.c_long
# prctl(2): the arguments an operation does not use must be 0 for many of them, so all five are always passed.
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_libc.prctl.restype = ctypes.c_int

# prctl(2), linux/prctl.h
PR_SET_PDEATHSIG: Final = 1
PR_GET_PDEATHSIG: Final = 2
PR_GET_DUMPABLE: Final = 3
PR_SET_DUMPABLE: Final = 4
PR_SET_KEEPCAPS: Final = 8
PR_CAPBSET_READ: Final = 23
PR_CAPBSET_DROP: Final = 24
PR_SET_NO_NEW_PRIVS: Final = 38
PR_GET_NO_NEW_PRIVS: Final = 39
PR_CAP_AMBIENT: Final = 47
PR_CAP_AMBIENT_CLEAR_ALL: Final = 4

# madvise(2), linux/mman.h
MADV_COLLAPSE: Final = 25
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

_libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
_libc.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]
_libc.setdomainname.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

_SYS_CLOSE_RANGE: Final = 436  # the same number on every architecture; Linux 5.9
_CAPABILITY_VERSION_3: Final = 0x20080522  # capget(2): two data structs, 32 capabilities each
_LAST_DESCRIPTOR: Final = 0xFFFFFFFF


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


_CapabilityPair = _CapabilityData * 2


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def syscall(number: int, *arguments: int) -> int:
    """One raw system call with at most six integer or address arguments. Raises OSError."""
    ctypes.set_errno(0)
    result = int(_libc.syscall(ctypes.c_long(number), *(ctypes.c_long(argument) for argument in arguments)))
    if result == -1:
        raise _error()
    return result


def prctl(operation: int, argument: int = 0, second: int = 0) -> int:
    """prctl(2). Raises OSError."""
    ctypes.set_errno(0)
    result = int(_libc.prctl(operation, argument, second, 0, 0))
    if result == -1:
        raise _error()
    return result


def parent_death_signal() -> int:
    """The signal this process gets when the thread that made it ends; 0 for none."""
    signal_number = ctypes.c_int(-1)
    prctl(PR_GET_PDEATHSIG, ctypes.addressof(signal_number))
    return signal_number.value


def madvise(address: int, size: int, advice: int) -> None:
    """madvise(2). Raises OSError."""
    ctypes.set_errno(0)
    if _libc.madvise(address, size, advice) != 0:
        raise _error()


def unshare(flags: int) -> None:
    """unshare(2). Raises OSError."""
    ctypes.set_errno(0)
    if _libc.unshare(flags) != 0:
        raise _error()


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2). Raises OSError."""
    ctypes.set_errno(0)
    if _libc.mount(source.encode(), target.encode(), kind.encode() if kind else None, flags, options.encode()) != 0:
        raise _error()


def unmount(target: str, flags: int) -> None:
    """umount2(2). Raises OSError."""
    ctypes.set_errno(0)
    if _libc.umount2(target.encode(), flags) != 0:
        raise _error()


def set_domain_name(name: str) -> None:
    """setdomainname(2), the NIS name. Raises OSError."""
    ctypes.set_errno(0)
    if _libc.setdomainname(name.encode(), len(name.encode())) != 0:
        raise _error()


def close_descriptors_from(lowest: int) -> None:
    """Closes every descriptor from `lowest` on. Raises OSError."""
    close_descriptors_between(lowest, _LAST_DESCRIPTOR)


def close_descriptors_between(lowest: int, highest: int) -> None:
    """close_range(2), both ends included. Raises OSError."""
    syscall(_SYS_CLOSE_RANGE, lowest, highest, 0)


def set_capabilities(permitted: int, effective: int) -> None:
    """capset(2) on this thread, as bit sets; nothing is inheritable. Raises OSError."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    data = _CapabilityPair(
        _CapabilityData(effective & 0xFFFFFFFF, permitted & 0xFFFFFFFF, 0),
        _CapabilityData(effective >> 32, permitted >> 32, 0),
    )
    ctypes.set_errno(0)
    if _libc.capset(ctypes.byref(header), data) != 0:
        raise _error()


def capabilities() -> tuple[int, int, int]:
    """capget(2) of this thread: permitted, effective and inheritable, as bit sets. Raises OSError."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    data = _CapabilityPair()
    ctypes.set_errno(0)
    if _libc.capget(ctypes.byref(header), data) != 0:
        raise _error()
    low, high = data[0], data[1]
    return (
        low.permitted | high.permitted << 32,
        low.effective | high.effective << 32,
        low.inheritable | high.inheritable << 32,
    )
