"""No allowed call that nothing uses: for each form of each call a program that makes it.

The program is run in a child, sealed as every other, in which that one form kills (tests/sandbox/second_filter.py): the
child must die of it. With the filter as it is the same program must succeed.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from langserver.sandbox.syscall_rules import ALLOWED, Rule, Way
from langserver.sandbox.syscalls import number_of
from tests.sandbox.second_filter import ARCH
from tests.sandbox.watching import CannotTrace, WatchedZygote
from tests.security.layers import KERNEL_LAYERS

# Some forms are made when threads meet at a lock, or when the kernel happens to find one waiting: they are looked for
# in so many children. Most are found in the first one.
TRIES = 30


@dataclass(frozen=True, slots=True)
class Witness:
    """A program, and where it runs: as a server runs it, or as plain CPython (`policy` False), or without a vDSO.

    With `pause` the child is stopped in a wait after its first log line, and continued; with `time_is_up` it is told so
    then. What is `endless` never ends by itself: only that it makes the call is tried here, what becomes of it
    elsewhere (the attack n-wait-on-itself, test_last_words.py).
    """

    program: str
    policy: bool = True
    vdso: bool = True
    pause: bool = False
    time_is_up: bool = False
    endless: bool = False
    zone: str = "UTC"

    @property
    def asked(self) -> dict[str, Any]:
        """What is done to its child."""
        return {"pause": self.pause, "time_is_up": self.time_is_up, "zone": self.zone}


ANY_TASK = Witness("return 1")
PYTHON_MEMORY = Witness("b = bytearray(1 << 20)\nfor _ in range(8): b += bytes(1 << 20)\nreturn len(b)")
JS_GARBAGE = Witness(
    "let a = []; for (let r = 0; r < 4; r++) { a = []; for (let i = 0; i < 150000; i++) a.push({ i, s: 'x' + i }) }"
    "return a.length"
)
JS_BUFFERS = Witness("let s = 0; for (let i = 0; i < 50; i++) s += new Uint8Array(4 << 20).fill(1)[5]; return s")
JS_SHRINKING = Witness(
    "const b = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 26 }); b.resize(1 << 25); new Uint8Array(b).fill(1);"
    "b.resize(1 << 12); return b.byteLength"
)
# More than one heap of malloc's, 64 MiB; who is given no other gets along page by page, and not so far.
JS_HEAPS = Witness(
    "const a = []; const how = { timeZone: 'America/New_York', dateStyle: 'full' };"
    "for (let i = 0; i < 6000; i++) a.push(new Intl.DateTimeFormat('de', how)); return a.length"
)
JS_RESULT = Witness("return 'x'.repeat(1000000)")
JS_BUSY = "const end = Date.now() + 100; console.log(1); while (Date.now() < end); return 1"

# By chance alone: two threads of V8 that want a lock at the same moment make its library (Abseil's Mutex) measure the
# clock, in about one task of a hundred. It sleeps meanwhile, and asks a clock that is a call only without a vDSO: there
# the process would end when it is refused.
# By chance too: V8's thread finds a lock of malloc taken, in one task of a few, on some machines in hardly any.
BY_CHANCE = {("js", "clock_nanosleep", 1), ("js", "clock_gettime", 1), ("js", "futex", 3)}

# One of the two is made, on each C library the same: glibc 2.36 reserves with MAP_NORESERVE, glibc 2.41 without.
BY_LIBRARY = {("js", "mmap", 2), ("js", "mmap", 3)}

# runtime, call: a witness for each way of the rule, in its order.
WITNESSES: dict[str, dict[str, tuple[Witness | None, ...]]] = {
    "python": {
        "futex": (
            Witness("import ssl\nreturn len(ssl.RAND_bytes(8))", policy=False),
            Witness(
                "import threading\nlock = threading.Lock()\nlock.acquire()\nreturn lock.acquire(timeout=0.01)", False
            ),
            Witness("import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", False, endless=True),
        ),
        "munmap": (PYTHON_MEMORY,),
        "brk": (Witness("return sum(map(len, [bytes(100_000) for _ in range(300)]))"),),
        "read": (ANY_TASK,),
        "write": (ANY_TASK,),
        "close": (ANY_TASK,),
        "restart_syscall": (
            Witness(
                "import threading\nlock = threading.Lock()\nlock.acquire()\nprint(1)\nreturn lock.acquire(timeout=0.2)",
                policy=False,
                pause=True,
            ),
        ),
        # Under the policy asyncio makes it, but not from CPython 3.12 on. It stays allowed: it is said never to fail
        # (getpid(2)), and who asks would take -1 for a process.
        "getpid": (Witness("import logging\nlogging.warning('x')\nreturn 1", policy=False),),
        "exit_group": (ANY_TASK,),
        "mmap": (PYTHON_MEMORY,),
        "mremap": (PYTHON_MEMORY,),
        "getrandom": (ANY_TASK,),
        "clock_gettime": (
            Witness("import time\nreturn time.monotonic() > 0", vdso=False),
            Witness("import time\nreturn time.time() > 0", vdso=False),
            Witness("import time\nreturn time.process_time() > 0"),
            Witness("import time\nreturn time.thread_time() > 0"),
        ),
        "time": (Witness("return 1", vdso=False, zone="Asia/Kolkata"),),
        "rt_sigreturn": (Witness("print(1)\nwhile True: pass", endless=True, time_is_up=True),),
        "clock_nanosleep": (Witness("import time\ntime.sleep(0.001)\nreturn 1"),),
    },
    "js": {
        "futex": (ANY_TASK, ANY_TASK, ANY_TASK, None),
        "munmap": (JS_RESULT,),
        "brk": (JS_RESULT,),
        "read": (ANY_TASK,),
        "write": (ANY_TASK,),
        "close": (ANY_TASK,),
        "restart_syscall": (Witness(JS_BUSY, pause=True),),
        "getpid": (JS_GARBAGE,),
        "exit_group": (ANY_TASK,),
        "mprotect": (JS_GARBAGE, JS_SHRINKING),
        "mmap": (JS_RESULT, JS_BUFFERS, JS_HEAPS, JS_HEAPS),
        "madvise": (JS_GARBAGE,),
        "gettid": (ANY_TASK,),
        "clock_gettime": (Witness("return 1", vdso=False), None),
        "gettimeofday": (Witness("return Date.now() > 0", vdso=False),),
        "clock_nanosleep": (Witness("await new Promise((done) => setTimeout(done, 5)); return 1"), None),
    },
}

FORMS = [
    pytest.param(runtime, rule, place, id=f"{runtime} {rule.name} {place}")
    for runtime, rules in ALLOWED.items()
    for rule in rules
    for place in range(max(1, len(rule.ways)))
    if (runtime, rule.name, place) not in BY_CHANCE | BY_LIBRARY
]


class Zygotes:
    """One of each kind that is asked for."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, bool, bool], WatchedZygote] = {}

    def run(self, runtime: str, witness: Witness, watch: list[Any]) -> dict[str, Any]:
        kind = runtime, witness.policy, witness.vdso
        if kind not in self._made:
            layers = f"{'policy,' if witness.policy else ''}audit,{KERNEL_LAYERS}"
            try:
                self._made[kind] = WatchedZygote(runtime, layers, vdso=witness.vdso)
            except CannotTrace:
                pytest.skip("no process may trace another here, so none can be kept from its vDSO")
        return self._made[kind].run(witness.program, watch=watch, memory_mib=256, **witness.asked)

    def close(self) -> None:
        for zygote in self._made.values():
            zygote.close()


