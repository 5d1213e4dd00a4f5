"""The mistakes that people make, and what to write instead: tables, by what is said of them."""

from __future__ import annotations

from typing import Final

from langserver.python_runtime import catalog

# Names of other languages, of Python 2 and of other code nodes.
MEANT: Final[dict[str, str]] = {
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
    **dict.fromkeys(
        ("items", "item", "_items", "_input", "_json", "input_data", "data", "event", "payload"),
        "the input is the variable inputs",
    ),
    "np": "numpy is not available unless the operator adds it: use math, statistics and plain lists",
    "pd": "pandas is not available unless the operator adds it: use csv, statistics and plain lists and dicts",
    "os": catalog.without("os")[1],
    "requests": catalog.without("requests")[1],
}
# Where several modules have a name, the one that is meant; and modules whose names are words like any other.
MEANT_MODULES: Final = ("math", "datetime", "collections", "functools", "itertools", "random", "json", "typing")
PLAIN_WORDS: Final = frozenset({"keyword", "html", "operator", "string", "secrets", "numbers", "copy", "token"})

# Attributes that people know from other languages, by the builtin class they are looked for on.
OTHER_LANGUAGES: Final[dict[type, dict[str, str]]] = {
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

MESSAGES: Final[tuple[tuple[type[BaseException], str, str], ...]] = (
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
WORDS: Final = {
    "{none}": "the value is None here: a function without return, or a missing key, gives that",
    "{none_or_shape}": "the value is None or one single value here",
    "{shadowed}": "a variable has the name of the function: rename it",
    "{call}": "call it: write () behind its name",
    "{self}": "a method's first parameter is self",
    "{aware}": "give both a zone: datetime.now(timezone.utc), or x.replace(tzinfo=timezone.utc)",
}

# By what stands in the line that does not parse.
SYNTAX: Final[tuple[tuple[str, str], ...]] = (
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
