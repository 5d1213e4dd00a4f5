"""Layer `landlock`: no file, no TCP port, no signal or abstract socket outside the child's own domain."""

from __future__ import annotations

import ctypes
import errno
import os
from typing import Final

from langserver.sandbox import libc
from langserver.sandbox.errors import LayerUnavailable, ReadBackError
from langserver.sandbox.layers import LANDLOCK

# The same numbers on every architecture.
_SYS_CREATE_RULESET: Final = 444
_SYS_ADD_RULE: Final = 445
_SYS_RESTRICT_SELF: Final = 446

_CREATE_RULESET_VERSION: Final = 1
_RULE_PATH_BENEATH: Final = 1
_ACCESS_FS_READ_FILE: Final = 1 << 2

# linux/landlock.h: the ABI that brought the highest right of each set. A bit that the kernel does not know is EINVAL.
_FS_RIGHTS_BY_ABI: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16}  # REFER, TRUNCATE, IOCTL_DEV
_NET_RIGHTS: Final = (4, 0b11)  # bind and connect of TCP
_SCOPES: Final = (6, 0b11)  # abstract unix sockets, signals
_LOG_FLAGS: Final = (7, 1 | 4)  # refusals of this domain and of nested ones are not written to the kernel's audit log
_NEWEST_ABI: Final = 7

ENTROPY_DEVICE: Final = "/dev/urandom"


class _RulesetAttributes(ctypes.Structure):
    # Always passed whole: a longer struct with a zero tail is accepted by older kernels.
    _fields_ = (("handled_fs", ctypes.c_uint64), ("handled_net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1  # declared packed in linux/landlock.h
    _fields_ = (("allowed", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """The kernel's landlock ABI, at least 1. Raises LayerUnavailable. Changes nothing."""
    try:
        version = libc.syscall(_SYS_CREATE_RULESET, 0, 0, _CREATE_RULESET_VERSION)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            raise LayerUnavailable(LANDLOCK, "the kernel is built without it") from error
        if error.errno == errno.EOPNOTSUPP:
            raise LayerUnavailable(LANDLOCK, "switched off when the kernel was started (lsm=)") from error
        raise LayerUnavailable(LANDLOCK, f"{error.strerror}") from error
    if version < 1:
        raise LayerUnavailable(LANDLOCK, f"the kernel answers ABI {version}")
    return version


def _since(abi_and_bits: tuple[int, int], version: int) -> int:
    first, bits = abi_and_bits
    return bits if version >= first else 0


class Ruleset:
    """What a child will be held to, prepared in the zygote; `fd` is its descriptor there."""

    def __init__(self, runtime: str, version: int | None = None) -> None:
        """For the ABI `version`, or the kernel's own. Raises LayerUnavailable, OSError."""
        version = min(version or abi(), _NEWEST_ABI)
        self._flags = _since(_LOG_FLAGS, version)
        attributes = _RulesetAttributes(
            (1 << _FS_RIGHTS_BY_ABI[version]) - 1, _since(_NET_RIGHTS, version), _since(_SCOPES, version)
        )
        self.fd = libc.syscall(_SYS_CREATE_RULESET, ctypes.addressof(attributes), ctypes.sizeof(attributes), 0)
        if runtime == "js":
            # V8 seeds from it when the isolate is made, and silently from the clock if it can't. The filter that comes
            # after closes the way to any descriptor.
            self._allow_reading(ENTROPY_DEVICE)

    def _allow_reading(self, path: str) -> None:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = _PathBeneath(_ACCESS_FS_READ_FILE, parent)
            libc.syscall(_SYS_ADD_RULE, self.fd, _RULE_PATH_BENEATH, ctypes.addressof(rule), 0)
        finally:
            os.close(parent)

    def restrict(self, fd: int) -> None:
        """Holds this thread, and those it starts, to the ruleset at `fd`, and closes it. Needs no_new_privs.

        Raises OSError or ReadBackError.
        """
        libc.syscall(_SYS_RESTRICT_SELF, fd, self._flags)
        os.close(fd)
        try:
            os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        except OSError as error:
            if error.errno == errno.EACCES:
                return
            raise
        raise ReadBackError("the root folder could be opened")
