"""V8 through mini-racer's C functions (mini_racer.py), and through its own (v8_interface.py): an `Engine`.

`evaluate` and `call` hand work to V8's thread; its answer comes by a call-back there, and `collect` waits for it. One
piece of work is under way at a time.
"""

from __future__ import annotations

import ctypes
import os
import sys
from _thread import allocate_lock
from collections import deque
from typing import TYPE_CHECKING

from langserver.js_runtime import mini_racer
from langserver.js_runtime.engine import Course, EngineError, Handle, Reply, ReplyKind
from langserver.js_runtime.executable import ExecutableMemory, code_range, declare_code_range
from langserver.js_runtime.v8_interface import SERVE, Code, V8Interface

if TYPE_CHECKING:
    from langserver.js_runtime.mini_racer import Value, ValuePointer

# --single-threaded: no worker threads, so that the platform survives a fork. --jitless: no memory is ever executable
# and writable, and WebAssembly does not exist.
_JITLESS = b"--single-threaded --jitless"
# Compiled by Sparkplug and Maglev alone: TurboFan, the largest of V8's compilers, brought nothing more (decision 0032),
# and what is not there has no bugs. asm.js would lead into the compilers of WebAssembly; and of that no module with
# a function is valid, should a program come by a WebAssembly that the prelude has taken away.
_COMPILING = b"--single-threaded --no-turbofan --no-validate-asm --max-wasm-functions=0"
_EMPTY = {mini_racer.UNREADABLE: ReplyKind.UNREADABLE, mini_racer.UNDEFINED: ReplyKind.UNDEFINED}


