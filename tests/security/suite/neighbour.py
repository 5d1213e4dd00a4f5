"""A process beside the sandbox, of the children's own user: what attacks on others aim at. All it has says CANARY.

Prints one line of JSON, what stands where, and serves until its standard input ends. `python -m` it with a folder and,
from root, the user to become.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import socket
import sys
from pathlib import Path

CANARY = b"canary of a neighbour, 7d1f"
_ANYBODY = 0o666
_PR_SET_DUMPABLE = 4  # a change of user takes it away, and with it what processes of one user may do to another
_PR_SET_PTRACER = 0x59616D61  # Yama would else allow to trace descendants only (prctl(2))

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p


def _segment() -> int:
    """A System V segment; the kernel removes it with its last user."""
    number = int(libc.shmget(0, 4096, 0o1000 | _ANYBODY))
    if number < 0:  # not in this container: the attack on it is then not shown to be real
        return number
    address = libc.shmat(number, None, 0)
    libc.shmctl(number, 0, None)  # IPC_RMID: from now on it lasts as long as someone has it
    ctypes.memmove(address, CANARY, len(CANARY))
    return number


def _queue(name: bytes) -> None:
    """A POSIX queue with one message a reader."""
    queue = libc.mq_open(name, os.O_CREAT | os.O_RDWR, _ANYBODY, None)
    if queue >= 0:
        for _ in range(10):
            libc.mq_send(queue, CANARY, len(CANARY), 0)


def main(folder: Path, user: int) -> None:
    """Serves."""
    if user != os.getuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        libc.prctl(_PR_SET_DUMPABLE, 1)
    libc.prctl(_PR_SET_PTRACER, ctypes.c_ulong(-1))
    memory = ctypes.create_string_buffer(CANARY)
    # Not at its end: what another process steals shares the offset.
    reading, writing = os.pipe()
    os.write(writing, CANARY * 50)
    os.umask(0)  # anybody may use the queue and the socket; chmod is what a container may give nobody
    queue = f"/neighbour-{os.getpid()}"
    _queue(queue.encode())
    selector = selectors.DefaultSelector()
    path, name = folder / "socket", f"neighbour-{os.getpid()}"
    for family, kind, address in (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        (socket.AF_UNIX, socket.SOCK_STREAM, str(path)),
        (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{name}"),
    ):
        listener = socket.socket(family, kind)
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen(64)
        selector.register(listener, selectors.EVENT_READ)
    listeners = [key.fileobj for key in list(selector.get_map().values())]
    tcp, udp = (item.getsockname()[1] for item in listeners[:2] if isinstance(item, socket.socket))
    found = {
        "NEIGHBOUR_PID": os.getpid(),
        "NEIGHBOUR_ADDRESS": ctypes.addressof(memory),
        "NEIGHBOUR_PIPE": reading,
        "SEGMENT": _segment(),
        "QUEUE": queue,
        "TCP_PORT": tcp,
        "UDP_PORT": udp,
        "UNIX_PATH": str(path),
        "UNIX_NAME": name,
    }
    print(json.dumps(found), flush=True)
    selector.register(sys.stdin, selectors.EVENT_READ)
    try:
        _serve(selector)
    finally:
        libc.mq_unlink(queue.encode())


def _serve(selector: selectors.BaseSelector) -> None:
    while True:
        for key, _ in selector.select():
            if not isinstance(key.fileobj, socket.socket):
                return
            with contextlib.suppress(OSError):
                if key.fileobj.type == socket.SOCK_DGRAM:
                    _, sender = key.fileobj.recvfrom(64)
                    key.fileobj.sendto(CANARY, sender)
                else:
                    client, _ = key.fileobj.accept()
                    with client:
                        client.sendall(CANARY)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
