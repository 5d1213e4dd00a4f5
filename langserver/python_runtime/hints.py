"""What to write instead, for the mistakes that people make. Each hint is right or is not given."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from langserver.python_runtime import catalog, modules, sources
from langserver.python_runtime.entry import MissingInput
from langserver.python_runtime.modules.facade import Facade
from langserver.python_runtime.refusals import UnknownModule, UnknownName
from langserver.python_runtime.tracebacks import frames_of, text_of
from langserver.python_runtime.userclasses import is_class

_COMPARED = 2000  # names looked through for a close one
_DICTS_LOOKED_AT = 50
_LEAVING: Final = frozenset({"exit", "quit"})
_RETURNING: Final = "a program ends by returning; raise an exception if it is to fail"

# Names of other languages, of Python 2 and of other code nodes.
_MEANT: Final[dict[str, str]] = {
    "true": "write True",
    "false": "write False",
    "TRUE": "write True",
    "FALSE": "write False",
    **dict.fromkeys(("null", "NULL", "nil", "none", "NONE", "undefined"), "write None"),
    **dict.fromkeys(("nan", "NaN"), "write float('nan')"),
    **dict.fromkeys(("inf", "Infinity", "INFINITY"), "write float('inf')"),
    "console": "write print(...)",
    "echo": "write print(...)",
    "JSON": "import json, then json.loads(...) and json.dumps(...)",
    "xrange": "write range(...)",
    "raw_input": "the task's input is the variable inputs",
    "unicode": "write str(...)",
    "basestring": "write str",
    "long": "write int(...)",
    "unichr": "write chr(...)",
    "cmp": "write (a > b) - (a < b)",
    "self": "self is the first parameter of a method: def method(self)",
    "this": "in a method write self, as its first parameter: def method(self)",
    "new": "write the class and its arguments: Thing(...)",
    **dict.fromkeys(("items", "_items", "_input", "_json", "input_data", "data"), "the input is the variable inputs"),
    "np": "numpy is not available unless the operator adds it: use math, statistics and plain lists",
    "pd": "pandas is not available unless the operator adds it: use csv, statistics and plain lists and dicts",
    "os": catalog.without("os")[1],
    "requests": catalog.without("requests")[1],
}
# Where several modules have a name, the one that is meant; and modules whose names are words like any other.
_MEANT_MODULES: Final = ("math", "datetime", "collections", "functools", "itertools", "random", "json", "typing")
_PLAIN_WORDS: Final = frozenset({"keyword", "html", "operator", "string", "secrets", "numbers", "copy", "token"})

# Attributes that people know from other languages, by the builtin class they are looked for on.
_OTHER_LANGUAGES: Final[dict[type, dict[str, str]]] = {
    list: {
        "length": "write len(x)",
        "size": "write len(x)",
        "push": "write x.append(...)",
        "add": "write x.append(...)",
        "includes": "write value in x",
        "contains": "write value in x",
        "join": "write ', '.join(x)",
        "map": "write [f(each) for each in x]",
        "filter": "write [each for each in x if ...]",
        "forEach": "write for each in x:",
        "get": "a list has positions, not keys: x[0]",
        "items": "a list has no keys: for each in x",
        "keys": "a list has no keys: for each in x",
        "split": "this is a list: split the text in it, as in x[0].split()",
    },
    str: {
        "length": "write len(x)",
        "toUpperCase": "write x.upper()",
        "toLowerCase": "write x.lower()",
        "trim": "write x.strip()",
        "includes": "write part in x",
        "contains": "write part in x",
        "substring": "write x[start:end]",
        "substr": "write x[start:start + length]",
        "indexOf": "write x.find(...)",
        "decode": "this is text already",
        "get": "this is text, not a dict: json.loads(x) makes one of JSON",
        "append": "text is never changed: write x += ...",
        "items": "this is text, not a dict: json.loads(x) makes one of JSON",
    },
    dict: {
        "length": "write len(x)",
        "has_key": "write key in x",
        "iteritems": "write x.items()",
        "itervalues": "write x.values()",
        "iterkeys": "write x.keys()",
        "append": "a dict has keys: x[key] = value",
        "add": "a dict has keys: x[key] = value; {} is an empty dict, set() an empty set",
    },
    set: {"append": "write x.add(...)", "length": "write len(x)", "push": "write x.add(...)"},
    tuple: {"append": "a tuple is never changed: make a list with list(x)", "length": "write len(x)"},
    bytes: {"encode": "these are bytes already", "format": "write x.decode() first"},
}

_MESSAGES: Final[tuple[tuple[type[BaseException], str, str], ...]] = (
    (TypeError, r"^'NoneType' object is not (subscriptable|iterable|callable)|^object of type 'NoneType'", "{none}"),
    (TypeError, r"^'NoneType' object does not support item", "{none}"),
    (TypeError, r"^(cannot unpack|argument of type 'NoneType')", "{none_or_shape}"),
    (TypeError, r'^can only concatenate str \(not "', "make it text first, with str(...) or an f-string"),
    (TypeError, r"^unsupported operand type\(s\) for \+: '(int|float)' and 'str'", "make them alike: int(x) or str(x)"),
    (TypeError, r"^string indices must be integers", "this is text, not a dict: json.loads(x) makes one of JSON"),
    (TypeError, r"^list indices must be integers or slices, not str", "this is a list: take one of it first, as x[0]"),
    (TypeError, r"^'(str|list|dict|int|tuple|set)' object is not callable", "{shadowed}"),
    (TypeError, r"^'(builtin_function_or_method|function|method)' object is not (subscriptable|iterable)", "{call}"),
    (TypeError, r"is not JSON serializable$", "json.dumps(..., default=str) makes text of what JSON does not have"),
    (TypeError, r"missing 1 required positional argument: 'self'", "make an instance first, as in Thing().method()"),
    (TypeError, r"^\w+(\.(\w|<|>)+)+\(\) takes 0 positional arguments but \d", "{self}"),
    (TypeError, r"^unhashable type: '(list|dict|set)'", "a key must not change: make it a tuple or text"),
    (TypeError, r"^'<' not supported between instances of", "sort by a key of one kind, as in key=str"),
    (TypeError, r"can't (compare|subtract) offset-naive and offset-aware datetimes", "{aware}"),
    (UnboundLocalError, r"", "it is assigned in this function: add a global or nonlocal statement, or pass it in"),
    (RecursionError, r"", "the function calls itself without end: check where it stops, or use a loop"),
    (ValueError, r"^invalid literal for int\(\) with base 10: '-?\d+\.\d*'", "write int(float(x))"),
    (ValueError, r"^(too many|not enough) values to unpack", "the number of names must be that of the values"),
    (RuntimeError, r"^dictionary changed size during iteration", "go over a copy: for key in list(x):"),
    (IndexError, r"^(list|tuple|string) index out of range", "positions go from 0 to len(x) - 1"),
)
_WORDS: Final = {
    "{none}": "the value is None here: a function without return, or a missing key, gives that",
    "{none_or_shape}": "the value is None or one single value here",
    "{shadowed}": "a variable has the name of the function: rename it",
    "{call}": "call it: write () behind its name",
    "{self}": "a method's first parameter is self",
    "{aware}": "give both a zone: datetime.now(timezone.utc), or x.replace(tzinfo=timezone.utc)",
}

# By what stands in the line that does not parse.
_SYNTAX: Final[tuple[tuple[str, str], ...]] = (
    (r"^\s*(const|let|var)\s+\w", "Python declares no variables: write name = value"),
    (r"^\s*(export\s+)?(async\s+)?function\b", "write def name(parameters):"),
    (r"=>", "write lambda x: ... for a function, >= to compare"),
    (r"&&", "write and"),
    (r"\|\|", "write or"),
    (r"===|!==", "write == or !="),
    (r"\w(\+\+|--)\s*($|[;)])", "write x += 1 or x -= 1"),
    (r"^\s*//|;\s*//", "comments begin with #"),
    (r"^\s*/\*", "comments begin with #"),
    (r"\bnew\s+[A-Z]", "write the class and its arguments: Thing(...)"),
    (r"\belse\s+if\b", "write elif"),
    (r"^\s*(if|while|for|else)\b.*\{\s*$", "blocks begin with a colon and are indented"),
    (r"\?.*:", "write a if condition else b"),
    (r"(^|[\s(])!\w", "write not x"),
    (r"\{\{.*\}\}", "templates are not filled in here: the input is the variable inputs"),
    (r"^\s*exec\s+''", "write the code out"),
)
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
    text = text_of(error)
    for kind, pattern, hint in _MESSAGES:
        if issubclass(cls, kind) and re.search(pattern, text):
            return _WORDS.get(hint, hint)
    return ""


def hint_of_syntax(message: str, line: int) -> str:
    """What to write instead of what does not parse in `line`."""
    text = _QUOTED.sub("''", sources.line(line)[:1000])
    if message.startswith(("unexpected indent", "unindent does not match", "expected an indented block")):
        return "indent the lines of a block alike, with spaces only"
    if "'return' with value in async generator" in message:
        return "yield the value, or return without one"
    for pattern, hint in _SYNTAX:
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
    if missing in catalog.MODULES and missing not in _PLAIN_WORDS:
        return f"add `import {missing}` at the top"
    own = close_to(missing, usable)
    if own and missing not in _MEANT:
        return f"did you mean {own!r}?"
    if missing in _MEANT:
        return _MEANT[missing]
    exporting = [name for name in catalog.MODULES if missing in modules.public_names(name)]
    if exporting:
        best = next((name for name in _MEANT_MODULES if name in exporting), exporting[0])
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
        return _WORDS["{none}"] if "NoneType" in text_of(error) else ""
    kind = type(value)
    for known, meant in _OTHER_LANGUAGES.items():
        if kind is known and name in meant:
            return meant[name]
    if issubclass(kind, dict) and name in dict.keys(value):
        return f"a dict has keys: write x[{name!r}]"
    if kind in (types.FunctionType, types.MethodType, types.BuiltinFunctionType):
        return _WORDS["{call}"]
    close = close_to(name, _names_of(value))
    return f"did you mean {close!r}?" if close else ""


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
    return "x.get(key) gives None where there is no such key" if type(key) is str else ""
