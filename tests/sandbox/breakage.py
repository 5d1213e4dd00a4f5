"""Makes one step of a seal fail, and tells what the child did. Started as `python -I breakage.py ROOT STEP`.

Prints the exit code, then what the child wrote to its report pipe.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import threading

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from langserver.sandbox import audit, confine, jail, libc, rlimits, seccomp
from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.proc import Proc

LAYERS = {
    "landlock": frozenset({"landlock"}),
    "seccomp": frozenset({"seccomp"}),
    "diverged thread": frozenset({"seccomp"}),
    "audit": frozenset({"audit"}),
    "proc": frozenset({"namespaces"}),
    "limits": frozenset({"rlimits"}),
    "late limits": frozenset({"rlimits"}),
}


class Case:
    """The arguments of one seal; a breakage changes them, or the world around them."""

    def __init__(self, step: str) -> None:
        proc = Proc(os.open("/proc", os.O_RDONLY) if step == "proc" else None)
        self.jail = Jail("python", LAYERS.get(step, frozenset({"privileges"})), proc)
        report, self.report_fd = os.pipe()
        self.report_read = report
        self.input_fd, _ = os.pipe()
        self.parent = os.getpid()
        self.limits = ChildLimits(None, None)

    def wake(self) -> None:
        """Nothing to wake."""


def pipes(case: Case) -> None:
    case.input_fd = 9999


def descriptors(case: Case) -> None:
    libc.syscall = lambda *_: 0  # close_range closes nothing


def proc(case: Case) -> None:
    jail._childs_proc = lambda _: Proc(9999)


def session(case: Case) -> None:
    os.setsid()  # a leader can't do it twice


def signal_mask(case: Case) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    real = signal.pthread_sigmask
    signal.pthread_sigmask = lambda how, mask: real(signal.SIG_BLOCK, ())


def capabilities(case: Case) -> None:
    libc.capabilities = lambda: (1, 0, 0)


def dumpable(case: Case) -> None:
    _prctl_does_not(libc.PR_SET_DUMPABLE)


def parent_death(case: Case) -> None:
    case.parent += 1


def no_signal_from_the_parent(case: Case) -> None:
    _prctl_does_not(libc.PR_SET_PDEATHSIG)


def no_new_privileges(case: Case) -> None:
    _prctl_does_not(libc.PR_SET_NO_NEW_PRIVS)


def _prctl_does_not(operation: int) -> None:
    real = libc.prctl
    libc.prctl = lambda asked, *arguments: 0 if asked == operation else real(asked, *arguments)


def limits(case: Case) -> None:
    case.limits = ChildLimits(None, -2)


def landlock(case: Case) -> None:
    os.close(case.jail.ruleset.fd)
    case.jail.ruleset.fd = os.open("/dev/null", os.O_RDONLY)


def runtime(case: Case) -> None:
    def wake() -> None:
        raise MemoryError

    case.wake = wake


def late_limits(case: Case) -> None:
    real = resource.setrlimit
    rlimits.resource.setrlimit = lambda kind, pair: None if kind == resource.RLIMIT_NPROC else real(kind, pair)


def seccomp_(case: Case) -> None:
    case.jail.filter._program.length = 0


def diverged_thread(case: Case) -> None:
    """A thread under another filter can't follow: the kernel must not be believed to have filtered it."""

    def wake() -> None:
        allow_all = (ctypes.c_uint64 * 1)(int.from_bytes(b"\x06\0\0\0\0\0\xff\x7f", "little"))
        program = seccomp._Program(1, ctypes.addressof(allow_all))
        ready = threading.Event()

        def diverge() -> None:
            libc.syscall(seccomp._SYS_SECCOMP[os.uname().machine], 1, 0, ctypes.addressof(program))
            ready.set()
            threading.Event().wait()

        threading.Thread(target=diverge, daemon=True).start()
        ready.wait()

    case.wake = wake


def audit_(case: Case) -> None:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sys.addaudithook":
            raise RuntimeError  # CPython then drops the new hook without a word

    sys.addaudithook(hook)


BREAKAGES = {
    name.rstrip("_").replace("_", " "): value
    for name, value in list(globals().items())
    if callable(value)
    and getattr(value, "__module__", None) == __name__
    and name not in {"Case", "main", "_prctl_does_not"}
}


def main() -> None:
    step = sys.argv[2]
    case = Case(step)
    assert confine.REPORT_FD == 3
    assert audit.ALLOWED
    pid = os.fork()
    if pid == 0:
        try:
            if step != "nothing":
                BREAKAGES[step](case)
            case.jail.seal(case.report_fd, case.input_fd, case.parent, case.limits, case.wake, lambda event: None)
            os.write(3, b"sealed")
            os._exit(0)
        finally:
            os._exit(1)
    os.close(case.report_fd)
    said = os.read(case.report_read, 100).decode()
    _, status = os.waitpid(pid, 0)
    print(os.waitstatus_to_exitcode(status), said)


if __name__ == "__main__":
    main()
