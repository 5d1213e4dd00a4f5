"""The isolate of one task: the prelude in it, and what the host says to the prelude."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii

from langserver.js_runtime.engine import Course, Engine, EngineError, Handle, Reply, ReplyKind
from langserver.js_runtime.libraries import Libraries
from langserver.js_runtime.logs import LogRing
from langserver.js_runtime.parsed import LastExpression, ModuleText, Reading, SourceKind, decode_reading
from langserver.js_runtime.v8_interface import Code
from langserver.wire.channel import Channel

# In the order in which they build on each other; together they are one function, so none of their names is global.
_PARTS = ("capture", "stack", "ring", "timers", "result", "random", "later")
_LAST_PART = "start"
PRELUDE, PARSER = "prelude", "parser"
# What waits until it is needed (prelude/later.js): its parts, and what is called of them.
_LATER = {
    "makeShowing": (
        ("layout", "inspect", "errors", "table", "console"),
        ("describe", "makeConsole", "format", "inspectForPrograms"),
    ),
    "makeLibraries": (("lazy", "require"), ("lazyGlobal", "requireModule", "takeTexts", "takeLibrary")),
}
_SOURCE_URL = "\n//# sourceURL=internal"
_COMMENT_OR_INDENT = re.compile(r"(?m)^\s*(?://.*)?\n|^ +")
_LOG_SECONDS = 0.005  # how long a log line may wait
# What the prelude gives (prelude/start.js), by its place.
_GIVEN = """
    parseInput setTask takeTexts bindLexical setModule startBody check begin step unreadable ring draw setLast parses
    unhandled takeLibrary
