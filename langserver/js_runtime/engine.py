"""A JavaScript engine as the runtime needs one (`Engine`), and V8 behind it.

Another engine would be another class here. What else knows that it is V8: the words of its errors (syntax.py,
thrown.py, hints.py), and in the prelude the call sites of a stack.

V8 comes as the shared library of the distribution mini-racer 0.14.1, driven by its C functions and not by its Python
classes: those start an asyncio loop, a second thread and sockets, and leave a name of theirs on the global object. The
C functions are no public interface, so everything that knows them is in this file and the version is pinned. What they
leave out is called in V8 itself (v8_interface.py).

The C side runs one thread an isolate. `evaluate` and `call` only hand work to it; its answer comes by a callback from
that thread, and `collect` waits for it. One piece of work is under way at a time.
"""

from __future__ import annotations

import ctypes
import errno
import importlib.util
import os
import sys
from _thread import allocate_lock
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, NewType, Protocol

from langserver.core.verdict import CODE_BYTES
from langserver.js_runtime.v8_interface import SERVE, Code, V8Interface

if TYPE_CHECKING:
    _Pointer = ctypes._Pointer  # the only name that typeshed has for it

Handle = NewType("Handle", object)


class ReplyKind(Enum):
    """What came back."""

    UNREADABLE = auto()  # a value that the engine cannot hand over, a BigInt
    UNDEFINED = auto()
    TEXT = auto()
    VALUE = auto()  # every other value
    THROWN = auto()
    UNPARSED = auto()  # the text is no script: nothing of it ran


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the engine. `text` is UTF-8: the string of TEXT, or the engine's words for THROWN and UNPARSED."""

    kind: ReplyKind
    text: bytes = b""
    handle: Handle | None = None


class EngineError(Exception):
    """The engine is not the one this adapter was written for."""


class Engine(Protocol):
    """One isolate in this process."""

    def preload(self) -> None:
        """Loads the engine and its data. Starts no thread: the process may fork after it."""

    def version(self) -> str:
        """The engine's version; after `preload`."""

    def open(self) -> None:
        """Makes the isolate and its thread. Once a process, and no fork after it."""

    def evaluate(self, script: bytes) -> None:
        """Starts a script, UTF-8. The reply to it is never TEXT: a string is a value like others."""

    def load(self, code: Code) -> None:
        """Starts a script of ours; only before user code."""

    def compiled(self, code: Code) -> bytes:
        """What the engine has compiled by now of a script that was loaded without that."""

    @property
    def has_unhandled(self) -> bool:
        """Whether a promise was rejected and has no handler, of a program that has come to rest."""

    def call_with_unhandled(self, function: Handle, arguments: Handle) -> None:
        """Starts a call of a function that first of all rejects a promise with an array: the array's first element
        becomes the reason of the first promise that has no handler.
        """

    def call(self, function: Handle, this: Handle | None, arguments: Handle) -> None:
        """Starts a call of a function with an array of arguments. `this` None is undefined."""

    def collect(self, seconds: float) -> Reply | None:
        """Waits for the answer of what was started last; None when it takes longer than `seconds`.

        Raises MemoryError when the answer came but this process had no memory left to take it.
        """

    def items(self, array: Handle, count: int) -> Sequence[Handle]:
        """The first elements of an array. Waits for running JavaScript: only before user code."""

    def set_text(self, array: Handle, text: bytes) -> None:
        """Puts a string, UTF-8, into the first element of an array. Only before user code."""

    def shared_memory(self, buffer: Handle) -> memoryview:
        """The bytes of a SharedArrayBuffer, writable."""

    def protect(self) -> None:
        """Takes away memory that is writable and executable at once, but the engine's own for code, which it bounds.

        After `open`; no callback can be made after it. Raises OSError, EngineError.
        """


class _Union(ctypes.Union):
    _fields_ = [("pointer", ctypes.c_void_p), ("integer", ctypes.c_int64), ("double", ctypes.c_double)]


class _Value(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("value", _Union), ("length", ctypes.c_size_t), ("type", ctypes.c_uint8)]


_ValuePointer = ctypes.POINTER(_Value)
_Callback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, _ValuePointer)

_PACKAGE = "py_mini_racer"
# --single-threaded: no worker threads, so that the platform survives a fork. --jitless: no memory is ever executable
# and writable, and WebAssembly does not exist.
_JITLESS = b"--single-threaded --jitless"
# Compiled by Sparkplug and Maglev alone: TurboFan, the largest of V8's compilers, brought nothing more (decision 0032),
# and what is not there has no bugs. asm.js would lead into the compilers of WebAssembly; and of that no module with
# a function is valid, should a program come by a WebAssembly that the prelude has taken away.
_COMPILING = b"--single-threaded --no-turbofan --no-validate-asm --max-wasm-functions=0"
# v8::Isolate, as the library exports it: TryGetCurrent(), and GetCodeRange(void**, size_t*) of what that found.
_TRY_GET_CURRENT, _GET_CODE_RANGE = "_ZN2v87Isolate13TryGetCurrentEv", "_ZN2v87Isolate12GetCodeRangeEPPvPm"
# Type numbers of mini-racer's C side.
_UNREADABLE, _INTEGER, _TEXT, _UNDEFINED, _SHARED, _FIRST_ERROR, _UNPARSED = 0, 3, 5, 11, 101, 200, 201
_EMPTY = {_UNREADABLE: ReplyKind.UNREADABLE, _UNDEFINED: ReplyKind.UNDEFINED}
_PROT_NONE, _PROT_READ, _PROT_EXEC = 0, 1, 4
_PAGE = os.sysconf("SC_PAGE_SIZE")


