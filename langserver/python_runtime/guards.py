"""The run-time checks: reading, writing and deleting attributes whose name or object is not harmless by itself."""

from __future__ import annotations

import types
from collections import abc, namedtuple
from collections.abc import Callable
from typing import Any, Final

from langserver.python_runtime import names
from langserver.python_runtime.faces import behind, shown
from langserver.python_runtime.formatting import format_text
from langserver.python_runtime.handlers import HANDLERS, super_parts
from langserver.python_runtime.names import exact
from langserver.python_runtime.refusals import RefusedAttribute, RefusedClass, attribute
from langserver.python_runtime.userclasses import (
    METACLASS_CLOSED,
    PACKAGED,
    PLAIN,
    USER,
    check_attribute_of_groups,
    foreign_owner,
    has_own_method,
    is_class,
    is_user_class,
    is_user_function,
    mro_of,
    namespace_of,
    relies_on,
)

# Attributes of library instances that are made to be assigned, by class.
WRITABLE: Final[dict[type, frozenset[str]]] = {}
# Classes whose `format` and `format_map` format a template, besides str: their functions, and how to get the template.
TEMPLATE_METHODS: Final[dict[Any, Callable[[Any], str]]] = {}

_WRITE_ON_FUNCTIONS = frozenset(
    "__name__ __doc__ __qualname__ __module__ __annotations__ __wrapped__ __defaults__ __kwdefaults__ __dict__".split()
)
_WRITE_ON_EXCEPTIONS = frozenset("__cause__ __context__ __suppress_context__ __traceback__ __notes__".split())
# A method's name is one like any other on an instance: the interpreter asks the class.
_WRITE_ON_INSTANCES = (
    names.DEFINABLE
    | {"__dict__", "__doc__", "__name__", "__qualname__", "__module__"}
    | {
        "__wrapped__",
        "__annotations__",
    }
)
_NOT_ON_CLASSES = frozenset("__slots__ __match_args__ __new__ __set_name__ __init_subclass__ __class_getitem__".split())
_LABELS_ON_CLASSES = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})


def load(value: Any, name: str) -> Any:
    """`value.name` for any name. Raises RefusedAttribute, or what the access itself raises."""
    if type(name) is not str:  # a subclass finds what it is equal to, whatever it says
        raise TypeError("an attribute name must be an exact string")
    if names.closed_everywhere(name):
        raise _refused(value, name)
    if not name.startswith("_"):
        return _load_special(value, name) if name in names.SPECIAL_NAMES else getattr(value, name)
    if names.is_private(name):
        if type(value) not in PLAIN:
            check_private(value, name)
        return getattr(value, name)
    if name in HANDLERS:
        return HANDLERS[name](value, name, load, check_write)
    return getattr(value, name)


def check_private(value: Any, name: str) -> None:
    """Raises RefusedAttribute unless `value` lets go of its attribute `name`, which begins with one underscore."""
    kind = type(value)
    if is_class(value):
        found = next((base for base in mro_of(value) if name in namespace_of(base)), None)
        # What no class of its order has comes from its metaclass: `_convert_` of EnumMeta copies any module.
        if relies_on(value, name):
            raise _refused(value, name)
        own = found in USER if found is not None else value in USER and foreign_owner(kind, name) is None
        if own or _documented(value, name):
            return
    elif kind in USER:
        if foreign_owner(kind, name) is None or _documented(kind, name) or has_own_method(value, name):
            return
    elif kind is super:
        owner_class, target = super_parts(value)
        rest = mro_of(target)[mro_of(target).index(owner_class) + 1 :] if owner_class in mro_of(target) else ()
        found = next((base for base in rest if name in namespace_of(base)), None)
        if found is None or found in USER or _documented(found, name):
            return
    elif kind is types.SimpleNamespace or is_user_function(value) or _documented(kind, name):
        return
    raise _refused(value, name)


