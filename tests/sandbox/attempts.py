"""What a child tries once it is sealed. Each attempt returns when it got through, and raises when it was stopped."""

from __future__ import annotations

import _thread
import ctypes
import fcntl
import mmap
import os
import resource
import secrets
import socket
import threading
import time

from langserver.sandbox import libc

NUMBERS = {  # (x86_64, aarch64)
    "mmap": (9, 222), "mprotect": (10, 226), "mremap": (25, 216), "madvise": (28, 233), "clone3": (435, 435),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "bpf": (321, 280), "mount": (165, 40),
    "init_module": (175, 105), "kexec_load": (246, 104), "keyctl": (250, 219), "add_key": (248, 217),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "setns": (308, 268),
    "unshare": (272, 97), "pidfd_getfd": (438, 438), "memfd_create": (319, 279), "shmget": (29, 194),
    "pidfd_open": (434, 434), "prctl": (157, 167), "getppid": (110, 173), "mlock": (149, 228),
    "tgkill": (234, 131), "ioctl": (16, 29), "sendto": (44, 206), "recvfrom": (45, 207), "futex": (202, 98),
    "write": (1, 64), "getpid": (39, 172), "rt_sigaction": (13, 134), "prlimit64": (302, 261),
}  # fmt: skip
COLUMN = ("x86_64", "aarch64").index(os.uname().machine)
PAGE = 4096
BAD = -1 & 0xFFFFFFFF  # as an operation or a descriptor: nothing happens where the call is answered

# Made before the seal: the raw attempts must not need anything that the layer audit refuses for another reason.
RW = mmap.PROT_READ | mmap.PROT_WRITE
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
WORD = ctypes.create_string_buffer(32)
_ENDS = socket.socketpair()
SOCKET = fcntl.fcntl(_ENDS[0], fcntl.F_DUPFD, 100)  # out of the way of the pipes
REGION = libc.syscall(NUMBERS["mmap"][COLUMN], 0, 4 * PAGE, RW, PRIVATE, -1, 0)


def raw(name: str, *arguments: int) -> int:
    return libc.syscall(NUMBERS[name][COLUMN], *arguments)


def read_file() -> None:
    os.close(os.open("/etc/passwd", os.O_RDONLY))


def read_root_file() -> None:
    os.close(os.open("/etc/shadow", os.O_RDONLY))


def read_entropy_device() -> None:
    os.close(os.open("/dev/urandom", os.O_RDONLY))


def reuse_descriptor() -> None:
    os.close(0)
    os.close(os.open("/etc/passwd", os.O_RDONLY))


def connect() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tcp:
        tcp.connect_ex(("127.0.0.1", 1))
        status = tcp.connect_ex(("127.0.0.1", 1))
        if status not in (0, 111):  # ECONNREFUSED is the network's answer, not a wall's
            raise OSError(status, os.strerror(status))


def make_socket() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def execute() -> None:
    os.execv("/bin/true", ["true"])


def start_thread() -> None:
    lock = _thread.allocate_lock()
    lock.acquire()
    _thread.start_new_thread(lock.release, ())
    lock.acquire()


def signal_zygote() -> None:
    os.kill(int(os.environ["ZYGOTE_PID"]), 0)


def read_zygotes_clock() -> None:
    time.clock_gettime((~int(os.environ["ZYGOTE_PID"]) << 3) | 2)  # clock_getcpuclockid(3)


def change_limit() -> None:
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (1, 1))


def change_limit_of_itself_by_prlimit() -> None:
    resource.prlimit(0, resource.RLIMIT_SIGPENDING, (1, 1))


def stat_file() -> None:
    os.stat("/etc/passwd")


def list_folder() -> None:
    os.listdir("/etc")


def grow_pipe() -> None:
    fcntl.fcntl(3, 1031, 1 << 17)  # F_SETPIPE_SZ


def become_root() -> None:
    os.setresuid(0, 0, 0)


def map_executable() -> None:
    raw("mmap", 0, PAGE, RW | mmap.PROT_EXEC, PRIVATE, -1, 0)


def map_read_only() -> None:
    raw("mmap", 0, PAGE, mmap.PROT_READ, PRIVATE, -1, 0)


def map_shared() -> None:
    raw("mmap", 0, PAGE, RW, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, 0)


def map_growing_down() -> None:
    raw("mmap", 0, PAGE, RW, PRIVATE | 0x100, -1, 0)


def protect_executable() -> None:
    raw("mprotect", REGION, PAGE, mmap.PROT_READ | mmap.PROT_EXEC)


def remap_leaving_a_copy() -> None:
    raw("mremap", REGION + PAGE, PAGE, PAGE, 1 | 4, 0)  # MREMAP_DONTUNMAP


def advise_no_fork() -> None:
    raw("madvise", REGION, PAGE, 10)


def make_memory_file() -> None:
    name = ctypes.create_string_buffer(b"x")
    os.close(raw("memfd_create", ctypes.addressof(name), 0))


def make_shared_segment() -> None:
    raw("shmget", 0, PAGE, 0o600)


def lock_memory() -> None:
    raw("mlock", REGION, PAGE)


def watch_zygote() -> None:
    os.close(raw("pidfd_open", int(os.environ["ZYGOTE_PID"]), 0))


