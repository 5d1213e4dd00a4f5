"""What the self-test tries in a sealed child. Each attempt is given the zygote's pid and returns a number.

Harmless where it gets through. The calls go to the C library past the interpreter, where the audit hook would answer in
place of the kernel's layers; it is there for one attempt of its own.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
from collections.abc import Iterator
from typing import Final

from langserver.sandbox.audit import AuditRefusal
from langserver.sandbox.confine import INPUT_FD, REPORT_FD

MEMORY_BYTES: Final = 16 << 20  # growth that a child of the self-test may have

# 0 when an attempt got through, an errno, or one of these.
REFUSED_BY_HOOK: Final = 1 << 16
SAME: Final = 1 << 17  # no other random number than a sibling's
ENDED: Final = 1 << 18  # and the exit status: the child was gone without an answer


def killed_by(number: int) -> int:
    """The answer of an attempt that cost the child its life."""
    return -number


def _load() -> ctypes.CDLL:
    # No use_errno: ctypes.get_errno is an audit event.
    library = ctypes.CDLL(None)
    number, size, pointer = ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p
    # Naming a function looks it up, which is an audit event too: all of them here.
    for name, result, arguments in (
        ("__errno_location", pointer, []),
        ("open", number, [ctypes.c_char_p, number]),
        ("access", number, [ctypes.c_char_p, number]),
        ("close", number, [number]),
        ("socket", number, [number, number, number]),
        ("connect", number, [number, pointer, ctypes.c_uint]),
        ("bind", number, [number, pointer, ctypes.c_uint]),
        ("fork", number, []),
        ("execve", number, [ctypes.c_char_p, pointer, pointer]),
        ("ptrace", ctypes.c_long, [ctypes.c_long, number, pointer, pointer]),
        ("kill", number, [number, number]),
        ("mmap", ctypes.c_ssize_t, [pointer, size, number, number, number, ctypes.c_long]),
        ("mprotect", number, [pointer, size, number]),
        ("munmap", number, [pointer, size]),
        ("setrlimit", number, [number, pointer]),
        ("chroot", number, [ctypes.c_char_p]),
        ("write", ctypes.c_ssize_t, [number, pointer, size]),
        ("read", ctypes.c_ssize_t, [number, pointer, size]),
        ("fcntl", number, [number, number]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_libc: Final = _load()
# Read where it lies: a forked child has it in the same place, and ctypes keeps it over the return of a call.
_errno: Final = ctypes.c_int.from_address(_libc.__errno_location())

_PAGE: Final = mmap.PAGESIZE
_READ_WRITE: Final = mmap.PROT_READ | mmap.PROT_WRITE
_PRIVATE: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
_SHARED: Final = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
_PTRACE_SEIZE: Final = 0x4206  # linux/ptrace.h; unlike PTRACE_ATTACH it does not stop who is traced
_SELF: Final = b"/proc/self/exe"  # whatever lies where: this one is there and may be executed
_ARGUMENTS: Final = (ctypes.c_char_p * 5)(_SELF, b"-I", b"-c", b"0", None)
_NO_ENVIRONMENT: Final = (ctypes.c_char_p * 1)(None)
_ANY_PORT: Final = ctypes.create_string_buffer((2).to_bytes(2, "little"), 16)  # struct sockaddr_in, AF_INET
_LOOPBACK: Final = ctypes.create_string_buffer(b"\x02\x00\x00\x09\x7f\x00\x00\x01", 16)  # 127.0.0.1, port 9
_ONE: Final = (ctypes.c_ulong * 2)(1, 1)  # struct rlimit, soft and hard
_DESCRIPTORS: Final = range(256)
_F_GETFD: Final = 1


def _answer(result: int) -> int:
    return _errno.value if result == -1 else 0


def _close(descriptor: int, used: int = 0) -> int:
    """The answer of who got a descriptor and used it; the next attempt of this child finds none that is open."""
    answer = _answer(descriptor) or _answer(used)
    if descriptor != -1:
        _libc.close(descriptor)
    return answer


def open_folder(_: int) -> int:
    """The root folder: there is one everywhere."""
    return _close(_libc.open(b"/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))


def open_by_interpreter(_: int) -> int:
    """The same the way programs do it, past the audit hook."""
    try:
        os.close(os.open("/", os.O_RDONLY))
    except AuditRefusal:
        return REFUSED_BY_HOOK
    except OSError as error:
        return error.errno or ENDED
    return 0


def use_network(_: int) -> int:
    """A TCP socket, bound to any free port."""
    descriptor = _libc.socket(2, 1, 0)  # AF_INET, SOCK_STREAM
    return _close(descriptor, _libc.bind(descriptor, _ANY_PORT, len(_ANY_PORT)) if descriptor != -1 else -1)


def see_files(_: int) -> int:
    """A folder that every host has."""
    return _answer(_libc.access(b"/proc/self", os.F_OK))


def reach_loopback(_: int) -> int:
    """A UDP socket with the host's loopback at its other end. Nothing is sent."""
    descriptor = _libc.socket(2, 2, 0)  # AF_INET, SOCK_DGRAM
    return _close(descriptor, _libc.connect(descriptor, _LOOPBACK, len(_LOOPBACK)) if descriptor != -1 else -1)


