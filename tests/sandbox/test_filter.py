"""The filters of both runtimes, for both architectures, in an interpreter: no call is made."""

from __future__ import annotations

import mmap

import pytest

from langserver.sandbox.bpf import MAX_INSTRUCTIONS
from langserver.sandbox.seccomp import ALLOW, DENY, KILL_PROCESS, NOT_THERE, PRETEND, build_filter
from langserver.sandbox.syscall_rules import ALLOWED, KILLED, Rule, Way
from langserver.sandbox.syscalls import AARCH64, NUMBERS, X86_64, Architecture, number_of
from tests.sandbox.interpreter import run
from tests.sandbox.numbers import OTHERS

RUNTIMES = ("python", "js")
ARCHITECTURES = (X86_64, AARCH64)
FILTERS = {(runtime, arch.name): build_filter(runtime, arch) for runtime in RUNTIMES for arch in ARCHITECTURES}

PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
HIGH = 1 << 32


def answer(runtime: str, arch: Architecture, name: str, *arguments: int) -> int:
    number = (NUMBERS | OTHERS)[name][arch.column]
    assert number is not None
    return run(FILTERS[runtime, arch.name], arch.audit, number, arguments)


both = pytest.mark.parametrize("arch", ARCHITECTURES, ids=lambda arch: arch.name)
each_runtime = pytest.mark.parametrize("runtime", RUNTIMES)


def arguments_of(way: Way) -> tuple[int, ...]:
    wanted = {condition.index: condition.value for condition in way.conditions}
    return tuple(wanted.get(index, 9) for index in range(6))


@both
@pytest.mark.parametrize(("runtime", "rule"), [(runtime, rule) for runtime in RUNTIMES for rule in ALLOWED[runtime]])
def test_every_rule_allows_its_call(runtime: str, rule: Rule, arch: Architecture) -> None:
    if number_of(rule.name, arch) is None:
        assert (rule.name, arch) == ("time", AARCH64), "clock_gettime took its place"
        return
    for way in rule.ways or (Way("", ()),):
        assert answer(runtime, arch, rule.name, *arguments_of(way)) == (PRETEND if way.pretended else ALLOW)


@both
@pytest.mark.parametrize(("runtime", "rule"), [(runtime, rule) for runtime in RUNTIMES for rule in ALLOWED[runtime]])
def test_no_argument_of_a_way_may_be_another_one(runtime: str, rule: Rule, arch: Architecture) -> None:
    """Not the next value, nor the right one with a bit above the 32 that BPF compares at once."""
    allowed = {arguments_of(way) for way in rule.ways}
    for way in rule.ways:
        for condition in way.conditions:
            for wrong in (condition.value + 1, condition.value | HIGH, condition.value | 1 << 63, -1):
                others = list(arguments_of(way))
                others[condition.index] = wrong
                if tuple(others) not in allowed:
                    assert answer(runtime, arch, rule.name, *others) == DENY


@each_runtime
def test_every_rule_says_why(runtime: str) -> None:
    names = [rule.name for rule in ALLOWED[runtime]]
    assert len(names) == len(set(names))
    assert all(rule.reason and all(way.reason for way in rule.ways) for rule in ALLOWED[runtime])
    assert not set(names) & set(KILLED)