class V8Engine:
    """V8 through mini-racer's C functions: an `Engine`."""

    def __init__(self, jit: bool = False) -> None:
        """With `jit` it compiles."""
        self._jit = jit
        self._code_start = self._code_bytes = 0
        self._answered = allocate_lock()
        self._answered.acquire()
        self._answer: ValuePointer | None = None
        self._no_arguments: Handle | None = None
        self._keeps_text = False
        self._given: ValuePointer | None = None
        self._told: ValuePointer | None = None
        self._course: Course | None = None
        self._callback = mini_racer.Callback(self._receive)
        self._is_attached = False
        self._lost: deque[object] = deque(maxlen=1)  # its one block is there from the start: appending needs no memory
        self._context = 0

    @property
    def has_unhandled(self) -> bool:
        return self._v8.has_unhandled

    def preload(self) -> None:
        folder = mini_racer.folder()
        path = os.path.join(folder, "libmini_racer.so")
        self._library, self._v8 = mini_racer.load(path), V8Interface(path)
        self._library.mr_init_v8(_COMPILING if self._jit else _JITLESS, os.fsencode(os.path.join(folder, "icudtl.dat")))
        if self._jit:
            declare_code_range(self._library)
        self._executable = ExecutableMemory()
        self._attach = ctypes.pythonapi.PyGILState_Ensure  # looked up here: after the seal the tripwire refuses it

    def version(self) -> str:
        text: bytes = self._library.mr_v8_version()
        return text.decode("ascii")

    def open(self) -> None:
        # An error that ends a callback is told to this hook alone. A C function: there may be no memory for a frame.
        sys.unraisablehook = self._lost.append
        self._context = self._library.mr_init_context(self._callback)
        self._undefined = self._library.mr_alloc_int_val(self._context, 0, mini_racer.UNDEFINED)

    def evaluate(self, script: bytes) -> None:
        self._keeps_text = True
        self._given = self._string(script)
        self._library.mr_eval(self._context, self._given, 0)

    def run(self, script: bytes, course: Course) -> None:
        self._course = course
        self.evaluate(script)

    def step(self, course: Course) -> None:
        self._course = course
        self.call(course.step, None)

    def load(self, code: Code) -> None:
        if not self._is_attached:
            self._begin()
        self._v8.serve_load(code)
        self.evaluate(SERVE)

    def _begin(self) -> None:
        # The answer to anything attaches V8's thread; this one is also what every call has for arguments.
        self.evaluate(b"[]")
        while (reply := self.collect(1)) is None:
            pass
        self._no_arguments = reply.handle

    def compiled(self, code: Code) -> bytes:
        self._v8.serve_compiled(code)
        self.evaluate(SERVE)
        while self.collect(1) is None:
            pass
        return self._v8.compiled

    def call(self, function: Handle, this: Handle | bytes | None) -> None:
        self._keeps_text = False
        receiver: object = self._undefined if this is None else this
        if isinstance(this, bytes):
            receiver = self._given = self._string(this)
        self._library.mr_call_function(self._context, function, receiver, self._no_arguments, 0)

    def tell(self, function: Handle, text: bytes) -> None:
        self._told = self._string(text)
        self._library.mr_call_function(self._context, function, self._told, self._no_arguments, 0)

    def collect(self, seconds: float) -> Reply | None:
        if not self._answered.acquire(timeout=seconds):
            if self._lost:
                self._lost.clear()
                raise MemoryError
            return None
        pointer, self._answer = self._answer, None
        assert pointer is not None
        self._free_given()
        number = pointer.contents.type
        if number >= mini_racer.FIRST_ERROR or (number == mini_racer.TEXT and not self._keeps_text):
            text = self._text(pointer)
            self._free(pointer)
            kind = ReplyKind.TEXT if number == mini_racer.TEXT else ReplyKind.THROWN
            return Reply(ReplyKind.UNPARSED if number == mini_racer.UNPARSED else kind, text)
        if number in _EMPTY:
            return Reply(_EMPTY[number])
        return Reply(ReplyKind.VALUE, handle=Handle(pointer))

    def item(self, array: Handle, number: int) -> Handle:
        # The number is not freed: that would wake V8's thread once more, and it is as small as it is.
        index = self._library.mr_alloc_int_val(self._context, number, mini_racer.INTEGER)
        return Handle(self._library.mr_get_object_item(self._context, array, index))

    def shared_memory(self, buffer: Handle) -> memoryview:
        value: Value = buffer.contents  # type: ignore[attr-defined]
        if value.type != mini_racer.SHARED:
            raise EngineError("the engine handed over no shared memory")
        return memoryview((ctypes.c_char * value.length).from_address(value.value.pointer)).cast("B")

    def protect(self) -> None:
        for callback in (self._callback, self._v8.callback):
            self._executable.finish(callback)
        if self._jit:
            self._executable.shorten(self._code_start, self._code_bytes)

    def _receive(self, _: int, value: ValuePointer) -> None:
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
                self._code_start, self._code_bytes = code_range(self._library)
        if self._told is not None:
            told, self._told = self._told, None
            self._free(told)
            self._free(value)
        elif self._course is None or not self._goes_on(value, self._course):
            self._answer = value
            self._answered.release()

    def _goes_on(self, value: ValuePointer, course: Course) -> bool:
        """Whether more is to be called before there is an answer for the host; starts that.

        Here and not there, since each time that one thread wakes the other costs as much as a short program.
        """
        number = value.contents.type
        if self._keeps_text and number < mini_racer.FIRST_ERROR:
            self._free_given()
            self.call(course.begin, course.unreadable if number == mini_racer.UNREADABLE else Handle(value))
            return True
        is_short = value.contents.length == len(course.more)  # a result may be long, and is copied once
        if is_short and number == mini_racer.TEXT and self._text(value) == course.more:
            self._free(value)
            self.call(course.step, None)
            return True
        self._course = None
        return False

    @staticmethod
    def _text(value: ValuePointer) -> bytes:
        return ctypes.string_at(value.contents.value.pointer or 0, value.contents.length)

    def _string(self, text: bytes) -> ValuePointer:
        value: ValuePointer = self._library.mr_alloc_string_val(self._context, text, len(text), mini_racer.TEXT)
        return value

    def _free_given(self) -> None:
        if self._given is not None:
            self._free(self._given)
            self._given = None

    def _free(self, value: ValuePointer) -> None:
        self._library.mr_free_value(self._context, value)
