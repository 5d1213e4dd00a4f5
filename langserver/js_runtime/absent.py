"""What does not exist here on purpose: the sentence an author gets instead of a bare "X is not defined"."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from langserver.js_runtime.catalog import OPTIONAL

_NETWORK = "there is no network here: make the call in an HTTP step and read its answer from `inputs`"
_PROCESS = "there is no operating system here: pass what is needed in `inputs`"
_FILES = "there are no files here: pass their content in `inputs`"
_BROWSER = "this is no browser: work on the data in `inputs`"
_BINARY = "there are no files and no forms here: use a Buffer or a string"
_STREAMS = "there are no streams here: work on whole strings and Buffers"
_THREADS = "there are no threads and no shared memory here"
_OTHER = "this is another runtime than that: use standard JavaScript"
_NO_CODE = "code is not loaded or compiled here: write it into the source"
DYNAMIC_IMPORT = "nothing answers import() here: use require or an import statement"
_OPTIONAL = "the operator can turn it on (LANG_JS_MODULES)"

ABSENT: dict[str, str] = {
    **dict.fromkeys(("fetch", "XMLHttpRequest", "WebSocket", "EventSource", "axios", "$http"), _NETWORK),
    **dict.fromkeys(("Request", "Response", "navigator"), _NETWORK),
    **dict.fromkeys(("process", "__dirname", "__filename"), _PROCESS),
    **dict.fromkeys(("document", "window", "self", "localStorage", "sessionStorage", "location", "history"), _BROWSER),
    **dict.fromkeys(("alert", "confirm", "prompt", "DOMParser", "XMLSerializer", "Image", "HTMLElement"), _BROWSER),
    **dict.fromkeys(("Blob", "File", "FileReader", "FormData"), _BINARY),
    **dict.fromkeys(("ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream"), _STREAMS),
    **dict.fromkeys(("CompressionStream", "DecompressionStream", "TextEncoderStream"), _STREAMS),
    **dict.fromkeys(("SharedArrayBuffer", "WebAssembly", "Worker", "MessageChannel", "importScripts"), _THREADS),
    **dict.fromkeys(("BroadcastChannel", "MessagePort", "SharedWorker"), _THREADS),
    **dict.fromkeys(("Deno", "Bun"), _OTHER),
    "global": "use `globalThis`",
}

_ABSENT_MODULES: dict[str, str] = {
    **dict.fromkeys(("fs", "fs/promises", "fs-extra", "graceful-fs", "glob"), _FILES),
    **dict.fromkeys(("http", "https", "http2", "net", "tls", "dgram", "dns", "dns/promises"), _NETWORK),
    **dict.fromkeys(("axios", "node-fetch", "cross-fetch", "got", "request", "undici", "ws", "superagent"), _NETWORK),
    **dict.fromkeys(("child_process", "cluster", "os", "process", "readline", "readline/promises", "tty"), _PROCESS),
    **dict.fromkeys(("v8", "inspector", "async_hooks", "diagnostics_channel", "trace_events"), _PROCESS),
    **dict.fromkeys(("vm", "module", "repl", "vm2", "isolated-vm"), _NO_CODE),
    **dict.fromkeys(("stream", "stream/promises", "stream/web", "zlib"), _STREAMS),
    **dict.fromkeys(("worker_threads",), _THREADS),
    **dict.fromkeys(("uuid", "nanoid"), "use `crypto.randomUUID()`"),
    **dict.fromkeys(("moment", "moment-timezone"), "use Date, Intl or Temporal"),
    "underscore": "use what the language has",
    **dict.fromkeys(OPTIONAL, _OPTIONAL),
}

# What may be there in its place.
_ALIKE = {"moment": ("dayjs", "luxon"), "moment-timezone": ("luxon",), "underscore": ("lodash",)}

# Of what a module lacks.
_ABSENT_PARTS = {
    "crypto": "there are hashes, HMAC, PBKDF2 and random values; encrypt and sign where the keys are kept",
    "url": _FILES,
}

_UNDEFINED = re.compile(r"([\w$]+) is not defined")
# The sentences of prelude/require.js, and of `absent` in prelude/lazy.js.
_MODULE = re.compile(r'the module ("(?:[^"\\]|\\.)*") is not available here')
_PART = re.compile(r"((\w+)\.\w+) is not available here")


def listed(modules: Collection[str]) -> str:
    """Which modules there are. A name that ends in a slash is a family, of which the head is named already."""
    return f"there are {', '.join(sorted(name for name in modules if not name.endswith('/')))}"


def module_refusal(name: str, modules: Collection[str]) -> str:
    """The message of what a program was refused: of require for `name` in quotes, else of that part of a module."""
    if name.startswith('"'):
        return unavailable(f"require({name})", _why_no_module(name, modules))
    return unavailable(name, _ABSENT_PARTS.get(name.partition(".")[0]) or listed(modules))


def unavailable(what: str, why: str) -> str:
    """The message for an author who used what is not there."""
    return f"{what} is not available: {why}"


def why_no_module(name: str, modules: Collection[str]) -> str:
    """Why there is no module of that name, and what to do. `modules` are those that there are."""
    bare = name.removeprefix("node:")
    why = _ABSENT_MODULES.get(bare)
    if why:
        return " or ".join([why, *(other for other in _ALIKE.get(bare, ()) if other in modules)])
    head = bare.split("/")[0]
    return _OPTIONAL if head in OPTIONAL and head not in modules else listed(modules)


def _why_no_module(quoted: str, modules: Collection[str]) -> str:
    try:
        return why_no_module(json.loads(quoted), modules)
    except ValueError:  # cut in an escape
        return listed(modules)


def refusal(type_name: str, message: str, source: str, modules: Collection[str]) -> tuple[str, str] | None:
    """Whether an uncaught error comes from something that is absent on purpose: (what, why and what instead)."""
    if type_name == "ReferenceError" and (found := _UNDEFINED.fullmatch(message)) and found[1] in ABSENT:
        return found[1], ABSENT[found[1]]
    if type_name == "Error" and (found := _MODULE.fullmatch(message)):
        return f"require({found[1]})", _why_no_module(found[1], modules)
    if type_name == "Error" and (found := _PART.fullmatch(message)) and found[2] in _ABSENT_PARTS:
        return found[1], _ABSENT_PARTS[found[2]]
    # V8's answer to import(): this embedder has no loader.
    if type_name == "Error" and message == "Not supported" and "import" in source:
        return "import()", DYNAMIC_IMPORT
    return None
