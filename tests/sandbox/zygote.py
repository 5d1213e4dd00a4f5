"""A small zygote for tests: hardens itself, then forks one sealed child an attempt and prints what became of each.

Started as `python -I zygote.py ROOT RUNTIME LAYERS MEMORY [ATTEMPT...]`; prints one JSON object.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import time

sys.path.insert(0, sys.argv[1])

from langserver.sandbox.audit import AuditRefusal
from langserver.sandbox.jail import ChildLimits, Jail, finish_zygote, harden_zygote
from langserver.sandbox.layers import NAMESPACES, parse_layers
from langserver.sandbox.proc import Proc
from langserver.zygote.launcher import become_first_process


def outcome_of(attempt) -> str:
    try:
        attempt()
    except AuditRefusal as error:
        as_promised = error.errno == errno.EPERM and error.strerror.startswith("the sandbox refused ")
        return "refused" if as_promised else repr(error)
    except OSError as error:
        return errno.errorcode[error.errno]
    except BaseException as error:
        return type(error).__name__
    return "done"


def waits(proc: Proc, pid: int) -> bool:
    return b"\nState:\tS " in proc.status(pid)


def run(jail: Jail, attempt, limits: ChildLimits) -> str:
    report_read, report_write = os.pipe()
    input_read, input_write = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            jail.seal(report_write, input_read, parent, limits, lambda: None, lambda event: None)
            os.close(4)
            os.write(3, outcome_of(attempt).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(report_write)
    os.close(input_read)
    said = os.read(report_read, 100).decode()
    if said == "stop me":
        while not waits(jail.proc, pid):
            time.sleep(0.001)
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED)
        os.kill(pid, signal.SIGCONT)
        said = os.read(report_read, 100).decode()
    os.close(report_read)
    os.close(input_write)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return said or f"exit {os.WEXITSTATUS(status)}"


def main() -> None:
    _, _, runtime, layer_names, memory, *names = sys.argv
    layers = parse_layers(layer_names)
    inside = become_first_process(layers, os.getppid()) if NAMESPACES in layers else None
    harden_zygote(layers, 0, os.getppid(), None, inside)
    from tests.sandbox import attempts

    os.environ["ZYGOTE_PID"] = str(os.getpid())
    jail = Jail(runtime, layers, inside.proc if inside else Proc())
    finish_zygote(layers, inside)
    limits = ChildLimits(int(memory) or None, None)
    chosen = attempts.ATTEMPTS | attempts.KILLED | attempts.FOREIGN
    print(json.dumps({name: run(jail, chosen[name], limits) for name in names or chosen}))


main()
