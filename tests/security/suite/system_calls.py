"""System calls by name, past every wrapper: what attacks with `raw = true` begin with."""

from __future__ import annotations

import functools
from typing import Final

from langserver.sandbox.syscalls import NUMBERS, native_architecture

# Beside those that the filter's rules name: (x86_64, aarch64), from asm/unistd_64.h and asm-generic/unistd.h.
_MORE: Final[dict[str, tuple[int | None, int | None]]] = {
    "capget": (125, 90),
    "capset": (126, 91),
    "chroot": (161, 51),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "execveat": (322, 281),
    "fork": (57, None),
    "get_robust_list": (274, 100),
    "getuid": (102, 174),
    "inotify_add_watch": (254, 27),
    "inotify_init1": (294, 26),
    "ioprio_get": (252, 31),
    "ioprio_set": (251, 30),
    "kill": (62, 129),
    "landlock_create_ruleset": (444, 444),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mlock": (149, 228),
    "mlockall": (151, 230),
    "mq_getsetattr": (245, 185),
    "mq_open": (240, 180),
    "mq_timedreceive": (243, 183),
    "mq_timedsend": (242, 182),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "name_to_handle_at": (303, 264),
    "openat2": (437, 437),
    "personality": (135, 92),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "quotactl": (179, 60),
    "remap_file_pages": (216, 234),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_getattr": (315, 275),
    "sched_setattr": (314, 274),
    "seccomp": (317, 277),
    "semctl": (66, 191),
    "semget": (64, 190),
    "setfsuid": (122, 151),
    "setgid": (106, 144),
    "setgroups": (116, 159),
    "sethostname": (170, 161),
    "setresgid": (119, 149),
    "setresuid": (117, 147),
    "setuid": (105, 146),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "socket": (41, 198),
    "sysinfo": (99, 179),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "timer_create": (222, 107),
    "tkill": (200, 130),
    "vfork": (58, None),
}

_HELPER: Final = '''
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(name, *arguments):
    """Result and errno; ENOSYS where this architecture has no such call."""
    if NUMBERS[name] is None:
        return -1, 38
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(NUMBERS[name]), *[a if isinstance(a, (ctypes.Array, ctypes.c_char_p)) else ctypes.c_long(a) for a in arguments])
    return result, ctypes.get_errno()
def reached(result, error):
    """The kernel did the call, or answered what only the call itself can answer: no EPERM, EACCES, ENOSYS."""
    return result >= 0 or error not in (1, 13, 38)
'''  # noqa: E501 -- the text of an attack


@functools.cache
def helper() -> str:
    """Python source: `call(name, ...)` and `reached(result, errno)` for this machine."""
    arch = native_architecture()
    column = arch.column if arch else 0
    return f"NUMBERS = { {name: numbers[column] for name, numbers in (NUMBERS | _MORE).items()}!r}\n{_HELPER}"
