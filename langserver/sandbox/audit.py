"""Layer `audit`: a tripwire in the interpreter. It sees what honest code never does, and refuses it.

Not a boundary: native code in the child walks around it. Evaluating code is allowed (`exec`, `compile`, `import`: a
dataclass does it), so the hook does not stop `eval`; it stops what evaluated code would have to call next.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from typing import Any, Final

from langserver.sandbox.errors import ReadBackError

Hook = Callable[[str, tuple[Any, ...]], None]

_COMMON: Final[dict[str, str]] = {
    "exec": "a task is executed; dataclasses and named tuples write their methods as code",
    "compile": "a task is compiled; likewise",
    "import": "an import of what is loaded already; loading anything else needs `open`",
    "code.__new__": "CodeType.replace, when line numbers of a task are set right",
    "object.__getattr__": "raised for a few attributes of functions and code, by inspect and functools too",
    "object.__setattr__": "likewise, by functools.wraps",
    "object.__delattr__": "likewise",
    "builtins.id": "copy.deepcopy, repr of a recursive list, reprlib",
    "sys._getframe": "named tuples, enums, typing and warnings ask for their caller's module",
    "sys._getframemodulename": "the same from CPython 3.12 on",
    "sys.set_asyncgen_hooks_firstiter": "an event loop that runs async generators",
    "sys.set_asyncgen_hooks_finalizer": "an event loop that runs async generators",
    "sys.set_asyncgen_hook_firstiter": "the spelling of CPython 3.11",
    "sys.set_asyncgen_hook_finalizer": "the spelling of CPython 3.11",
    "sys.unraisablehook": "an exception in a destructor",
    "sys.excepthook": "an exception nobody caught",
    "array.__new__": "array.array",
    "time.sleep": "raised from CPython 3.13 on",
    "os.putenv": "the time zone of the task is put into TZ after the seal",
    "os.unsetenv": "likewise, taken out",
}

_JS: Final[dict[str, str]] = {
    "ctypes.addressof": "the engine's functions take buffers by address",
    "ctypes.cdata": "a value of the engine is read where it lies",
    "ctypes.cdata/buffer": "the input is given to the engine without a copy",
    "ctypes.create_string_buffer": "text for the engine",
    "ctypes.string_at": "text from the engine",
}

ALLOWED: Final[dict[str, dict[str, str]]] = {"python": _COMMON, "js": _COMMON | _JS}

_READ_BACK_EVENT: Final = "langserver.readback"

# Refused as all others, but quietly. The second: CPython's parser looks for the source line of a syntax error
# in the file that the code claims to come from, and takes the refusal for an answer.
_QUIET: Final = ((_READ_BACK_EVENT,), ("open", "<task>"))


class AuditRefusal(PermissionError):
    """What a program sees of a refusal: an OSError, so that CPython's own fallbacks catch it. errno is EPERM."""


def make_hook(runtime: str, tell: Callable[[str], None]) -> Hook:
    """The hook of a runtime. It reads nothing but its own arguments: nothing that a task can rebind.

    `tell` is given each refused event, one that the program catches and survives too.
    """

    # Not a closure: the frame of a refusal stands in its traceback, and from CPython 3.13 on whoever has a frame can
    # write to the variables that it shares with others (PEP 667).
    def hook(
        event: str,
        arguments: tuple[Any, ...],
        *,
        allowed: frozenset[str] = frozenset(ALLOWED[runtime]),
        quiet: tuple[tuple[str, ...], ...] = _QUIET,
        tell: Callable[[str], None] = tell,
        refusal: type[AuditRefusal] = AuditRefusal,
        eperm: int = errno.EPERM,
    ) -> None:
        if event in allowed:
            return
        if (event, *arguments[:1]) not in quiet:
            tell(event)
        raise refusal(eperm, f"the sandbox refused {event}")

    return hook


def install(hook: Hook) -> None:
    """Sets the hook for the rest of this process' life. Raises ReadBackError."""
    sys.addaudithook(hook)
    try:
        sys.audit(_READ_BACK_EVENT)
    except AuditRefusal:
        return
    raise ReadBackError("an event that is not on the list passed")
