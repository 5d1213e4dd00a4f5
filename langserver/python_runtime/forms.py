"""The compiled form of a program: what compiling found, as bytes that a sibling makes the program of without compiling.

Made before the child has its input and read before it runs anything (decision 0038). Reading one is trusting it: only
what a child of the same zygote made of the same source comes here.
"""

from __future__ import annotations

import marshal
import time

from langserver.python_runtime import sources
from langserver.python_runtime.compiler import Program


def form_of(program: Program) -> bytes:
    """Its form; empty for a program that failed, is nested deeper than marshal goes, or has no memory left for it."""
    if program.code is None:
        return b""
    try:
        return marshal.dumps((program.code, program.imports, program.wrapped, program.name))
    except (ValueError, MemoryError):
        return b""


def restore(label: str, source: str, form: bytes) -> Program:
    """The program that `source` was compiled to; as `compile_source` it makes it the one of this process.

    Raises MemoryError, and for bytes that are no form anything.
    """
    start = time.perf_counter_ns()
    sources.hold(label, source)
    code, imports, wrapped, name = marshal.loads(form)  # noqa: S302 -- in a sealed child
    return Program(code, (), imports, wrapped, name, time.perf_counter_ns() - start)
