"""How a program is entered: what `main` is called with, and what the result is."""

from __future__ import annotations

import inspect
import types
from typing import Any

# A first parameter of this name takes the whole input when every other one can be left out. `inputs` always does, as it
# is the global's name; for the others a key of that name goes first (decision 0029).
_WHOLE_INPUT = "inputs"
_WHOLE_INPUT_NAMES = frozenset({_WHOLE_INPUT, "input", "data", "items"})


class MissingInput(TypeError):
    """`main` has a parameter that the input has no key for. `hint` says how to write it, or is empty."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


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
        if others_optional and (type(inputs) is not dict or _takes_all(shape, keys)):
            return [inputs], {}
    missing = [name for name in required if name not in keys]
    if missing:
        raise _missing(shape, required, missing)
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


def _takes_all(shape: _Shape, keys: dict[str, Any]) -> bool:
    """Whether the first parameter, the only one that may be required, takes the whole of an input with these keys."""
    first = shape.positional[0]
    if first in keys:
        return first == _WHOLE_INPUT
    if first in _WHOLE_INPUT_NAMES:
        return True
    # An empty input says less than the default does.
    return len(shape.positional) == 1 and (bool(keys) or first not in shape.optional)


def _missing(shape: _Shape, required: list[str], missing: list[str]) -> MissingInput:
    names = ", ".join(repr(name) for name in missing)
    hint = "give it a default, or pass the key in the input"
    if required == list(shape.positional[:1]):
        hint = f"name the first parameter {_WHOLE_INPUT} to get the whole input, or give it a default"
    elif len(missing) > 1:
        hint = "give them defaults, or pass the keys in the input"
    return MissingInput(f"main() needs {names}, which the input does not have", hint)
