"""Memory that is writable and executable at once: taken away, but the engine's own for code, which is bounded."""

from __future__ import annotations

import ctypes
import errno
import os
import time

from langserver.core.verdict import CODE_BYTES
from langserver.js_runtime.engine import EngineError
from langserver.sandbox import libc, syscalls

# v8::Isolate, as the library exports it: TryGetCurrent(), and GetCodeRange(void**, size_t*) of what that found.
_TRY_GET_CURRENT, _GET_CODE_RANGE = "_ZN2v87Isolate13TryGetCurrentEv", "_ZN2v87Isolate12GetCodeRangeEPPvPm"
_PROT_NONE, _PROT_READ, _PROT_EXEC = 0, 1, 4
_PAGE = os.sysconf("SC_PAGE_SIZE")


def declare_code_range(library: ctypes.CDLL) -> None:
    """For `code_range`. Raises EngineError when the library has no such functions."""
    try:
        current, code_range = getattr(library, _TRY_GET_CURRENT), getattr(library, _GET_CODE_RANGE)
    except AttributeError:
        raise EngineError("the engine does not tell where its code is") from None
    current.restype, current.argtypes = ctypes.c_void_p, []
    size = ctypes.POINTER(ctypes.c_size_t)
    code_range.restype, code_range.argtypes = None, [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), size]


def code_range(library: ctypes.CDLL) -> tuple[int, int]:
    """Where V8 has its code, and how many bytes. On V8's thread; 0 bytes when there is no isolate or no code."""
    isolate = getattr(library, _TRY_GET_CURRENT)()
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    if isolate:
        getattr(library, _GET_CODE_RANGE)(isolate, ctypes.byref(start), ctypes.byref(size))
    return start.value or 0, size.value


class ExecutableMemory:
    """Takes rights away from pages. Raises OSError, EngineError where they are still there."""

    def __init__(self) -> None:
        """Looks up what is refused after the seal. Raises EngineError on an unknown architecture."""
        self._mprotect = ctypes.CDLL(None, use_errno=True).mprotect
        self._mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        # By their numbers: since glibc 2.41 its getrandom is the vDSO's, which writes itself and dies where the kernel
        # would answer EFAULT (vdso(7), glibc's NEWS for 2.41).
        native = syscalls.native_architecture()
        names = ("getrandom", "clock_nanosleep")
        getrandom, sleep = (None if native is None else syscalls.number_of(name, native) for name in names)
        if getrandom is None or sleep is None:
            raise EngineError("the system calls of this architecture are not known")
        self._getrandom, self._clock_nanosleep = getrandom, sleep

    def finish(self, callback: object) -> None:
        """The trampoline by which C calls `callback` was written by libffi into a page of its own, mapped rwx and at
        the same address in every child of a zygote. It is complete: from here on it need only be executed.
        """
        code = ctypes.cast(callback, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
        self._restrict(code // _PAGE * _PAGE, _PAGE, _PROT_READ | _PROT_EXEC)

    def shorten(self, start: int, size: int) -> None:
        """Leaves CODE_BYTES of what V8 has for code."""
        # V8 reserves half a gigabyte for code with the isolate, makes all of it writable and executable at once and
        # asks nobody when it uses more of it, from its start on. So what is cut off here is lost to it, nothing new
        # can become executable after the seal, and a program that fills the rest dies of SIGSEGV. The pages stay
        # reserved: in a hole the kernel would put memory that V8 takes for its own.
        if size <= CODE_BYTES:
            raise EngineError(f"the engine has {size} bytes for code")
        self._restrict(start + CODE_BYTES, size - CODE_BYTES, _PROT_NONE)

    def _restrict(self, start: int, size: int, rights: int) -> None:
        """Changes the rights of pages to ones that are not writable, and tries the first and the last.

        By calls in which the kernel writes there (getrandom) or, where nothing may be read, reads there
        (clock_nanosleep): a protection key of V8's may keep this thread from writing anyway.
        """
        if self._mprotect(start, size, rights):
            raise OSError(ctypes.get_errno(), "mprotect")
        for page in (start, start + size - _PAGE):
            try:
                if rights == _PROT_NONE:
                    libc.syscall(self._clock_nanosleep, time.CLOCK_REALTIME, 0, page, 0)
                else:
                    libc.syscall(self._getrandom, page, 1, 0)
            except OSError as error:
                if error.errno == errno.EFAULT:
                    continue
                raise
            raise EngineError("memory that was taken away is still there")
