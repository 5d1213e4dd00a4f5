"""The layer `namespaces` alone, against plain CPython: what is the host's is in hand without it, and not with it."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from langserver.sandbox.layers import NAMESPACES, PRIVILEGES
from langserver.zygote.client import Zygote
from langserver.zygote.failures import ZygoteError, ZygoteLost
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import OneZygote, one_zygote, output
from tests.security.layers import AVAILABLE, HAS_NAMESPACES, ROOT

ALONE = frozenset({NAMESPACES})
EVERY = frozenset(name for name, status in AVAILABLE.items() if status.available)
SECRET = "a thing of the host"
KINDS = ("net", "ipc", "uts", "mnt", "pid")

needed = pytest.mark.skipif(not HAS_NAMESPACES, reason=f"not to be had here: {AVAILABLE[NAMESPACES].detail}")

# Each gives back the thing itself, or the name of what was raised instead.
REACH = """
import ctypes, os, socket

def read_file(host):
    fd = os.open(host["file"], os.O_RDONLY)
    return os.read(fd, 100).decode()

def list_folder(host):
    return os.path.basename(host["file"]) in os.listdir(os.path.dirname(host["file"]))

def see_file(host):
    return os.stat(host["file"]).st_size > 0

def change_file(host):
    os.utime(host["file"], (1, 1))
    return True

def see_process(host):
    os.kill(host["pid"], 0)
    return True

def watch_process(host):
    return os.pidfd_open(host["pid"]) > 0

def limit_process(host):
    return os.sched_getaffinity(host["pid"]) != set()

def list_processes(host):
    return str(host["pid"]) in os.listdir("/proc")

def talk(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as talking:
        talking.connect(address)
        return talking.recv(100).decode()

def reach_port(host):
    return talk(socket.AF_INET, ("127.0.0.1", host["port"]))

def reach_abstract_socket(host):
    return talk(socket.AF_UNIX, "\\0" + host["abstract"])

def reach_socket_file(host):
    return talk(socket.AF_UNIX, host["socket"])

def interfaces(host):
    return sorted(name for _, name in socket.if_nameindex()) == host["interfaces"] != ["lo"]

def host_name(host):
    return socket.gethostname() == host["name"]

def shared_memory(host):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(host["segment"], None, 0o10000)
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "shmat")
    return ctypes.string_at(at).decode()

def main(way, host):
    try:
        return globals()[way](host)
    except OSError as error:
        return type(error).__name__
"""

# way: (what it gives without the layer, what it gives with it)
WAYS = {
    "read_file": (SECRET, "FileNotFoundError"),
    "list_folder": (True, "FileNotFoundError"),
    "see_file": (True, "FileNotFoundError"),
    "change_file": (True, "FileNotFoundError"),
    "see_process": (True, "ProcessLookupError"),
    "watch_process": (True, "ProcessLookupError"),
    "limit_process": (True, "ProcessLookupError"),
    "list_processes": (True, "FileNotFoundError"),
    "reach_port": (SECRET, "OSError"),
    "reach_abstract_socket": (SECRET, "ConnectionRefusedError"),
    "reach_socket_file": (SECRET, "FileNotFoundError"),
    "host_name": (True, False),
    "shared_memory": (SECRET, "OSError"),
}


@contextlib.contextmanager
def listening(family: int, address: object) -> Iterator[socket.socket]:
    """A server that says SECRET to whoever connects."""

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                with server.accept()[0] as caller:
                    caller.sendall(SECRET.encode())

    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextlib.contextmanager
def segment() -> Iterator[int]:
    """A System V segment with SECRET in it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    libc.shmdt.argtypes = [ctypes.c_void_p]
    number = libc.shmget(0, 4096, 0o1666)
    assert number >= 0
    at = libc.shmat(number, None, 0)
    ctypes.memmove(at, SECRET.encode(), len(SECRET))
    libc.shmdt(at)
    try:
        yield number
    finally:
        libc.shmctl(number, 0, None)  # IPC_RMID


