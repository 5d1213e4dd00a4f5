"""The libraries beside the language (globals/, and vendor/ as `make bundles` builds it), as texts for an isolate."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable

from langserver.js_runtime.catalog import GLOBALS, module_table
from langserver.js_runtime.v8_interface import Code

_HERE = os.path.dirname(__file__)

# What a library nearly always needs is given with it, as asking later takes longer. What it needs now and then, it asks
# for.
_NEEDS: dict[str, tuple[str, ...]] = {
    "abort": ("events", "exception", "faults"),
    "buffer": ("encoding", "faults", "numbers", "vendor/buffer"),
    "clone": ("exception", "faults"),
    "encoding": ("faults",),
    "events": ("faults",),
    "performance": ("faults",),
    "modules/assert": ("faults", "modules/util"),
    "modules/buffer": ("buffer",),
    "modules/crypto": ("buffer", "hashes", "vendor/hashes", "random", "webcrypto"),
    "modules/events": ("faults", "vendor/events"),
    "modules/path": ("faults", "vendor/path"),
    "modules/perf_hooks": ("performance",),
    "modules/string_decoder": ("buffer",),
    "modules/url": ("url",),
    "modules/util": ("faults",),
    "url": ("encoding", "faults", "vendor/url"),
    "webcrypto": ("faults", "random"),
}
# Named by programs in another way than by a global or a module.
_SUBTLE = ("subtle", ("hashes", "vendor/hashes", "exception", "encoding"))
# A name in quotes.
# Strict: no call site tells a function, or what `this` was.
_START, _END = "'use strict';", "\n//# sourceURL=internal"
_MODULE_NAME = re.compile(r"""['"`](?:node:)?([a-z_]{2,20}(?:/[\w./]{1,60})?)(?=['"`])""")


def library_text(name: str) -> str:
    """The text of a bundle: an expression `(host) => ...` whose value is called once, and gives what it exports.

    Read where files can still be opened. All are ASCII.
    """
    return _text(f"vendor/{name}")


def _text(library: str) -> str:
    folder = _HERE if library.startswith("vendor/") else os.path.join(_HERE, "globals")
    with open(os.path.join(folder, f"{library}.js"), encoding="ascii") as file:
        return file.read()


class Libraries:
    """All that an isolate may be given, and which of them a source is likely to touch."""

    def __init__(self, added: Iterable[str]) -> None:
        """Reads the texts. `added` are the modules that the operator turned on. Raises KeyError for an unknown one."""
        self.modules = module_table(added)
        self._marks = [_SUBTLE, *((name, (library,)) for name, library in GLOBALS.items())]
        self._texts: dict[str, str] = {}
        wanted = [*GLOBALS.values(), *_SUBTLE[1], *(library for library, _ in self.modules.values())]
        for library in ("random", "vendor/idna", *wanted):
            self._read(library)

    def _read(self, library: str) -> None:
        if library not in self._texts:
            self._texts[library] = f"{_START}{_text(library)}{_END}"
            for needed in _NEEDS.get(library, ()):
                self._read(needed)

    def codes(self) -> dict[str, Code]:
        """The texts as scripts, but for that of the generator, which waits for its key."""
        return {name: Code(text.encode("ascii")) for name, text in self._texts.items() if name != "random"}

    def accessors(self) -> str:
        """The part of the prelude that has the globals which wait until they are touched."""
        accessors = "\n".join(
            f"  get {name}() {{ return lazyGlobal('{name}', '{library}'); }}, "
            f"set {name}(value) {{ replaceGlobal('{name}', value); }},"
            for name, library in GLOBALS.items()
        )
        return f"const lazySurface = {{\n  __proto__: getPrototypeOf(globalThis),\n{accessors}\n}};\n"

    def modules_table(self) -> str:
        """The part of the prelude that says which library exports which module."""
        modules = ", ".join(f"'{name}': {json.dumps(entry)}" for name, entry in self.modules.items())
        return f"const MODULES = {{ __proto__: null, {modules} }};\n"

    def mentioned(self, source: str) -> list[str]:
        """The libraries that a source seems to touch, by its text alone, and what they need."""
        found: dict[str, None] = {}
        for mark, wanted in self._marks:
            if mark in source:
                for library in wanted:
                    self._add(library, found)
        if "require" in source or "import" in source:
            for name in set(_MODULE_NAME.findall(source)):
                entry = self.modules.get(name) or self.modules.get(name[: name.rfind("/") + 1])
                if entry is not None:
                    self._add(entry[0], found)
        return list(found)

    def _add(self, library: str, found: dict[str, None]) -> None:
        if library not in found:
            found[library] = None
            for needed in _NEEDS.get(library, ()):
                self._add(needed, found)

    def message(self, names: Iterable[str], entropy: str) -> bytes:
        """Texts as the prelude takes them (lazy.js), and entropy in hex or ''. Leaves out names that there are not."""
        texts = {name: self._texts[name] for name in names if name in self._texts}
        head = json.dumps({"texts": [[name, len(text)] for name, text in texts.items()], "entropy": entropy})
        return "\n".join((head, "".join(texts.values()))).encode("ascii")
