"""What the kernel shows of this process and its children, also after the process left every folder behind."""

from __future__ import annotations

import os


def size_of(status: bytes, field: bytes) -> int:
    """A memory line of a /proc/PID/status, in bytes. Raises KeyError where there is none: the process has ended.

    The first line is a name that the process chose itself. The kernel escapes a line break in it (fs/proc/array.c,
    proc_task_name); were there one, the kernel's own line still comes later, and the last one counts.
    """
    _, found, rest = status.rpartition(b"\n" + field + b":")
    number, unit, _ = rest.partition(b" kB\n")
    if not found or not unit or not number.strip().isdigit():
        raise KeyError(field.decode("ascii"))
    return int(number) << 10


def held_bytes(status: bytes) -> int:
    """What a process keeps from others: its own pages, in memory or swapped out, and its page tables. Raises KeyError.

    Pages of files are the host's, which takes them back when it wants to.
    """
    return sum(size_of(status, field) for field in (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE"))


class Proc:
    """A /proc: the one at its usual place, or, below the descriptor `root`, one that is mounted nowhere."""

    def __init__(self, root: int | None = None) -> None:
        self.root = root

    def threads(self) -> int:
        """How many threads this process has. Raises OSError."""
        return len(self._list("self/task"))

    def descriptors(self, expected: frozenset[int] = frozenset()) -> frozenset[int]:
        """The open descriptors of this process; those `expected` are not looked at. Raises OSError."""
        listed = frozenset(map(int, self._list("self/fd")))
        # Among the others are those that made the listing.
        return listed & expected | frozenset(filter(_is_open, listed - expected))

    def status(self, pid: int) -> bytes:
        """/proc/PID/status of a process that this /proc shows. Raises OSError."""
        descriptor = self._open(f"{pid}/status", os.O_RDONLY)
        try:
            return os.read(descriptor, 1 << 16)  # made whole at the first read; it has some 1,500 bytes
        finally:
            os.close(descriptor)

    def stack_end(self) -> int:
        """The address behind this process' first stack, from which it grows down. Raises OSError."""
        descriptor = self._open("self/maps", os.O_RDONLY)
        with os.fdopen(descriptor) as maps:
            return next(int(line.split()[0].partition("-")[2], 16) for line in maps if line.endswith("[stack]\n"))

    def anonymous_memory(self) -> tuple[tuple[int, int], ...]:
        """Where this process has writable memory that is no file's and no stack: first address, and the one behind.

        Raises OSError.
        """
        found = []
        with os.fdopen(self._open("self/maps", os.O_RDONLY)) as maps:
            for line in maps:
                addresses, rights, _, _, _, name = f"{line.rstrip()} -".split(maxsplit=5)
                if rights == "rw-p" and name in ("-", "[heap] -"):
                    start, _, end = addresses.partition("-")
                    found.append((int(start, 16), int(end, 16)))
        return tuple(found)

    def _list(self, folder: str) -> list[str]:
        descriptor = self._open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def _open(self, path: str, flags: int) -> int:
        if self.root is None:
            return os.open(f"/proc/{path}", flags | os.O_CLOEXEC)
        return os.open(path, flags | os.O_CLOEXEC, dir_fd=self.root)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:  # one of those that made the listing
        return False
    return True