""".split()
_ENTROPY_BYTES = 44  # key and nonce of ChaCha20


def load_prelude(libraries: Libraries) -> bytes:
    """The text of the prelude; read once, where files can still be opened."""
    later = []
    for name, (parts, called) in _LATER.items():
        table = libraries.modules_table() if name == "makeLibraries" else ""
        text = "\n".join((*map(_part, parts), table))
        later.append(f"function {name}() {{\n{text}\nreturn {{ __proto__: null, {', '.join(called)} }};\n}}")
    text = "\n".join((*map(_part, _PARTS), *later, libraries.accessors(), _part(_LAST_PART)))
    text = _COMMENT_OR_INDENT.sub("", text)  # each child holds it
    return f"(() => {{\n'use strict';\n{text}\n}})(){_SOURCE_URL}".encode("ascii")


def _part(name: str) -> str:
    # By path: importlib.resources would bring tempfile and a dozen modules more into every child.
    with open(os.path.join(os.path.dirname(__file__), "prelude", f"{name}.js"), encoding="utf-8") as file:
        return file.read()


class Isolate:
    """The prelude's functions in the running engine. What they answer is a letter and a text (prelude/start.js).

    All but `evaluate` raise EngineError when there is no such answer.
    """

    def __init__(self, engine: Engine, codes: Mapping[str, Code], libraries: Libraries) -> None:
        """`codes` are the PRELUDE and the PARSER, and libraries."""
        self._engine = engine
        self._codes = codes
        self._readers: Sequence[Handle] = ()
        self._is_untouched = True  # nothing of the program has run
        self._libraries = libraries
        # Here, as the seal refuses it later; each child has its own, and it leaves only for the prelude.
        self._entropy = os.urandom(_ENTROPY_BYTES).hex()
        self._engine.open()
        self._prelude = self._load(PRELUDE)
        self._handles: dict[str, Handle] = {}
        self._course = Course(self._given("begin"), self._given("step"), self._given("unreadable"), b"A")
        self._ring = LogRing(self._engine.shared_memory(self._given("ring")), self._texts, libraries.modules)
        self._given("unhandled")  # it is wanted when user code has run
        self._engine.protect()

    def _given(self, name: str) -> Handle:
        """What the prelude gave, got when it is first wanted: V8's thread wakes for each. Only before user code."""
        if name not in self._handles:
            self._handles[name] = self._engine.item(self._prelude, _GIVEN.index(name))
        return self._handles[name]

    def get_all(self) -> None:
        """Gets what few tasks want."""
        for name in _GIVEN:
            self._given(name)

    @property
    def refusals(self) -> set[str]:
        """The details of the refusals that were sent while the program ran."""
        return self._ring.refusals

    def draw(self) -> int:
        """53 bits of Math.random."""
        return int(self._tell(self._given("draw"), b""))

    def parse_input(self, text: bytes) -> bytes:
        """Makes `inputs` of JSON text. Answers X and V8's reason when it is none."""
        return self._tell(self._given("parseInput"), text)

    def set_task(self, log_bytes: int, output_bytes: int, label: str, seed: int | None) -> None:
        """Tells the limits of a task, how errors call its source, and its seed, 64 bits."""
        halves = "null" if seed is None else f"[{seed & 0xFFFFFFFF},{seed >> 32 & 0xFFFFFFFF}]"  # of 53 bits at most
        task = f'{{"log":{log_bytes},"output":{output_bytes},"label":{encode_basestring_ascii(label)},"seed":{halves}}}'
        self._engine.tell(self._given("setTask"), task.encode())

    def give_libraries(self, source: str) -> None:
        """Gives the isolate the libraries that a source seems to touch. What it touches beside them is asked for."""
        texts = []
        for name in self._libraries.mentioned(source):
            if name in self._codes and self._codes[name].compiled:
                self.give_library(name)
            else:
                texts.append(name)
        if texts:
            self._tell(self._given("takeTexts"), self._texts(*texts))

    def give_library(self, name: str) -> None:
        """Gives the isolate a library of `codes`."""
        self._tell(self._given("takeLibrary"), name.encode())
        self._tell(self._given("takeLibrary"), self._load(name))

    def _load(self, name: str) -> Handle:
        self._engine.load(self._codes[name])
        made = self._wait()
        if made.kind is not ReplyKind.VALUE or made.handle is None:
            raise EngineError(f"{name} does not run: {made.text[:500]!r}")
        return made.handle

    def _texts(self, *names: str) -> bytes:
        entropy = ""
        if "random" in names:
            entropy, self._entropy = self._entropy, ""
        return self._libraries.message(names, entropy)

    def read(self, source: bytes, kind: SourceKind) -> Reading:
        """What the parser finds in the source. Raises EngineError once anything of the program has run."""
        if not self._is_untouched:
            raise EngineError("a program may have changed what the parser is made of")
        if not self._readers:
            made = self._load(PARSER)
            self._readers = [self._engine.item(made, number) for number in range(len(SourceKind))]
        return decode_reading(self._tell(self._readers[kind], source))

    def declare(self, lexicals: Sequence[str]) -> None:
        """Declares require, module and exports for scripts and bodies, those that are wanted."""
        if lexicals:
            self.evaluate(f"let {', '.join(lexicals)};".encode(), None)
        for name in lexicals:
            self._tell(self._given("bindLexical"), name.encode())

    def set_module(self, module: ModuleText, channel: Channel) -> bytes:
        """Declares what a module imports and tells how its exports are read. Answers X and the number of a name of
        `module.names` that its module does not have, and the names that it has.
        """
        if module.names:
            self.evaluate(f"let {', '.join(name.name for name in module.names)};".encode(), None)
        told = {
            "imports": module.imports,
            "names": [{"module": n.module, "imported": n.imported, "local": n.name} for n in module.names],
            "reader": module.reader,
            "hasDefault": module.has_default,
            "defaultName": module.default_name,
            "linesBefore": module.lines_before,
        }
        return self._tell(self._given("setModule"), json.dumps(told).encode(), channel)

    def set_last(self, last: LastExpression) -> None:
        """Tells where the body that is started next has the expression that gives its value."""
        told = {"splitAt": last.split_at, "line": last.line, "column": last.column}
        self._tell(self._given("setLast"), json.dumps(told).encode())

    def start_body(self, source: bytes) -> bytes:
        """Starts a source as the body of an async function. Answers S and V8's complaint when it is none."""
        answer = self._tell(self._given("startBody"), source)
        self._is_untouched = self._is_untouched and answer != b"A"
        return answer

    def is_body(self, text: str) -> bool:
        """Whether V8 takes a text for the body of an async function. Runs nothing."""
        return self._tell(self._given("parses"), b"A" + text.encode("utf-8", "replace")) == b"A"

    def is_plain_body(self, text: str) -> bool:
        """Whether V8 takes a text for the body of a function that is not async. Runs nothing."""
        return self._tell(self._given("parses"), b"P" + text.encode("utf-8", "replace")) == b"A"

    def check(self, source: bytes) -> bytes:
        """Parses a source, runs nothing. Answers S and V8's complaint when it is neither script nor body."""
        return self._tell(self._given("check"), source)

    def run_script(self, script: bytes, channel: Channel) -> Reply:
        """Runs the program as a script; its log lines are sent while it runs. The reply is what `follow` is given, or
        what became of the script.
        """
        self._engine.run(script, self._course)
        reply = self._wait(channel)
        self._is_untouched = self._is_untouched and reply.kind is ReplyKind.UNPARSED
        return reply

    def _tell(self, function: Handle, this: Handle | bytes | None, channel: Channel | None = None) -> bytes:
        self._engine.call(function, this)
        return self.answer(self._wait(channel))

    @staticmethod
    def answer(reply: Reply) -> bytes:
        if reply.kind is not ReplyKind.TEXT:
            raise EngineError("the prelude gave no text")
        return reply.text

    def evaluate(self, script: bytes, channel: Channel | None = None) -> Reply:
        """Runs a script of ours, or one of which nothing can run."""
        self._engine.evaluate(script)
        return self._wait(channel)

    def follow(self, answer: bytes, channel: Channel) -> bytes:
        """Follows a program to its final answer: from where its script has come to, or (A) from its body's start."""
        while answer[:1] in {b"A", b"W"}:
            if answer[:1] == b"W":
                self._ring.drain(channel)
                time.sleep(int(answer[1:]) / 1000)
            self._engine.step(self._course)
            answer = self.answer(self._wait(channel))
        # An error of the program's own goes first: the other may have come of it.
        if self._engine.has_unhandled and answer[:1] != b"E":
            answer = self._tell(self._given("unhandled"), None, channel) or answer
        return answer

    def _wait(self, channel: Channel | None = None) -> Reply:
        while (reply := self._engine.collect(_LOG_SECONDS)) is None:
            if channel is not None:
                self._ring.drain(channel)
        if channel is not None:
            self._ring.drain(channel)
        return reply
