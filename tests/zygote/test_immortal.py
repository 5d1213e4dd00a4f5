"""From CPython 3.12 on nobody counts the references to what a zygote made; to what comes later they are counted."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc, sys
from langserver.zygote.immortal import make_immortal

def function():
    return 10 ** 30, "a text of the function"

class Class:
    def method(self):
        return "a text of the method"

made = {"key": ("text " * 9, 10 ** 40, (1.5, b"bytes" * 9)), "of": Class(), "list": [[10 ** 41]]}

def everything():
    for each in (function, Class, made, *made, *made.values(), *made["key"], *made["key"][2], *made["list"]):
        yield each
    for code in (function.__code__, Class.method.__code__):
        yield from (code, code.co_consts, *code.co_consts)

def grow(things):
    before = [sys.getrefcount(each) for each in things]
    more = things * 9
    return [after > count for after, count in zip(map(sys.getrefcount, things), before)]

make_immortal()
gc.collect()
print(any(grow(list(everything()))), all(grow([object(), ["new"], "new" + str(object())])))
"""


def test_what_a_zygote_made_is_not_counted() -> None:
    done = subprocess.run([sys.executable, "-I", "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(sys.version_info < (3, 12)), "True"]
