"""The layer `audit`: a program that comes to hold the hook's frames can't change what it refuses.

Plain CPython, no other layer. The same attempts win against a hook that is written as one would write it first.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.security.layers import ROOT

HOOKS = {
    "ours": "from langserver.sandbox.audit import install, make_hook\ninstall(make_hook('python', lambda event: None))",
    "the first one": """
def make_hook(allowed, tell):
    def hook(event, arguments):
        if event in allowed or (event, *arguments[:1]) == ("open", "<task>"):
            return
        tell(event)
        raise PermissionError(1, f"refused {event}")
    return hook
from langserver.sandbox.audit import ALLOWED
sys.addaudithook(make_hook(set(ALLOWED["python"]), lambda event: None))
""",
}

ATTACK = """
import gc
frames = []

def provoke(*arguments):
    try:
        sys.audit(*arguments)
    except BaseException as error:
        entry = error.__traceback__
        while entry:
            frames.append(entry.tb_frame)
            entry = entry.tb_next

class Asked(str):
    "Looks who compares it."
    def __eq__(self, other):
        frames.append(sys._getframe(1))
        return True
    __hash__ = str.__hash__

def collected(phase, info):
    frame = sys._getframe(1)
    if frame.f_code.co_name == "hook":
        frames.append(frame)

def by_traceback():
    provoke("forbidden")

def by_comparing():
    provoke("open", Asked("<task>"))

def by_a_collection():
    gc.callbacks.append(collected)
    gc.set_threshold(1)
    for _ in range(50):
        provoke("forbidden", [], {})
    gc.callbacks.clear()

def passes():
    for event in ("forbidden", "marshal.loads"):
        try:
            sys.audit(event)
            return True
        except PermissionError:
            pass
    return False

try:
    sys.audit("langserver.usercode")
except PermissionError:
    pass
assert not passes()
WAY()
hooks = [frame for frame in frames if frame.f_code.co_name == "hook"]
ended = [frame for frame in hooks if WAY is not by_a_collection]
for frame in hooks:
    held = frame.f_locals
    for value in list(held.values()):
        if isinstance(value, tuple) and value:  # the ticket of the compiled form
            try:
                value[-1].__setstate__(0)
            except (AttributeError, TypeError):
                pass
        if isinstance(value, (set, dict)):
            value.update({"forbidden": 1}) if isinstance(value, dict) else value.add("forbidden")
    for name in list(held):  # from CPython 3.13 on it writes to the frame (PEP 667)
        if name not in ("event", "arguments"):
            held[name] = {"forbidden"}
names = sorted({name for frame in ended for name in frame.f_locals})
print(bool(hooks), passes(), *names)
"""


def attempt(hook: str, way: str) -> tuple[bool, bool, set[str]]:
    """Whether it held a frame of the hook, whether the hook let it pass then, and the names it found there."""
    script = f"import sys\nsys.path.insert(0, sys.argv[1])\n{HOOKS[hook]}\n{ATTACK.replace('WAY', way)}"
    done = subprocess.run([sys.executable, "-I", "-c", script, str(ROOT)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    held, passed, *names = done.stdout.split()
    return held == "True", passed == "True", set(names)


@pytest.mark.parametrize("way", ["by_traceback", "by_comparing", "by_a_collection"])
def test_no_way_changes_what_it_refuses(way: str) -> None:
    _, passed, names = attempt("ours", way)
    assert not passed
    assert not names & {"allowed", "tell"}, "a frame that has ended keeps nothing"


def test_its_frames_can_be_had() -> None:
    assert attempt("ours", "by_traceback")[0]


@pytest.mark.parametrize("way", ["by_traceback", "by_comparing", "by_a_collection"])
def test_a_hook_with_its_list_in_a_closure_is_lost(way: str) -> None:
    held, passed, _ = attempt("the first one", way)
    assert held
    assert passed
