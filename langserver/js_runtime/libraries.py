"""The libraries beside the language (globals/, and vendor/ as `make bundles` builds it), as texts for an isolate."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from langserver.js_runtime.catalog import GLOBALS, module_table

_HERE = os.path.dirname(__file__)

# What a library nearly always needs is given with it, as asking later takes longer. What it needs now and then, it asks
# for.
_NEEDS: dict[str, tuple[str, ...]] = {
    "abort": ("events", "exception"),
    "buffer": ("encoding", "vendor/buffer"),
    "clone": ("exception",),
    "encoding": (),
    "modules/assert": ("modules/util",),
    "modules/buffer": ("buffer",),
    "modules/crypto": ("buffer", "hashes", "vendor/hashes", "random", "webcrypto"),
    "modules/events": ("vendor/events",),
    "modules/path": ("vendor/path",),
    "modules/perf_hooks": ("performance",),
    "modules/string_decoder": ("buffer",),
    "modules/url": ("url",),
    "url": ("encoding", "vendor/url"),
    "webcrypto": ("random",),
}
# Named by programs in another way than by a global or a module.
_SUBTLE = ("subtle", ("hashes", "vendor/hashes", "exception", "encoding"))


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
        self._wanted: list[tuple[str, tuple[str, ...]]] = [_SUBTLE]
        names = {(name, (library,)) for name, library in GLOBALS.items()}
        names |= {(name.rstrip("/"), (library,)) for name, (library, _) in self.modules.items()}
        for mark, wanted in sorted(names):
            self._wanted.append((mark, wanted))
        self._texts: dict[str, str] = {}
        for library in ["random", "vendor/idna", *(name for _, wanted in self._wanted for name in wanted)]:
            self._read(library)

    def _read(self, library: str) -> None:
        if library not in self._texts:
            self._texts[library] = _text(library)
            for needed in _NEEDS.get(library, ()):
                self._read(needed)

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
        for mark, wanted in self._wanted:
            if mark in source:
                for library in wanted:
                    self._add(library, found)
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
