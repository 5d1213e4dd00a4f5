"""The hook itself, called as CPython would; no test installs it: a hook can't be taken out again."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from langserver.sandbox import audit
from langserver.sandbox.audit import ALLOWED, AuditRefusal, make_hook

ROOT = Path(__file__).parents[2]

NEVER = [
    "open", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.listdir", "os.kill", "socket.__new__",
    "socket.connect", "subprocess.Popen", "ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function", "ctypes.cdata/init",
    "gc.get_objects", "gc.get_referrers", "sys.addaudithook", "sys.settrace", "sys.setprofile", "sys._current_frames",
    "mmap.__new__", "resource.setrlimit", "fcntl.fcntl", "signal.pthread_kill", "pickle.find_class", "an event to come",
]  # fmt: skip


@pytest.mark.parametrize("runtime", ["python", "js"])
@pytest.mark.parametrize("event", NEVER)
def test_what_is_not_listed_is_refused_and_told(runtime: str, event: str) -> None:
    told: list[str] = []
    with pytest.raises(PermissionError) as caught:
        make_hook(runtime, told.append)(event, ())
    assert told == [event]
    assert isinstance(caught.value, AuditRefusal)
    assert caught.value.errno == errno.EPERM
    assert caught.value.strerror == f"the sandbox refused {event}"


@pytest.mark.parametrize(("runtime", "event"), [(runtime, event) for runtime in ALLOWED for event in ALLOWED[runtime]])
def test_what_is_listed_passes_and_says_why(runtime: str, event: str) -> None:
    told: list[str] = []
    make_hook(runtime, told.append)(event, ())
    assert ALLOWED[runtime][event]
    assert told == []


@pytest.mark.parametrize(
    ("name", "is_told"),
    [("<task>", False), ("<unknown>", False), ("<unknown>/x", True), ("/etc/passwd", True), (3, True)],
)
def test_the_parser_looking_for_a_source_line_is_refused_and_not_told(name: object, is_told: bool) -> None:
    told: list[str] = []
    with pytest.raises(AuditRefusal):
        make_hook("python", told.append)("open", (name, "rb", 0))
    assert told == ["open"] * is_told


def test_the_engine_of_js_is_not_open_to_python() -> None:
    assert not any(event.startswith("ctypes.") for event in ALLOWED["python"])


@pytest.mark.parametrize("event", ["exec", "compile", "import", "builtins.id", "sys._getframe"])
def test_python_is_not_open_to_js(event: str) -> None:
    with pytest.raises(AuditRefusal):
        make_hook("js", lambda event: None)(event, ())


def test_nothing_a_task_can_rebind_changes_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    hook = make_hook("python", told.append)
    monkeypatch.setitem(ALLOWED["python"], "open", "a wish")
    monkeypatch.setattr(audit, "AuditRefusal", None)
    monkeypatch.setattr(audit, "errno", None)
    with pytest.raises(AuditRefusal):
        hook("open", ())
    assert hook.__code__.co_names == (), "the hook reads no global"


def test_the_frame_of_a_refusal_shares_no_variable_with_the_next_call() -> None:
    """A program has that frame from the traceback, and from CPython 3.13 on it can write to what a closure shares."""
    hook = make_hook("python", lambda event: None)
    with pytest.raises(AuditRefusal) as caught:
        hook("open", ())
    frame = caught.value.__traceback__.tb_next.tb_frame
    assert frame.f_code is hook.__code__
    assert frame.f_code.co_freevars == frame.f_code.co_cellvars == ()


MARSHAL = ["marshal.loads", "marshal.dumps"]


@pytest.mark.parametrize("event", MARSHAL)
def test_a_compiled_form_is_read_or_written_once(event: str) -> None:
    told: list[str] = []
    hook = make_hook("python", told.append)
    hook(event, ())
    assert told == []
    for again in MARSHAL:
        with pytest.raises(AuditRefusal):
            hook(again, ())
    assert told == MARSHAL


@pytest.mark.parametrize("event", MARSHAL)
def test_not_after_user_code_began(event: str) -> None:
    told: list[str] = []
    hook = make_hook("python", told.append)
    with pytest.raises(AuditRefusal):
        hook(audit._USER_CODE_EVENT, ())
    assert told == [], "that is no refusal"
    with pytest.raises(AuditRefusal):
        hook(event, ())
    assert told == [event]


@pytest.mark.parametrize("event", MARSHAL)
def test_never_in_javascript(event: str) -> None:
    with pytest.raises(AuditRefusal):
        make_hook("js", lambda event: None)(event, ())


def test_each_hook_has_a_ticket_of_its_own() -> None:
    """A zygote's children are forks: what one spends is its own. Nor is one spent by being read back."""
    for _ in range(2):
        hook = make_hook("python", lambda event: None)
        with pytest.raises(AuditRefusal):
            hook(audit._READ_BACK_EVENT, ())
        hook("marshal.loads", ())


INSTALLED = """
import sys
sys.path.insert(0, sys.argv[1])
from langserver.sandbox import audit
import abc, array, collections, contextlib, copy, dataclasses, datetime, decimal, enum, fractions, functools, inspect
import io, json, random, re, string, textwrap, traceback, typing, uuid, warnings, weakref
import asyncio.events, asyncio.futures
audit.install(audit.make_hook("python", lambda event: None))

@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 0

Pair = collections.namedtuple("Pair", "a b")
Colour = enum.Enum("Colour", "RED GREEN")

@functools.wraps(inspect.signature)
def wrapped(): pass

class Named(typing.NamedTuple):
    a: int

async def numbers():
    yield 1

async def run():
    return [n async for n in numbers()]

copy.deepcopy([Point(1), Pair(1, 2), {"a": [1]}])
array.array("i", [1]).tobytes()
try:
    run().send(None)
except StopIteration as stop:
    assert stop.value == [1]
loop = []
loop.append(loop)
assert repr(loop) == "[[...]]"
random.seed(1); random.random(); uuid.uuid4(); datetime.datetime.now(); decimal.Decimal("1") / 3
exec(compile("import json as again", "task", "exec"))
for hostile in (
    lambda: open("/etc/passwd"),
    lambda: __import__("antigravity"),
    lambda: __import__("os").listdir("/"),
    lambda: sys.settrace(print),
    lambda: __import__("gc").get_objects(),
):
    try:
        hostile()
    except audit.AuditRefusal:
        pass
    except ImportError:  # the import system takes a refusal for a missing file
        pass
    else:
        sys.exit("passed: " + repr(hostile.__code__.co_names))
seen = []
sys.addaudithook(lambda event, _: seen.append(event))  # CPython swallows the refusal and adds nothing
exec("1")
assert not seen
print("held")
"""


def test_ordinary_programs_run_under_it_and_hostile_ones_do_not() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", INSTALLED, str(ROOT)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "held\n", "")
