"""Runs a command in a process in which one system call answers EPERM, as under a container's seccomp profile.

Started as `python -I forbidding.py ROOT CALL COMMAND...`.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import confine, seccomp
from tests.sandbox.second_filter import filter_answering, install


def main() -> None:
    _, _, call, *command = sys.argv
    confine.forbid_new_privileges()
    install(filter_answering(seccomp.DENY, [(call, ())]))
    os.execv(command[0], command)


main()
