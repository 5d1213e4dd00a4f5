"""The JavaScript runtime: a program's way through the isolate of its child."""

from __future__ import annotations

import codecs
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

from langserver.core.claims import Failure, Report
from langserver.core.outcome import ErrorKind
from langserver.js_runtime import source as texts
from langserver.js_runtime.engine import Engine, EngineError, ReplyKind, V8Engine
from langserver.js_runtime.errors import (
    BODY_LINES_BEFORE,
    IMPORT_SYNTAX,
    MODULE_SYNTAX,
    ONLY_IN_BODIES,
    OUT_OF_MEMORY,
    STACK_OVERFLOW,
    TOO_DEEP,
    Complaint,
    Place,
    at_end,
    complaint,
    module_syntax_failure,
    program_failure,
    syntax_failure,
    thrown_by_program,
    thrown_by_script,
    with_class_name,
)
from langserver.js_runtime.imports import imports
from langserver.js_runtime.isolate import Isolate, load_prelude
from langserver.js_runtime.libraries import Libraries
from langserver.wire.channel import Channel
from langserver.wire.header import TaskHeader
from langserver.wire.report import MAX_FAILURES
from langserver.wire.strict_json import MAX_DEPTH, BadInput, within_depth

_SOURCE_URL = b"\n//# sourceURL=task.js"
_CHUNK = 1 << 20
_UNDESCRIBED = Failure(ErrorKind.USER_ERROR, "the program ended with an error that cannot be described")
# Before a text that is only parsed, never run, to learn where V8 sees its error: nothing after it is reached.
_NEVER_RUN = "throw 0;"


@dataclass(frozen=True, slots=True)
class JsProgram:
    """A source. V8 parses it when it is run or checked: a script's text cannot be compiled ahead by this engine.

    So `compile_ns` of a report is 0 for a script, whose parsing is part of its `run_ns`; it is measured for bodies, for
    what does not parse, and for a validation.
    """

    source: str
    label: str


