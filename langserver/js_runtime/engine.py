"""A JavaScript engine as the runtime needs one.

V8 is behind it (v8_engine.py); another engine would be another such class. What else knows that it is V8: the words of
its errors (syntax.py, thrown.py, hints.py), and in the prelude the call sites of a stack.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NewType, Protocol

from langserver.js_runtime.v8_interface import Code

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


@dataclass(frozen=True, slots=True)
class Course:
    """How a program is brought to its end: `begin` is called on its value, or on `unreadable` in the place of one that
    the engine cannot hand over, and then `step` until it answers anything but `more`.
    """

    begin: Handle
    step: Handle
    unreadable: Handle
    more: bytes


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

    def run(self, script: bytes, course: Course) -> None:
        """Starts a script as `evaluate` does; where it gives a value the reply is the last answer of its course."""

    def step(self, course: Course) -> None:
        """Starts the course behind its `begin`."""

    def load(self, code: Code) -> None:
        """Starts a script of ours; only before user code."""

    def compiled(self, code: Code) -> bytes:
        """What the engine has compiled by now of a script that was loaded without that."""

    @property
    def has_unhandled(self) -> bool:
        """Whether a promise was rejected and has no handler, of a program that has come to rest."""

    def call(self, function: Handle, this: Handle | bytes | None) -> None:
        """Starts a call of a function without arguments. Bytes are UTF-8: `this` is that string. None is undefined."""

    def tell(self, function: Handle, text: bytes) -> None:
        """As `call`, but there is no reply. What is started next waits for its end; nothing is told before that."""

    def collect(self, seconds: float) -> Reply | None:
        """Waits for the answer of what was started last; None when it takes longer than `seconds`.

        Raises MemoryError when the answer came but this process had no memory left to take it.
        """

    def item(self, array: Handle, number: int) -> Handle:
        """An element of an array. Waits for running JavaScript: only before user code."""

    def shared_memory(self, buffer: Handle) -> memoryview:
        """The bytes of a SharedArrayBuffer, writable."""

    def protect(self) -> None:
        """Takes away memory that is writable and executable at once, but the engine's own for code, which it bounds.

        After `open`; no callback can be made after it. Raises OSError, EngineError.
        """