@pytest.fixture
def host(tmp_path: Path) -> Iterator[dict]:
    """Things outside, and where they are."""
    file = tmp_path / "file"
    file.write_text(SECRET)
    abstract = f"langserver-test-{os.getpid()}"
    path = str(tmp_path / "socket")
    with (
        listening(socket.AF_INET, ("127.0.0.1", 0)) as tcp,
        listening(socket.AF_UNIX, "\0" + abstract),
        listening(socket.AF_UNIX, path),
        segment() as number,
    ):
        yield {
            "file": str(file),
            "pid": os.getpid(),
            "port": tcp.getsockname()[1],
            "abstract": abstract,
            "socket": path,
            "interfaces": sorted(name for _, name in socket.if_nameindex()),
            "name": socket.gethostname(),
            "segment": number,
        }


async def reached(supply: OneZygote, way: str, host: dict) -> object:
    request = TaskRequest("python", REACH, input_json=json.dumps({"way": way, "host": host}))
    return output(await supply.run(request))


@needed
async def test_without_the_layer_it_is_in_hand_and_with_it_not(host: dict) -> None:
    async with one_zygote("python", frozenset()) as bare, one_zygote("python", ALONE) as walled:
        found = {way: (await reached(bare, way, host), await reached(walled, way, host)) for way in WAYS}
        assert found == WAYS
        if host["interfaces"] != ["lo"]:
            assert await reached(bare, "interfaces", host) is True
        assert await reached(walled, "interfaces", host | {"interfaces": ["lo"]}) is False
        seen = await walled.run(TaskRequest("python", "import socket\nresult = socket.if_nameindex()"))
        assert [name for _, name in output(seen)] == ["lo"]


# What native code would do to get out again: without a capability, here or in a user namespace, it comes to nothing.
OUT = """
import ctypes, os

libc = ctypes.CDLL(None, use_errno=True)

def check(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "")
    return result

def mount_proc(): check(libc.mount(b"proc", b"/dev", b"proc", 0, None))
def mount_devices(): check(libc.mount(b"devtmpfs", b"/dev", b"devtmpfs", 0, None))
def take_the_root_off(): check(libc.umount2(b"/", 2))
def make_it_writable(): check(libc.mount(b"none", b"/", None, 32, None))
def make_a_file(): os.open("/file", os.O_CREAT | os.O_WRONLY)
def make_a_device(): os.mknod("/dev/disk", 0o60600, os.makedev(254, 0))
def climb(): os.stat("/../../../../etc")
def change_root(): os.chroot("/dev")
def name_the_host(): check(libc.sethostname(b"other", 5))
def new_user_then_proc():
    check(libc.unshare(0x10000000 | 0x20000))
    check(libc.mount(b"proc", b"/dev", b"proc", 0, None))
def become_another(): os.setuid(1234)
def capabilities():
    data = (ctypes.c_uint32 * 6)()
    check(libc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), data))
    left = [number for number in range(41) if libc.prctl(23, number, 0, 0, 0) == 1]
    if not any(data) and not left:
        raise OSError(1, "")

def main(way):
    try:
        globals()[way]()
    except OSError as error:
        return type(error).__name__
    return "done"
"""
REFUSED = ("PermissionError",)
OUTCOMES = {
    "mount_proc": REFUSED,
    "mount_devices": REFUSED,
    "take_the_root_off": REFUSED,
    "make_it_writable": REFUSED,
    "make_a_file": ("OSError",),  # EROFS
    "make_a_device": ("PermissionError", "OSError"),
    "climb": ("FileNotFoundError",),
    "change_root": REFUSED,
    "name_the_host": REFUSED,
    "new_user_then_proc": REFUSED,
    "become_another": ("PermissionError", "OSError"),  # EINVAL in a user namespace: there is nobody else
    "capabilities": REFUSED,
}