def _documented(cls: type, name: str) -> bool:
    if name in names.TUPLE_NAMES:
        return issubclass(cls, tuple)
    if name in names.SET_NAMES:
        return abc.Set in mro_of(cls)
    return name in names.ENUM_NAMES and any(base.__module__ == "enum" for base in mro_of(cls) if base not in USER)


def _load_special(value: Any, name: str) -> Any:
    if name in names.FORMAT_NAMES:
        return judge_format(getattr(value, name))
    order = (*mro_of(value), *mro_of(type(value))) if is_class(value) else mro_of(type(value))
    holder = next((base for base in order if name in namespace_of(base)), None)
    if holder is None:
        if type(value) in USER or type(value) is types.SimpleNamespace or is_user_function(value):
            return getattr(value, name)
    elif holder in USER:
        return getattr(value, name)
    if name == "mro" and is_user_class(value):
        return lambda: [shown(base) for base in mro_of(value)]
    getattr(value, name)  # an ordinary AttributeError if it is not there at all
    raise _refused(value, name)


def judge_format(found: Any) -> Any:
    """A fetched `format` or `format_map`: that of a template becomes a guarded one."""
    kind = type(found)
    if kind is types.BuiltinMethodType and issubclass(type(found.__self__), str):
        return _formatter(found.__name__, str.__str__(found.__self__))
    if kind is types.MethodDescriptorType and found.__objclass__ is str:
        return _unbound(found.__name__, str.__str__)
    function = found.__func__ if kind is types.MethodType else found
    template_of = TEMPLATE_METHODS.get(function) if type(function) is types.FunctionType else None
    if template_of is None:
        return found
    if kind is types.MethodType:
        return _formatter(function.__name__, template_of(found.__self__))
    return _unbound(function.__name__, template_of)


def _formatter(method: str, template: str) -> Callable[..., str]:
    if method == "format_map":
        return lambda mapping, /: format_text(load, template, (), mapping, from_map=True)
    return lambda *args, **kwargs: format_text(load, template, args, kwargs)


def _unbound(method: str, template_of: Callable[[Any], str]) -> Callable[..., str]:
    return lambda template, /, *args, **kwargs: _formatter(method, template_of(template))(*args, **kwargs)


# Whose docstring a program may write, as the documentation of named tuples shows.
_DESCRIBED = (property, type(vars(namedtuple("_Probe", ["x"]))["x"]))  # noqa: PYI024


