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
from langserver.sandbox.layers import parse_layers


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


def state_of(pid: int) -> str:
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0]


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
        while state_of(pid) != "S":  # until it waits
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
    harden_zygote(layers, 0, os.getppid(), None)
    from tests.sandbox import attempts

    os.environ["ZYGOTE_PID"] = str(os.getpid())
    jail = Jail(runtime, layers)
    finish_zygote(layers)
    limits = ChildLimits(int(memory) or None, None)
    chosen = attempts.ATTEMPTS | attempts.KILLED
    print(json.dumps({name: run(jail, chosen[name], limits) for name in names or chosen}))


main()
