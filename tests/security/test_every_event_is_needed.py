"""No allowed audit event that nothing raises: for each a program in which it is refused when the hook does not know it.

With the hook as it is the same program succeeds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from langserver.sandbox.audit import ALLOWED
from tests.sandbox.watching import WatchedZygote
from tests.security.layers import KERNEL_LAYERS, ROOT


@dataclass(frozen=True, slots=True)
class Raises:
    """A program; `policy` False: as plain CPython. `since`: the first CPython that raises the event."""

    program: str
    policy: bool = True
    since: tuple[int, int] = (3, 11)
    zone: str = "UTC"


ANY_TASK = Raises("return 1")
DEFAULTS = "import collections\nreturn collections.namedtuple('Pair', 'a b', defaults=[3])(1).b"
NEW_TYPE = "import typing\nreturn str(typing.NewType('Name', str))"
ASYNC = "import asyncio\nasync def numbers(): yield 1\nasync def main(): return [n async for n in numbers()]"

PYTHON = {
    "exec": ANY_TASK,
    "compile": ANY_TASK,
    "import": Raises("try:\n    import nowhere\nexcept ModuleNotFoundError:\n    return 1", policy=False),
    "object.__getattr__": Raises("def main(inputs): return 1"),
    "object.__setattr__": Raises(DEFAULTS),
    "builtins.id": Raises("import copy\nreturn copy.deepcopy([[1]])"),
    "sys._getframe": Raises("import logging\nlogging.warning('x')\nreturn 1"),
    "sys._getframemodulename": Raises(NEW_TYPE, since=(3, 12)),
    "sys.set_asyncgen_hook_firstiter": Raises(ASYNC),
    "sys.set_asyncgen_hook_finalizer": Raises(ASYNC),
    "sys.unraisablehook": Raises("class Gone:\n    def __del__(self): 1 / 0\ndef main():\n    Gone()\n    return 1"),
    "array.__new__": Raises("import array\nreturn len(array.array('b', b'x'))", policy=False),
    "time.sleep": Raises("import time\ntime.sleep(0.001)\nreturn 1", since=(3, 13)),
    "os.putenv": Raises("return 1", zone="Asia/Kolkata"),  # a zygote is in UTC already
}
JS = {
    "ctypes.string_at": ANY_TASK,
    "time.sleep": Raises("await new Promise((done) => setTimeout(done, 200)); return 1", since=(3, 13)),
    "os.putenv": ANY_TASK,
}
ELSEWHERE = {("js", "sys.unraisablehook")}  # a callback without memory can't be had at will: below

RAISED = [
    pytest.param(runtime, event, raises, id=f"{runtime} {event}")
    for runtime, table in (("python", PYTHON), ("js", JS))
    for event, raises in table.items()
    if sys.version_info >= raises.since
]


@pytest.fixture(scope="module")
def zygotes() -> Iterator[dict[tuple[str, bool], WatchedZygote]]:
    layers = f"audit,{KERNEL_LAYERS}"
    made = {
        ("python", True): WatchedZygote("python", f"policy,{layers}"),
        ("python", False): WatchedZygote("python", layers),
        ("js", True): WatchedZygote("js", f"policy,{layers}"),
    }
    yield made
    for zygote in made.values():
        zygote.close()


def test_every_event_has_its_program() -> None:
    assert set(ALLOWED["python"]) == set(PYTHON)
    assert set(ALLOWED["js"]) == set(JS) | {event for _, event in ELSEWHERE}


@pytest.mark.parametrize(("runtime", "event", "raises"), RAISED)
def test_its_program_raises_it_and_may(
    zygotes: dict[tuple[str, bool], WatchedZygote], runtime: str, event: str, raises: Raises
) -> None:
    zygote = zygotes[runtime, raises.policy]
    refused = zygote.run(raises.program, deny=event, zone=raises.zone)
    assert ["audit", "denied", event] in refused["events"] or "REPORT" not in refused["kinds"], refused
    allowed = zygote.run(raises.program, zone=raises.zone)
    assert (allowed["failures"], bool(allowed["output"])) == ([], True)
    assert ["audit", "denied", event] not in allowed["events"]


# The engine's answer comes by a callback; one that ends with an error is told to sys.unraisablehook alone.
DEAF = """
import os, sys
sys.path.insert(0, sys.argv[1])
from langserver.js_runtime.v8_engine import V8Engine
from langserver.sandbox import audit
class Deaf(V8Engine):
    def _receive(self, context, value):
        raise MemoryError
engine = Deaf()
engine.preload()
engine.open()
audit.ALLOWED["js"].pop(sys.argv[2], None)
audit.install(audit.make_hook("js", lambda event: os.write(1, event.encode())))
engine.evaluate(b"1")
try:
    for _ in range(100):
        if engine.collect(0.005) is not None:
            break
except MemoryError:
    os.write(1, b"noticed")
os._exit(0)
"""


@pytest.mark.parametrize(("denied", "said"), [(False, "noticed"), (True, "sys.unraisablehook")])
def test_a_callback_of_the_engine_that_found_no_memory(denied: bool, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", DEAF, str(ROOT), "sys.unraisablehook" if denied else ""],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert said in done.stdout
    assert ("noticed" in done.stdout) is not denied