class ClassOf:
    """`o.__class__` where it is assigned: both classes must be the program's, and stand on the same library classes.

    Else private names that a library class owns would be read as the program's own.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def _set(self, new: Any) -> None:
        old = type(self._value)
        if old not in USER or is_class(self._value) or not is_user_class(new):
            raise RefusedAttribute("__class__ can be set on instances of this program's classes, to one of them")
        if [each for each in mro_of(old) if each not in USER] != [each for each in mro_of(new) if each not in USER]:
            raise RefusedAttribute("__class__ can only be set to a class with the same library classes behind it")
        object.__setattr__(self._value, "__class__", new)

    __class__ = property(lambda self: shown(type(self._value)), _set)


class Augmented:
    """`o.name` where it is changed in place and depends on the object: read and written through the guards."""

    __slots__ = ("_name", "_value")

    def __init__(self, value: Any, name: str) -> None:
        self._value = value
        self._name = name

    @property
    def value(self) -> Any:
        """The attribute."""
        return load(self._value, self._name)

    @value.setter
    def value(self, new: Any) -> None:
        setattr(writable_name(self._value, self._name), self._name, new)


def writable(value: Any) -> Any:
    """`value` when the program may set public attributes of it. Raises RefusedAttribute."""
    kind = type(value)
    if kind in USER or is_user_class(value) or is_user_function(value) or kind is types.SimpleNamespace:
        return value
    if issubclass(kind, BaseException) or kind in WRITABLE or kind in PACKAGED:
        return value
    raise RefusedAttribute(f"attributes of {_named(value)} cannot be set here: it belongs to the library")


def writable_name(value: Any, name: str) -> Any:
    """`value` when the program may set its attribute `name`. Raises RefusedAttribute."""
    if name == "__doc__" and type(value) in _DESCRIBED:
        return value
    check_write(value, name)
    return value


def assigned(value: Any, name: str) -> Any:
    """The same where the name stands in the source: a class may be assigned there, not by `setattr`."""
    return ClassOf(value) if name == "__class__" else writable_name(value, name)


def check_write(value: Any, name: str) -> None:
    """Raises RefusedAttribute unless the program may set or delete `value.name`."""
    writable(value)
    if type(name) is not str:
        raise TypeError("an attribute name must be an exact string")
    kind = type(value)
    if is_class(value):
        check_attribute_of_groups(value, name)
    if names.closed_everywhere(name) or name == "__class__":
        raise _refused(value, name)
    if kind in WRITABLE:
        if name not in WRITABLE[kind]:
            raise _refused(value, name)
    elif is_class(value) and issubclass(value, type) and name in METACLASS_CLOSED:
        raise RefusedClass(f"a metaclass may not have {name}")
    elif names.is_dunder(name):
        if not _dunder_writable(value, name):
            raise _refused(value, name)
    elif names.is_private(name) and not issubclass(kind, BaseException):
        check_private(value, name)


def _dunder_writable(value: Any, name: str) -> bool:
    if is_class(value):
        return name in _LABELS_ON_CLASSES or (name in names.DEFINABLE and name not in _NOT_ON_CLASSES)
    if type(value) is types.FunctionType:
        return name in _WRITE_ON_FUNCTIONS
    if issubclass(type(value), BaseException) and name in _WRITE_ON_EXCEPTIONS:
        return True
    if name == "__dict__":
        return type(value) in PLAIN
    return type(value) in USER and name in _WRITE_ON_INSTANCES


def _named(value: Any) -> str:
    face = shown(value if is_class(value) else type(value))
    name = type.__dict__["__name__"].__get__(face) if is_class(face) else face.__name__
    return f"the class {exact(name)}" if is_class(value) else f"a {exact(name)} object"


def _refused(value: Any, name: str) -> RefusedAttribute:
    if names.is_private(name):
        return attribute(name, f"it is private to {_named(value)}", "use the public attributes and methods")
    return attribute(name, f"it leads into the interpreter (on {_named(value)})")


class Fetched:
    """A value of a pattern, fetched when the pattern is tried: the attribute `names.FETCHED_NAME`.

    That has a name which no source can spell and no guard lets go of, since what is fetched may be a raw class.
    """

    __slots__ = ("_fetch",)

    def __init__(self, fetch: Callable[[], Any]) -> None:
        self._fetch = fetch


class NamedClass(Fetched):
    """A class of a pattern. A stand-in is none to the interpreter: it is given the one behind, and shows it nobody."""

    __slots__ = ()


class CheckedClass(Fetched):
    """A class of a pattern with positional parts: fetched when the pattern is tried, and checked then.

    The interpreter reads `__match_args__` of such a class and the attributes it names without asking any guard.
    """

    __slots__ = ()


def _checked_class(pattern: CheckedClass) -> Any:
    """Raises RefusedClass when the `__match_args__` of the class could reach a closed attribute."""
    found = behind(pattern._fetch())
    if is_class(found):
        order = mro_of(found)
        holder = next((base for base in order if "__match_args__" in namespace_of(base)), None)
        args = () if holder is None else namespace_of(holder)["__match_args__"]
        if type(args) is not tuple or not all(type(name) is str and names.is_field(name) for name in args):
            raise RefusedClass("this __match_args__ cannot be used in a pattern here")
    return found


setattr(Fetched, names.FETCHED_NAME, property(lambda pattern: pattern._fetch()))
setattr(NamedClass, names.FETCHED_NAME, property(lambda pattern: behind(pattern._fetch())))
setattr(CheckedClass, names.FETCHED_NAME, property(_checked_class))
