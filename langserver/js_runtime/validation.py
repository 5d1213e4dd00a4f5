"""What is wrong with a source, found without running it."""

from __future__ import annotations

from langserver.core.claims import Failure
from langserver.js_runtime.diagnosis import diagnose
from langserver.js_runtime.engine import ReplyKind
from langserver.js_runtime.isolate import Isolate
from langserver.js_runtime.launch import JsProgram, read
from langserver.js_runtime.modules import Offer, refused_calls, refused_uses
from langserver.js_runtime.parsed import Complaint, SourceKind
from langserver.js_runtime.syntax import complaint

# Before a text that is to be parsed and not run, to learn where V8 sees its error as a script: nothing gets past it.
_NEVER_RUN = b"throw 0;\n"


def problems(isolate: Isolate, program: JsProgram, offer: Offer) -> tuple[list[Failure], tuple[str, ...]]:
    """Each problem, in the order of the source, and the modules that it names."""
    text = program.source.encode("utf-8", "replace")
    refused = isolate.check(text)
    failures: list[Failure] = []
    if refused == b"A":
        reading = read(isolate, program.source)
    else:
        found = diagnose(isolate, program, offer, _as_script(isolate, text), refused[1:].decode("utf-8", "replace"))
        failures = found if isinstance(found, list) else []
        reading = isolate.read(text, SourceKind.MODULE)
        if reading.module is None:
            reading = read(isolate, program.source)
    if reading.problem is None:
        failures = [*failures, *refused_calls(reading, offer, program), *refused_uses(reading, program)]
    failures = sorted(failures, key=lambda failure: (failure.line, failure.column))
    return failures, tuple(dict.fromkeys(named.name for named in reading.modules))


def _as_script(isolate: Isolate, text: bytes) -> Complaint | None:
    reply = isolate.evaluate(_NEVER_RUN + text)
    return complaint(reply.text, _NEVER_RUN.count(b"\n")) if reply.kind is ReplyKind.UNPARSED else None