@needed
async def test_there_is_no_way_out_again() -> None:
    async with one_zygote("python", ALONE) as supply:
        tried = {
            way: output(await supply.run(TaskRequest("python", OUT, input_json=json.dumps({"way": way}))))
            for way in OUTCOMES
        }
    assert {way: what for way, what in tried.items() if what not in OUTCOMES[way]} == {}


@dataclass
class Seen:
    """The namespaces of a process, the names in its root folder, and the options of each of its mounts."""

    kinds: dict[str, str]
    root: list[str]
    mounts: dict[str, str]


def seen_from_outside(pid: int) -> Seen:
    folder = Path(f"/proc/{pid}")
    mounts = [line.split()[4:6] for line in (folder / "mountinfo").read_text().splitlines()]
    return Seen({kind: os.readlink(folder / "ns" / kind) for kind in KINDS}, os.listdir(folder / "root"), dict(mounts))


@needed
@pytest.mark.parametrize("runtime", ["python", "js"])
async def test_zygote_and_child_live_elsewhere(runtime: str) -> None:
    layers = ALONE if runtime == "python" else ALONE | {"policy"}  # dumpable, so that this test may look in
    async with one_zygote(runtime, layers) as supply:
        child = await supply.take()
        for pid in (supply.zygote.pid, child.pid):
            seen = seen_from_outside(pid)
            assert all(seen.kinds[kind] != os.readlink(f"/proc/self/ns/{kind}") for kind in KINDS)
            assert seen.root == ["dev"]
            assert set(seen.mounts) == {"/", "/dev/null", "/dev/urandom"}
            assert seen.mounts["/"].startswith("ro,")
        assert psutil.Process(child.pid).ppid() == supply.zygote.pid
        child.kill()
        await child.exit
        supply.done(child)


ONE = {"python": "def main(n): return n + 1", "js": "function main({n}) { return n + 1 }"}


@needed
@pytest.mark.parametrize(
    ("runtime", "count"), [("python", 200), pytest.param("python", 1000, marks=pytest.mark.slow), ("js", 100)]
)
async def test_a_thousand_tasks_in_a_row_through_one_zygote(runtime: str, count: int) -> None:
    """A pid namespace takes no new process once its first one has ended: that one has to be the zygote."""
    async with one_zygote(runtime, EVERY) as supply:
        pid = supply.zygote.pid
        for n in range(count):
            assert output(await supply.run(TaskRequest(runtime, ONE[runtime], input_json=f'{{"n": {n}}}'))) == n + 1
        assert not supply.zygote.lost
        assert supply.zygote.pid == pid
        assert psutil.Process(pid).children() == []


ORPHAN = """
import os, time
def main():
    if os.fork() == 0:
        for number in range(20):
            try: os.close(number)
            except OSError: pass
        time.sleep(0.3)
        os._exit(0)
"""


@needed
async def test_what_a_task_leaves_behind_is_buried() -> None:
    async with one_zygote("python", ALONE) as supply:
        output(await supply.run(TaskRequest("python", ORPHAN)))
        zygote = psutil.Process(supply.zygote.pid)
        await until(lambda: [one.status() for one in zygote.children()] == [psutil.STATUS_ZOMBIE])
        output(await supply.run(TaskRequest("python", "result = 1")))
        await until(lambda: zygote.children() == [])


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def is_gone(process: psutil.Process) -> bool:
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@needed
@pytest.mark.parametrize("layers", [ALONE, ALONE | {PRIVILEGES}, EVERY], ids=["alone", "with privileges", "every"])
@pytest.mark.parametrize(
    ("victim", "number"),
    [("launcher", signal.SIGKILL), ("launcher", signal.SIGTERM), ("zygote", signal.SIGKILL)],
    ids=["launcher killed", "launcher asked", "zygote killed"],
)
async def test_the_death_of_one_is_the_death_of_all(victim: str, number: int, layers: frozenset[str]) -> None:
    zygote = await Zygote.start("python", layers)
    await zygote.spawn(0, 0)
    first = psutil.Process(zygote.pid)
    launcher = first.parent()
    assert launcher is not None
    assert launcher.ppid() == os.getpid()
    (child,) = first.children()
    assert {first.status(), launcher.status(), child.status()}.isdisjoint({psutil.STATUS_ZOMBIE})
    (launcher if victim == "launcher" else first).send_signal(number)
    await until(lambda: zygote.lost)
    await zygote.close()
    assert is_gone(launcher)
    await until(lambda: is_gone(first) and is_gone(child))
    with pytest.raises(ZygoteLost):
        await zygote.spawn(0, 0)


