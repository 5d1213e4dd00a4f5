"""V8's own C++ functions, for what mini-racer's C functions leave out: compiled code, and promises nobody handles.

mini-racer's library exports all of V8, and V8 calls back what it is told to call of a rejected promise. That call-back
is the one moment in which these functions may be called: on V8's thread, inside a context. So it serves twice. Code of
ours rejects a promise where it wants to be served (`load`, `code_of`, `first_unhandled`); every other rejection is the
program's, and is kept until V8 tells that it has found a handler.

What a program rejects with is never looked into here: handles come in and go out. No JavaScript runs within the
call-back but the script that `load` was given, and that only before user code.

Names, the layout of `_Source` and the numbers are those of V8 14.4 (include/v8-script.h, v8-promise.h); the version of
the library is pinned.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

# A handle of V8 is the address of a slot, in which the address of the object is. The collector may write to the slot.
_Address = ctypes.c_uint64
_Slot = ctypes.POINTER(_Address)
if TYPE_CHECKING:
    _Handle = ctypes._Pointer[_Address]  # the only name that typeshed has for it
_NO_HANDLER, _HANDLER_ADDED = 0, 1  # v8::PromiseRejectEvent
_NORMAL_STRING = 0  # v8::NewStringType
_NO_OPTIONS, _CONSUME_CODE_CACHE = 0, 1  # v8::ScriptCompiler::CompileOptions
# A script that has itself served: the answer is put into its array.
SERVE = b"""(() => {
  const answer = [];
  Promise.reject(answer);
  if (answer.length === 0) throw new Error('it was not served');
  return answer[0];
})()"""


class _Rejection(ctypes.Structure):
    """v8::PromiseRejectMessage"""

    _fields_ = [("promise", _Slot), ("event", ctypes.c_int), ("value", _Slot)]


class _CachedData(ctypes.Structure):
    """v8::ScriptCompiler::CachedData"""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_int),
        ("is_rejected", ctypes.c_bool),
        ("policy", ctypes.c_int),
    ]


class _Source(ctypes.Structure):
    """v8::ScriptCompiler::Source; what V8 notes of a compilation is at its end."""

    _fields_ = [
        ("text", _Slot),
        ("name", ctypes.c_void_p),
        ("line", ctypes.c_int),
        ("column", ctypes.c_int),
        ("options", ctypes.c_int64),
        ("source_map", ctypes.c_void_p),
        ("host_options", ctypes.c_void_p),
        ("cached", ctypes.POINTER(_CachedData)),
        ("task", ctypes.c_void_p),
        ("hint", ctypes.c_void_p),
        ("hint_data", ctypes.c_void_p),
        ("notes", ctypes.c_char * 256),
    ]


_Callback = ctypes.CFUNCTYPE(None, _Rejection)
_FUNCTIONS = {
    "isolate": ("_ZN2v87Isolate10GetCurrentEv", ctypes.c_void_p, []),
    "context": ("_ZN2v87Isolate17GetCurrentContextEv", ctypes.c_void_p, [ctypes.c_void_p]),
    "call_on_rejection": (
        "_ZN2v87Isolate24SetPromiseRejectCallbackEPFvNS_20PromiseRejectMessageEE",
        None,
        [ctypes.c_void_p, _Callback],
    ),
    "keep": ("_ZN2v812api_internal18GlobalizeReferenceEPNS_8internal7IsolateEm", _Slot, [ctypes.c_void_p, _Address]),
    "let_go": ("_ZN2v812api_internal13DisposeGlobalEPm", None, [_Slot]),
    "hash": ("_ZN2v86Object15GetIdentityHashEv", ctypes.c_int, [_Slot]),
    "reason": ("_ZN2v87Promise6ResultEv", _Slot, [_Slot]),
    "put": (
        "_ZN2v86Object3SetENS_5LocalINS_7ContextEEEjNS1_INS_5ValueEEE",
        ctypes.c_uint16,
        [_Slot, ctypes.c_void_p, ctypes.c_uint32, _Slot],
    ),
    "text": (
        "_ZN2v86String14NewFromOneByteEPNS_7IsolateEPKhNS_13NewStringTypeEi",
        _Slot,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int],
    ),
    "compile": (
        "_ZN2v814ScriptCompiler7CompileENS_5LocalINS_7ContextEEEPNS0_6SourceENS0_14CompileOptionsENS0_13NoCacheReasonE",
        _Slot,
        [ctypes.c_void_p, ctypes.POINTER(_Source), ctypes.c_int, ctypes.c_int],
    ),
    "run": ("_ZN2v86Script3RunENS_5LocalINS_7ContextEEE", _Slot, [_Slot, ctypes.c_void_p]),
    "unbound": ("_ZN2v86Script16GetUnboundScriptEv", ctypes.c_void_p, [_Slot]),
    "code": (
        "_ZN2v814ScriptCompiler15CreateCodeCacheENS_5LocalINS_13UnboundScriptEEE",
        ctypes.POINTER(_CachedData),
        [ctypes.c_void_p],
    ),
}


@dataclass(frozen=True, slots=True)
class Code:
    """A script of ours, ASCII, and V8's bytes of what is compiled of it; b"" to have it compiled when it is needed."""

    script: bytes
    compiled: bytes = b""