def signal_own_thread() -> None:
    raw("tgkill", os.getpid(), os.getpid(), 0)


def ask_process() -> None:
    raw("prctl", 3, 0, 0, 0, 0)  # PR_GET_DUMPABLE


def ask_device() -> None:
    raw("ioctl", 3, 0x541B, ctypes.addressof(WORD))  # FIONREAD, of the pipe


def look_at_limit() -> None:
    raw("prlimit64", 0, resource.RLIMIT_CORE, 0, ctypes.addressof(WORD))


def catch_signal() -> None:
    raw("rt_sigaction", 10, 0, ctypes.addressof(WORD), 8)


def send() -> None:
    raw("sendto", SOCKET, ctypes.addressof(WORD), 1, 0, 0, 0)


def receive() -> None:
    raw("recvfrom", SOCKET, ctypes.addressof(WORD), 1, 64, 0, 0)  # MSG_DONTWAIT


def hand_lock_on() -> None:
    raw("futex", ctypes.addressof(WORD), 128 | 3, 1, 1, ctypes.addressof(WORD) + 8, 0)  # REQUEUE, of nobody


# The kernel looks at the low half of these.
def map_by_high_half_of_rights() -> None:
    raw("mmap", 0, PAGE, RW | 1 << 32, PRIVATE, -1, 0)


def map_by_high_half_of_flags() -> None:
    raw("mmap", 0, PAGE, RW, PRIVATE | 1 << 32, -1, 0)


def write_by_high_half() -> None:
    raw("write", 3 | 1 << 32, 0, 0)


def new_style_clone() -> None:
    raw("clone3", 0, 0)


def take_memory() -> None:
    bytearray(256 << 20)


def own_descriptors() -> None:
    """Nothing but report and /dev/null; the input end is closed already, 4 is what lists them."""
    assert set(map(int, os.listdir("/proc/self/fd"))) == {0, 1, 2, 3, 4}
    assert {os.readlink(f"/proc/self/fd/{number}") for number in range(3)} == {"/dev/null"}


def own_session() -> None:
    assert os.getsid(0) == os.getpid()
    assert os.getcwd() == "/"
    assert os.umask(0) == 0o077


def look_at_descriptor() -> None:
    fcntl.fcntl(3, fcntl.F_GETFL)
    fcntl.fcntl(3, fcntl.F_GETFD)


def wait_while_stopped() -> None:
    """The zygote stops and continues this process meanwhile."""
    os.write(3, b"stop me")
    lock = threading.Lock()
    lock.acquire()
    until = time.monotonic() + 0.3
    lock.acquire(timeout=0.3)
    assert time.monotonic() >= until, "the wait ended when it was continued"


# What no filter may break.
def ordinary() -> None:
    os.getpid()
    time.sleep(0.001)
    time.process_time()
    secrets.token_bytes(8)
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=0.001)
    blocks = [bytearray(1 << 16) for _ in range(64)] + [bytearray(1 << 22)]
    del blocks
    exec(compile("import json; [json.dumps({'a': i}) for i in range(100)]", "task", "exec"), {})
    descend = lambda: descend()  # noqa: E731
    try:
        descend()
    except RecursionError:
        return


def _killed(name: str, *arguments: int):
    def attempt() -> None:
        raw(name, *arguments)

    return attempt


KILLED = {
    "ptrace": _killed("ptrace", BAD, 0, 0, 0),
    "process_vm_readv": _killed("process_vm_readv", 1, 0, 0, 0, 0, BAD),
    "bpf": _killed("bpf", BAD, 0, 0),
    "mount": _killed("mount", 0, 0, 0, 0, 0),
    "init_module": _killed("init_module", 0, 0, 0),
    "kexec_load": _killed("kexec_load", 0, 0, 0, BAD),
    "keyctl": _killed("keyctl", BAD, 0, 0, 0, 0),
    "add_key": _killed("add_key", 0, 0, 0, 0, 0),
    "perf_event_open": _killed("perf_event_open", 0, 0, 0, 0, 0),
    "userfaultfd": _killed("userfaultfd", BAD),
    "io_uring_setup": _killed("io_uring_setup", 0, 0),
    "setns": _killed("setns", BAD, 0),
    "unshare": _killed("unshare", 1 << 3),
    "pidfd_getfd": _killed("pidfd_getfd", BAD, 0, 0),
}

# The same kernel by other doors: getpid by the number of the x32 ABI, and by the gate of 32-bit programs.
GETPID_OF_I386 = b"\xb8\x14\0\0\0\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret


def _call_as_x32() -> None:
    libc.syscall(NUMBERS["getpid"][COLUMN] | 0x40000000)


def _call_as_i386() -> None:
    assert _getpid_of_i386() > 0


FOREIGN = {}
if COLUMN == 0:
    CODE = mmap.mmap(-1, PAGE, PRIVATE, RW | mmap.PROT_EXEC)
    CODE.write(GETPID_OF_I386)
    _getpid_of_i386 = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(CODE)))
    FOREIGN = {"call_as_x32": _call_as_x32, "call_as_i386": _call_as_i386}

ATTEMPTS = {
    name: value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", None) == __name__ and not name.startswith("_") and name != "raw"
}
