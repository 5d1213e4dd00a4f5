"""Numbers of system calls that the rules do not name: (x86_64, aarch64)."""

from __future__ import annotations

OTHERS: dict[str, tuple[int | None, int | None]] = {
    "openat": (257, 56), "socket": (41, 198), "clone": (56, 220), "execve": (59, 221), "kill": (62, 129),
    "tgkill": (234, 131), "setrlimit": (160, 164), "prlimit64": (302, 261), "memfd_create": (319, 279),
    "shmget": (29, 194), "pidfd_open": (434, 434), "prctl": (157, 167), "ioctl": (16, 29), "dup": (32, 23),
    "mlock": (149, 228), "remap_file_pages": (216, 234), "process_madvise": (440, 440), "pkey_mprotect": (329, 288),
    "setpriority": (141, 140),
    "newfstatat": (262, 79), "readlinkat": (267, 78), "readlink": (89, None), "sendto": (44, 206),
    "recvfrom": (45, 207), "sendmsg": (46, 211), "recvmsg": (47, 212), "seccomp": (317, 277), "fcntl": (72, 25),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "exit": (60, 93),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "sched_getparam": (143, 121),
    "epoll_wait": (232, None), "futex_waitv": (449, 449), "map_shadow_stack": (453, 453), "mseal": (462, 462),
}  # fmt: skip