class JsRuntime:
    """The runtime `js`. `policy` must be on: the prelude is how anything gets in and out."""

    name = "js"

    def __init__(self, policy: bool, modules: Iterable[str] = ()) -> None:
        """`modules` are those of catalog.OPTIONAL that the operator turned on. Raises ValueError, KeyError."""
        if not policy:
            raise ValueError("the js runtime cannot run without its policy layer")
        self._modules = tuple(modules)
        self._engine: Engine = V8Engine()
        self._prelude = b""
        self._isolate: Isolate | None = None

    def preload(self) -> None:
        """Loads V8 and the prelude's text; makes no isolate, as none survives a fork."""
        self._engine.preload()
        self._libraries = Libraries(self._modules)
        self._prelude = load_prelude(self._libraries)
        # Codecs are found by import on first use, and a child can import nothing.
        codecs.getincrementaldecoder("utf-8")().decode(b"a", final=True)
        b"a\0".decode("utf-16-le", "replace")
        json.loads(json.dumps({"a": [1.5, None, "b"]}))

    def version(self) -> tuple[int, int, int, int]:
        """V8's version."""
        major, minor, build, patch = (int(part) for part in self._engine.version().split(".")[:4])
        return major, minor, build, patch

    def wake(self) -> None:
        """Makes the isolate and runs the prelude in it."""
        self._isolate = Isolate(self._engine, self._prelude, self._libraries)

    def draw(self) -> int:
        """A number of 53 bits from V8's own Math.random."""
        return self._running().draw()

    def compile(self, header: TaskHeader, source: str) -> JsProgram:
        """Keeps the source; see JsProgram."""
        return JsProgram(texts.script_text(source), header.label)

    def parse_input(self, text: bytes) -> None:
        """Parses the input inside the isolate, where it stays. Raises BadInput."""
        _check_utf8(text)
        answer = self._running().parse_input(text or b"{}")
        if answer != b"A":
            raise BadInput(f"input_json is not JSON: {answer[1:].decode('utf-8', 'replace')}")
        if not within_depth(text):
            raise BadInput(f"input_json is nested over {MAX_DEPTH} levels")

    def reseed(self, header: TaskHeader) -> None:
        """Gives V8 the zone, which it reads at the first use of Date, and the seed if there is one."""
        os.environ["TZ"] = header.zone
        self._running().set_task(header.log_bytes, header.output_bytes, header.label, header.seed)

    def run(self, program: JsProgram, inputs: None, header: TaskHeader, channel: Channel) -> None:  # noqa: ARG002
        """Runs the program and sends its one report. `inputs` are in the isolate already."""
        out_of_memory = channel.prepare(Report(failures=(OUT_OF_MEMORY,)))
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
            channel.send_prepared(out_of_memory)

    def validate(self, program: JsProgram, channel: Channel) -> None:
        """Parses the program without running it and sends all that is wrong with it."""
        start = time.monotonic_ns()
        named = imports(program.source)
        failures: list[Failure] = []
        refused = self._running().check(program.source.encode("utf-8", "replace"))
        if refused != b"A":
            script = self._probe(program, _NEVER_RUN + "\n", "")
            problem = self._syntax(program, script, refused[1:].decode("utf-8", "replace"))
            failures.append(problem)
            if problem.kind is ErrorKind.POLICY_VIOLATION:  # V8 stops at the first of them
                failures += [
                    module_syntax_failure(Complaint(IMPORT_SYNTAX, found.line, found.column), program.label, found.name)
                    for found in named
                    if found.is_statement and found.line != problem.line
                ]
        names = tuple(dict.fromkeys(found.name for found in named))
        compile_ns = time.monotonic_ns() - start
        channel.report(Report(failures=tuple(failures[:MAX_FAILURES]), imports=names, compile_ns=compile_ns))

    def _execute(self, program: JsProgram, header: TaskHeader, channel: Channel) -> tuple[bytes | Failure, int]:
        """The output or the failure, and how many nanoseconds were spent on parsing alone (see JsProgram)."""
        isolate = self._running()
        text = program.source.encode("utf-8", "replace")
        isolate.give_libraries(program.source)
        lexicals = texts.wanted_lexicals(program.source)
        if lexicals:
            isolate.declare(lexicals)
        place = Place(program.label, program.source)
        body_place = Place(program.label, program.source, BODY_LINES_BEFORE)
        compile_ns = 0
        start = time.monotonic_ns()
        try:
            if self._awaits_at_top(program) and isolate.start_body(text) == b"A":
                compile_ns = time.monotonic_ns() - start
                return _outcome(isolate.follow(None, channel), header, body_place), compile_ns
            reply = isolate.evaluate(text + _SOURCE_URL, channel)
            if reply.kind is ReplyKind.THROWN:
                return program_failure(with_class_name(thrown_by_script(reply.text), program.source), place), 0
            if reply.kind is not ReplyKind.UNPARSED:
                return _outcome(isolate.follow(reply, channel), header, place), 0
            # No script: nothing of it ran. A body may have a top-level return and await.
            started = isolate.start_body(text)
            compile_ns = time.monotonic_ns() - start
            if started != b"A":
                problem = self._syntax(program, complaint(reply.text), started[1:].decode("utf-8", "replace"))
                return problem, compile_ns
            return _outcome(isolate.follow(None, channel), header, body_place), compile_ns
        except EngineError:
            return _UNDESCRIBED, compile_ns

    def _awaits_at_top(self, program: JsProgram) -> bool:
        """Whether a text that may be a script means its top-level `await (x)` as await, not as a call.

        A static block is the one place where V8's script parser knows no variable called await and no await either.
        """
        if not texts.may_call_await(program.source):
            return False
        problem = self._probe(program, _NEVER_RUN + "(class { static {\n", "\n} })")
        return problem is not None and problem.message == "Unexpected reserved word"

    def _syntax(self, program: JsProgram, script: Complaint | None, body_message: str) -> Failure:
        """The failure of a source that is neither a script nor a body, with the position of what is wrong with it."""
        if body_message == STACK_OVERFLOW:
            return syntax_failure(TOO_DEEP, program.label)
        found = script
        if script is None or script.message in ONLY_IN_BODIES:
            # What is wrong with it as a script is its return or await. V8 tells no position of a body it refuses, so
            # the same text is put where it would be one; this function is never reached, let alone called.
            found = self._probe(program, _NEVER_RUN + "async function body() {\n", "\n}")
        if found is None:
            found = Complaint(body_message)
        elif found.line > program.source.count("\n") + 1:
            found = at_end(program.source)
        if found.message in MODULE_SYNTAX:
            names = [module.name for module in imports(program.source) if module.line == found.line]
            return module_syntax_failure(found, program.label, names[0] if names else None)
        return syntax_failure(found, program.label)

    def _probe(self, program: JsProgram, before: str, after: str) -> Complaint | None:
        reply = self._running().evaluate((before + program.source + after).encode("utf-8", "replace"), None)
        return complaint(reply.text, before.count("\n")) if reply.kind is ReplyKind.UNPARSED else None

    def _running(self) -> Isolate:
        if self._isolate is None:
            raise EngineError("there is no isolate before wake")
        return self._isolate


def _outcome(answer: bytes, header: TaskHeader, place: Place) -> bytes | Failure:
    """The output, or the failure, that a final answer of the prelude means."""
    letter, rest = answer[:1], answer[1:]
    if letter == b"R":
        if len(rest) <= header.output_bytes:
            return rest
        return Failure(
            ErrorKind.OUTPUT_LIMIT, f"the result is {len(rest)} bytes of JSON, the limit is {header.output_bytes} bytes"
        )
    if letter == b"O":
        return Failure(
            ErrorKind.OUTPUT_LIMIT,
            f"the result is over {header.output_bytes} bytes of JSON, which is the limit",
        )
    if letter == b"N":
        return Failure(
            ErrorKind.USER_ERROR,
            f"{rest.decode()} waits for a promise that nothing will settle",
            hint="no timer is left and nothing is queued: look for a promise whose resolve or reject is never called",
        )
    if letter == b"I":
        told = json.loads(rest)
        return Failure(ErrorKind.INVALID_RESULT, f"{told['path']} is not JSON: {told['what']}", hint=told["hint"])
    return program_failure(thrown_by_program(rest), place)


def _check_utf8(text: bytes) -> None:
    """Raises BadInput unless `text` is UTF-8. In pieces: as one string a text of 16 MiB may take 64."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(text)
    try:
        for start in range(0, len(text), _CHUNK):
            decoder.decode(view[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise BadInput("input_json is not UTF-8") from None
