"""The JavaScript runtime: a program's way through the isolate of its child."""

from __future__ import annotations

import codecs
import json
import os
import time
from collections.abc import Iterable
from copy import copy

from langserver.core.claims import Failure, Report
from langserver.core.outcome import ErrorKind
from langserver.js_runtime import source as texts
from langserver.js_runtime.answers import outcome
from langserver.js_runtime.engine import Engine, EngineError
from langserver.js_runtime.errors import OUT_OF_MEMORY
from langserver.js_runtime.isolate import PARSER, PRELUDE, Isolate, load_prelude
from langserver.js_runtime.launch import JsProgram, launch
from langserver.js_runtime.libraries import Libraries
from langserver.js_runtime.modules import Offer
from langserver.js_runtime.parsed import load_parser
from langserver.js_runtime.rehearsal import Unheard, learned, load_samples, rehearse
from langserver.js_runtime.resting import RestingEngine
from langserver.js_runtime.v8_engine import V8Engine
from langserver.js_runtime.v8_interface import Code
from langserver.js_runtime.validation import problems
from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader
from langserver.wire.report import MAX_FAILURES
from langserver.wire.strict_json import MAX_DEPTH, BadInput, within_depth

_CHUNK = 1 << 20
# Made here, since a handler of MemoryError must not allocate.
_OUT_OF_MEMORY = Channel.prepare(Report(failures=(OUT_OF_MEMORY,)))
_IDLE = TaskHeader("run", "UTC", None, "task.js", 0, 0).encode()
_ROUNDS = 30  # CPython specialises the byte code of what ran some ten times
_NO_PROGRAM = "function main(inputs) { return inputs }"
_UNDESCRIBED = Failure(ErrorKind.USER_ERROR, "the program ended with an error that cannot be described")


