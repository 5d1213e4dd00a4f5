"""The rules of names: which attributes are closed for every object, which are asked about, which are free.

The idea: a public attribute name that is not listed here compiles to a plain attribute access. That is sound because
what a program can reach is a closed world (`builtins`, `modules/`) in which every other public name is harmless.
"""

from __future__ import annotations

import types
from typing import Any

# User code is compiled under this name, whatever label the caller gave: the label appears only in rendered text.
SOURCE_NAME = "<task>"

# RestrictedPython's guard names. Ours cannot be spelled in source, but these stay refused in every position.
GUARD_NAMES = frozenset(
    {
        "_apply_",
        "_getattr_",
        "_getitem_",
        "_getiter_",
        "_inplacevar_",
        "_iter_unpack_sequence_",
        "_print",
        "_print_",
        "_unpack_sequence_",
        "_write_",
    }
)

_INNER_TYPES = (
    types.FrameType,
    types.CodeType,
    types.TracebackType,
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
    # From 3.12 on one of them holds the dictionary of a class, and a metaclass is handed it.
    types.CellType,
)
_INNER_FREE = {"send", "throw", "close", "asend", "athrow", "aclose", "clear", "replace"}
# Public names of frames, code, tracebacks, cells and suspended functions: refused on every object, so no trick with
# the receiver matters. The listed ones are those of newer versions.
FRAME_NAMES = frozenset(
    {name for kind in _INNER_TYPES for name in dir(kind) if not name.startswith("_")} - _INNER_FREE
    | {"f_generator", "gi_suspended", "cr_suspended", "ag_suspended", "gi_state", "cr_state", "ag_state", "co_branches"}
)

# Public names that reach further than their object; the guard decides by receiver or by the value found.
FORMAT_NAMES = frozenset({"format", "format_map"})
SPECIAL_NAMES = FORMAT_NAMES | {
    "buffer_info",
    # Of 3.14: a ForwardRef evaluates text; the parts of type parameters and aliases are functions that take a format.
    "evaluate",
    "evaluate_bound",
    "evaluate_constraints",
    "evaluate_default",
    "evaluate_value",
    "get_context",
    "get_coro",
    "get_loop",
    "get_stack",
    "mro",
    "obj",
    "print_stack",
    "run_in_executor",
}

# Written through the guard, besides those: what `except*` would call of an exception group.
WRITTEN_BY_GUARD = SPECIAL_NAMES | {"split", "subgroup"}

_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
_METHODS = """
    neg pos abs invert complex int float index round trunc floor ceil lt le eq ne gt ge
    init new del repr str bytes format hash bool dir getattr getattribute setattr delattr get set delete set_name
    init_subclass class_getitem call len length_hint getitem setitem delitem missing iter next reversed contains
    enter exit aenter aexit await aiter anext copy deepcopy post_init instancecheck sizeof fspath slots match_args doc
    replace isabstractmethod qualname
"""
# Nothing calls these: labels, what Python 2 called, and what template engines, printers and mappers look for.
_LABELS_IN_CLASSES = """
    cmp coerce delslice div getslice hex html idiv json long metaclass nonzero oct pretty rdiv repr_html rich rich_repr
    setslice table_args tablename test unicode
"""
_OPERATORS = {f"__{prefix}{name}__" for name in _BINARY.split() for prefix in ("", "r", "i")}
# What a class body may define.
DEFINABLE = frozenset(_OPERATORS | {f"__{name}__" for name in (*_METHODS.split(), *_LABELS_IN_CLASSES.split())})

_LABELS = "author version all license email date copyright status maintainer credits contact docformat test"
MODULE_DUNDERS = frozenset({f"__{name}__" for name in _LABELS.split()} | {"__name__", "__doc__", "__annotations__"})
# As a variable a method's name is a name like any other.
LOADABLE_DUNDERS = MODULE_DUNDERS | DEFINABLE | {"__debug__", "__class__"}

