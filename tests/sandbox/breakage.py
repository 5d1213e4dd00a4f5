"""Makes one step of a seal fail, and tells what the child did. Started as `python -I breakage.py ROOT BREAKAGE`.

Prints the exit code, how many bytes of its task the child left unread, then what it wrote to its report pipe.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import resource
import signal
import sys
import termios
import threading
from collections.abc import Callable

if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])

from langserver.sandbox import jail, libc, rlimits, seccomp
from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.proc import Proc

TASK = b"a task"
LAYERS = {
    "control group": frozenset({"cgroup"}),
    "proc": frozenset({"namespaces"}),
    "limits": frozenset({"rlimits"}),
    "landlock": frozenset({"landlock"}),
    "late limits": frozenset({"rlimits"}),
    "seccomp": frozenset({"seccomp"}),
    "audit": frozenset({"audit"}),
}


class Case:
    """The arguments of one seal; a breakage changes them, or the world around them."""

    def __init__(self, step: str) -> None:
        proc = Proc(os.open("/proc", os.O_RDONLY) if step == "proc" else None)
        self.jail = Jail("python", LAYERS.get(step, frozenset({"privileges"})), proc)
        self.report_read, self.report_fd = os.pipe()
        self.input_fd, self.input_write = os.pipe()
        self.parent = os.getpid()
        self.limits = ChildLimits(1 << 40, 1000)

    def wake(self) -> None:
        """Nothing to wake."""


# The step that must notice and what is done to it: the step, and how it is done.
BREAKAGES: dict[str, tuple[str, Callable[[Case], None]]] = {}


def breaks(step: str, name: str) -> Callable[[Callable[[Case], None]], Callable[[Case], None]]:
    def remember(break_it: Callable[[Case], None]) -> Callable[[Case], None]:
        BREAKAGES[f"{step}: {name}"] = step, break_it
        return break_it

    return remember


def does_nothing(*_: object) -> int:
    return 0


def refuses(*_: object) -> int:
    raise PermissionError(1, "refused")


@breaks("control group", "it can't be entered")
def _(case: Case) -> None:
    case.limits = ChildLimits(None, None, os.open("/dev/full", os.O_RDWR))


@breaks("control group", "entering it does nothing")
def _(case: Case) -> None:
    case.limits = ChildLimits(None, None, os.open("/dev/null", os.O_RDWR))


@breaks("pipes", "there is no input")
def _(case: Case) -> None:
    case.input_fd = 9999


@breaks("pipes", "dup2 is refused")
def _(case: Case) -> None:
    os.dup2 = refuses


@breaks("descriptors", "close_range closes nothing")
def _(case: Case) -> None:
    libc.syscall = does_nothing


@breaks("descriptors", "close_range is refused")
def _(case: Case) -> None:
    libc.syscall = refuses


@breaks("descriptors", "the null device is another file")
def _(case: Case) -> None:
    os.close(0)
    os.devnull = __file__


@breaks("proc", "there is none to close")
def _(case: Case) -> None:
    jail._childs_proc = lambda _: Proc(9999)


@breaks("session", "it leads one already")
def _(case: Case) -> None:
    os.setsid()


@breaks("session", "setsid does nothing")
def _(case: Case) -> None:
    os.setsid = does_nothing


@breaks("session", "chdir does nothing")
def _(case: Case) -> None:
    os.chdir("/proc")
    os.chdir = does_nothing


@breaks("session", "umask does nothing")
def _(case: Case) -> None:
    os.umask = does_nothing


@breaks("signal mask", "a signal stays blocked")
def _(case: Case) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    real = signal.pthread_sigmask
    signal.pthread_sigmask = lambda how, mask: real(signal.SIG_BLOCK, ())


@breaks("capabilities", "one is left")
def _(case: Case) -> None:
    libc.capabilities = lambda: (1, 0, 0)


@breaks("capabilities", "capset is refused")
def _(case: Case) -> None:
    libc.set_capabilities = refuses


def prctl_without(operation: int, instead: Callable[..., int]) -> None:
    real = libc.prctl
    libc.prctl = lambda asked, *arguments: (instead if asked == operation else real)(asked, *arguments)


for step, operation in (
    ("capabilities", libc.PR_CAP_AMBIENT),
    ("dumpable", libc.PR_SET_DUMPABLE),
    ("parent death", libc.PR_SET_PDEATHSIG),
    ("no new privileges", libc.PR_SET_NO_NEW_PRIVS),
):
    breaks(step, f"prctl({operation}) is refused")(lambda case, it=operation: prctl_without(it, refuses))
    if step != "capabilities":  # the ambient set is the kernel's to empty when the permitted one is (capabilities(7))
        breaks(step, f"prctl({operation}) does nothing")(lambda case, it=operation: prctl_without(it, does_nothing))


@breaks("parent death", "the parent is another process")
def _(case: Case) -> None:
    case.parent += 1


@breaks("limits", "one is negative")
def _(case: Case) -> None:
    case.limits = ChildLimits(None, -2)


def limit_stays(kind: int) -> None:
    real = resource.setrlimit
    rlimits.resource.setrlimit = lambda asked, pair: None if asked == kind else real(asked, pair)


for step, kind in (
    *(("limits", name) for name in ("CORE", "FSIZE", "MEMLOCK", "MSGQUEUE", "CPU", "AS")),
    *(("late limits", name) for name in ("STACK", "NPROC", "NOFILE")),
):
    breaks(step, f"{kind} stays as it is")(lambda case, it=f"RLIMIT_{kind}": limit_stays(getattr(resource, it)))


@breaks("landlock", "it is given no ruleset")
def _(case: Case) -> None:
    os.close(case.jail.ruleset.fd)
    case.jail.ruleset.fd = os.open("/dev/null", os.O_RDONLY)


@breaks("landlock", "the kernel says yes and does nothing")
def _(case: Case) -> None:
    libc.syscall = does_nothing


@breaks("runtime", "it does not wake up")
def _(case: Case) -> None:
    def wake() -> None:
        raise MemoryError

    case.wake = wake


@breaks("seccomp", "the filter is empty")
def _(case: Case) -> None:
    case.jail.filter._program.length = 0


@breaks("seccomp", "the kernel says yes and does nothing")
def _(case: Case) -> None:
    libc.syscall = does_nothing


def diverge(case: Case) -> None:
    """A thread under another filter can't follow: the kernel must not be believed to have filtered it."""

    def wake() -> None:
        allow_all = (ctypes.c_uint64 * 1)(int.from_bytes(b"\x06\0\0\0\0\0\xff\x7f", "little"))
        program = seccomp._Program(1, ctypes.addressof(allow_all))
        ready = threading.Event()

        def put_on_another() -> None:
            libc.syscall(seccomp._SYS_SECCOMP[os.uname().machine], 1, 0, ctypes.addressof(program))
            ready.set()
            threading.Event().wait()

        threading.Thread(target=put_on_another, daemon=True).start()
        ready.wait()

    case.wake = wake


breaks("seccomp", "a thread has another filter")(diverge)


@breaks("seccomp", "a thread has another filter, and the kernel answers its number")
def _(case: Case) -> None:
    seccomp._FLAG_TSYNC_ESRCH = 0  # the answer is positive then, and no error (seccomp(2))
    diverge(case)


@breaks("audit", "another hook keeps it out")
def _(case: Case) -> None:
    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sys.addaudithook":
            raise RuntimeError  # CPython then drops the new hook without a word

    sys.addaudithook(hook)


def unread(descriptor: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


def main() -> None:
    step, break_it = BREAKAGES.get(sys.argv[2], ("", lambda case: None))
    case = Case(step)
    os.write(case.input_write, TASK)
    pid = os.fork()
    if pid == 0:
        try:
            break_it(case)
            case.jail.seal(case.report_fd, case.input_fd, case.parent, case.limits, case.wake, lambda event: None)
            os.write(3, b"sealed" + os.read(4, 100))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(case.report_fd)
    said = os.read(case.report_read, 100).decode()
    _, status = os.waitpid(pid, 0)
    print(os.waitstatus_to_exitcode(status), unread(case.input_fd), said)


if __name__ == "__main__":
    main()
