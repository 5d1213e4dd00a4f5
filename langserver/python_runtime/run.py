"""The Python runtime as the zygote and its children drive it."""

from __future__ import annotations

import builtins
import os
import random
import sys
import time
import types
from functools import partial
from typing import Any

from langserver.core.claims import Failure, Report
from langserver.core.outcome import ErrorKind
from langserver.core.zones import UTC
from langserver.python_runtime import builtins as guarded
from langserver.python_runtime import (
    entry,
    forms,
    interpreter,
    lastwords,
    localtime,
    logs,
    modules,
    preload,
    taskmodule,
    userclasses,
    values,
)
from langserver.python_runtime.compiler import Program, compile_source
from langserver.python_runtime.errors import failure_of
from langserver.python_runtime.logs import STDERR, STDOUT
from langserver.python_runtime.modules import asynchronous
from langserver.python_runtime.packages import known, loading
from langserver.python_runtime.refusals import TOLD, Refusal
from langserver.python_runtime.toplevel import BODY_NAME
from langserver.python_runtime.tracebacks import name_of
from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader
from langserver.wire.strict_json import parse_strict

_SEED_BYTES = 32
_SETTERS = tuple(BaseException.__dict__[name].__set__ for name in ("__traceback__", "__context__", "__cause__"))
# Made in the zygote, since a handler of MemoryError must not allocate.
_OUT_OF_MEMORY = Channel.prepare(
    Report(failures=(Failure(ErrorKind.MEMORY_LIMIT, "the program ran out of memory", type="MemoryError"),))
)
# What each task goes through, tried by a child that waits for its own.
_SAMPLE_HEADER = TaskHeader("run", UTC, None, "task.py", 0, 0).encode()
_SAMPLE_INPUT = b'{"n": 1}'


class PythonRuntime:
    """Runs one task a process. `policy` False is plain CPython with the same contract, for reviewers.

    `packages` are the operator's (LANG_PYTHON_MODULES).
    """

    name = "python"

    def __init__(self, policy: bool, packages: tuple[str, ...] = ()) -> None:
        self._policy = policy
        self._packages = packages
        self._builtins: dict[str, Any] = {}

    def preload(self) -> None:
        """Imports and exercises what tasks may need: after the seal nothing can be imported or opened."""
        if self._policy:
            preload.for_policy(self._packages)
            self._builtins = guarded.build()
            userclasses.remember_library()
        else:
            preload.for_reviewers(self._packages)
            self._builtins = vars(builtins)
        preload.exercise(self._exercise if self._policy else None)
        if self._policy:
            modules.renew("time", localtime.TIME_NAMES)  # in the zone in which children wait
        if self._packages:
            loading.close_folders()

    def warm_up(self) -> None:
        """Reads a header and an input and writes a report, of which nothing is kept and nothing is sent.

        Not the compiler, nor the policy: each page that is written to is a page more for every child that waits, and
        most programs come with their compiled form.
        """
        TaskHeader.decode(_SAMPLE_HEADER)
        parse_strict(_SAMPLE_INPUT)
        Channel.prepare(Report(_SAMPLE_INPUT))

    def _exercise(self, source: str) -> None:
        program = compile_source("", source, self._policy)
        assert program.code is not None, program.failures

    def version(self) -> tuple[int, int, int, int]:
        """The interpreter's."""
        return (*sys.version_info[:3], 0)

    def wake(self) -> None:
        """Listens for the end of its time."""
        lastwords.listen()

    def rehearse(self) -> bytes:
        """Nothing: `preload` has exercised it all, in the zygote itself."""
        return b""

    def learn(self, rehearsed: bytes) -> None:
        """Nothing to learn."""

    def compile(self, header: TaskHeader, source: str) -> Program:
        """The program, its failures kept inside."""
        return compile_source(header.label, source, self._policy, ahead=header.mode == "validate")

    def form_of(self, program: Program) -> bytes:
        """Its compiled form; empty for one that failed."""
        return forms.form_of(program)

    def restore(self, header: TaskHeader, source: str, form: bytes) -> Program:
        """The program of a compiled form."""
        return forms.restore(header.label, source, form)

    def parse_input(self, text: bytes) -> object:
        """The value of the task's input. Raises BadInput."""
        return parse_strict(text)

    def reseed(self, header: TaskHeader) -> None:
        """Sets the time zone and gives every generator fresh randomness, or the task's seed."""
        if localtime.enter(header.zone) and self._policy:
            modules.renew("time", localtime.TIME_NAMES)
        # Every generator of the preloaded modules is this one: `random.Random()` objects are the program's own,
        # SystemRandom, secrets and uuid draw from the kernel each time.
        # Negative seeds become numbers above all others: `random.seed` drops the sign.
        seed = None if header.seed is None else header.seed % (1 << 64)
        random.seed(_fresh() if seed is None else seed)
        if self._packages:
            known.reseed(seed)

    def draw(self) -> int:
        """A number of 53 bits, drawn after seeding as a task without a seed has it."""
        random.seed(_fresh())
        return random.getrandbits(53)

    def validate(self, program: Program, channel: Channel) -> None:
        """Reports what compiling found; runs nothing."""
        channel.report(Report(failures=program.failures, imports=program.imports, compile_ns=program.compile_ns))

    def run(self, program: Program, inputs: object, header: TaskHeader, channel: Channel) -> None:
        """Runs the program and sends its logs and its one report; exits the process itself when memory ran out."""
        if program.code is None:
            failures = program.failures[:1]
            for failure in failures:
                if failure.kind is ErrorKind.POLICY_VIOLATION:
                    channel.event("policy", "refused", failure.message)
            channel.report(Report(failures=failures, compile_ns=program.compile_ns))
            return
        channel.place_time(_OUT_OF_MEMORY, program.compile_ns)
        names = self._globals(program.name, inputs)
        TOLD.connect(partial(channel.event, "policy", "refused"))
        for stream in (STDOUT, STDERR):
            logs.connect(stream, channel, header.log_bytes)
        sys.stdout, sys.stderr = STDOUT, STDERR
        interpreter.speak_to_log()
        start = time.perf_counter_ns()
        lastwords.begin(channel)
        try:
            output, failures = _outcome(program, names, inputs, header.output_bytes)
            logs.finish(STDOUT)
            logs.finish(STDERR)
            spent = time.perf_counter_ns() - start
            self._end(channel, Report(output, failures, program.imports, program.compile_ns, spent))
        except MemoryError as error:
            # Allocating here may raise it again: let go of the frames first, then write what is ready.
            line = lastwords.line_of(error)
            for let_go in _SETTERS:  # of the class, never the object's own
                let_go(error, None)
            channel.place(_OUT_OF_MEMORY, line)
            lastwords.over()
            channel.send_prepared(_OUT_OF_MEMORY)
            os._exit(0)

    def _globals(self, name: str, inputs: object) -> dict[str, Any]:
        """The globals of the program."""
        names = {"__name__": name, "__doc__": None, "__builtins__": self._builtins, "inputs": inputs}
        module = taskmodule.enter(name, names)
        if self._policy:
            return names
        vars(module).update(names)
        return vars(module)

    @staticmethod
    def _end(channel: Channel, report: Report) -> None:
        for failure in report.failures:
            # The audit hook and the policy told of theirs when they refused.
            if failure.kind is ErrorKind.SANDBOX_VIOLATION and failure.type != "AuditRefusal":
                channel.event("seccomp", "denied", failure.message)
        lastwords.over()
        channel.report(report)


