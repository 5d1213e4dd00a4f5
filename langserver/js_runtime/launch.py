"""How a source gets started: as a script, as the body of an async function, or as a module made into one of these.

V8 parses first, and most sources are a script or a body; whether a source is one is never guessed. What V8 does not
tell is asked of a parser, and only before anything of the program has run: where a broken body is broken, what a module
imports and exports, whether `await (x)` at the top is an await, where the last expression of a body with such an await
is, and whether a name of ours is declared.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from langserver.core.claims import Failure
from langserver.js_runtime import source as texts
from langserver.js_runtime.diagnosis import diagnose
from langserver.js_runtime.engine import Reply, ReplyKind
from langserver.js_runtime.errors import program_failure
from langserver.js_runtime.isolate import Isolate
from langserver.js_runtime.modules import Offer, missing_name
from langserver.js_runtime.parsed import Complaint, LastExpression, ModuleText, Reading, SourceKind
from langserver.js_runtime.syntax import BODY_LINES_BEFORE, complaint, may_only_await, syntax_failure
from langserver.js_runtime.thrown import Place, thrown_by_script
from langserver.wire.channel import Channel

_SOURCE_URL = b"\n//# sourceURL=task.js"


@dataclass(frozen=True, slots=True)
class JsProgram:
    """A source. V8 parses it when it is run or checked: a script's text cannot be compiled ahead by this engine.

    So `compile_ns` of a report is 0 for a script, whose parsing is part of its `run_ns`; it is measured for bodies, for
    modules, for what does not parse, and for a validation.
    """

    source: str
    label: str


@dataclass(frozen=True, slots=True)
class Started:
    """What became of a start: what to follow (A: a body is running), where its errors are, and the time it took to
    parse alone. Or the failure that it ended with at once.
    """

    place: Place
    answer: bytes = b"A"
    compile_ns: int = 0
    failure: Failure | None = None


def launch(isolate: Isolate, program: JsProgram, offer: Offer, channel: Channel) -> Started:
    """Starts the program. Raises EngineError when the engine answers nothing that can be read."""
    start = time.monotonic_ns()
    source = program.source
    names = texts.mentioned_lexicals(source)
    reading = None
    throws = _throws_as_script(isolate, source)
    if throws or _awaits_unclearly(isolate, source) or (names and texts.may_declare_lexical(source)):
        reading = read(isolate, source)
    isolate.declare([name for name in names if reading is None or name not in reading.declared])
    place = Place(program.label, source, offer.names)
    if reading is not None and (reading.awaits or (throws and reading.keeps_value)):
        started = _start_body(isolate, source, place, reading.last)
        if isinstance(started, Started):
            return _timed(started, start)
    reply = isolate.run_script(source.encode("utf-8", "replace") + _SOURCE_URL, channel)
    if reply.kind is not ReplyKind.UNPARSED:
        return _script_started(reply, place)
    # No script: nothing of it ran. A body may have a top-level return and await.
    refused = complaint(reply.text)
    last = None
    if may_only_await(refused.message) and isolate.is_body(source) and not _gives_own_value(isolate, source):
        last = (reading or isolate.read(source.encode("utf-8", "replace"), SourceKind.BODY)).last
    started = _start_body(isolate, source, place, last)
    if isinstance(started, Started):
        return _timed(started, start)
    found = diagnose(isolate, program, offer, refused, started)
    if isinstance(found, list):
        return Started(place, compile_ns=time.monotonic_ns() - start, failure=found[0])
    return _timed(_start_module(isolate, program, found, offer, channel), start)


def _throws_as_script(isolate: Isolate, source: str) -> bool:
    """Whether a script's top level may throw what is more than a text. A text is what the engine keeps of it; of what a
    body throws everything is there.
    """
    if not texts.may_throw_object(source) or texts.names_value(source):
        return False
    return isolate.is_plain_body(source) and not _returns(isolate, source)


def _awaits_unclearly(isolate: Isolate, source: str) -> bool:
    """Whether V8 alone can't tell if an await at the top is one, or a variable that is called."""
    if not texts.may_call_await(source) or isolate.is_plain_body(texts.with_plain_awaits(source)):
        return False
    return not _returns(isolate, source)  # a source with a return is no script


def _returns(isolate: Isolate, source: str) -> bool:
    """Whether a source surely has a return at its top level, under no condition."""
    return _parses_apart(isolate, texts.at_returns(source))


def _gives_own_value(isolate: Isolate, source: str) -> bool:
    """Whether a source with a top-level await surely has a main, a result or a return of its own."""
    return _parses_apart(isolate, texts.at_named_values(source)) or _returns(isolate, source)


def _parses_apart(isolate: Isolate, parts: Iterable[tuple[str, str]]) -> bool:
    """Whether a source that is cut in two parses on both sides of one of these cuts. So none is in a function, a string
    or a comment.
    """
    return any(isolate.is_body(before) and isolate.is_body(after) for before, after in parts)


def read(isolate: Isolate, source: str) -> Reading:
    """What the parser finds in a source that is a body or a script."""
    text = source.encode("utf-8", "replace")
    reading = isolate.read(text, SourceKind.BODY)
    return reading if reading.problem is None else isolate.read(text, SourceKind.SCRIPT)


def _start_body(isolate: Isolate, source: str, place: Place, last: LastExpression | None) -> Started | str:
    """The running body, or V8's complaint. `last` is the expression that gives its value at its end."""
    if last is not None:
        isolate.set_last(last)
    answer = isolate.start_body(source.encode("utf-8", "replace"))
    if answer != b"A":
        return answer[1:].decode("utf-8", "replace")
    return Started(replace(place, lines_before=place.lines_before + BODY_LINES_BEFORE))


def _script_started(reply: Reply, place: Place) -> Started:
    if reply.kind is ReplyKind.THROWN:
        return Started(place, failure=program_failure(thrown_by_script(reply.text, place), place))
    return Started(place, Isolate.answer(reply))


def _start_module(isolate: Isolate, program: JsProgram, module: ModuleText, offer: Offer, channel: Channel) -> Started:
    place = Place(program.label, program.source, offer.names, module.lines_before, module.default_name)
    answer = isolate.set_module(module, channel)
    if answer != b"A":
        return Started(place, failure=missing_name(answer[1:], module, program))
    problem = Complaint("the module does not parse")
    if not module.awaits:
        reply = isolate.run_script(module.source.encode("utf-8", "replace") + _SOURCE_URL, channel)
        if reply.kind is not ReplyKind.UNPARSED:
            return _script_started(reply, place)
        problem = complaint(reply.text, module.lines_before)
    started = _start_body(isolate, module.source, place, module.last)
    if isinstance(started, Started):
        return started
    return Started(place, failure=syntax_failure(problem, program))  # the parser takes what V8 does not


def _timed(started: Started, start: int) -> Started:
    if started.answer != b"A":  # a script: its run is in this time
        return started
    return replace(started, compile_ns=time.monotonic_ns() - start)