@pytest.fixture(scope="module")
def zygotes() -> Iterator[Zygotes]:
    made = Zygotes()
    yield made
    made.close()


def test_every_form_has_its_witness() -> None:
    for runtime, rules in ALLOWED.items():
        ways = {rule.name: max(1, len(rule.ways)) for rule in rules}
        found = {name: len(witnesses) for name, witnesses in WITNESSES[runtime].items()}
        assert found == ways
        none = {(runtime, name, place) for name, every in WITNESSES[runtime].items() for place in missing(every)}
        assert none == {form for form in BY_CHANCE if form[0] == runtime}


def missing(witnesses: tuple[Witness | None, ...]) -> list[int]:
    return [place for place, witness in enumerate(witnesses) if witness is None]


@pytest.mark.parametrize(("runtime", "rule", "place"), FORMS)
def test_its_program_makes_the_call(zygotes: Zygotes, runtime: str, rule: Rule, place: int) -> None:
    if number_of(rule.name, ARCH) is None:
        pytest.skip(f"{ARCH.name} has no {rule.name}")
    assert is_made(zygotes, runtime, rule, place, TRIES)


def test_one_of_the_forms_that_depend_on_the_c_library_is_made(zygotes: Zygotes) -> None:
    rules = {(runtime, rule.name): rule for runtime, rules in ALLOWED.items() for rule in rules}
    made = [is_made(zygotes, runtime, rules[runtime, name], place, 1) for runtime, name, place in BY_LIBRARY]
    assert sorted(made) == [False, True]


def is_made(zygotes: Zygotes, runtime: str, rule: Rule, place: int, tries: int) -> bool:
    """Whether a child dies of making the call in this form."""
    witness = WITNESSES[runtime][rule.name][place]
    assert witness is not None
    way = rule.ways[place] if rule.ways else Way("", ())
    watch = [[rule.name, [[condition.index, condition.value] for condition in way.conditions]]]
    return any(zygotes.run(runtime, witness, watch)["signal"] == signal.SIGSYS for _ in range(tries))


@pytest.mark.parametrize(
    ("runtime", "witness"),
    dict.fromkeys(
        (name, one)
        for name, rules in WITNESSES.items()
        for every in rules.values()
        for one in every
        if one and not one.endless
    ),
)
def test_the_program_succeeds_when_it_may(zygotes: Zygotes, runtime: str, witness: Witness) -> None:
    ended = zygotes.run(runtime, witness, [])
    assert (ended["signal"], ended["exit"], ended["failures"]) == (0, 0, [])
    assert ended["output"]
