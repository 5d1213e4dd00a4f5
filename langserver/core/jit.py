"""The two profiles of the runtime `js`: V8 that interprets, and, where the operator turns it on, V8 that compiles."""

from __future__ import annotations

from typing import Final

from langserver.core.verdict import CODE_BYTES, MIB

VARIABLE: Final = "LANG_JS_JIT"
MEANT: Final = "on or off"
OPTION: Final = "--jit"  # before the packages, among the arguments of a zygote

_SWITCH: Final = {"on": True, "off": False}

JITLESS: Final = (
    "jitless: V8 interprets, and nothing in a task's process is writable and executable; seccomp keeps it so"
)
COMPILING: Final = (
    f"jit ({VARIABLE}=on): V8 compiles, so {CODE_BYTES // MIB} MiB of each task's process are writable and executable; "
    "more of V8 meets hostile code, a bug of it is native code sooner, and that is up to the layers of the kernel"
)


def parse_jit(text: str) -> bool:
    """Reads the switch. Raises ValueError for anything but `on` and `off`."""
    if text not in _SWITCH:
        raise ValueError(f"expected {MEANT}")
    return _SWITCH[text]


def profile(runtime: str, jit: bool) -> str:
    """How tasks of a runtime are executed and what that costs in safety; empty where there is one way only."""
    if runtime != "js":
        return ""
    return COMPILING if jit else JITLESS
