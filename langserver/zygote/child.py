"""The life of a child: sealed, handed one task, gone."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from typing import NoReturn

from langserver.core.claims import Failure, Report
from langserver.core.outcome import ErrorKind
from langserver.sandbox.audit import user_code_comes
from langserver.sandbox.confine import INPUT_FD, REPORT_FD
from langserver.wire.channel import Channel, TaskPipe
from langserver.wire.frames import Kind, encode
from langserver.wire.header import TaskHeader
from langserver.wire.strict_json import BadInput
from langserver.zygote.fork import Seal
from langserver.zygote.niceness import make_way
from langserver.zygote.runtime import Runtime

# Made here, since a handler of MemoryError must not allocate.
_OUT_OF_MEMORY = Channel.prepare(
    Report(failures=(Failure(ErrorKind.MEMORY_LIMIT, "the task needed more memory than its limit", "MemoryError"),))
)
_NOT_STARTED = encode(Kind.STARTED) + _OUT_OF_MEMORY
_FAULT = 63  # below the exit codes of the jail's steps, above that of a child whose time is up


def live(runtime: Runtime, seal: Seal, ahead: bool = False, makes_way: bool = False) -> NoReturn:
    """Everything a forked process does; never returns to the zygote's loop. `ahead` when no task waits for it.

    One that `makes_way` for the tasks of others does so from here on.
    """
    channel = Channel(REPORT_FD)
    try:
        if makes_way:
            make_way()
        seal(lambda event: channel.event("audit", "denied", event))
        channel.sealed()
        if ahead:
            with suppress(Exception):  # it can do without
                runtime.warm_up()
        _perform(runtime, channel, TaskPipe(INPUT_FD))
        os._exit(0)
    finally:
        os._exit(_FAULT)


def rehearse(runtime: Runtime, seal: Seal) -> NoReturn:
    """The life of the child that a zygote's first ones learn from: sealed like them, and it never has a task."""
    try:
        seal(lambda _: None)
        rehearsed = runtime.rehearse()
        while rehearsed:
            rehearsed = rehearsed[os.write(REPORT_FD, rehearsed) :]
        os._exit(0)
    finally:
        os._exit(_FAULT)


def _perform(runtime: Runtime, channel: Channel, pipe: TaskPipe) -> None:
    try:
        header = TaskHeader.decode(pipe.read(Kind.HEADER))
    except EOFError:  # a warm child that was never needed
        return
    channel.set_log_budget(header.log_bytes)
    gc.freeze()  # or the first thing made now would have everything looked at that was made since the zygote froze it
    gc.enable()
    try:
        source = pipe.read(Kind.SOURCE).decode()
        if header.form == "given":
            program = runtime.restore(header, source, pipe.read(Kind.FORM))
        else:
            program = runtime.compile(header, source)
        if header.form == "wanted":
            channel.compiled(runtime.form_of(program))
        text = pipe.read(Kind.INPUT)
        pipe.read(Kind.GO)
        inputs = runtime.parse_input(text)
        del text  # as large as the input, and user code pays for what is still held
    except BadInput as error:
        channel.bad_input(str(error))
        return
    except MemoryError as error:
        error.__traceback__ = None
        channel.send_prepared(_NOT_STARTED)
        return
    pipe.close()
    user_code_comes()
    runtime.reseed(header)
    channel.started()
    if header.mode == "validate":
        runtime.validate(program, channel)
        return
    try:
        runtime.run(program, inputs, header, channel)
    except MemoryError as error:
        error.__traceback__ = None
        channel.send_prepared(_OUT_OF_MEMORY)
