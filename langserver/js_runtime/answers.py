"""The final answer of the prelude, as the output of a task or its failure."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.js_runtime.errors import program_failure
from langserver.js_runtime.excerpt import pointed, source_line
from langserver.js_runtime.thrown import Place, thrown_by_program
from langserver.wire.header import TaskHeader

_ENTRY = re.compile(r"\bfunction\s*\*|\*\s*main\b|\bclass\b")
_UNHANDLED_HINT = "a promise was rejected that nothing awaits: await it, or give it a catch"
_CALL_HINT = "write a function that returns its value, or gives it by `module.exports = value`"


def outcome(answer: bytes, header: TaskHeader, place: Place) -> bytes | Failure:
    """What a final answer means: a letter and a text (`step` in prelude/start.js)."""
    letter, rest = answer[:1], answer[1:]
    if letter == b"R":
        if len(rest) <= header.output_bytes:
            return rest
        message = f"the result is {len(rest)} bytes of JSON, the limit is {header.output_bytes} bytes"
        return Failure(ErrorKind.OUTPUT_LIMIT, message)
    if letter == b"O":
        message = f"the result is over {header.output_bytes} bytes of JSON, which is the limit"
        return Failure(ErrorKind.OUTPUT_LIMIT, message)
    if letter == b"N":
        return Failure(
            ErrorKind.USER_ERROR,
            f"{rest.decode()} waits for a promise that nothing will settle",
            hint="no timer is left and nothing is queued: look for a promise whose resolve or reject is never called",
        )
    if letter == b"G":
        return _not_callable(rest.decode(), place)
    if letter == b"I":
        told = json.loads(rest)
        return Failure(ErrorKind.INVALID_RESULT, f"{told['path']} is not JSON: {told['what']}", hint=told["hint"])
    failure = program_failure(thrown_by_program(rest, place), place)
    return replace(failure, hint=failure.hint or _UNHANDLED_HINT) if letter == b"U" else failure


def _not_callable(what: str, place: Place) -> Failure:
    """Of an entry that is a class or generator. V8 tells no place of it: the line is that of the first one there is."""
    message = f"{what}, which gives no result when it is called"
    found = _ENTRY.search(place.source)
    line = place.source.count("\n", 0, found.start()) + 1 if found else 0
    column = found.start() - place.source.rfind("\n", 0, found.start()) if found else 0
    traceback = f"TypeError: {message}\n    at {place.label}"
    if line:
        traceback += f":{line}:{column}\n{pointed(source_line(place.source, line) or '', column)}"
    hint = "return a list instead: [...generate()]" if "generator" in what else _CALL_HINT
    return Failure(ErrorKind.USER_ERROR, message, "TypeError", traceback, line, column, hint)
