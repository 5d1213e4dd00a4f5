"""What a server and its processes hold while nothing runs."""

from __future__ import annotations

import os
import time

import psutil

from bench.processes import held

_SETTLE_SECONDS = 20.0
_MIB = 1 << 20


def zygotes(server: int) -> list[psutil.Process]:
    """Its zygotes, with the layer `namespaces` their launchers too."""
    return [one for one in _below(server) if "langserver.zygote.main" in _words(one) and _is_zygote(server, one)]


def settle(server: int, processes: int) -> None:
    """Waits until so many processes are below it: zygotes that were replaced end, children come to wait.

    Gives up without a word, since too many are what the samples are to show.
    """
    end = time.monotonic() + _SETTLE_SECONDS
    while len(_below(server)) != processes and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.2)  # forked is not yet sealed


def sample(server: int) -> dict[str, float]:
    """One sample, by the names in `verdict.BOUNDS`."""
    found = _below(server)
    of_zygotes = [one.pid for one in zygotes(server)]
    return {
        "server, PSS, MiB": held(server).pss / _MIB,
        "server, descriptors": _descriptors(server),
        "zygotes, PSS, MiB": sum(held(pid).pss for pid in of_zygotes) / _MIB,
        "zygotes, descriptors": sum(map(_descriptors, of_zygotes)),
        "processes": len(found),
        "zombies": sum(_is_zombie(one) for one in found),
    }


def _below(server: int) -> list[psutil.Process]:
    return psutil.Process(server).children(recursive=True)


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it has just ended
        return []


def _is_zygote(server: int, process: psutil.Process) -> bool:
    """Children have the command line of the zygote that forked them, and sessions of their own."""
    try:
        above = process.ppid()
        return above == server or (psutil.Process(above).ppid() == server and bool(process.children()))
    except psutil.Error:
        return False


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
