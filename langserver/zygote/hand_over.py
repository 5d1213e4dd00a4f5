"""What goes into a child, and when: header and source at once, the input behind the form where one is wanted."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

from langserver.core.forms import NOTHING, Found, Shelf
from langserver.wire.frames import HEAD, Kind, encode
from langserver.wire.header import Form
from langserver.zygote.child_handle import Child
from langserver.zygote.job import Job


class HandOver:
    """Writes one job into the pipe of one child. `shelf` is where the compiled form of its program is, or is put."""

    def __init__(self, job: Job, child: Child, shelf: Shelf | None) -> None:
        self._child = child
        self._loop = asyncio.get_running_loop()
        self._shelf = shelf
        self._found = shelf.find(child.zygote.image) if shelf is not None else NOTHING
        self._unsent = source_parts(job, self._found)
        self._withheld = input_parts(job)
        self._is_waiting = False  # for room in the pipe
        self.begun = False  # the child may have a byte of the task
        if not self._found.wanted:
            self.release()

    @property
    def wants_form(self) -> bool:
        """The child is asked for the compiled form, and has no input before it gave that."""
        return self._found.wanted

    @property
    def withholds(self) -> bool:
        """There is an input that waits for the form."""
        return bool(self._withheld)

    def send(self) -> None:
        """Writes what the pipe takes, now and whenever there is room again."""
        while self._unsent:
            try:
                written = os.writev(self._child.input_fd, self._unsent)
            except BlockingIOError:
                if not self._is_waiting:
                    self._is_waiting = True
                    self._loop.add_writer(self._child.input_fd, self.send)
                return
            except BrokenPipeError:  # the child ended first; its exit says why
                self.stop()
                return
            self.begun = True
            self._unsent = _behind(self._unsent, written)
        if self._withheld:
            self._rest()
        else:
            self.stop()

    def release(self) -> None:
        """Nothing stands between the child and its input any more."""
        self._unsent += self._withheld
        self._withheld = []

    def take_form(self, form: bytes) -> None:
        """Keeps what the child made of the source alone; only now it gets what else there is of the task."""
        assert self._shelf is not None
        self._shelf.keep(self._child.zygote.image, form)
        self.release()
        self.send()

    def give_form_up(self) -> None:
        """The child did not come to its start: if it was given a form, nobody is given that one again."""
        if self._shelf is not None and self._found.form:
            self._shelf.forget(self._child.zygote.image)

    def stop(self) -> None:
        """Nothing more is sent; may be called twice."""
        self._unsent, self._withheld = [], []
        self._rest()
        self._child.close_input()

    def _rest(self) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._loop.remove_writer(self._child.input_fd)


def source_parts(job: Job, found: Found) -> list[memoryview]:
    """The first half, with the compiled form that was found. Large parts as they are, not copied."""
    form: Form = "wanted" if found.wanted else "given" if found.form else "none"
    header = replace(job.header, form=form).encode()
    parts = [encode(Kind.HEADER, header) + HEAD.pack(Kind.SOURCE, len(job.source)), job.source]
    if found.form:
        parts += [HEAD.pack(Kind.FORM, len(found.form)), found.form]
    return [memoryview(part) for part in parts if part]


def input_parts(job: Job) -> list[memoryview]:
    """The second half."""
    parts = HEAD.pack(Kind.INPUT, len(job.input)), job.input, encode(Kind.GO)
    return [memoryview(part) for part in parts if part]


def _behind(parts: list[memoryview], written: int) -> list[memoryview]:
    """What is left of `parts` behind so many bytes."""
    for place, part in enumerate(parts):
        if written < len(part):
            return [part[written:], *parts[place + 1 :]]
        written -= len(part)
    return []
