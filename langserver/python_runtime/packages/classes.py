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
        if not issubclass(cls, type) and _package_of(cls) not in sys.stdlib_module_names:
            EXPORTED.add(cls)
            PACKAGED.add(cls)


def _package_of(cls: type) -> str:
    try:
        module = type.__dict__["__module__"].__get__(cls)
    except AttributeError:  # it took its own away
        return ""
    return module.partition(".")[0] if isinstance(module, str) else ""
