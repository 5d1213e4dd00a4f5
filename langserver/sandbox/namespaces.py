"""Layer `namespaces`: a world with nobody else in it: no host process, network, name, shared memory or file.

In this order: a launcher takes part in new namespaces and forks; the forked process, pid 1 there, takes its own mount
namespace and a /proc, imports what it needs, and changes into an empty root. Whatever it forks lives there.
"""

from __future__ import annotations

import ctypes
import os
import select
import socket
from typing import Final

from langserver.sandbox import libc
from langserver.sandbox.errors import LayerUnavailable, ReadBackError, SandboxError
from langserver.sandbox.layers import NAMESPACES
from langserver.sandbox.privileges import CAP_SYS_ADMIN
from langserver.sandbox.proc import Proc
from langserver.sandbox.syscalls import native_architecture, number_of

# linux/sched.h
_NEW_MOUNT: Final = 0x00020000
_NEW_UTS: Final = 0x04000000
_NEW_IPC: Final = 0x08000000
_NEW_USER: Final = 0x10000000
_NEW_PID: Final = 0x20000000
_NEW_NET: Final = 0x40000000

# linux/mount.h
_MS_READ_ONLY: Final = 1
_MS_NO_SUID: Final = 2
_MS_NO_DEVICES: Final = 4
_MS_NO_EXEC: Final = 8
_MS_REMOUNT: Final = 32
_MS_BIND: Final = 4096
_MS_RECURSIVE: Final = 16384
_MS_PRIVATE: Final = 1 << 18
_MNT_DETACH: Final = 2
_BARE: Final = _MS_NO_SUID | _MS_NO_DEVICES | _MS_NO_EXEC

# fsopen(2), fsconfig(2), fsmount(2). The MOUNT_ATTR_ bits of these four have the values of MS_.
_CLOSE_ON_EXEC: Final = 1
_SET_STRING: Final = 1
_CREATE: Final = 6

_NAME: Final = "sandbox"
_DEVICES: Final = ("/dev/null", "/dev/urandom")  # the child silences 0 to 2; V8 seeds itself
_STAGE: Final = "/proc"  # any folder that every host has: what lies below is not needed any more


def _number(name: str) -> int:
    arch = native_architecture()
    number = None if arch is None else number_of(name, arch)
    if number is None:
        raise LayerUnavailable(NAMESPACES, "no system call numbers for this architecture")
    return number


def needs_user_namespace() -> bool:
    """Whether this process may make the other namespaces only inside a user namespace of its own."""
    return not libc.capabilities()[1] & CAP_SYS_ADMIN


def unshare() -> None:
    """The launcher: what is forked next is pid 1 of new namespaces. Needs a single thread. Raises OSError.

    The mount namespace stays: the launcher goes on reading files while pid 1 changes its root.
    """
    wanted = _NEW_PID | _NEW_NET | _NEW_IPC | _NEW_UTS
    if not needs_user_namespace():
        libc.unshare(wanted)
        return
    user, group = os.geteuid(), os.getegid()
    libc.unshare(wanted | _NEW_USER)
    # user_namespaces(7): without this an unprivileged process may not map its group.
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


class Inside:
    """Pid 1 of the new namespaces. `launcher` is a pidfd of the process that forked it, made before the fork."""

    def __init__(self, launcher: int) -> None:
        """Takes a mount namespace, a name and a /proc. Raises LayerUnavailable, OSError or ReadBackError."""
        self._launcher = launcher
        if os.getpid() != 1:
            raise ReadBackError("not the first process of a pid namespace")
        libc.unshare(_NEW_MOUNT)
        socket.sethostname(_NAME)
        libc.set_domain_name(_NAME)
        self.proc = Proc(_mount_proc())

    @property
    def descriptors(self) -> frozenset[int]:
        """What it holds open while it prepares."""
        assert self.proc.root is not None
        return frozenset({self._launcher, self.proc.root})

    def check_launcher(self) -> None:
        """To be called once the death of the launcher is a signal to this process. Raises SandboxError.

        getppid(2) tells nothing here: it is 0 for a parent outside, a dead one too.
        """
        watch = select.poll()
        watch.register(self._launcher, select.POLLIN)
        if watch.poll(0):
            raise SandboxError("the launcher has ended")
        os.close(self._launcher)

    def change_root(self) -> None:
        """Leaves every file behind. Needs CAP_SYS_ADMIN among the permitted. Raises OSError or ReadBackError.

        What is left: a read-only folder that holds nothing but /dev/null and /dev/urandom.
        """
        permitted, effective, _ = libc.capabilities()
        libc.set_capabilities(permitted, effective | CAP_SYS_ADMIN)
        libc.mount("none", "/", None, _MS_RECURSIVE | _MS_PRIVATE)  # nothing below is seen outside, nor ends there
        libc.mount("tmpfs", _STAGE, "tmpfs", _BARE, "size=64k,nr_inodes=16,mode=0755")
        os.mkdir(f"{_STAGE}/dev")
        for device in _DEVICES:
            os.close(os.open(_STAGE + device, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC))
            libc.mount(device, _STAGE + device, None, _MS_BIND)
        os.chdir(_STAGE)
        # pivot_root(2), NOTES: the old root comes to lie on the new one, and is taken off without a folder for it.
        here = ctypes.create_string_buffer(b".")
        libc.syscall(_number("pivot_root"), ctypes.addressof(here), ctypes.addressof(here))
        libc.unmount(".", _MNT_DETACH)
        os.chdir("/")
        libc.mount("none", "/", None, _MS_REMOUNT | _MS_READ_ONLY | _BARE)
        libc.set_capabilities(permitted, effective)
        if os.listdir("/") != ["dev"] or sorted(os.listdir("/dev")) != sorted(map(os.path.basename, _DEVICES)):
            raise ReadBackError("the new root holds something else")
        if not os.statvfs("/").f_flag & os.ST_RDONLY:
            raise ReadBackError("the new root can be written to")


def _mount_proc() -> int:
    """A descriptor of a /proc of this pid namespace, of processes only, that no path leads to and none leads out of."""
    kind, key, value = (ctypes.create_string_buffer(text) for text in (b"proc", b"subset", b"pid"))
    context = libc.syscall(_number("fsopen"), ctypes.addressof(kind), _CLOSE_ON_EXEC)
    try:
        configure = _number("fsconfig")
        libc.syscall(configure, context, _SET_STRING, ctypes.addressof(key), ctypes.addressof(value), 0)
        libc.syscall(configure, context, _CREATE, 0, 0, 0)
        return libc.syscall(_number("fsmount"), context, _CLOSE_ON_EXEC, _MS_READ_ONLY | _BARE)
    finally:
        os.close(context)
