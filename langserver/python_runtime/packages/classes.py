"""The classes of the operator's packages: programs may see them, derive from them and set attributes of instances."""

from __future__ import annotations

import sys

from langserver.python_runtime.userclasses import EXPORTED, PACKAGED


def all_classes() -> set[type]:
    """Every class there is. The garbage collector does not know those of C code (they are static); their bases do."""
    found: set[type] = set()
    below: list[type] = [object]
    while below:
        cls = below.pop()
        if cls not in found:
            found.add(cls)
            below.extend(type.__subclasses__(cls))
    return found


def export(before: set[type]) -> None:
    """Exports what came since, without metaclasses and without what belongs to the library."""
    for cls in all_classes() - before:
        home = type.__dict__["__module__"].__get__(cls)
        top = home.partition(".")[0] if isinstance(home, str) else ""
        if not issubclass(cls, type) and top not in sys.stdlib_module_names:
            EXPORTED.add(cls)
            PACKAGED.add(cls)
