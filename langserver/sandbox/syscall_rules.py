"""Which system calls a sealed child may make, and why. Everything not named here answers EPERM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from langserver.sandbox.bpf import Condition, Flags, OneOf
from langserver.sandbox.confine import INPUT_FD, REPORT_FD

_PROT_NONE: Final = 0
_PROT_READ_WRITE: Final = 1 | 2

_MAP_PRIVATE: Final = 0x2
_MAP_FIXED: Final = 0x10
_MAP_ANONYMOUS: Final = 0x20
_MAP_NORESERVE: Final = 0x4000
_MAP_STACK: Final = 0x20000

_MREMAP_MAYMOVE: Final = 1

_MADV_DONTNEED: Final = 4
_MADV_FREE: Final = 8

_F_GETFD: Final = 1
_F_GETFL: Final = 3

# Time of day, monotonic, and of this process and thread: an id made of a pid would show the CPU time of every process
# of the host (clock_getcpuclockid(3)). Not the alarm clocks, 8 and 9.
_OWN_CLOCKS: Final = (0, 1, 2, 3, 4, 5, 6, 7, 11)
_SLEEPABLE_CLOCKS: Final = (0, 1, 7)


@dataclass(frozen=True, slots=True)
class Rule:
    """One allowed call: its name in `syscalls.NUMBERS`, what its arguments must be, and who needs it.

    A call whose arguments are others is refused; under the condition `pretended` it is not made and answers success.
    """

    name: str
    reason: str
    conditions: tuple[Condition, ...] = ()
    pretended: Condition | None = None


# The memory limits are true only under these: RLIMIT_DATA counts neither shared nor grows-down mappings, a read-only
# private one costs page tables that no limit sees, and nothing here may ever become executable.
_PRIVATE_MEMORY: Final = _MAP_PRIVATE | _MAP_ANONYMOUS
_MMAP_PROT: Final = OneOf(2, (_PROT_NONE, _PROT_READ_WRITE))
_MMAP_PYTHON: Final = (
    OneOf(0, (0,)),  # the kernel chooses: pages far apart would cost page tables that no limit sees
    _MMAP_PROT,
    Flags(3, allowed=_PRIVATE_MEMORY | _MAP_NORESERVE | _MAP_STACK, required=_PRIVATE_MEMORY),
)
# V8 gives pages of its reservation back by mapping over them, and dies when it may not.
_MMAP_JS: Final = (
    _MMAP_PROT,
    Flags(3, allowed=_PRIVATE_MEMORY | _MAP_FIXED | _MAP_NORESERVE | _MAP_STACK, required=_PRIVATE_MEMORY),
)

# Never to PROT_NONE: the kernel takes the pages off the count of RLIMIT_DATA, and the process keeps them. V8 dies when
# it is refused, and goes on well when it is told that it was done: the pages stay counted.
_READ_WRITE_ONLY: Final = OneOf(2, (_PROT_READ_WRITE,))
_NO_ACCESS: Final = OneOf(2, (_PROT_NONE,))

# The kernel walks the program from the top: the calls a busy task makes most come first.
_COMMON: Final = (
    Rule("futex", "locks of the interpreter, of V8 and of malloc; glibc aborts when a wait is refused"),
    Rule("munmap", "gives memory back: refused, a task would run into its limit"),
    Rule(
        "madvise",
        "gives pages back and keeps the addresses",
        (OneOf(2, (_MADV_DONTNEED, _MADV_FREE)),),
    ),
    Rule("brk", "malloc's main arena; refused, `re.sub` was seen to die"),
    Rule("read", "the task comes through a pipe", (OneOf(0, (INPUT_FD,)),)),
    Rule("write", "logs and report leave through a pipe", (OneOf(0, (REPORT_FD,)),)),
    Rule("close", "the input end is closed before user code runs"),
    Rule(
        "clock_gettime",
        "process and thread clocks, and every clock where the vDSO has none",
        (OneOf(0, _OWN_CLOCKS),),
    ),
    Rule("clock_nanosleep", "time.sleep and timers", (OneOf(0, _SLEEPABLE_CLOCKS),)),
    Rule("restart_syscall", "how the kernel goes on with a wait after SIGCONT or a frozen cgroup is thawed"),
    Rule("getrandom", "fresh randomness for every generator; secrets, uuid4, crypto"),
    Rule("getpid", "generators compare it to notice a fork"),
    Rule("rt_sigaction", "signal.signal of an ordinary program, sigaltstack users, faults inside the interpreter"),
    Rule("rt_sigprocmask", "glibc blocks signals around thread exit and abort"),
    Rule("rt_sigreturn", "the return from a signal handler"),
    Rule(
        "fcntl",
        "a look at a descriptor; F_SETPIPE_SZ would eat the host's pipe budget",
        (OneOf(1, (_F_GETFD, _F_GETFL)),),
    ),
    Rule("exit_group", "the end of every child"),
)

ALLOWED: Final[dict[str, tuple[Rule, ...]]] = {
    "python": (
        *_COMMON,
        Rule("mprotect", "malloc commits memory it reserved", (_READ_WRITE_ONLY,)),
        Rule("mmap", "the allocators' memory; refused, a RecursionError becomes a SystemError", _MMAP_PYTHON),
        # Not in a JavaScript child: a stack moved and grown by it is no data to RLIMIT_DATA. glibc copies instead.
        Rule("mremap", "realloc of large blocks", (Flags(3, allowed=_MREMAP_MAYMOVE),)),
    ),
    "js": (
        *_COMMON,
        Rule("mprotect", "V8 and malloc commit memory they reserved", (_READ_WRITE_ONLY,), pretended=_NO_ACCESS),
        Rule("mmap", "the memory of V8 and of malloc", _MMAP_JS),
        Rule("gettid", "V8 asks which thread holds a lock"),
        Rule("sched_yield", "V8 spins politely"),
        Rule("gettimeofday", "Date.now, where the vDSO has no clock (hpet, acpi_pm)"),
        Rule("exit", "the end of a thread"),
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
