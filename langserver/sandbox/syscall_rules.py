"""Which system calls a sealed child may make, in which form, and why. Everything not named here answers EPERM.

No rule without a program that needs it: tests/security/test_every_rule_is_needed.py has one for each form of each call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from langserver.sandbox.bpf import Is
from langserver.sandbox.confine import INPUT_FD, REPORT_FD

_PROT_NONE: Final = 0
_PROT_READ_WRITE: Final = 1 | 2

_MAP_PRIVATE: Final = 0x2
_MAP_FIXED: Final = 0x10
_MAP_ANONYMOUS: Final = 0x20
_MAP_NORESERVE: Final = 0x4000

_MREMAP_MAYMOVE: Final = 1

_MADV_DONTNEED: Final = 4

# linux/futex.h; what threads of one process say to each other (FUTEX_PRIVATE_FLAG, 128).
_FUTEX_WAIT: Final = 128 | 0
_FUTEX_WAKE: Final = 128 | 1
_FUTEX_WAIT_BITSET: Final = 128 | 9
_FUTEX_WAIT_BITSET_REALTIME: Final = 128 | 256 | 9

# linux/time.h
_REALTIME: Final = 0
_MONOTONIC: Final = 1
_PROCESS_CPU: Final = 2
_THREAD_CPU: Final = 3
_MONOTONIC_RAW: Final = 4


@dataclass(frozen=True, slots=True)
class Way:
    """One form of a call: what its arguments are, and who makes it so.

    A `pretended` call is not made, and answers success.
    """

    reason: str
    conditions: tuple[Is, ...]
    pretended: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One allowed call: its name in `syscalls.NUMBERS`, why, and its `ways`; without any its arguments do not matter.

    A call in no way of these is refused.
    """

    name: str
    reason: str
    ways: tuple[Way, ...] = ()


# The memory limits are true only under these: RLIMIT_DATA counts neither shared nor grows-down mappings, a read-only
# private one costs page tables that no limit sees, and nothing here may ever become executable. The kernel chooses the
# address: pages far apart would cost page tables too.
_PRIVATE: Final = _MAP_PRIVATE | _MAP_ANONYMOUS
_NEW_MEMORY: Final = (Is(0, 0), Is(2, _PROT_READ_WRITE), Is(3, _PRIVATE))

# No other futex operation: those that hand locks on (requeue, priority inheritance) were holes of the kernel more than
# once, and no lock here uses them.
_WAKE: Final = Way("a lock is given back; OpenSSL and C++ do so after what they do once", (Is(1, _FUTEX_WAKE),))
_TIMED_WAIT: Final = Way("a lock of the interpreter, with a timeout", (Is(1, _FUTEX_WAIT_BITSET),))

_ENDLESS_WAIT: Final = Is(1, _FUTEX_WAIT_BITSET_REALTIME)

# Where there is no vDSO with the clock in it every look at a clock is a system call (vdso(7)): gVisor, some virtual
# machines. An id made of a pid would show the CPU time of every process of the host (clock_getcpuclockid(3)).
_MONOTONIC_CLOCK: Final = Way("without a vDSO: how long anything took", (Is(0, _MONOTONIC),))
_SLEEP: Final = Way("time.sleep, by which both runtimes wait", (Is(0, _MONOTONIC),))

# The kernel walks the program from the top: the calls a busy task makes most come first.
_COMMON: Final = (
    Rule("munmap", "gives memory back: refused, a task would run into its limit"),
    Rule("brk", "malloc's main arena; refused, `re.sub` was seen to die"),
    Rule("read", "the task comes through a pipe", (Way("no other one", (Is(0, INPUT_FD),)),)),
    Rule("write", "logs and report leave through a pipe", (Way("no other one", (Is(0, REPORT_FD),)),)),
    Rule("close", "before user code runs", (Way("the input end, no other", (Is(0, INPUT_FD),)),)),
    Rule("restart_syscall", "how the kernel goes on with a wait after SIGCONT or a frozen cgroup is thawed"),
    Rule("getpid", "asyncio of CPython 3.11 compares it to notice a fork; log records have it; V8's garbage collector"),
    Rule("exit_group", "the end of every child"),
)

