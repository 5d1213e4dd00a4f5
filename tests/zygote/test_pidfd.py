"""Whose a descriptor is: told from the kernel, not from who sent it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from langserver.zygote import pidfd
from tests.fuzz import processes


@pytest.mark.parametrize("sort", [sort for sort in processes.SORTS if sort])
def test_only_of_a_child_or_of_who_has_ended(sort: str) -> None:
    (number,) = processes.descriptor(sort)
    try:
        assert pidfd.is_child_of(os.getpid(), number) == (sort in ("living", "ended"))
    finally:
        os.close(number)


@pytest.mark.parametrize("sort", [sort for sort in processes.SORTS if sort])
def test_nobody_in_our_own_namespace_is_below_it(sort: str) -> None:
    (number,) = processes.descriptor(sort)
    try:
        assert pidfd.is_below(number) == (sort == "ended")
    finally:
        os.close(number)


def test_a_child_of_another_process_is_none() -> None:
    (number,) = processes.descriptor("living")
    try:
        assert not pidfd.is_child_of(os.getppid(), number)
    finally:
        os.close(number)


@pytest.fixture
def named() -> Callable[[str], int]:
    started = []

    def start(name: str) -> int:
        # proc_pid_comm(5): a process may call itself anything, in 15 bytes.
        script = 'printf %s "$1" >/proc/self/comm && echo && read line'
        process = subprocess.Popen(["sh", "-c", script, "sh", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process.pid

    yield start
    for process in started:
        process.communicate()


def test_a_name_is_not_mistaken_for_a_parent(named: Callable[[str], int]) -> None:
    number = os.pidfd_open(named(") S 1 ("))
    try:
        assert pidfd.is_child_of(os.getpid(), number)
        assert not pidfd.is_child_of(1, number)
    finally:
        os.close(number)


def test_ended_before_it_is_buried_and_after() -> None:
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    number = os.pidfd_open(process.pid)
    try:
        assert not pidfd.has_ended(number)
        assert process.stdin is not None
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert pidfd.has_ended(number)
        process.wait()
        assert pidfd.has_ended(number)
        assert pidfd.pid_of(number) == 0
    finally:
        os.close(number)
