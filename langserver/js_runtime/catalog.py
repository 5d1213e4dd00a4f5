"""What there is beside the language: globals, and the modules of `require`. Import-light: the server reads it to answer
GetCapabilities.
"""

from __future__ import annotations

from collections.abc import Iterable

# Of each global its library, which exports it by its name: a file of globals/.
GLOBALS: dict[str, str] = {
    "AbortController": "abort",
    "AbortSignal": "abort",
    "Buffer": "buffer",
    "CustomEvent": "events",
    "DOMException": "exception",
    "Event": "events",
    "EventTarget": "events",
    "Headers": "headers",
    "TextDecoder": "encoding",
    "TextEncoder": "encoding",
    "URL": "url",
    "URLSearchParams": "url",
    "atob": "encoding",
    "btoa": "encoding",
    "crypto": "webcrypto",
    "performance": "performance",
    "structuredClone": "clone",
}

# Of each module its library, and the name by which that exports it.
_ALWAYS: dict[str, tuple[str, str]] = {
    "assert": ("modules/assert", "assert"),
    "assert/strict": ("modules/assert", "strict"),
    "buffer": ("modules/buffer", "buffer"),
    "crypto": ("modules/crypto", "crypto"),
    "events": ("modules/events", "events"),
    "path": ("modules/path", "path"),
    "path/posix": ("modules/path", "path"),
    "perf_hooks": ("modules/perf_hooks", "perf_hooks"),
    "querystring": ("modules/querystring", "querystring"),
    "string_decoder": ("modules/string_decoder", "string_decoder"),
    "timers": ("modules/timers", "timers"),
    "timers/promises": ("modules/timers", "promises"),
    "url": ("modules/url", "url"),
    "util": ("modules/util", "util"),
    "util/types": ("modules/util", "types"),
}

# Those that the operator may add (LANG_JS_MODULES), each with its families: `lodash/get` is a member of `lodash/`.
_OPTIONAL: dict[str, dict[str, tuple[str, str]]] = {
    "dayjs": {"dayjs": ("vendor/dayjs", "dayjs"), "dayjs/plugin/": ("vendor/dayjs", "plugins")},
    "lodash": {"lodash": ("vendor/lodash", "lodash"), "lodash/": ("vendor/lodash", "lodash")},
    "luxon": {"luxon": ("vendor/luxon", "luxon")},
}

MODULES: tuple[str, ...] = tuple(_ALWAYS)
OPTIONAL: tuple[str, ...] = tuple(_OPTIONAL)


def chosen(text: str) -> tuple[str, ...]:
    """The modules that the operator's list names, separated by commas. Raises ValueError for one that there is not."""
    names = {name.strip() for name in text.split(",")} - {""}
    if not names <= set(OPTIONAL):
        raise ValueError(f"expected some of {', '.join(OPTIONAL)}, separated by commas")
    return tuple(sorted(names))


def module_table(added: Iterable[str]) -> dict[str, tuple[str, str]]:
    """What `require` gives: library and name in it, of each module and family. Raises KeyError for an unknown one."""
    table = dict(_ALWAYS)
    for name in added:
        table |= _OPTIONAL[name]
    return table
