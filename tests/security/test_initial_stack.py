"""What native code in a sealed child finds where the kernel put a program's first words: no environment, of nobody.

The arguments of the zygote are there, and the interpreter's path; both are no secret, since every module of the child
knows where it was loaded from.
"""

from __future__ import annotations

import re
import secrets
import sys

import pytest

from langserver.sandbox.layers import AUDIT, POLICY, format_layers
from langserver.zygote.request import TaskRequest
from tests.integration.holds.direct import one_zygote, output
from tests.security.layers import AVAILABLE

# Native code: without the two layers that speak Python.
LAYERS = frozenset(name for name, status in AVAILABLE.items() if status.available) - {POLICY, AUDIT}

# From the lowest pointer that the kernel gave to the end of the last text (getauxval(3); AT_RANDOM, AT_EXECFN). It lies
# above the stack that grows, and is never written to.
STACK = """
import ctypes
def main():
    getauxval = ctypes.CDLL(None).getauxval
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    lowest, last = getauxval(25), getauxval(31)
    end = last + len(ctypes.string_at(last))
    return ctypes.string_at(lowest + 16, end - lowest - 16).decode("latin-1")
"""


async def test_nothing_but_the_zygotes_own_words(monkeypatch: pytest.MonkeyPatch) -> None:
    canary = f"canary-{secrets.token_hex(8)}"
    monkeypatch.setenv("LANG_AUTH_TOKEN", canary)
    monkeypatch.setenv(canary, "x")
    async with one_zygote("python", LAYERS) as supply:
        text = output(await supply.run(TaskRequest("python", STACK)))
    assert isinstance(text, str)
    words = [word for word in text.split("\0") if word]
    while words[0] != sys.executable:  # the processor's name, and padding
        assert re.fullmatch(r"x86_64|aarch64|[^ -~]*", words.pop(0))
    assert words[1:7] == ["-I", "-X", "utf8", "-m", "langserver.zygote.main", "python"]
    assert words[7].isdecimal(), "its control socket, which is shut here"
    assert words[8:] == [format_layers(LAYERS), sys.executable], "the last one is the path it was executed by"