class V8Interface:
    """V8's functions, and the promises that were rejected and have no handler."""

    def __init__(self, path: str) -> None:
        """Looks them up. Raises OSError, AttributeError when the library is another."""
        library = ctypes.PyDLL(path)  # they are short: a lock that is given up meanwhile only costs
        functions = {}
        for name, (symbol, result, arguments) in _FUNCTIONS.items():
            function = functions[name] = getattr(library, symbol)
            function.restype, function.argtypes = result, arguments
        self._v8: Any = SimpleNamespace(**functions)
        self.callback = _Callback(self._rejected)
        self._isolate: object = None
        self._serve: Callable[[_Handle], None] | None = None
        self._unhandled: dict[int, list[_Handle]] = {}  # promises, by a number of theirs
        self._loaded: dict[bytes, _Handle] = {}
        self.taken = 0  # how often V8 took what was compiled before
        self.compiled = b""  # what `serve_compiled` was for

    def attach(self) -> None:
        """Takes the isolate; on V8's thread, in a call-back of mini-racer's."""
        self._isolate = self._v8.isolate()
        self._v8.call_on_rejection(self._isolate, self.callback)

    @property
    def has_unhandled(self) -> bool:
        """Whether a promise was rejected that has no handler. Of a program that has come to rest."""
        return bool(self._unhandled)

    def serve_load(self, code: Code) -> None:
        """The next SERVE gives the value of this script. Only before user code."""

        def serve(answer: _Handle) -> None:
            context = self._v8.context(self._isolate)
            text = self._v8.text(self._isolate, code.script, _NORMAL_STRING, len(code.script))
            source, options = _Source(text=text), _NO_OPTIONS
            data = ctypes.cast(ctypes.c_char_p(code.compiled), ctypes.c_void_p)
            cached = _CachedData(data, len(code.compiled), False, 0)
            if code.compiled:
                source.cached, options = ctypes.pointer(cached), _CONSUME_CODE_CACHE
            script = self._v8.compile(context, ctypes.byref(source), options, 0)
            if not script:
                return
            self.taken += bool(code.compiled) and not cached.is_rejected
            if not code.compiled:
                self._loaded[code.script] = self._kept(script)
            value = self._v8.run(script, context)
            if value:  # or it has thrown, and V8 forgets that
                self._v8.put(answer, context, 0, value)

        self._serve = serve

    def serve_compiled(self, code: Code) -> None:
        """The next SERVE puts into `compiled` what V8 has compiled by now of a script that was loaded without that."""

        def serve(_: _Handle) -> None:  # SERVE will say that nothing was answered, and nobody listens
            made = self._v8.code(self._v8.unbound(self._loaded[code.script])).contents
            self.compiled = ctypes.string_at(made.data, made.length)

        self._serve = serve

    def serve_unhandled(self) -> None:
        """The next promise that is rejected is ours, and its reason an array: the first element of that becomes the
        reason of the first promise that nobody handles.
        """

        def serve(answer: _Handle) -> None:
            first = next(iter(self._unhandled.values()))[0]
            self._v8.put(answer, self._v8.context(self._isolate), 0, self._v8.reason(first))

        self._serve = serve

    def _kept(self, handle: _Handle) -> _Handle:
        kept: _Handle = self._v8.keep(self._isolate, handle[0])
        return kept

    def _rejected(self, message: _Rejection) -> None:
        # On V8's thread, which stands still meanwhile.
        if message.event == _NO_HANDLER:
            serve, self._serve = self._serve, None
            if serve is not None:
                serve(message.value)
            else:
                number = self._v8.hash(message.promise)
                self._unhandled.setdefault(number, []).append(self._kept(message.promise))
        elif message.event == _HANDLER_ADDED:
            self._handled(message.promise)

    def _handled(self, promise: _Handle) -> None:
        number = self._v8.hash(promise)
        kept = self._unhandled.get(number, [])
        for place, other in enumerate(kept):
            if other[0] == promise[0]:
                self._v8.let_go(kept.pop(place))
                break
        if not kept:
            self._unhandled.pop(number, None)
