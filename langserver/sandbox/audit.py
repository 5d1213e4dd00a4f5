"""Layer `audit`: a tripwire in the interpreter. It sees what honest code never does, and refuses it.

Not a boundary: native code in the child walks around it. Evaluating code is allowed (`exec`, `compile`, `import`: a
dataclass does it), so the hook does not stop `eval`; it stops what evaluated code would have to call next.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from langserver.sandbox.errors import ReadBackError

Hook = Callable[[str, tuple[Any, ...]], None]

ALLOWED: Final[dict[str, dict[str, str]]] = {
    "python": {
        "exec": "a task is executed; dataclasses and named tuples write their methods as code",
        "compile": "a task is compiled; likewise",
        "import": "an import of what is not there: it is an ImportError, since loading anything needs `open`",
        "object.__getattr__": "raised for a few attributes of functions and code, by inspect and functools too",
        "object.__setattr__": "likewise, by functools.wraps",
        "builtins.id": "copy.deepcopy, repr of a recursive list, reprlib",
        "sys._getframe": "named tuples, enums, typing and warnings ask for their caller's module",
        "sys._getframemodulename": "the same from CPython 3.12 on",
        "sys.set_asyncgen_hook_firstiter": "an event loop that runs async generators",
        "sys.set_asyncgen_hook_finalizer": "likewise",
        "sys.unraisablehook": "an exception in a destructor",
        "array.__new__": "array.array",
        "time.sleep": "raised from CPython 3.13 on",
        "os.putenv": "the time zone of the task is put into TZ after the seal",
    },
    # No program of a JavaScript child is Python's: what its few lines of ours raise.
    "js": {
        "ctypes.string_at": "text from the engine",
        "sys.unraisablehook": "a callback of the engine that found no memory",
        "time.sleep": "timers; raised from CPython 3.13 on",
        "os.putenv": "the time zone of the task is put into TZ after the seal",
    },
}

# Allowed once, and only until user code runs: the compiled form of the program is read or written. Code objects made of
# any bytes are a way to native code.
_BEFORE_USER_CODE: Final = {"python": frozenset({"marshal.loads", "marshal.dumps"}), "js": frozenset[str]()}

_READ_BACK_EVENT: Final = "langserver.readback"
_USER_CODE_EVENT: Final = "langserver.usercode"
# CPython's parser looks for the source line of a syntax error in the file that the code claims to come from, and takes
# the refusal for an answer. The second is ast.parse's own name: by it the library finds the carets of an error's text,
# from CPython 3.13 on in lines too that are no expression.
_PARSERS_FILES: Final = ("<task>", "<unknown>")


class AuditRefusal(PermissionError):
    """What a program sees of a refusal: an OSError, so that CPython's own fallbacks catch it. errno is EPERM."""


def make_hook(runtime: str, tell: Callable[[str], None]) -> Hook:
    """The hook of a runtime. `tell` is given each refused event, one that the program catches and survives too.

    A program can come to hold the frame of the hook, from the traceback of a refusal or while it runs. So what the hook
    decides by are its defaults, which no frame leads to: not globals or built-ins, which a program can rebind, nor a
    closure's cells, which it can write to through the frame (PEP 667). No object of a program is asked anything.
    """

    def hook(
        event: str,
        arguments: tuple[Any, ...],
        *,
        allowed: frozenset[str] = frozenset(ALLOWED[runtime]),
        tell: Callable[[str], None] = tell,
        refusal: type[AuditRefusal] = AuditRefusal,
        eperm: int = errno.EPERM,
        kind_of: type[type] = type,
        text: type[str] = str,
        early: tuple[frozenset[str], Iterator[None]] = (_BEFORE_USER_CODE[runtime], iter((None,))),
        quiet: tuple[str, str, tuple[str, ...]] = (_READ_BACK_EVENT, _USER_CODE_EVENT, _PARSERS_FILES),
    ) -> None:
        if event in allowed:
            return
        read_back, user_code, parsers_files = quiet
        once, ticket = early
        # Nothing fills an exhausted iterator again: a program that comes to hold it has nothing.
        if event in once or event == user_code:
            for _ in ticket:
                if event in once:
                    return
        if event == "open" and arguments:
            is_told = kind_of(arguments[0]) is not text or arguments[0] not in parsers_files
        else:
            is_told = event not in (read_back, user_code)
        if is_told:
            tell(event)
        del allowed, tell, kind_of, text, early, ticket, quiet
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


def user_code_comes() -> None:
    """From now on the hook, if there is one, refuses also what it allowed for the compiled form."""
    try:
        sys.audit(_USER_CODE_EVENT)
    except AuditRefusal:
        pass  # its way of saying that it heard
