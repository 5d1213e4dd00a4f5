"""Where the program stood when its time was up: what a child still says before it is ended.

SIGXCPU comes from the kernel at the limit of CPU time, and from the server at the timeout. What is said is a claim like
any other; the process ends here in any case, and what does not get here (one long call of C code, a program that is out
of stack) is killed a moment later.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import types
from collections.abc import Iterator

from langserver.core.claims import STOPPED, Failure, Report
from langserver.core.outcome import ErrorKind
from langserver.python_runtime.names import SOURCE_NAME
from langserver.python_runtime.tracebacks import Place, render_places, traceback_of
from langserver.wire.channel import Channel

_ROOM = 200  # levels of recursion for what is done here, where the program has used up its own


class _Task:
    channel: Channel | None = None
    main: types.CoroutineType[object, object, object] | None = None
    over = False


def listen() -> None:
    """In the child, before the filter: no handler can be set later."""
    signal.signal(signal.SIGXCPU, _end)


def begin(channel: Channel) -> None:
    """The program begins: from now on there is something to say, on `channel`."""
    _Task.channel = channel


def wait_for(main: types.CoroutineType[object, object, object]) -> None:
    """While nothing runs, the program stands where this coroutine waits."""
    _Task.main = main


def over() -> None:
    """The program has ended, and its report is written next: nothing may come in between or after."""
    _Task.over = True


def line_of(error: MemoryError) -> int:
    """The line in which memory ran out; 0 if there is none for the number itself, or it was not the program's."""
    line, step = 0, traceback_of(error)
    try:
        while step is not None:
            if step.tb_frame.f_code.co_filename == SOURCE_NAME:
                line = step.tb_lineno
            step = step.tb_next
    except MemoryError:
        pass
    return line


def _end(number: int, frame: types.FrameType | None) -> None:
    if _Task.over:
        return
    try:
        gc.disable()  # it would call methods of the program
        sys.setrecursionlimit(sys.getrecursionlimit() + _ROOM)
        channel = _Task.channel
        places = [*_running(frame)][::-1] or [*_waiting()]
        if channel is not None and not channel.writing and places:
            failure = Failure(ErrorKind.USER_ERROR, "", traceback=render_places(places), line=places[-1].line)
            channel.report(Report(failures=(failure,)))
    finally:
        os._exit(STOPPED)


def _running(frame: types.FrameType | None) -> Iterator[Place]:
    """The program's frames, innermost first."""
    while frame is not None:
        if frame.f_code.co_filename == SOURCE_NAME:
            yield Place(frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back


def _waiting() -> Iterator[Place]:
    """The program's coroutines, each waiting for the next."""
    waiting: object = _Task.main
    # The last of them may wait for an object of the program, which `isinstance` would ask for its class.
    while type(waiting) is types.CoroutineType and waiting.cr_frame is not None:
        frame = waiting.cr_frame
        if frame.f_code.co_filename == SOURCE_NAME:
            yield Place(frame.f_lineno, frame.f_code.co_name)
        waiting = waiting.cr_await
