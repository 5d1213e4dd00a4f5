"""How a program is entered: what `main` is called with, and what the result is."""

from __future__ import annotations

import inspect
import types
from typing import Any

# A first parameter of this name takes the whole input when every other one can be left out.
_WHOLE_INPUT_NAMES = frozenset({"inputs", "input", "data", "items"})


class MissingInput(TypeError):
    """`main` has a parameter that the input has no key for."""


MissingInput.__name__ = MissingInput.__qualname__ = "TypeError"


def call_main(main: Any, inputs: Any) -> Any:
    """Calls `main` as its parameters ask for. Raises MissingInput, and whatever `main` raises."""
    shape = _shape(main)
    if shape is None:
        return main(inputs)
    args, kwargs = _arguments(shape, inputs)
    return main(*args, **kwargs)


class _Shape:
    """The parameters of a function, read from its code: `inspect.signature` would ask the object."""

    def __init__(self, function: types.FunctionType, bound: int) -> None:
        code = function.__code__
        names = code.co_varnames
        positional = code.co_argcount
        self.positional = names[bound:positional]
        self.positional_only = max(0, code.co_posonlyargcount - bound)
        self.keyword_only = names[positional : positional + code.co_kwonlyargcount]
        defaults = function.__defaults__ or ()
        self.optional = set(names[positional - len(defaults) : positional]) | set(function.__kwdefaults__ or ())
        self.takes_rest = bool(code.co_flags & inspect.CO_VARKEYWORDS)
        self.takes_more = bool(code.co_flags & inspect.CO_VARARGS)


def _shape(main: Any) -> _Shape | None:
    bound = 0
    if type(main) is types.MethodType:
        main, bound = main.__func__, 1
    for _ in range(20):  # a decorator's wrapper says with __wrapped__ whose parameters count
        if type(main) is not types.FunctionType:
            return None
        wrapped = main.__dict__.get("__wrapped__")
        if type(wrapped) is not types.FunctionType:
            return _Shape(main, bound)
        main = wrapped
    return None


def _arguments(shape: _Shape, inputs: Any) -> tuple[list[Any], dict[str, Any]]:
    required = [name for name in (*shape.positional, *shape.keyword_only) if name not in shape.optional]
    if not shape.positional and not shape.keyword_only and not shape.takes_rest:
        return ([inputs], {}) if shape.takes_more else ([], {})
    keys = inputs if type(inputs) is dict else {}
    if shape.positional:
        first = shape.positional[0]
        others_optional = not [name for name in required if name != first]
        alone = len(shape.positional) == 1 and first not in keys
        if others_optional and (alone or first in _WHOLE_INPUT_NAMES or type(inputs) is not dict):
            return [inputs], {}
    missing = [name for name in required if name not in keys]
    if missing:
        names = ", ".join(repr(name) for name in missing)
        raise MissingInput(f"main() needs {names}, which the input does not have")
    args: list[Any] = []
    for name in shape.positional[: shape.positional_only]:
        if name not in keys:
            break
        args.append(keys[name])
    only = set(shape.positional[: shape.positional_only])
    named = [*shape.positional[shape.positional_only :], *shape.keyword_only]
    kwargs = {name: keys[name] for name in named if name in keys}
    if shape.takes_rest:
        kwargs |= {key: value for key, value in keys.items() if key not in kwargs and key not in only}
    return args, kwargs
