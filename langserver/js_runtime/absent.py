"""What does not exist here on purpose: the sentence an author gets instead of a bare "X is not defined"."""

from __future__ import annotations

import re

_NETWORK = "there is no network here: make the call in an HTTP node and read its answer from `inputs`"
_PROCESS = "there is no operating system here: pass what is needed in `inputs`"
_BROWSER = "this is no browser: work on the data in `inputs`"
_LATER = "this runtime does not offer it: use the language's own means"
_THREADS = "there are no threads and no shared memory here"
NO_MODULES = "no modules can be loaded: use the language's own means"
_OTHER = "this is another runtime than that: use standard JavaScript"

ABSENT: dict[str, str] = {
    **dict.fromkeys(("fetch", "XMLHttpRequest", "WebSocket", "EventSource", "axios", "$http"), _NETWORK),
    **dict.fromkeys(("Headers", "Request", "Response", "FormData", "navigator"), _NETWORK),
    **dict.fromkeys(("process", "__dirname", "__filename"), _PROCESS),
    **dict.fromkeys(("document", "window", "self", "localStorage", "sessionStorage", "location"), _BROWSER),
    **dict.fromkeys(("alert", "confirm", "prompt", "Blob", "File", "FileReader"), _BROWSER),
    **dict.fromkeys(("Buffer", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "atob", "btoa"), _LATER),
    **dict.fromkeys(("crypto", "structuredClone", "AbortController", "AbortSignal", "performance"), _LATER),
    **dict.fromkeys(("EventTarget", "Event", "DOMException", "DOMParser"), _LATER),
    **dict.fromkeys(("SharedArrayBuffer", "WebAssembly", "Worker", "MessageChannel", "importScripts"), _THREADS),
    **dict.fromkeys(("Deno", "Bun"), _OTHER),
    "global": "use `globalThis`",
}

_UNDEFINED = re.compile(r"([\w$]+) is not defined")
# The sentence of `requireModule` in prelude/start.js.
_MODULE = re.compile(r'the module ("(?:[^"\\]|\\.)*") is not available here')


def module_refusal(name: str) -> str:
    """The message of a require that was refused; `name` is the module's, in quotes."""
    return unavailable(f"require({name})", NO_MODULES)


def unavailable(what: str, why: str) -> str:
    """The message for an author who used what is not there."""
    return f"{what} is not available: {why}"


def refusal(type_name: str, message: str, source: str) -> tuple[str, str] | None:
    """Whether an uncaught error comes from something that is absent on purpose: (what, why and what instead)."""
    if type_name == "ReferenceError" and (found := _UNDEFINED.fullmatch(message)) and found[1] in ABSENT:
        return found[1], ABSENT[found[1]]
    if type_name == "Error" and (found := _MODULE.fullmatch(message)):
        return f"require({found[1]})", NO_MODULES
    # V8's answer to import(): this embedder has no loader.
    if type_name == "Error" and message == "Not supported" and "import" in source:
        return "import()", NO_MODULES
    return None
