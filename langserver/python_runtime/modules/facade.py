"""One module as the program sees it: an object that holds listed names, and nothing else."""

from __future__ import annotations

import sys
import types
from typing import Any

from langserver.python_runtime.faces import METACLASSES
from langserver.python_runtime.instead import instead_of_attribute
from langserver.python_runtime.refusals import attribute
from langserver.python_runtime.userclasses import EXPORTED, is_class

# What the library's modules have besides: leaving it out is a refusal, anything else a mistake of the program.
_HIDDEN: dict[str, frozenset[str]] = {}


class Facade:
    """The base of one class a module: names are class attributes, so that reading one costs what it costs elsewhere."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        module = type(self).__name__
        if name in _HIDDEN.get(module, ()):
            why = f"it is not part of the module {module!r} here"
            raise attribute(name, why, instead_of_attribute(module, name))
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return [name for name in vars(type(self)) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<module {type(self).__name__!r}>"


def hides(module: str, name: str) -> bool:
    """Whether the library's `module` has `name`, and its facade does not."""
    return name in _HIDDEN[module]


def make(name: str, contents: dict[str, Any]) -> Facade:
    """The facade of module `name`. Its classes become exported: usable as bases, shown by `type()`."""
    for value in contents.values():
        if is_class(value) and (not issubclass(value, type) or value in METACLASSES):
            EXPORTED.add(value)
        if (is_class(value) or type(value) is types.FunctionType) and value.__module__.startswith("langserver."):
            value.__module__ = name  # as its text shows it
    _HIDDEN[name] = frozenset(dir(sys.modules[name])) - contents.keys()
    # As static methods the values come out as they went in: functions unbound, classes and numbers untouched.
    held = {key: staticmethod(value) for key, value in contents.items()}
    facade: Facade = type(name, (Facade,), {"__slots__": (), "__doc__": None, **held})()
    return facade
