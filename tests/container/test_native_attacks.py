"""Native code in a child, in the container: what a layer covers it stops there too, and alone.

One program tries every way under one set of layers; it is plain CPython, as if `policy` had been passed. That a way
gets through without layers is what makes it an attack: the container itself does not stop these.
"""

from __future__ import annotations

import json

import pytest

from langserver.sandbox.layers import LANDLOCK
from langserver.sandbox.probe import probe
from tests.container.server import ContainerServer

WAYS = """
import ctypes, errno, mmap, os, resource, socket

def read_file(): return os.read(os.open("/etc/passwd", os.O_RDONLY), 4) == b"root"
def read_the_server(): return b"serve" in os.read(os.open("/proc/1/cmdline", os.O_RDONLY), 999)
def list_folder(): return "etc" in os.listdir("/")
def make_socket():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_connection(one.getsockname()) as other:
        return other.getpeername() == one.getsockname()
def signal_the_server(): return os.kill(1, 0) is None
def signal_the_parent(): return os.kill(os.getppid(), 0) is None
def start_a_process():
    pid = os.fork()
    if not pid:
        os._exit(7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
def map_executable(): return len(mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)) == 4096
def map_shared(): return len(mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)) == 4096
def make_a_memory_file(): return os.memfd_create("file") > 0
def call_into_libc(): return ctypes.CDLL(None).getpid() == os.getpid()
def take_memory(): return len(bytearray(512 << 20)) > 0
def change_a_limit():
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (1, 1))
    return resource.getrlimit(resource.RLIMIT_SIGPENDING) == (1, 1)

def tried(way):
    try:
        return "in hand" if way() else "nothing"
    except OSError as error:
        return errno.errorcode[error.errno]
    except Exception as error:
        return type(error).__name__

def main(names):
    return {name: tried(globals()[name]) for name in names}
"""

ABI = next((int(one.detail.removeprefix("ABI ")) for one in probe() if one.name == LANDLOCK and one.available), 0)
KERNEL_LAYERS = ["privileges", "rlimits", *(["landlock"] if ABI else []), "seccomp"]
# way: {layer alone: its answer}. Any other of the layers below lets it through.
STOPPED: dict[str, dict[str, str]] = {
    "read_file": {"seccomp": "EPERM", "landlock": "EACCES", "rlimits": "EMFILE"},
    "read_the_server": {"seccomp": "EPERM", "landlock": "EACCES", "rlimits": "EMFILE"},
    "list_folder": {"seccomp": "EPERM", "landlock": "EACCES", "rlimits": "EMFILE"},
    "make_socket": {"seccomp": "EPERM", "rlimits": "EMFILE"} | ({"landlock": "EACCES"} if ABI >= 4 else {}),
    "signal_the_server": {"seccomp": "EPERM"} | ({"landlock": "EPERM"} if ABI >= 6 else {}),
    "signal_the_parent": {"seccomp": "EPERM"} | ({"landlock": "EPERM"} if ABI >= 6 else {}),
    "start_a_process": {"seccomp": "EPERM", "rlimits": "EAGAIN"},
    "map_executable": {"seccomp": "EPERM"},
    "map_shared": {"seccomp": "EPERM"},
    "make_a_memory_file": {"seccomp": "EPERM", "rlimits": "EMFILE"},
    "call_into_libc": {},  # what native code is: only `audit` minds
    "take_memory": {"rlimits": "MemoryError"},
    "change_a_limit": {"seccomp": "ValueError"},  # CPython's text for any EPERM of setrlimit
}


def outcomes(server: ContainerServer, layers: list[str]) -> dict[str, str]:
    given = f"--input={json.dumps({'names': list(STOPPED)})}"
    done = server.do("langserver", "run", "-", "--runtime=python", given, f"--layers={','.join(layers)}", stdin=WAYS)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("layer", ["none", *KERNEL_LAYERS])
def test_each_layer_alone(server: ContainerServer, layer: str) -> None:
    expected = {way: answers.get(layer, "in hand") for way, answers in STOPPED.items()}
    assert outcomes(server, [layer]) == expected


@pytest.mark.parametrize("tripwire", ["audit", None])
def test_all_but_policy(server: ContainerServer, tripwire: str | None) -> None:
    layers = [*KERNEL_LAYERS, *([tripwire] if tripwire else [])]
    reached = {way for way, answer in outcomes(server, layers).items() if answer in ("in hand", "nothing")}
    assert reached == (set() if tripwire else {"call_into_libc"})
