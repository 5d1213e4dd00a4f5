"""What to write instead, for the mistakes that people make. Each hint is right or is not given."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from langserver.python_runtime import catalog, modules, sources
from langserver.python_runtime.entry import MissingInput
from langserver.python_runtime.instead import instead_of
from langserver.python_runtime.mistakes import (
    MEANT,
    MEANT_MODULES,
    MESSAGES,
    OTHER_LANGUAGES,
    PLAIN_WORDS,
    SYNTAX,
    WORDS,
)
from langserver.python_runtime.modules.facade import Facade
from langserver.python_runtime.refusals import UnknownModule, UnknownName
from langserver.python_runtime.tracebacks import frames_of, name_of, places, text_of
from langserver.python_runtime.userclasses import is_class

_COMPARED = 2000  # names looked through for a close one
_DICTS_LOOKED_AT = 50
_LEAVING: Final = frozenset({"exit", "quit"})
_RETURNING: Final = "a program ends by returning; raise an exception if it is to fail"

_QUOTED: Final = re.compile(r"""'[^']*'|"[^"]*"|#.*""")


def hint_of(error: BaseException) -> str:
    """What to write instead of what raised `error`; empty if there is nothing certain to say."""
    cls = type(error)
    if cls in (MissingInput, UnknownName, UnknownModule):
        hint = getattr(error, "hint", "")
        return hint if type(hint) is str else ""  # the program may have assigned another
    if issubclass(cls, SystemExit):
        return _RETURNING
    if issubclass(cls, NameError) and not issubclass(cls, UnboundLocalError):
        return _of_name(error)
    if issubclass(cls, AttributeError):
        return _of_attribute(error)
    if issubclass(cls, KeyError):
        return _of_key(error)
    if issubclass(cls, ModuleNotFoundError):  # of a package that the operator added: it looks for it when it is used
        missing = ImportError.__dict__["name"].__get__(error)
        return instead_of(missing) if type(missing) is str else ""
    text = text_of(error)
    for kind, pattern, hint in MESSAGES:
        if issubclass(cls, kind) and re.search(pattern, text):
            return (hint == "{call}" and _of_uncalled(error)) or WORDS.get(hint, hint)
    return ""


def _source_of(error: BaseException) -> str:
    """The program's line where `error` was raised; empty if there is none."""
    found = places(error)
    return sources.line(found[-1].line)[:1000] if found else ""


def _of_uncalled(error: BaseException) -> str:
    """Of `x.items[0]`: either a call or a key is meant."""
    written = re.search(r"\.(items|keys|values|get|update)\b\s*(?!\s*\()", _source_of(error))
    return f"write x[{written[1]!r}] for the key, x.{written[1]}() for the method" if written else ""


def hint_of_syntax(message: str, line: int) -> str:
    """What to write instead of what does not parse in `line`."""
    text = _QUOTED.sub("''", sources.line(line)[:1000])
    if message.startswith(("unexpected indent", "unindent does not match", "expected an indented block")):
        return "indent the lines of a block alike, with spaces only"
    if "'return' with value in async generator" in message:
        return "yield the value, or return without one"
    for pattern, hint in SYNTAX:
        if re.search(pattern, text):
            return hint
    return ""


def close_to(name: str, names: Iterable[Any]) -> str:
    """The name among `names` that was probably meant; empty if none is close."""
    candidates = [each for each in names if type(each) is str and each.isidentifier()][:_COMPARED]
    if len(name) > 40:
        return ""
    close = get_close_matches(name, candidates, n=1, cutoff=0.7 if len(name) > 2 else 0.9)
    if close:
        return close[0]
    return next((each for each in candidates if each.lower() == name.lower() and each != name), "")


