"""Context variables of the library: C code takes what they hold for an object of its own, whatever it is."""

from __future__ import annotations

import contextvars
import decimal
from typing import Any

from langserver.python_runtime import inplace
from langserver.python_runtime.refusals import RefusedReceiver


def harden() -> None:
    """In the zygote, once: every variable that is in the context by now is the library's."""
    decimal.getcontext()
    # Kept alive, so that the id of one is never that of a variable of the program.
    library = {id(each): each for each in contextvars.copy_context()}
    set_by_library = contextvars.ContextVar.set

    def set_(self: Any, value: Any, /) -> Any:
        if id(self) in library:
            raise RefusedReceiver("this context variable belongs to the library")
        return set_by_library(self, value)

    set_.__name__, set_.__qualname__ = "set", "ContextVar.set"
    inplace.replace(contextvars.ContextVar, "set", set_)
