"""What a process held to a ruleset may still do, by the ABI that the ruleset was made for.

Started as `python -I by_abi.py ROOT RUNTIME ABI...`; ABI 0 is no ruleset at all. Prints a JSON object: for each ABI
what became of each attempt (`done` or the name of an errno), and `flags`, what landlock_restrict_self was given.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import confine, landlock, libc
from langserver.sandbox.landlock import ENTROPY_DEVICE, Ruleset

RNDGETENTCNT = 0x80045200  # random(4); how much entropy there is, a number that everybody may ask for


class World:
    """What the attempts work on, made before anybody is held to anything."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.file = self.folder / "file"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"\0by-abi-{os.getpid()}")
        self.listener.listen(128)
        self.port = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.parent = os.getpid()

    def renew(self) -> None:
        """As the next child wants it."""
        self.remove()
        self.folder.mkdir()
        (self.folder / "folder").mkdir()
        (self.folder / "full").mkdir()
        for name in ("file", "other", "full/file"):
            (self.folder / name).write_bytes(b"content")
        self.open_file = os.open(self.file, os.O_RDWR)

    def remove(self) -> None:
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        self.folder.rmdir()


def execute(world: World) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            os.execv("/bin/true", ["true"])
        except OSError as error:
            os._exit(error.errno or 1)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code, os.strerror(code))


def with_socket(kind: int, act: Callable[[socket.socket], object]) -> None:
    with socket.socket(socket.AF_INET, kind) as made:
        act(made)


def connect_abstract(world: World) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.connect(world.listener.getsockname())


def bind_path(world: World) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(world.folder / "socket"))


def ask_device(_: World) -> None:
    descriptor = os.open(ENTROPY_DEVICE, os.O_RDONLY)
    fcntl.ioctl(descriptor, RNDGETENTCNT, b"\0" * 4)


ATTEMPTS: dict[str, Callable[[World], object]] = {
    "read a file": lambda world: os.open(world.file, os.O_RDONLY),
    "write a file": lambda world: os.open(world.file, os.O_WRONLY),
    "list a folder": lambda world: os.listdir(world.folder),
    "execute": execute,
    "make a file": lambda world: os.open(world.folder / "new", os.O_CREAT | os.O_WRONLY),
    "make a folder": lambda world: os.mkdir(world.folder / "new folder"),
    "make a link": lambda world: os.symlink("x", world.folder / "link"),
    "make a pipe": lambda world: os.mkfifo(world.folder / "pipe"),
    "make a socket": bind_path,
    "remove a file": lambda world: os.unlink(world.folder / "other"),
    "remove a folder": lambda world: os.rmdir(world.folder / "folder"),
    "move between folders": lambda world: os.rename(world.folder / "full" / "file", world.folder / "moved"),
    "truncate": lambda world: os.truncate(world.file, 1),
    "bind TCP": lambda world: with_socket(socket.SOCK_STREAM, lambda made: made.bind(("127.0.0.1", 0))),
    "connect TCP": lambda world: with_socket(socket.SOCK_STREAM, lambda made: made.connect(world.port.getsockname())),
    "read entropy": lambda world: os.open(ENTROPY_DEVICE, os.O_RDONLY),
    "write entropy": lambda world: os.open(ENTROPY_DEVICE, os.O_WRONLY),
    "ioctl on a device": ask_device,
    "connect to an abstract socket": connect_abstract,
    "signal the parent": lambda world: os.kill(world.parent, 0),
    # What landlock has no right for, or was not asked about.
    "stat": lambda world: os.stat(world.file),
    "bind UDP": lambda world: with_socket(socket.SOCK_DGRAM, lambda made: made.bind(("127.0.0.1", 0))),
    "signal itself": lambda world: os.kill(os.getpid(), 0),
    "use what is open": lambda world: os.write(world.open_file, b"x") + len(os.pread(world.open_file, 1, 0)),
    "truncate what is open": lambda world: os.ftruncate(world.open_file, 1),
}


def outcome_of(act: Callable[[World], object], world: World) -> str:
    try:
        act(world)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


def held_to(runtime: str, abi: int, world: World) -> dict[str, object]:
    flags: list[int] = []
    real = libc.syscall

    def record(number: int, *arguments: int) -> int:
        if number == landlock._SYS_RESTRICT_SELF:
            flags.append(arguments[1])
        return real(number, *arguments)

    libc.syscall = record
    if abi:
        confine.forbid_new_privileges()
        ruleset = Ruleset(runtime, abi)
        ruleset.restrict(ruleset.fd)
    signal.alarm(60)
    return {name: outcome_of(act, world) for name, act in ATTEMPTS.items()} | {"flags": flags}


def main() -> None:
    _, _, runtime, *versions = sys.argv
    world, found = World(), {}
    for abi in map(int, versions):
        world.renew()
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.write(write, json.dumps(held_to(runtime, abi, world)).encode())
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        found[abi] = json.loads(os.read(read, 1 << 16))
    world.remove()
    print(json.dumps(found))


main()