def _fresh() -> int:
    # A number: bytes would be hashed first, by a module that `random` of 3.13 loads when it comes to it.
    return int.from_bytes(os.urandom(_SEED_BYTES))


def _outcome(
    program: Program, names: dict[str, Any], inputs: object, output_bytes: int
) -> tuple[bytes, tuple[Failure, ...]]:
    """The result as JSON, or why there is none. Raises MemoryError only."""
    try:
        return values.to_json(_result(program, names, inputs), output_bytes), ()
    except MemoryError:
        raise
    except values.TooLarge as error:
        return b"", (Failure(ErrorKind.OUTPUT_LIMIT, str(error)),)
    except values.NotJson as error:
        return b"", (Failure(ErrorKind.INVALID_RESULT, str(error), hint=error.hint),)
    except BaseException as error:  # noqa: BLE001 -- SystemExit and the like are the program's too
        return b"", (_failure(error),)


def _failure(error: BaseException) -> Failure:
    try:
        failure = failure_of(error)
        if isinstance(error, Refusal):
            TOLD.ended(error)
        return failure
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001 -- an exception of the program may raise anything when it is looked at
        message = "the program ended with an exception that cannot be described"
        return Failure(ErrorKind.USER_ERROR, message, type=name_of(type(error)))


def _result(program: Program, names: dict[str, Any], inputs: object) -> Any:
    """Runs the body and, if there is one, `main`; the value of the task."""
    assert program.code is not None
    exec(program.code, names)  # noqa: S102 -- the purpose of this process
    returned = None
    if program.wrapped:
        returned = _settled(names.pop(BODY_NAME)())
    main = names.get("main")
    if callable(main):
        return _settled(entry.call_main(main, inputs))
    if returned is not None:
        return _settled(returned[0])
    return names.get("result")


def _settled(value: Any) -> Any:
    if type(value) is not types.CoroutineType:
        return value
    lastwords.wait_for(value)
    return asynchronous.run(value)
