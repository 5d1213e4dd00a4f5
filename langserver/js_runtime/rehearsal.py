"""What V8 has compiled of our own scripts, made once a zygote: children begin with it instead of compiling it anew.

V8 compiles a function when it is first called, and that was most of what a short task took. So one child, sealed like
the others and with no task, calls what tasks call; what V8 made of it on the way goes to the zygote as bytes, and from
there into every child's isolate. Nothing but compiled code of ours is in them: no value, no state, nothing of a task.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from langserver.js_runtime.engine import Engine
from langserver.js_runtime.isolate import PARSER, PRELUDE, Isolate
from langserver.js_runtime.parsed import SourceKind
from langserver.js_runtime.v8_interface import Code
from langserver.wire.channel import Channel

_LOG_BYTES = _OUTPUT_BYTES = 1 << 16
# Read by the parser before anything runs: what parses, as samples/ has it or here, and what does not.
_READ = {
    SourceKind.BODY: ("body", "const a = ;"),
    SourceKind.SCRIPT: ("script", "return 1"),
    SourceKind.MODULE: ("module", "export default 1 +"),
}
_BODIES = (
    "const given = await Promise.resolve(inputs);\nreturn [{ json: { given, total: [1, 2].length } }];",
    "const x = 1;\nmain;\nfunction main() { return { x } }",
    "try { null.x } catch (error) { throw Object.assign(new Error('outer', { cause: error }), { code: 'E' }) }",
    "return inputs.missing.name;",
    "throw { code: 5, message: 'bad', list: [1, 'x'] };",
    "return { when: new Map(), f: () => 1 };",
    "return (;",
    "Promise.reject(new AggregateError([new Error('a')], 'all'));",
)


class Unheard(Channel):
    """Of a child that answers to nobody."""

    def __init__(self) -> None:
        super().__init__(-1)

    def send_prepared(self, data: bytes | bytearray) -> None:
        """Sends nothing."""


def load_samples() -> dict[str, str]:
    """The texts of samples/, by name; read where files can still be opened."""
    folder = os.path.join(os.path.dirname(__file__), "samples")
    found = {}
    for name in ("libraries", *(name for name, _ in _READ.values())):
        with open(os.path.join(folder, f"{name}.js"), encoding="ascii") as file:
            found[name] = file.read()
    return found


def rehearse(engine: Engine, isolate: Isolate, codes: Mapping[str, Code], samples: Mapping[str, str]) -> bytes:
    """Calls what tasks call, in an isolate that is used for nothing else; what V8 compiled of `codes`, by name.

    Raises EngineError.
    """
    channel = Unheard()
    channel.set_log_budget(_LOG_BYTES)
    isolate.set_task(_LOG_BYTES, _OUTPUT_BYTES, "node.js", None)
    isolate.parse_input(b'{"items": [{"id": 1}], "name": "x"}')
    for kind, (name, broken) in _READ.items():
        for source in (samples[name], broken):
            isolate.read(source.encode(), kind)
    for name in codes:
        if name not in {PRELUDE, PARSER}:
            isolate.give_library(name)
    isolate.declare(["require", "module", "exports"])
    isolate.follow(isolate.answer(isolate.run_script(samples["script"].encode(), channel)), channel)
    for body in (samples["libraries"], *_BODIES):
        if isolate.start_body(body.encode()) == b"A":
            isolate.follow(b"A", channel)
    made = {name: engine.compiled(code) for name, code in codes.items()}
    head = json.dumps([[name, len(compiled)] for name, compiled in made.items()])
    return b"\n".join((head.encode(), b"".join(made.values())))


def learned(told: bytes, codes: Mapping[str, Code]) -> dict[str, Code]:
    """The codes with what a rehearsal told of them."""
    head, _, rest = told.partition(b"\n")
    found, at = dict(codes), 0
    for name, length in json.loads(head):
        if name in codes:
            found[name] = Code(codes[name].script, rest[at : at + length])
        at += length
    return found