ALLOWED: Final[dict[str, tuple[Rule, ...]]] = {
    "python": (
        Rule(
            "futex",
            "locks; glibc aborts when one is refused",
            (
                _WAKE,
                _TIMED_WAIT,
                Way("a lock without a timeout: who waits for ever is ended by the clock", (_ENDLESS_WAIT,)),
            ),
        ),
        *_COMMON,
        Rule(
            "mmap",
            "the allocators' memory; refused, a RecursionError becomes a SystemError",
            (Way("malloc and the interpreter's own allocator", _NEW_MEMORY),),
        ),
        Rule("mremap", "realloc of large blocks", (Way("glibc lets them move", (Is(3, _MREMAP_MAYMOVE),)),)),
        Rule("getrandom", "fresh randomness for every generator; secrets, uuid4"),
        Rule(
            "clock_gettime",
            "what the vDSO does not answer",
            (
                _MONOTONIC_CLOCK,
                Way("without a vDSO: time.time", (Is(0, _REALTIME),)),
                Way("time.process_time", (Is(0, _PROCESS_CPU),)),
                Way("time.thread_time", (Is(0, _THREAD_CPU),)),
            ),
        ),
        # seccomp(2) itself, in its strict mode, allows it beside read, write and exit.
        Rule("rt_sigreturn", "the end of a signal handler: the child says where its program is when its time is up"),
        # Refused it answers -1, and glibc's callers take that for a time in 1969.
        Rule("time", "without a vDSO: a zone other than UTC is entered"),
        Rule("clock_nanosleep", "waits", (_SLEEP,)),
    ),
    "js": (
        Rule(
            "futex",
            "locks; glibc aborts when one is refused",
            (
                _WAKE,
                _TIMED_WAIT,
                Way("semaphores and locks of V8, without end or by the clock on the wall", (_ENDLESS_WAIT,)),
                Way("a lock of glibc that V8's thread has, of malloc mostly", (Is(1, _FUTEX_WAIT),)),
            ),
        ),
        *_COMMON,
        Rule(
            "mprotect",
            "memory that was reserved",
            (
                Way("V8 and malloc begin to use it", (Is(2, _PROT_READ_WRITE),)),
                # The kernel would take the pages off the count of RLIMIT_DATA, and the process keep them. V8 dies when
                # it is refused, and goes on well when it is told that it was done: the pages stay counted.
                Way("V8 does not need it any more", (Is(2, _PROT_NONE),), pretended=True),
            ),
        ),
        Rule(
            "mmap",
            "memory; refused, V8 dies",
            (
                Way("malloc", _NEW_MEMORY),
                Way("V8 maps over array buffers that it gives back", (Is(2, _PROT_NONE), Is(3, _PRIVATE | _MAP_FIXED))),
                # RLIMIT_DATA counts neither of the two until mprotect begins to use it.
                Way("malloc reserves for V8's thread", (Is(2, _PROT_NONE), Is(3, _PRIVATE | _MAP_NORESERVE))),
                Way("the same by glibc 2.41", (Is(0, 0), Is(2, _PROT_NONE), Is(3, _PRIVATE))),
            ),
        ),
        # No mremap: a stack moved and grown by it is no data to RLIMIT_DATA. glibc copies instead.
        Rule("madvise", "gives pages back and keeps the addresses", (Way("V8 and malloc", (Is(2, _MADV_DONTNEED),)),)),
        Rule("gettid", "V8 asks which thread holds a lock"),
        Rule(
            "clock_gettime",
            "what the vDSO does not answer",
            (
                _MONOTONIC_CLOCK,
                Way("without a vDSO: V8's locks measure the clock when two threads want one", (Is(0, _MONOTONIC_RAW),)),
            ),
        ),
        Rule("gettimeofday", "without a vDSO: Date.now"),
        Rule("clock_nanosleep", "waits", (_SLEEP, Way("V8's locks, to measure the clock", (Is(0, _REALTIME),)))),
    ),
}

# A program that makes one of these is an attack: no library of the two runtimes does, whatever its input.
# open, stat, readlink, socket, clone, execve and the rest have honest users, who fall back on EPERM.
KILLED: Final[dict[str, str]] = {
    "ptrace": "other processes",
    "process_vm_readv": "other processes",
    "process_vm_writev": "other processes",
    "pidfd_getfd": "other processes",
    "kcmp": "other processes",
    "bpf": "kernel attack surface",
    "perf_event_open": "kernel attack surface",
    "userfaultfd": "kernel attack surface",
    "io_uring_setup": "calls that no filter sees",
    "io_uring_enter": "calls that no filter sees",
    "io_uring_register": "calls that no filter sees",
    "setns": "namespaces",
    "unshare": "namespaces",
    "mount": "mounts",
    "umount2": "mounts",
    "pivot_root": "mounts",
    "open_tree": "mounts",
    "open_tree_attr": "mounts",
    "move_mount": "mounts",
    "fsopen": "mounts",
    "fsconfig": "mounts",
    "fsmount": "mounts",
    "fspick": "mounts",
    "mount_setattr": "mounts",
    "open_by_handle_at": "files outside the mount namespace",
    "init_module": "kernel code",
    "finit_module": "kernel code",
    "delete_module": "kernel code",
    "create_module": "kernel code",
    "query_module": "kernel code",
    "get_kernel_syms": "kernel code",
    "kexec_load": "kernel code",
    "kexec_file_load": "kernel code",
    "reboot": "the machine",
    "swapon": "the machine",
    "swapoff": "the machine",
    "iopl": "the machine",
    "ioperm": "the machine",
    "keyctl": "key rings are shared by all processes of a user",
    "add_key": "key rings are shared by all processes of a user",
    "request_key": "key rings are shared by all processes of a user",
}
