"""A small zygote for tests: hardens itself, then forks one sealed child an attempt and prints what became of each.

Started as `python -I zygote.py ROOT RUNTIME LAYERS MEMORY ATTEMPT...`; prints one JSON object.
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, sys.argv[1])

from langserver.sandbox.jail import ChildLimits, Jail, finish_zygote, harden_zygote  # noqa: E402
from langserver.sandbox.layers import parse_layers  # noqa: E402


def outcome_of(attempt) -> str:
    from errno import errorcode

    from langserver.sandbox.audit import AuditRefusal

    try:
        attempt()
    except AuditRefusal as error:
        assert error.errno == 1 and error.strerror.startswith("the sandbox refused ")
        return "refused"
    except OSError as error:
        return errorcode[error.errno]
    except BaseException as error:
        return type(error).__name__
    return "done"


def run(jail: Jail, attempt, limits: ChildLimits) -> str:
    report_read, report_write = os.pipe()
    input_read, input_write = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            jail.seal(report_write, input_read, parent, limits, lambda: None)
            os.close(4)
            os.write(3, outcome_of(attempt).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(report_write)
    os.close(input_read)
    said = os.read(report_read, 100).decode()
    os.close(report_read)
    os.close(input_write)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return said or f"exit {os.WEXITSTATUS(status)}"


def main() -> None:
    _, root, runtime, layer_names, memory, *names = sys.argv
    layers = parse_layers(layer_names)
    harden_zygote(layers, 0, os.getppid(), None)
    from tests.sandbox import attempts

    os.environ["ZYGOTE_PID"] = str(os.getpid())
    import tests.sandbox.attempts  # noqa: F401

    jail = Jail(runtime, layers)
    finish_zygote(layers)
    limits = ChildLimits(int(memory) or None, None)
    chosen = attempts.ATTEMPTS | attempts.KILLED
    print(json.dumps({name: run(jail, chosen[name], limits) for name in names or chosen}))


main()