# Dunder attributes whose meaning depends on the object: the guard has a handler for each.
HANDLED = frozenset(
    """
    __class__ __dict__ __mro__ __bases__ __base__ __subclasses__ __init__ __new__ __getattribute__ __setattr__
    __delattr__ __get__ __set__ __delete__ __set_name__ __init_subclass__ __match_args__ __dataclass_fields__ __slots__
    __self__ __func__ __defaults__ __kwdefaults__ __annotations__ __wrapped__ __origin__ __call__ __orig_bases__
    __module__ __orig_class__ __abstractmethods__ __isabstractmethod__ __getattr__ __class_getitem__
    """.split()
)
_PLAIN = """
    __name__ __qualname__ __doc__ __cause__ __context__ __suppress_context__ __notes__ __traceback__
    __members__ __args__ __parameters__ __metadata__ __bound__ __constraints__ __supertype__ __total__
    __required_keys__ __optional_keys__ __value__ __type_params__ __covariant__ __contravariant__ __infer_variance__
    __default__ __final__ __unpacked__ __readonly_keys__ __mutable_keys__ __closed__ __extra_items__ __override__
    __no_type_check__ __version__
"""
READABLE = DEFINABLE | HANDLED | frozenset(_PLAIN.split())

# Private names of library classes that are documented as their interface.
TUPLE_NAMES = frozenset({"_asdict", "_replace", "_fields", "_make", "_field_defaults"})
SET_NAMES = frozenset({"_hash", "_from_iterable"})
ENUM_NAMES = frozenset({"_value_", "_name_", "_missing_", "_generate_next_value_", "_order_", "_ignore_"})
# Belongs to the interpreter's own machinery wherever it stands, so a class that merely has it stays on the fast path.
# Likewise where what stands for a class in a pattern keeps it (`guards.Fetched`): no source can spell it.
FETCHED_NAME = "$found"
OPAQUE_NAMES = frozenset({"_abc_impl", FETCHED_NAME})


def exact(name: Any) -> str:
    """`name` as an exact string, so that a subclass cannot answer differently later. Raises TypeError."""
    if type(name) is str:
        return name
    if issubclass(type(name), str):
        return str.__str__(name)
    raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")


def is_dunder(name: str) -> bool:
    """Whether `name` begins and ends with two underscores."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_private(name: str) -> bool:
    """Whether `name` begins with an underscore and is no dunder."""
    return name.startswith("_") and not is_dunder(name)


def closed_everywhere(name: str) -> bool:
    """Whether no object lets go of an attribute of this name."""
    if name in FRAME_NAMES or name in GUARD_NAMES or name in OPAQUE_NAMES:
        return True
    return is_dunder(name) and name not in READABLE


def is_field(name: str) -> bool:
    """Whether `name` may be a field that generated code or a class pattern reads."""
    return name.isidentifier() and not is_dunder(name) and not closed_everywhere(name) and name not in SPECIAL_NAMES


# What to write instead of a dunder name that is refused where it is read or defined.
_INSTEAD = {
    "__file__": "there is no file; pass what you need in as input",
    "__builtins__": "use the builtin by its own name",
    "__import__": "use an import statement",
    "__loader__": "there is no module behind the program",
    "__package__": "there is no package around the program",
    "__spec__": "there is no module behind the program",
    "__subclasshook__": "register classes with the ABC's register() method, or define __instancecheck__ in a metaclass",
    "__subclasscheck__": "register classes with the ABC's register() method",
    "__prepare__": "keep what the class needs in an attribute, or use __init_subclass__",
    "__mro_entries__": "derive from the class itself",
    "__module__": "set it after the class, as in C.__module__ = ...",
    "__class__": "use another name for the property",
    "__annotations__": "write the annotations out, as in x: int",
    "__dict__": "use vars(x)",
    "__code__": "there is no way into a function from outside",
    "__closure__": "keep shared values in an object or a nonlocal variable",
    "__globals__": "use a dictionary of your own",
    "__reduce__": "define __copy__ or __deepcopy__",
    "__reduce_ex__": "define __copy__ or __deepcopy__",
    "__getstate__": "define __copy__ or __deepcopy__, or a method of another name",
    "__setstate__": "define __copy__ or __deepcopy__, or a method of another name",
}


def instead_of(name: str) -> str:
    """What to write instead of the refused `name`; empty if there is nothing to say."""
    if name in FRAME_NAMES:
        return "code, frames and generators cannot be looked into; choose another name if it is your own"
    if not is_dunder(name):
        return ""
    return _INSTEAD.get(name, "names with two underscores on both sides belong to Python: choose another one")