class JsRuntime:
    """The runtime `js`. `policy` must be on: the prelude is how anything gets in and out."""

    name = "js"

    def __init__(self, policy: bool, modules: Iterable[str] = (), jit: bool = False) -> None:
        """`modules` are those of catalog.OPTIONAL that the operator turned on; with `jit` the engine compiles.

        Raises ValueError, KeyError.
        """
        if not policy:
            raise ValueError("the js runtime cannot run without its policy layer")
        self._modules = tuple(modules)
        self._engine: Engine = V8Engine(jit)
        self._codes: dict[str, Code] = {}
        self._isolate: Isolate | None = None

    def preload(self) -> None:
        """Loads V8 and the texts of ours; makes no isolate, as none survives a fork."""
        self._engine.preload()
        self._libraries = Libraries(self._modules)
        self._offer = Offer(self._libraries.modules)
        ours = {PRELUDE: Code(load_prelude(self._libraries)), PARSER: Code(load_parser())}
        self._codes = self._libraries.codes() | ours
        self._samples = load_samples()
        # Codecs are found by import on first use, and a child can import nothing.
        codecs.getincrementaldecoder("utf-8")().decode(b"a", final=True)
        b"a\0".decode("utf-16-le", "replace")
        "a".encode("utf-16-le", "surrogatepass")
        json.loads(json.dumps({"a": [1.5, None, "b"]}))

    def version(self) -> tuple[int, int, int, int]:
        """V8's version."""
        major, minor, build, patch = (int(part) for part in self._engine.version().split(".")[:4])
        return major, minor, build, patch

    def wake(self) -> None:
        """Makes the isolate and runs the prelude in it."""
        self._isolate = Isolate(self._engine, self._codes, self._libraries)

    def rehearse(self) -> bytes:
        """What V8 compiles of our own scripts when they are used; uses the isolate up."""
        return rehearse(self._engine, self._running(), self._codes, self._samples)

    def learn(self, rehearsed: bytes) -> None:
        """Has isolates begin with what a rehearsal compiled."""
        self._codes = learned(rehearsed, self._codes)
        self._exercise()

    def warm_up(self) -> None:
        """Tells the isolate what it is told again of the task, before anything of that runs: that way is warm then.

        Not all of a task's way: each page that is written to is one more for every child that waits.
        """
        header = TaskHeader.decode(_IDLE)
        self._running().get_all()
        self.compile(header, _NO_PROGRAM)
        self.parse_input(b"{}")
        self.reseed(header)

    def _exercise(self) -> None:
        """Has the interpreter go the way of a task here in the zygote: what it keeps of what ran is shared then."""
        idle = copy(self)
        for _ in range(_ROUNDS):
            idle._isolate = Isolate(RestingEngine(), self._codes, self._libraries)
            header = TaskHeader.decode(_IDLE)
            program = idle.compile(header, _NO_PROGRAM)
            idle.parse_input(b"{}")
            idle.run(program, None, header, Unheard())

    def draw(self) -> int:
        """A number of 53 bits from V8's own Math.random."""
        return self._running().draw()

    def compile(self, header: TaskHeader, source: str) -> JsProgram:
        """Keeps the source (see JsProgram), and tells the isolate what the header says: V8's thread wakes meanwhile."""
        self._running().set_task(header.log_bytes, header.output_bytes, header.label, header.seed)
        return JsProgram(texts.script_text(source), header.label)

    def form_of(self, program: JsProgram) -> bytes:  # noqa: ARG002
        """None: V8 trusts a code cache, and one of user code would come from a child (decision 0038)."""
        return b""

    def restore(self, header: TaskHeader, source: str, form: bytes) -> JsProgram:  # noqa: ARG002
        """As `compile`: there is no form."""
        return self.compile(header, source)

    def parse_input(self, text: bytes) -> None:
        """Parses the input inside the isolate, where it stays. Raises BadInput."""
        _check_utf8(text)
        answer = self._running().parse_input(text or b"{}")
        if answer != b"A":
            raise BadInput(f"input_json is not JSON: {answer[1:].decode('utf-8', 'replace')}")
        if not within_depth(text):
            raise BadInput(f"input_json is nested over {MAX_DEPTH} levels")

    def reseed(self, header: TaskHeader) -> None:
        """Gives V8 the zone, which it reads at the first use of Date. The rest `compile` has told."""
        os.putenv("TZ", header.zone)

    def run(self, program: JsProgram, inputs: None, header: TaskHeader, channel: Channel) -> None:  # noqa: ARG002
        """Runs the program and sends its one report. `inputs` are in the isolate already."""
        start = time.monotonic_ns()
        try:
            result, compile_ns = self._execute(program, header, channel)
            run_ns = time.monotonic_ns() - start - compile_ns
            if isinstance(result, Failure):
                if result.kind is ErrorKind.POLICY_VIOLATION and result.message not in self._running().refusals:
                    channel.event("policy", "refused", result.message)
                channel.report(Report(failures=(result,), compile_ns=compile_ns, run_ns=run_ns))
            else:
                channel.report(Report(result, compile_ns=compile_ns, run_ns=run_ns))
        except MemoryError as error:
            error.__traceback__ = None
            channel.send_prepared(_OUT_OF_MEMORY)

    def validate(self, program: JsProgram, channel: Channel) -> None:
        """Parses the program without running it and sends all that is wrong with it."""
        start = time.monotonic_ns()
        failures, names = problems(self._running(), program, self._offer)
        compile_ns = time.monotonic_ns() - start
        channel.report(Report(failures=tuple(failures[:MAX_FAILURES]), imports=names, compile_ns=compile_ns))

    def _execute(self, program: JsProgram, header: TaskHeader, channel: Channel) -> tuple[bytes | Failure, int]:
        """The output or the failure, and how many nanoseconds were spent on parsing alone (see JsProgram)."""
        isolate = self._running()
        isolate.give_libraries(program.source)
        compile_ns = 0
        try:
            started = launch(isolate, program, self._offer, channel)
            compile_ns = started.compile_ns
            if started.failure is not None:
                return started.failure, compile_ns
            return outcome(isolate.follow(started.answer, channel), header, started.place), compile_ns
        except EngineError:
            return _UNDESCRIBED, compile_ns

    def _running(self) -> Isolate:
        if self._isolate is None:
            raise EngineError("there is no isolate before wake")
        return self._isolate


def _check_utf8(text: bytes) -> None:
    """Raises BadInput unless `text` is UTF-8. In pieces: as one string a text of 16 MiB may take 64."""
    before = 0
    try:
        if len(text) <= _CHUNK:
            text.decode()
            return
        decoder = codecs.getincrementaldecoder("utf-8")()
        view = memoryview(text)
        for start in range(0, len(text), _CHUNK):
            before = start - len(decoder.getstate()[0])  # of a character that the pieces share
            decoder.decode(view[start : start + _CHUNK], final=start + _CHUNK >= len(text))
    except UnicodeDecodeError as error:
        raise BadInput(f"input_json is not UTF-8 at byte {before + error.start}") from None
