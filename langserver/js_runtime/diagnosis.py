"""What a source is that V8 takes neither for a script nor for a body: broken, refused, or a module that can be run."""

from __future__ import annotations

from langserver.core.claims import Failure
from langserver.js_runtime.isolate import Isolate
from langserver.js_runtime.modules import Offer, refused_imports, refused_statements
from langserver.js_runtime.parsed import Complaint, ModuleText, SourceKind
from langserver.js_runtime.syntax import END, STACK_OVERFLOW, Text, is_module, only_in_bodies, syntax_failure


def diagnose(
    isolate: Isolate, program: Text, offer: Offer, script: Complaint | None, body_message: str
) -> list[Failure] | ModuleText:
    """All that is wrong with it, or the module. `script` is V8's complaint about it as a script, if there is one, and
    `body_message` the one about it as a body.
    """
    text = program.source.encode("utf-8", "replace")
    if body_message == STACK_OVERFLOW:
        return [syntax_failure(Complaint(STACK_OVERFLOW), program)]
    if is_module(body_message) or (script is not None and is_module(script.message)):
        reading = isolate.read(text, SourceKind.MODULE)
        if reading.module is None:
            return [syntax_failure(reading.problem or Complaint(body_message), program)]
        refused = [*refused_imports(reading, offer, program), *refused_statements(reading.module, program)]
        return sorted(refused, key=lambda failure: (failure.line, failure.column)) or reading.module
    if (
        script is None
        or only_in_bodies(script.message)
        or ("await" in program.source and script.message != body_message)
    ):
        # What is wrong with it as a script is, or may be, its return or await. V8 tells no position of a body it
        # refuses.
        found = isolate.read(text, SourceKind.BODY).problem
        if found is not None:
            # In V8's words, but for the end: to V8 that is the bracket that closes the function.
            message = END if found.message == END else body_message
            return [syntax_failure(Complaint(message, found.line, found.column), program)]
    return [syntax_failure(script or Complaint(body_message), program)]
