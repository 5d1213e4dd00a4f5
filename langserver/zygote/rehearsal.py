"""A zygote that tries whether it gets its namespaces and its empty root, says so, and ends."""

from __future__ import annotations

import errno
import os
from typing import Final

from langserver.sandbox.errors import SandboxError
from langserver.zygote.launcher import become_first_process

_HINTS: Final = {
    errno.EPERM: "a container's seccomp profile or masked /proc, a sysctl or a security module forbids it",
    errno.EACCES: "a security module forbids it",
    errno.ENOSPC: "one of the limits user.max_*_namespaces is 0 or used up",
    errno.EINVAL: "the root folder is no mount of its own, or the kernel is older than 5.8",
}


def main() -> None:
    """Writes `done`, or what failed, to standard output."""
    try:
        become_first_process(frozenset(), os.getppid()).change_root()
        said = "done"
    except OSError as error:
        hint = _HINTS.get(error.errno or 0)
        said = f"{error.strerror} ({hint})" if hint else f"{error.strerror}"
    except SandboxError as error:
        said = str(error)
    os.write(1, said.encode())
