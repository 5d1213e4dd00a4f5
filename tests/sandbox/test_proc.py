"""The memory lines of /proc/PID/status, whose first line is a name that the process chose itself."""

from __future__ import annotations

import ctypes
import mmap
import subprocess
import sys

import pytest

from langserver.sandbox.proc import Proc, held_bytes, size_of

NAME_TAKER = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, {name!r}, 0, 0, 0)  # PR_SET_NAME
print(flush=True)
sys.stdin.read()
"""
STATUS = b"""Name:\tpython
Umask:\t0022
Pid:\t7
VmPeak:\t    1000 kB
VmRSS:\t     904 kB
RssAnon:\t     500 kB
RssFile:\t     400 kB
RssShmem:\t       4 kB
VmPTE:\t      60 kB
VmSwap:\t     200 kB
HugetlbPages:\t       0 kB
Threads:\t1
"""


FIELDS = (b"VmRSS", b"RssAnon", b"RssShmem", b"VmPTE", b"VmSwap")


def test_a_size_in_bytes() -> None:
    assert size_of(STATUS, b"VmRSS") == 904 << 10
    assert size_of(STATUS, b"RssShmem") == 4 << 10


def test_held_is_what_no_file_backs() -> None:
    assert held_bytes(STATUS) == (500 + 4 + 200 + 60) << 10


@pytest.mark.parametrize("field", [b"Pid", b"Name", b"Threads", b"Vm", b"RSS", b"VmHWM", b""])
def test_what_is_no_size(field: bytes) -> None:
    with pytest.raises(KeyError):
        size_of(STATUS, field)


@pytest.mark.parametrize(
    "line",
    [b"VmRSS: 1 MB", b"VmRSS: -1 kB", b"VmRSS: 1_0 kB", b"VmRSS: 1 kB x", b"VmRSS: kB", b" VmRSS: 1 kB", b"VmRSS 1 kB"],
)
def test_another_form_is_no_size(line: bytes) -> None:
    with pytest.raises(KeyError):
        size_of(b"Name:\tx\n" + line + b"\nVmPTE:\t 4 kB\n", b"VmRSS")


def test_a_process_that_has_ended_holds_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read()
        while b"State:\tZ" not in (status := Proc().status(process.pid)):
            pass
        with pytest.raises(KeyError):
            held_bytes(status)


@pytest.mark.parametrize("field", FIELDS)
def test_were_there_a_line_in_the_name_the_kernels_own_would_count(field: bytes) -> None:
    forged = STATUS.replace(b"python", b"x\n" + field + b":\t0 kB\n", 1)
    assert size_of(forged, field) == size_of(STATUS, field)


@pytest.mark.parametrize("name", [b"\nVmPTE:\t0 kB\n", b"\nRssAnon: 0 kB", b"a\\nVmSwap: 9 kB", b"\r\xff\x00"])
def test_no_name_makes_a_line(name: bytes) -> None:
    command = [sys.executable, "-c", NAME_TAKER.format(name=name)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        status = Proc().status(process.pid)
        process.stdin.close()
    assert b"python" not in status.splitlines()[0]  # it has its new name
    lines = status.split(b"\n")
    assert [line.split(b":")[0] for line in lines[:2]] == [b"Name", b"Umask"]
    for field in (b"VmPTE", b"RssAnon", b"VmSwap"):
        [kernels] = [line for line in lines[1:] if line.startswith(field + b":")]
        assert size_of(status, field) == int(kernels.split()[1]) << 10
    assert size_of(status, b"VmPTE") > 0
    assert size_of(status, b"RssAnon") > 0


def test_anonymous_memory_is_where_no_file_is() -> None:
    own = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with open(sys.executable, "rb") as file:
        of_a_file = mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_COPY)
    memory = Proc().anonymous_memory()
    assert _lies_in(own, memory)
    assert not _lies_in(of_a_file, memory)


def test_descriptors_are_the_open_ones_whatever_is_expected() -> None:
    with open(sys.executable, "rb") as file:
        number = file.fileno()
        assert number in Proc().descriptors()
        assert number in Proc().descriptors(frozenset({number}))
    assert number not in Proc().descriptors()
    assert not Proc().descriptors(frozenset({12345})) - Proc().descriptors()


def _lies_in(area: mmap.mmap, memory: tuple[tuple[int, int], ...]) -> bool:
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return any(start <= address < end for start, end in memory)