def _of_name(error: BaseException) -> str:
    missing: Any = NameError.__dict__["name"].__get__(error)
    if type(missing) is not str:
        return ""
    if missing in _LEAVING:
        return _RETURNING
    found = list(frames_of(error))
    frame = found[-1][0] if found else None
    near: dict[str, None] = {}
    if frame is not None:
        near = dict.fromkeys([*frame.f_locals, *frame.f_globals])
    usable = [name for name in near if type(name) is str and not name.startswith("__")]
    if missing in catalog.MODULES and missing not in PLAIN_WORDS:
        return f"add `import {missing}` at the top"
    own = close_to(missing, usable)
    if own and missing not in MEANT:
        return f"did you mean {own!r}?"
    if missing in MEANT:
        return MEANT[missing]
    exporting = [name for name in catalog.MODULES if missing in modules.public_names(name)]
    if exporting:
        best = next((name for name in MEANT_MODULES if name in exporting), exporting[0])
        return f"add `from {best} import {missing}` at the top"
    if missing in catalog.MODULES:
        return f"add `import {missing}` at the top"
    builtin = [] if frame is None else [n for n in frame.f_builtins if n not in catalog.REFUSED_BUILTINS]
    known = close_to(missing, [name for name in builtin if not name.startswith("_")])
    if known:
        return f"did you mean {known!r}?"
    module = close_to(missing, catalog.MODULES) if len(missing) > 3 else ""
    return f"did you mean the module {module!r}? Then add `import {module}` at the top" if module else ""


def _of_attribute(error: BaseException) -> str:
    name: Any = AttributeError.__dict__["name"].__get__(error)
    value: Any = AttributeError.__dict__["obj"].__get__(error)
    if type(name) is not str or name.startswith("__"):
        return ""
    if value is None:
        return WORDS["{none}"] if "NoneType" in text_of(error) else ""
    kind = type(value)
    for known, meant in OTHER_LANGUAGES.items():
        if kind is known and name in meant:
            return meant[name]
    if issubclass(kind, dict) and name in dict.keys(value):
        return f"a dict has keys: write x[{name!r}]"
    if kind in (types.FunctionType, types.MethodType, types.BuiltinFunctionType):
        return WORDS["{call}"]
    close = close_to(name, _names_of(value))
    return _of_namesake(name, value, error) or (f"did you mean {close!r}?" if close else "")


def _of_namesake(name: str, value: Any, error: BaseException) -> str:
    """Of a module and a class of one name, as `datetime`, one taken for the other."""
    if issubclass(type(value), Facade):
        module = type(value).__name__
        inner = getattr(value, module, None)
        if is_class(inner) and name in _names_of(inner):
            return f"{module} is the module here: write {module}.{module}.{name}"
        return ""
    if not is_class(value):
        return ""
    cls = name_of(value)
    if name == cls:
        written = re.search(rf"\b{re.escape(name)}\.{re.escape(name)}\.(\w+)(\()?", _source_of(error))
        instead = f"{name}.{written[1]}{'()' if written[2] else ''}" if written else f"{name} alone"
        return f"{name} is the class here: write {instead}"
    if cls in catalog.MODULES and name in modules.public_names(cls):
        return f"{cls} is the class here: add `from {cls} import {name}` at the top"
    return ""


def _names_of(value: Any) -> list[str]:
    """Public attributes, without asking the object: what its class and its own dictionary hold."""
    if issubclass(type(value), Facade):
        return list(modules.public_names(type(value).__name__))
    names: dict[Any, None] = {}
    for cls in type.__dict__["__mro__"].__get__(value if is_class(value) else type(value)):
        names |= dict.fromkeys(type.__dict__["__dict__"].__get__(cls))
    try:
        names |= dict.fromkeys(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        pass
    return [name for name in names if type(name) is str and not name.startswith("_")]


def _of_key(error: BaseException) -> str:
    args = BaseException.__dict__["args"].__get__(error)
    key = args[0] if len(args) == 1 else None
    found = list(frames_of(error))
    if type(key) not in (str, int) or not found:
        return ""
    frame = found[-1][0]
    values = [each for each in (*frame.f_locals.values(), *frame.f_globals.values()) if type(each) is dict]
    for value in [each for each in values[:_DICTS_LOOKED_AT] if key not in each and "__builtins__" not in each]:
        keys = [each for each in value if type(each) is str][:_COMPARED]
        if type(key) is int and str(key) in value:
            return f"the key is text: write {str(key)!r}"
        if type(key) is str:
            same = [each for each in keys if each.lower().strip() == key.lower().strip()]
            close = same or get_close_matches(key, keys, n=1, cutoff=0.75)
            if close:
                return f"did you mean {close[0]!r}?"
    if type(key) is str:
        return "x.get(key) gives None where there is no such key"
    for written in re.findall(r"\b(\w+)\[", _source_of(error)):
        named: Any = frame.f_locals.get(written, frame.f_globals.get(written))
        if type(named) is dict and named and all(type(each) is str for each in named):
            return "this is a dict, which has keys and no positions: list(x.values())[0] is its first value"
    return ""
