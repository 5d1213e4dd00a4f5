"""What a zygote needs of a language: one small protocol, and where its implementations are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, cast

from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader


class Runtime(Protocol):
    """One language inside zygote and child. A program and its inputs are opaque to everybody else."""

    name: str

    def preload(self) -> None:
        """In the zygote: imports and exercises all that a task may need, since nothing can be opened later."""

    def version(self) -> tuple[int, int, int, int]:
        """Of the interpreter or engine; after `preload`."""

    def wake(self) -> None:
        """In the child, before the last step of the jail: makes what needs system calls that are refused later."""

    def rehearse(self) -> bytes:
        """In a child that is used for nothing else: what it makes by calling what tasks call, for later children."""

    def learn(self, rehearsed: bytes) -> None:
        """In the zygote: has its children begin with that."""

    def warm_up(self) -> None:
        """In a sealed child that waits for its task: does what leaves nothing behind but pages that are its own."""

    def draw(self) -> int:
        """A number of 53 bits from the generator that a task without a seed would use. In a child of the self-test."""

    def compile(self, header: TaskHeader, source: str) -> Any:
        """The program, its failures kept inside."""

    def form_of(self, program: Any) -> bytes:
        """What `restore` makes the same program of; empty if there is no such thing."""

    def restore(self, header: TaskHeader, source: str, form: bytes) -> Any:
        """The program that `compile` made of this source in a sibling, whose `form_of` this is."""

    def parse_input(self, text: bytes) -> Any:
        """The task's input. Raises BadInput."""

    def reseed(self, header: TaskHeader) -> None:
        """Fresh randomness for every generator, the task's seed and time zone."""

    def run(self, program: Any, inputs: Any, header: TaskHeader, channel: Channel) -> None:
        """Runs the program and sends exactly one report."""

    def validate(self, program: Any, channel: Channel) -> None:
        """Sends one report with every problem of the source; runs nothing."""


def make_runtime(name: str, policy: bool, packages: tuple[str, ...], jit: bool = False) -> Runtime:
    """The runtime called `name`; only that one's code is imported. `packages` are what the operator adds to it.

    With `jit` the engine of JavaScript compiles. Raises ValueError for an unknown name, KeyError for a package that a
    JavaScript runtime does not have.
    """
    if name == "python":
        with _left_out("ssl"):
            from langserver.python_runtime.run import PythonRuntime

        return cast("Runtime", PythonRuntime(policy, packages))
    if name == "js":
        from langserver.js_runtime.run import JsRuntime

        return cast("Runtime", JsRuntime(policy, packages, jit))
    raise ValueError(f"there is no runtime {name!r}")


@contextmanager
def _left_out(module: str) -> Iterator[None]:
    """Whatever is imported inside has to do without it. `asyncio` can do without `ssl`, which is of no use in a child,
    and with which every fork and every end would cost 4 % more.
    """
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]  # importing it raises ImportError (the import system, 5.3.1)
    try:
        yield
    finally:
        del sys.modules[module]
