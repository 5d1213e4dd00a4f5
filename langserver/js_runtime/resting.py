"""An engine that runs nothing: on it the way of a task through our own code can be gone before there is one."""

from __future__ import annotations

from langserver.js_runtime.engine import Course, Handle, Reply, ReplyKind
from langserver.js_runtime.v8_interface import Code

_RING_BYTES = 64


class RestingEngine:
    """An `Engine` whose programs all give null."""

    has_unhandled = False

    def __init__(self) -> None:
        self._reply = Reply(ReplyKind.UNDEFINED)

    def preload(self) -> None:
        """Nothing."""

    def version(self) -> str:
        return ""

    def open(self) -> None:
        """Nothing."""

    def evaluate(self, script: bytes) -> None:  # noqa: ARG002
        self._reply = Reply(ReplyKind.UNDEFINED)

    def run(self, script: bytes, course: Course) -> None:  # noqa: ARG002
        self._reply = Reply(ReplyKind.TEXT, b"Rnull")

    def step(self, course: Course) -> None:
        self.run(b"", course)

    def load(self, code: Code) -> None:  # noqa: ARG002
        self._reply = Reply(ReplyKind.VALUE, handle=Handle(self))

    def compiled(self, code: Code) -> bytes:  # noqa: ARG002
        return b""

    def call(self, function: Handle, this: Handle | bytes | None) -> None:  # noqa: ARG002
        self._reply = Reply(ReplyKind.TEXT, b"A")

    def tell(self, function: Handle, text: bytes) -> None:
        """Nothing."""

    def collect(self, seconds: float) -> Reply:  # noqa: ARG002
        return self._reply

    def item(self, array: Handle, number: int) -> Handle:  # noqa: ARG002
        return array

    def shared_memory(self, buffer: Handle) -> memoryview:  # noqa: ARG002
        return memoryview(bytearray(_RING_BYTES))

    def protect(self) -> None:
        """Nothing."""
