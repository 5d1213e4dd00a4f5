"""System call numbers, and how a filter tells one architecture from another."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Architecture:
    """`name` is uname(2)'s machine, `audit` the AUDIT_ARCH_* value of linux/audit.h, `column` the place in NUMBERS."""

    name: str
    audit: int
    column: int


X86_64: Final = Architecture("x86_64", 0xC000003E, 0)
AARCH64: Final = Architecture("aarch64", 0xC00000B7, 1)
ARCHITECTURES: Final = {arch.name: arch for arch in (X86_64, AARCH64)}

# x32 calls come with the x86_64 audit value and this bit in the number (asm/unistd.h, __X32_SYSCALL_BIT).
X32_BIT: Final = 0x40000000

# name: (x86_64, aarch64), from asm/unistd_64.h and asm-generic/unistd.h. None: this architecture does not have it.
NUMBERS: Final[dict[str, tuple[int | None, int | None]]] = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "brk": (12, 214),
    "madvise": (28, 233),
    "futex": (202, 98),
    "getrandom": (318, 278),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "restart_syscall": (219, 128),
    "rt_sigreturn": (15, 139),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "exit_group": (231, 94),
    "clone3": (435, 435),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "setns": (308, 268),
    "unshare": (272, 97),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "create_module": (174, None),
    "query_module": (178, None),
    "get_kernel_syms": (177, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "iopl": (172, None),
    "ioperm": (173, None),
}


def number_of(name: str, arch: Architecture) -> int | None:
    """The number of a call, None where the architecture lacks it. Raises KeyError for a name that is not listed."""
    return NUMBERS[name][arch.column]


def native_architecture() -> Architecture | None:
    """The architecture of this machine, None where no filter can be built for it."""
    return ARCHITECTURES.get(os.uname().machine)
