"""The bundled libraries (vendor/, built by `make bundles`), as text for an isolate."""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(__file__), "vendor")


def library_text(name: str) -> str:
    """The text of a bundle: an expression `(host) => ...` whose value is called once, and gives what it exports.

    Read where files can still be opened. All bundles are ASCII.
    """
    with open(os.path.join(_FOLDER, f"{name}.js"), encoding="ascii") as file:
        return file.read()