@needed
async def test_a_start_that_is_given_up_leaves_nothing() -> None:
    def descendants() -> set[psutil.Process]:
        return set(psutil.Process().children(recursive=True))

    for _ in range(5):
        others = descendants()
        starting = asyncio.create_task(Zygote.start("python", EVERY))
        await until(lambda others=others: len(descendants() - others) == 2)
        launcher_and_zygote = descendants() - others
        starting.cancel()
        await asyncio.wait([starting])
        assert all(map(is_gone, launcher_and_zygote))


@needed
async def test_the_last_words_of_a_zygote_arrive() -> None:
    with pytest.raises(ZygoteError, match=r"could not start: .*there is no runtime 'cobol'"):
        await Zygote.start("cobol", ALONE)


@needed
@pytest.mark.parametrize("layers", ["namespaces", "privileges,namespaces"])
def test_the_launcher_ends_as_its_zygote_does(layers: str) -> None:
    def start(runtime: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = theirs.fileno()
        command = [sys.executable, "-I", "-m", "langserver.zygote.main", runtime, str(number), layers]
        with theirs:
            return subprocess.Popen(command, env={}, pass_fds=[number], stderr=subprocess.PIPE), ours

    process, control = start("cobol")
    with process, control:
        assert b"there is no runtime 'cobol'" in process.stderr.read()
        assert process.wait(30) == 1
    process, control = start("python")
    with process, control:
        assert control.recv(200)
        (zygote,) = psutil.Process(process.pid).children()
        zygote.kill()
        assert process.wait(30) == 128 + signal.SIGKILL
    process, control = start("python")
    with process:
        with control:
            assert control.recv(200)
        assert process.wait(30) == 0, "the end of the control socket is an ordinary end"


FORBIDDING = [sys.executable, "-I", str(ROOT / "tests" / "sandbox" / "forbidding.py"), str(ROOT)]


@pytest.mark.parametrize("call", ["unshare", "pivot_root", "fsmount"])
def test_a_host_that_forbids_it_is_told_of_and_serves_without(call: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("result = 1")
    command = [*FORBIDDING, call, sys.executable, "-m", "langserver"]
    said = subprocess.run([*command, "doctor", "--json"], capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stderr
    (found,) = [layer for layer in json.loads(said.stdout)["layers"] if layer["name"] == NAMESPACES]
    assert not found["active"]
    assert found["detail"].startswith("Operation not permitted (")
    done = subprocess.run([*command, "run", str(file)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_a_server_that_requires_it_does_not_start_without() -> None:
    command = [*FORBIDDING, "unshare", sys.executable, "-m", "langserver", "serve", "--listen", "127.0.0.1:0"]
    environment = {**os.environ, "LANG_REQUIRED_LAYERS": "policy,namespaces"}
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert refused.returncode == 3
    assert "the layer namespaces is required (LANG_REQUIRED_LAYERS), but can't be had here: " in refused.stderr


@needed
def test_finding_out_leaves_this_process_where_it_is() -> None:
    code = (
        "import os\nfrom langserver.sandbox.probe import probe\n"
        "def where(): return {kind: os.readlink(f'/proc/self/ns/{kind}') for kind in os.listdir('/proc/self/ns')}\n"
        "before, files = where(), len(os.listdir('/proc/self/fd'))\nprobe()\n"
        "assert where() == before\nassert len(os.listdir('/proc/self/fd')) == files\n"
        "try:\n    os.waitpid(-1, 0)\nexcept ChildProcessError:\n    print('none left')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("none left\n", "")
