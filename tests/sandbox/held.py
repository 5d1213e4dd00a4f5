"""A hardened zygote with one sealed child that waits: prints both pids and ends both when its stdin ends.

Started as `python -I held.py ROOT RUNTIME LAYERS`.
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import oom
from langserver.sandbox.jail import ChildLimits, Jail, finish_zygote, harden_zygote
from langserver.sandbox.layers import NAMESPACES, parse_layers
from langserver.sandbox.proc import Proc
from langserver.zygote.launcher import become_first_process

MEMORY = 1 << 40
CPU_SECONDS = 17


def attempt(path: str) -> str:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError as error:
        return str(error.errno)
    return "opened"


def main() -> None:
    _, _, runtime, layer_names = sys.argv
    layers = parse_layers(layer_names)
    inside = become_first_process(layers, os.getppid()) if NAMESPACES in layers else None
    oom_fd = oom.open_score()
    assert oom_fd is not None
    os.dup2(1, 90)  # a descriptor that nobody knows
    harden_zygote(layers, 0, os.getppid(), oom_fd, inside)
    try:
        os.fstat(90)
        unknown_closed = False
    except OSError:
        unknown_closed = True
    jail = Jail(runtime, layers, inside.proc if inside else Proc())
    finish_zygote(layers, inside)
    report_read, report_write = os.pipe()
    input_read, input_write = os.pipe()
    parent = os.getpid()
    woken: list[str] = []

    def wake() -> None:
        woken.extend((attempt("/dev/urandom"), attempt("/"), str(os.dup(0))))

    with oom.first_to_die(oom_fd):
        pid = os.fork()
        if pid == 0:
            try:
                jail.seal(report_write, input_read, parent, ChildLimits(MEMORY, CPU_SECONDS), wake, lambda event: None)
                os.write(3, " ".join(woken).encode())
                os.read(4, 1)
            finally:
                os._exit(0)
    os.close(report_write)
    said = os.read(report_read, 100).decode()
    told = {"zygote": parent, "child": pid, "woken": said.split(), "unknown_closed": unknown_closed}
    print(json.dumps(told), flush=True)
    sys.stdin.read()
    os.close(input_write)
    os.waitpid(pid, 0)


main()