@pytest.mark.parametrize(
    ("name", "arguments", "allowed"),
    [
        ("mmap", (0, 1, READ_WRITE, PRIVATE, -1, 0), True),
        ("mmap", (4096, 1, READ_WRITE, PRIVATE, -1, 0), False),  # pages far apart
        ("mmap", (HIGH, 1, READ_WRITE, PRIVATE, -1, 0), False),
        ("mmap", (4096, 1, READ_WRITE, PRIVATE | 0x10, -1, 0), False),  # FIXED
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x4000, -1, 0), False),  # NORESERVE
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x20000, -1, 0), False),  # STACK
        ("mmap", (0, 1, mmap.PROT_READ, PRIVATE, -1, 0), False),  # sparse page tables
        ("mmap", (0, 1, mmap.PROT_WRITE, PRIVATE, -1, 0), False),
        ("mmap", (0, 1, mmap.PROT_EXEC, PRIVATE, -1, 0), False),
        ("mmap", (0, 1, READ_WRITE | mmap.PROT_EXEC, PRIVATE, -1, 0), False),
        ("mmap", (0, 1, READ_WRITE | HIGH, PRIVATE, -1, 0), False),
        ("mmap", (0, 1, READ_WRITE, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, -1, 0), False),
        ("mmap", (0, 1, READ_WRITE, 3 | mmap.MAP_ANONYMOUS, -1, 0), False),  # MAP_SHARED_VALIDATE
        ("mmap", (0, 1, READ_WRITE, mmap.MAP_PRIVATE, 3, 0), False),  # a file
        ("mmap", (0, 1, READ_WRITE, 8 | mmap.MAP_ANONYMOUS, -1, 0), False),  # MAP_DROPPABLE, for glibc's getrandom
        ("mmap", (0, 1, READ_WRITE, mmap.MAP_ANONYMOUS, -1, 0), False),
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x100, -1, 0), False),  # GROWSDOWN
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x40, -1, 0), False),  # 32BIT
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x2000, -1, 0), False),  # LOCKED
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x8000, -1, 0), False),  # POPULATE
        ("mmap", (0, 1, READ_WRITE, PRIVATE | 0x40000, -1, 0), False),  # HUGETLB
        ("mmap", (0, 1, READ_WRITE, PRIVATE | HIGH, -1, 0), False),
        ("mprotect", (0, 1, mmap.PROT_READ), False),
        ("mprotect", (0, 1, mmap.PROT_READ | mmap.PROT_EXEC), False),
        ("mprotect", (0, 1, READ_WRITE | 0x01000000), False),  # PROT_GROWSDOWN
        ("mprotect", (0, 1, HIGH), False),
        ("mremap", (0, 1, 1, 1 | 2, 0), False),  # FIXED
        ("mremap", (0, 1, 1, 1 | 4, 0), False),  # DONTUNMAP
        ("mremap", (0, 1, 1, 0, 0), False),
        ("madvise", (0, 1, 8), False),  # FREE: who made it goes on counting the pages
        ("madvise", (0, 1, 10), False),
        ("madvise", (0, 1, 14), False),  # HUGEPAGE
        ("futex", (0, 129), True),  # WAKE_PRIVATE
        ("futex", (0, 137), True),  # WAIT_BITSET_PRIVATE
        ("futex", (0, 128 | 256 | 9), True),  # the same by the clock on the wall, or without end
        ("futex", (0, 0), False),  # WAIT, between processes
        ("futex", (0, 1), False),
        ("futex", (0, 128 | 4), False),  # CMP_REQUEUE
        ("futex", (0, 128 | 5), False),  # WAKE_OP
        ("futex", (0, 128 | 6), False),  # LOCK_PI
        ("futex", (0, 128 | 11), False),  # WAIT_REQUEUE_PI
        ("futex", (0, 128 | 12), False),  # CMP_REQUEUE_PI
        ("fcntl", (3, 1), False),
        ("fcntl", (3, 1031), False),  # SETPIPE_SZ
        ("close", (4,), True),
        ("close", (3,), False),
        ("close", (0,), False),
        ("read", (4, 0, 1), True),
        ("read", (0, 0, 1), False),
        ("read", (3, 0, 1), False),
        ("write", (3, 0, 1), True),
        ("write", (2, 0, 1), False),  # what a library thinks is the log
        ("write", (4, 0, 1), False),
        ("write", (3 | HIGH, 0, 1), False),
        ("clock_gettime", (1, 0), True),  # MONOTONIC
        ("clock_gettime", (8, 0), False),  # REALTIME_ALARM
        ("clock_gettime", (~1234 << 3 | 2, 0), False),  # the CPU time of process 1234
        ("clock_gettime", (-6, 0), False),  # of this thread, by its other name
        ("clock_nanosleep", (1, 0, 0), True),
        ("clock_nanosleep", (2, 0, 0), False),  # until this process has used some CPU time
        ("clock_nanosleep", (~1234 << 3 | 2, 0, 0), False),
    ],
)
@both
@each_runtime
def test_arguments(runtime: str, arch: Architecture, name: str, arguments: tuple[int, ...], allowed: bool) -> None:
    assert answer(runtime, arch, name, *arguments) == (ALLOW if allowed else DENY)


