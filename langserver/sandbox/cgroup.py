"""Layer `cgroup`: where a part of the tree of cgroup v2 is ours (delegated), every child has a group of its own in it.

A group counts all that a process makes the kernel hold, page tables and buffers too, as no limit of the process does.
How they work is in the kernel's Documentation/admin-guide/cgroup-v2.rst.
"""

from __future__ import annotations

import functools
import os
from typing import Final

from langserver.sandbox.errors import LayerUnavailable, ReadBackError
from langserver.sandbox.layers import CGROUP

# A group that bounds those in it has no process itself: the server and its zygotes live beside the children's groups.
_SERVER: Final = "langserver-server"
_CHILD: Final = "langserver-child-"

# V8 has one thread beside its own.
_MOST_TASKS: Final = {"python": 1, "js": 2}


def own_folder(groups: str, mounts: str) -> str:
    """Where the group of a process is seen, of its /proc/self/cgroup and mountinfo. Raises LayerUnavailable."""
    path = next((line[3:] for line in groups.splitlines() if line.startswith("0::")), None)
    if path is None:
        raise LayerUnavailable(CGROUP, "no cgroup v2 is mounted")
    for line in mounts.splitlines():
        mount, _, source = line.partition(" - ")
        _, _, _, root, point, *_ = mount.split(" ")
        root = root.rstrip("/")
        if source.startswith("cgroup2 ") and f"{path}/".startswith(f"{root}/"):
            return f"{point}{path.removeprefix(root)}".rstrip("/")
    raise LayerUnavailable(CGROUP, f"the group of this process, {path}, is mounted nowhere")


def check(folder: str) -> None:
    """Looks whether groups with a bound can be made in a group, and changes nothing. Raises LayerUnavailable."""
    try:
        kind = _read(folder, "cgroup.type")
    except FileNotFoundError:  # which the root alone has not
        raise LayerUnavailable(CGROUP, _of_the_root(folder)) from None
    if kind != "domain":
        raise LayerUnavailable(CGROUP, f"{folder} is {kind}, which bounds no memory")
    if "memory" not in _read(folder, "cgroup.controllers").split():
        raise LayerUnavailable(CGROUP, f"{folder} was not given the memory controller")
    needed = (folder, f"{folder}/cgroup.procs", f"{folder}/cgroup.subtree_control")
    if not all(os.access(path, os.W_OK) for path in needed) or not _delegated(folder):
        raise LayerUnavailable(CGROUP, f"{folder} is not delegated to this process")
    others = len(set(_read(folder, "cgroup.procs").split()) - {str(os.getpid())})
    if others:
        raise LayerUnavailable(CGROUP, f"{folder} has other processes: {others}")


def _of_the_root(folder: str) -> str:
    if "memory" not in _read(folder, "cgroup.controllers").split():  # then no group below can have it either
        return "cgroup v2 has no memory controller on this host, where cgroup v1 may hold it"
    return "this process is in the root of the tree: start it in a delegated group of its own"


def _delegated(folder: str) -> bool:
    """Root may write to everybody's groups. Where systemd is the manager it marks those that it has given away."""
    if os.geteuid() != 0 or not os.path.isdir("/run/systemd/system"):  # sd_booted(3)
        return True
    # systemd's docs/CGROUP_DELEGATION.md
    return any(name in {"trusted.delegate", "user.delegate"} for name in os.listxattr(folder))


@functools.cache
def _found() -> tuple[str, str | None]:
    """The own folder, and why it is of no use. Once: after `enter` this process is elsewhere."""
    try:
        folder = own_folder(_read("/proc/self", "cgroup"), _read("/proc/self", "mountinfo"))
        check(folder)
    except LayerUnavailable as error:
        return "", error.reason
    except OSError as error:
        return "", f"could not be looked at: {error}"
    return folder, None


def unavailable() -> str | None:
    """Why children can't have groups here, None when they can. Changes nothing."""
    return _found()[1]


@functools.cache
def enter() -> Tree:
    """Moves this process into a group beside its children's to be, once in its life, and cleans up after earlier ones.

    What it starts later lives there too. Raises LayerUnavailable, OSError.
    """
    folder, reason = _found()
    if reason is not None:
        raise LayerUnavailable(CGROUP, reason)
    return Tree(folder)


class Tree:
    """A group that is ours, with the server's and the children's in it."""

    def __init__(self, folder: str) -> None:
        """Makes `folder`, which `check` found good, such a group. Raises OSError, ReadBackError."""
        self._folder = folder
        self._run = os.urandom(4).hex()
        self._made = 0
        for name in os.listdir(folder):
            if name.startswith(_CHILD):
                _remove(f"{folder}/{name}")  # of a server that died
        server = f"{folder}/{_SERVER}"
        os.makedirs(server, exist_ok=True)
        _write(server, "cgroup.procs", "0")
        try:
            for controller in {"memory", "pids"} & set(_read(folder, "cgroup.controllers").split()):
                _write(folder, "cgroup.subtree_control", f"+{controller}")
            if "memory" not in _read(folder, "cgroup.subtree_control").split():
                raise ReadBackError(f"{folder} does not give the memory controller to the groups in it")
        except BaseException:
            _write(folder, "cgroup.procs", "0")
            _remove(server)
            raise

    def make(self, runtime: str, most_bytes: int | None) -> Group:
        """A group for a child, of at most so much memory. Raises OSError."""
        self._made += 1
        folder = f"{self._folder}/{_CHILD}{self._run}-{self._made}"
        os.mkdir(folder)
        try:
            group = Group(folder)
            if most_bytes is not None:
                group.limit(most_bytes)
            _write(folder, "memory.oom.group", "1")
            for name, value in (("memory.swap.max", 0), ("pids.max", _MOST_TASKS[runtime])):
                if os.path.exists(f"{folder}/{name}"):  # of a kernel with swap, of a controller that we were given
                    _write(folder, name, str(value))
        except BaseException:
            _remove(folder)
            raise
        return group


class Group:
    """One child's."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def open_door(self) -> int:
        """A descriptor by which whoever holds it can go in (`join`). Raises OSError.

        The kernel asks what the one who opened it may do, not the one who writes: since its fix of CVE-2021-4197.
        """
        return os.open(f"{self._folder}/cgroup.procs", os.O_RDWR | os.O_CLOEXEC)

    def limit(self, most_bytes: int) -> None:
        """Bounds its memory. Raises OSError."""
        _write(self._folder, "memory.max", str(most_bytes))

    def ran_out(self) -> bool:
        """Whether the kernel killed in it because of its own bound, and not that of a group above. Raises OSError."""
        events = dict(line.split(" ") for line in _read(self._folder, "memory.events").splitlines())
        return "0" not in (events["oom"], events["oom_kill"])

    def remove(self) -> bool:
        """Whether it is gone: not while a process is in it."""
        return _remove(self._folder)


def join(door: int) -> None:
    """Puts this process into the group of that descriptor, alone, and closes it. Raises OSError, ReadBackError."""
    os.write(door, b"0")
    if os.pread(door, 64, 0) != b"%d\n" % os.getpid():
        raise ReadBackError("not alone in the own control group")
    os.close(door)


def _read(folder: str, name: str) -> str:
    with open(f"{folder}/{name}", encoding="utf-8", errors="surrogateescape") as file:
        return file.read().rstrip("\n")


def _write(folder: str, name: str, text: str) -> None:
    descriptor = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _remove(folder: str) -> bool:
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