def _folder() -> str:
    # Found, not imported: the package's own __init__ imports asyncio and 60 modules more into every child.
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EngineError("the JavaScript engine (mini-racer) is not installed")
    return spec.submodule_search_locations[0]


def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    number, pointer = ctypes.c_uint64, _ValuePointer
    for name, result, arguments in (
        ("mr_init_v8", None, [ctypes.c_char_p, ctypes.c_char_p]),
        ("mr_v8_version", ctypes.c_char_p, []),
        ("mr_init_context", number, [_Callback]),
        ("mr_eval", number, [number, pointer, number]),
        ("mr_call_function", number, [number, pointer, pointer, pointer, number]),
        ("mr_alloc_int_val", pointer, [number, ctypes.c_int64, ctypes.c_uint8]),
        ("mr_alloc_string_val", pointer, [number, ctypes.c_char_p, number, ctypes.c_uint8]),
        ("mr_get_object_item", pointer, [number, pointer, pointer]),
        ("mr_set_object_item", pointer, [number, pointer, pointer, pointer]),
        ("mr_free_value", None, [number, pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _declare_code_range(library: ctypes.CDLL) -> None:
    """Raises EngineError when the library has no such functions."""
    try:
        current, code_range = getattr(library, _TRY_GET_CURRENT), getattr(library, _GET_CODE_RANGE)
    except AttributeError:
        raise EngineError("the engine does not tell where its code is") from None
    current.restype, current.argtypes = ctypes.c_void_p, []
    size = ctypes.POINTER(ctypes.c_size_t)
    code_range.restype, code_range.argtypes = None, [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), size]


def _code_range(library: ctypes.CDLL) -> tuple[int, int]:
    """Where V8 has its code, and how many bytes. On V8's thread; 0 bytes when there is no isolate or no code."""
    isolate = getattr(library, _TRY_GET_CURRENT)()
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    if isolate:
        getattr(library, _GET_CODE_RANGE)(isolate, ctypes.byref(start), ctypes.byref(size))
    return start.value or 0, size.value


class V8Engine:
    """V8 through mini-racer's C functions: an `Engine`."""

    def __init__(self, jit: bool = False) -> None:
        """With `jit` it compiles."""
        self._jit = jit
        self._code_start = self._code_bytes = 0
        self._answered = allocate_lock()
        self._answered.acquire()
        self._answer: _Pointer[_Value] | None = None
        self._keeps_text = False
        self._script: _Pointer[_Value] | None = None
        self._callback = _Callback(self._receive)
        self._is_attached = False
        self._lost: deque[object] = deque(maxlen=1)  # its one block is there from the start: appending needs no memory
        self._context = 0

    @property
    def has_unhandled(self) -> bool:
        return self._v8.has_unhandled

    def preload(self) -> None:
        folder = _folder()
        path = os.path.join(folder, "libmini_racer.so")
        self._library, self._v8 = _load(path), V8Interface(path)
        self._library.mr_init_v8(_COMPILING if self._jit else _JITLESS, os.fsencode(os.path.join(folder, "icudtl.dat")))
        if self._jit:
            _declare_code_range(self._library)
        libc = ctypes.CDLL(None, use_errno=True)
        self._mprotect, self._getrandom, self._nanosleep = libc.mprotect, libc.getrandom, libc.nanosleep
        self._mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self._getrandom.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
        self._nanosleep.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        self._attach = ctypes.pythonapi.PyGILState_Ensure  # looked up here: after the seal the tripwire refuses it

    def version(self) -> str:
        text: bytes = self._library.mr_v8_version()
        return text.decode("ascii")

    def open(self) -> None:
        # An error that ends a callback is told to this hook alone. A C function: there may be no memory for a frame.
        sys.unraisablehook = self._lost.append
        self._context = self._library.mr_init_context(self._callback)
        self._undefined = self._library.mr_alloc_int_val(self._context, 0, _UNDEFINED)
        self._first = self._library.mr_alloc_int_val(self._context, 0, _INTEGER)

    def evaluate(self, script: bytes) -> None:
        self._keeps_text = True
        self._script = self._string(script)
        self._library.mr_eval(self._context, self._script, 0)

    def load(self, code: Code) -> None:
        if not self._is_attached:
            self.evaluate(b"0")  # the answer to anything
            while self.collect(1) is None:
                pass
        self._v8.serve_load(code)
        self.evaluate(SERVE)

    def compiled(self, code: Code) -> bytes:
        self._v8.serve_compiled(code)
        self.evaluate(SERVE)
        while self.collect(1) is None:
            pass
        return self._v8.compiled

    def call_with_unhandled(self, function: Handle, arguments: Handle) -> None:
        self._v8.serve_unhandled()
        self.call(function, None, arguments)

    def call(self, function: Handle, this: Handle | None, arguments: Handle) -> None:
        self._keeps_text = False
        receiver = self._undefined if this is None else this
        self._library.mr_call_function(self._context, function, receiver, arguments, 0)

    def collect(self, seconds: float) -> Reply | None:
        if not self._answered.acquire(timeout=seconds):
            if self._lost:
                self._lost.clear()
                raise MemoryError
            return None
        pointer, self._answer = self._answer, None
        assert pointer is not None
        if self._script is not None:
            self._free(self._script)
            self._script = None
        number = pointer.contents.type
        if number >= _FIRST_ERROR or (number == _TEXT and not self._keeps_text):
            text = ctypes.string_at(pointer.contents.value.pointer or 0, pointer.contents.length)
            self._free(pointer)
            kind = ReplyKind.TEXT if number == _TEXT else ReplyKind.THROWN
            return Reply(ReplyKind.UNPARSED if number == _UNPARSED else kind, text)
        if number in _EMPTY:
            return Reply(_EMPTY[number])
        return Reply(ReplyKind.VALUE, handle=Handle(pointer))

    def items(self, array: Handle, count: int) -> list[Handle]:
        found = []
        for number in range(count):
            index = self._library.mr_alloc_int_val(self._context, number, _INTEGER)
            found.append(Handle(self._library.mr_get_object_item(self._context, array, index)))
            self._free(index)
        return found

    def set_text(self, array: Handle, text: bytes) -> None:
        value = self._string(text)
        self._free(self._library.mr_set_object_item(self._context, array, self._first, value))
        self._free(value)

    def shared_memory(self, buffer: Handle) -> memoryview:
        value: _Value = buffer.contents  # type: ignore[attr-defined]
        if value.type != _SHARED:
            raise EngineError("the engine handed over no shared memory")
        return memoryview((ctypes.c_char * value.length).from_address(value.value.pointer)).cast("B")

    def protect(self) -> None:
        # The trampoline by which C calls `_receive` was written by libffi into a page of its own, mapped rwx and at the
        # same address in every child of a zygote. It is complete: from here on it need only be executed.
        # (And so was that for V8's own call-back.)
        for callback in (self._callback, self._v8.callback):
            code = ctypes.cast(callback, ctypes.c_void_p).value or 0
            self._restrict(code // _PAGE * _PAGE, _PAGE, _PROT_READ | _PROT_EXEC)
        if self._jit:
            self._shorten_code()

    def _shorten_code(self) -> None:
        # V8 reserves half a gigabyte for code with the isolate, makes all of it writable and executable at once and
        # asks nobody when it uses more of it, from its start on. So what is cut off here is lost to it, nothing new
        # can become executable after the seal, and a program that fills the rest dies of SIGSEGV. The pages stay
        # reserved: in a hole the kernel would put memory that V8 takes for its own.
        if self._code_bytes <= CODE_BYTES:
            raise EngineError(f"the engine has {self._code_bytes} bytes for code")
        self._restrict(self._code_start + CODE_BYTES, self._code_bytes - CODE_BYTES, _PROT_NONE)

    def _restrict(self, start: int, size: int, rights: int) -> None:
        """Changes the rights of pages to ones that are not writable, and tries the first and the last.

        By calls that write there (getrandom) or, where nothing may be read, read there (nanosleep): a protection key of
        V8's may keep this thread from writing anyway.
        """
        if self._mprotect(start, size, rights):
            raise OSError(ctypes.get_errno(), "mprotect")
        for page in (start, start + size - _PAGE):
            done = self._nanosleep(page, None) if rights == _PROT_NONE else self._getrandom(page, 1, 0)
            if done >= 0 or ctypes.get_errno() != errno.EFAULT:
                raise EngineError("memory that was taken away is still there")

    def _receive(self, _: int, value: _Pointer[_Value]) -> None:
        # On V8's thread, which stands still meanwhile.
        if not self._is_attached:
            # ctypes gives a foreign thread a new thread state and a stack of 16 KiB for every callback, and takes them
            # away after it. Near the memory limit there is none to be had, and the answer would be lost. One Ensure
            # without its Release, in the first callback, which comes before any user code, keeps both for good (C API,
            # "Non-Python created threads").
            self._is_attached = True
            self._attach()
            self._v8.attach()
            if self._jit:
                self._code_start, self._code_bytes = _code_range(self._library)
        self._answer = value
        self._answered.release()

    def _string(self, text: bytes) -> _Pointer[_Value]:
        value: _Pointer[_Value] = self._library.mr_alloc_string_val(self._context, text, len(text), _TEXT)
        return value

    def _free(self, value: _Pointer[_Value]) -> None:
        self._library.mr_free_value(self._context, value)