@pytest.mark.parametrize(
    ("name", "arguments", "python", "js"),
    [
        # V8 reserves addresses, begins to use them, and maps over what it gives back.
        ("mmap", (4096, 1, 0, PRIVATE | 0x10, -1, 0), DENY, ALLOW),
        ("mmap", (0, 1, 0, PRIVATE | 0x4000, -1, 0), DENY, ALLOW),
        ("mmap", (0, 1, 0, PRIVATE, -1, 0), DENY, ALLOW),
        ("mmap", (4096, 1, 0, PRIVATE, -1, 0), DENY, DENY),
        ("mmap", (0, 1, 0, PRIVATE | 0x4010, -1, 0), DENY, DENY),
        ("mprotect", (0, 1, READ_WRITE), DENY, ALLOW),
        # Where RLIMIT_DATA bounds a task nothing may leave its count and stay.
        ("mprotect", (0, 1, 0), DENY, PRETEND),
        ("mremap", (0, 1, 1, 1, 0), ALLOW, DENY),
        ("madvise", (0, 1, 4), DENY, ALLOW),
        ("rt_sigreturn", (), ALLOW, DENY),
        ("futex", (0, 128), DENY, ALLOW),  # WAIT_PRIVATE
        ("clock_gettime", (0, 0), ALLOW, DENY),  # REALTIME
        ("clock_gettime", (2, 0), ALLOW, DENY),  # PROCESS_CPUTIME_ID
        ("clock_gettime", (3, 0), ALLOW, DENY),  # THREAD_CPUTIME_ID
        ("clock_gettime", (4, 0), DENY, ALLOW),  # MONOTONIC_RAW
        ("clock_nanosleep", (0, 0, 0), DENY, ALLOW),
        ("getrandom", (0, 1, 0), ALLOW, DENY),
        ("gettid", (), DENY, ALLOW),
        ("gettimeofday", (), DENY, ALLOW),
    ],
)
@both
def test_arguments_that_one_runtime_needs(
    arch: Architecture, name: str, arguments: tuple[int, ...], python: int, js: int
) -> None:
    assert answer("python", arch, name, *arguments) == python
    assert answer("js", arch, name, *arguments) == js


@both
@each_runtime
@pytest.mark.parametrize("name", KILLED)
def test_calls_without_an_honest_use_kill(runtime: str, arch: Architecture, name: str) -> None:
    if NUMBERS[name][arch.column] is None:
        assert arch is AARCH64, "x86_64 has every call of the list"
    else:
        assert answer(runtime, arch, name) == KILL_PROCESS


@both
@each_runtime
@pytest.mark.parametrize("name", [*OTHERS, "getppid"])
def test_what_is_not_listed_answers_eperm(runtime: str, arch: Architecture, name: str) -> None:
    if OTHERS.get(name, (0, 0))[arch.column] is None:
        assert arch is AARCH64, "x86_64 has every call of the list"
    else:
        assert answer(runtime, arch, name) == DENY


@both
@each_runtime
def test_clone3_is_not_there(runtime: str, arch: Architecture) -> None:
    assert answer(runtime, arch, "clone3", 0x7FFF00000000, 88) == NOT_THERE


@each_runtime
@pytest.mark.parametrize("number", [0x40000000, 0x40000000 | 1, 0x40000000 | 39, 0x40000000 | 512, 0xFFFFFFFF])
def test_x32_kills(runtime: str, number: int) -> None:
    assert run(FILTERS[runtime, "x86_64"], X86_64.audit, number) == KILL_PROCESS


@both
@each_runtime
@pytest.mark.parametrize("foreign", [0x40000003, 0xC000003E, 0xC00000B7, 0x40000028, 0])
def test_calls_of_another_architecture_kill(runtime: str, arch: Architecture, foreign: int) -> None:
    number = number_of("getpid", arch)
    assert number is not None
    expected = ALLOW if foreign == arch.audit else KILL_PROCESS
    assert run(FILTERS[runtime, arch.name], foreign, number) == expected


@both
@each_runtime
def test_every_number_has_an_answer(runtime: str, arch: Architecture) -> None:
    """No number falls through to something undefined, and only plain rules allow whatever the arguments are."""
    plain = {number_of(rule.name, arch) for rule in ALLOWED[runtime] if not rule.ways} - {None}
    program = FILTERS[runtime, arch.name]
    allowed = {number for number in range(600) if run(program, arch.audit, number, (9, 9, 9, 9, 9, 9)) == ALLOW}
    assert allowed == plain
    assert len(program) // 8 < MAX_INSTRUCTIONS


def test_an_unknown_runtime_has_no_filter() -> None:
    with pytest.raises(KeyError):
        build_filter("ruby", X86_64)
