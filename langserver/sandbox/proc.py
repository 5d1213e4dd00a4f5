"""What the kernel shows of this process and its children, also after the process left every folder behind."""

from __future__ import annotations

import os


class Proc:
    """A /proc: the one at its usual place, or, below the descriptor `root`, one that is mounted nowhere."""

    def __init__(self, root: int | None = None) -> None:
        self.root = root

    def threads(self) -> int:
        """How many threads this process has. Raises OSError."""
        return len(self._list("self/task"))

    def descriptors(self) -> frozenset[int]:
        """The open descriptors of this process. Raises OSError."""
        return frozenset(filter(_is_open, map(int, self._list("self/fd"))))

    def status(self, pid: int) -> bytes:
        """/proc/PID/status of a process that this /proc shows. Raises OSError."""
        descriptor = self._open(f"{pid}/status", os.O_RDONLY)
        try:
            return os.read(descriptor, 1 << 16)  # made whole at the first read; it has some 1,500 bytes
        finally:
            os.close(descriptor)

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