def start_process(_: int) -> int:
    """A fork; the child ends at once."""
    pid = _libc.fork()
    if pid == 0:
        os._exit(0)
    answer = _answer(pid)
    if pid > 0:
        os.waitpid(pid, 0)
    return answer


def execute(_: int) -> int:
    """This interpreter once more. Does not come back when it gets through."""
    return _answer(_libc.execve(_SELF, _ARGUMENTS, _NO_ENVIRONMENT))


def trace_zygote(zygote: int) -> int:
    """Attaches to it without stopping it, until this process ends."""
    return _answer(_libc.ptrace(_PTRACE_SEIZE, zygote, None, None))


def signal_zygote(zygote: int) -> int:
    """Signal 0: only the permission is looked at."""
    return _answer(_libc.kill(zygote, 0))


def _map(size: int, rights: int, flags: int) -> int:
    start = _libc.mmap(None, size, rights, flags, -1, 0)
    answer = _answer(start)
    if start != -1:
        _libc.munmap(start, size)
    return answer


def map_executable(_: int) -> int:
    """Private memory, writable and executable."""
    return _map(_PAGE, _READ_WRITE | mmap.PROT_EXEC, _PRIVATE)


def map_shared(_: int) -> int:
    """Anonymous memory that a fork would share."""
    return _map(_PAGE, _READ_WRITE, _SHARED)


def make_executable(_: int) -> int:
    """Private memory, executable later."""
    start = _libc.mmap(None, _PAGE, _READ_WRITE, _PRIVATE, -1, 0)
    answer = _answer(_libc.mprotect(start, _PAGE, mmap.PROT_READ | mmap.PROT_EXEC))
    _libc.munmap(start, _PAGE)
    return answer


def take_memory(_: int) -> int:
    """Four times the growth that a child of the self-test may have, in one piece."""
    return _map(4 * MEMORY_BYTES, _READ_WRITE, _PRIVATE)


def lower_limit(_: int) -> int:
    """Of pending signals, which nothing here needs."""
    return _answer(_libc.setrlimit(resource.RLIMIT_SIGPENDING, _ONE))


def raise_limit(_: int) -> int:
    """Of core files, which is 0."""
    return _answer(_libc.setrlimit(resource.RLIMIT_CORE, _ONE))


def gain_privilege(_: int) -> int:
    """A change of root: CAP_SYS_CHROOT."""
    return _answer(_libc.chroot(b"/"))  # CAP_SYS_CHROOT


def write_elsewhere(_: int) -> int:
    """To every descriptor but the report. Nothing is written where it gets through: there is no text at 0."""
    return _first_other(errno.EPERM, (_answer(_libc.write(fd, None, 1)) for fd in _DESCRIPTORS if fd != REPORT_FD))


def read_elsewhere(_: int) -> int:
    """From every descriptor but the input. Nothing is read where it gets through."""
    return _first_other(errno.EPERM, (_answer(_libc.read(fd, None, 1)) for fd in _DESCRIPTORS if fd != INPUT_FD))


def hold_more(_: int) -> int:
    """A look at each descriptor that a child does not need."""
    return _first_other(errno.EBADF, (_answer(_libc.fcntl(fd, _F_GETFD)) for fd in _DESCRIPTORS if fd > INPUT_FD))


def _first_other(expected: int, answers: Iterator[int]) -> int:
    return next((answer for answer in answers if answer != expected), expected)
