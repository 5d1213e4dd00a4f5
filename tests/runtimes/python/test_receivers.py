"""Methods of library classes, reached unbound: each that does more than use its receiver asks for one of its class."""

from __future__ import annotations

import subprocess
import sys

import pytest

_SCAN = """
import types
from langserver.python_runtime import builtins, guards, preload
preload.for_policy(())
builtins.build()
from langserver.python_runtime.modules import receivers
from langserver.python_runtime.userclasses import namespace_of
checked = {each.__name__ for each in receivers.CHECKED.values()}
assert {"copy", "new_child", "setfirstweekday", "set_cdata_mode"} <= checked, checked
for cls in receivers.python_written():
    for name, part in namespace_of(cls).items():
        for function in receivers.parts_of(part) if receivers.is_reachable(name) else ():
            if type(function) is not types.FunctionType:
                continue
            if function in receivers.CHECKED or function in guards.TEMPLATE_METHODS:
                continue
            assert not receivers.is_suspect(function.__code__), (cls, name)
print("ok")
"""


_COPYING = """
import copy, types
from langserver.python_runtime import builtins, preload
preload.for_policy(())
builtins.build()
from langserver.python_runtime.modules import receivers
from langserver.python_runtime.userclasses import namespace_of
def named(code):
    yield from code.co_names
    for part in code.co_consts:
        if type(part) is types.CodeType:
            yield from named(part)
for cls in receivers.python_written():
    for name, part in namespace_of(cls).items():
        for function in receivers.parts_of(getattr(part, "__func__", part)):
            function = receivers.CHECKED.get(function, function) if type(function) is types.FunctionType else None
            if function is None or function.__module__.startswith("langserver."):
                continue
            assert not {"deepcopy", "__reduce_ex__", "__setstate__"} & {*named(function.__code__)}, (cls, name)
print("ok")
"""


def test_no_method_of_the_library_copies_by_reduction() -> None:
    done = subprocess.run([sys.executable, "-c", _COPYING], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("ok\n", "")


def test_no_suspect_method_is_left_open() -> None:
    done = subprocess.run([sys.executable, "-c", _SCAN], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("ok\n", "")


@pytest.mark.parametrize(
    "call",
    [
        "collections.UserList.copy(int)",
        "collections.UserString.__getitem__(K, 0)",
        "collections.ChainMap.parents.__get__(K)",
        "calendar.Calendar.setfirstweekday(json.JSONEncoder, 1)",
        "fractions.Fraction.numerator.fget(K)",
        "collections.Counter.copy(dict)",
    ],
)
def test_a_foreign_receiver_is_refused(run, call) -> None:
    source = f"import calendar, collections, fractions, json\nclass K: maps = data = [1]\nresult = {call}"
    assert "is for instances of" in run(source).failure.message


def test_their_own_instances_are_welcome(run) -> None:
    ran = run(
        "import collections, enum, fractions, html.parser\n"
        "class D(collections.UserDict):\n"
        "    def __init__(self, *a): super().__init__(*a); self.tag = 't'\n"
        "d = D({'a': 1}); e = d.copy(); e['b'] = 2\n"
        "class L(collections.UserList):\n"
        "    def copy(self): return super().copy()\n"
        "class H(html.parser.HTMLParser):\n"
        "    seen = ()\n"
        "    def handle_starttag(self, tag, attrs): self.seen += (tag,)\n"
        "h = H(); h.feed('<p><script>x')\n"
        "class C(enum.Enum): A = enum.auto()\n"
        "upper = [str(s) for s in map(collections.UserString.upper, [collections.UserString('q')])]\n"
        "result = [d.data, e.data, e.tag, type(e) is D, L([1]).copy().data, h.seen, C.A.value, upper,\n"
        "    fractions.Fraction.numerator.fget(fractions.Fraction(3, 2))]"
    )
    assert ran.value == [{"a": 1}, {"a": 1, "b": 2}, "t", True, [1], ["p", "script"], 1, ["Q"], 3]
