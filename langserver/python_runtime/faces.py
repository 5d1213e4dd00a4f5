"""What a program sees of classes: its own and exported ones as they are, every other one as an opaque face."""

from __future__ import annotations

import abc
import enum
import types
import typing
from collections.abc import Callable
from typing import Any, Final

from langserver.python_runtime.names import DEFINABLE, closed_everywhere, instead_of, is_dunder
from langserver.python_runtime.refusals import RefusedClass
from langserver.python_runtime.userclasses import (
    EXPORTED,
    USER,
    WRITTEN_BY_COMPILER,
    is_class,
    is_user_class,
    mro_of,
)


class Face:
    """Stands for a class that no facade exports: named alike, comparable, good for annotations and `isinstance`.

    Called it does what `make` does, if there is one.
    """

    __slots__ = ("__dict__", "_cls", "_make")

    def __init__(self, cls: type, make: Callable[..., Any] | None = None) -> None:
        self._cls = cls
        self._make = make
        self.__name__ = cls.__name__
        self.__qualname__ = cls.__qualname__
        self.__module__ = cls.__module__
        self.__doc__ = None

    def __repr__(self) -> str:
        return f"<class {self.__name__!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._make is None:
            raise TypeError(f"cannot create {self.__name__!r} instances here")
        return self._make(*args, **kwargs)

    def __instancecheck__(self, value: object) -> bool:
        return issubclass(type(value), self._cls)

    def __subclasscheck__(self, other: Any) -> bool:
        return other is self or (is_class(other) and self._cls in mro_of(other))

    def __or__(self, other: Any) -> Any:
        return typing.Union[self, other]  # noqa: UP007 -- that is what is being made

    def __ror__(self, other: Any) -> Any:
        return typing.Union[other, self]  # noqa: UP007

    def __getitem__(self, parts: Any) -> Any:
        if not hasattr(self._cls, "__class_getitem__"):
            raise TypeError(f"{self!r} is not subscriptable")
        return types.GenericAlias(self, parts)  # type: ignore[arg-type]  # the interpreter takes any object


def check_namespace(namespace: dict[str, Any]) -> None:
    """Raises RefusedClass for a class body made from data that defines what a class statement may not, or a hook."""
    for name in namespace:
        if type(name) is not str:
            raise RefusedClass("names in a class must be exact strings")
        allowed = name in DEFINABLE or name in WRITTEN_BY_COMPILER if is_dunder(name) else not closed_everywhere(name)
        if not allowed:
            raise RefusedClass(f"a class may not define {name}", instead_of(name))


_ENUM_NAMESPACE: Final = type(enum.EnumMeta.__prepare__("_Probe", ()))


class _MetaOfGuarded(type):
    """Makes the guarded metaclasses answer as the ones they stand for."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls not in USER:
            if cls is SafeType and len(args) == 1 and not kwargs:
                return class_of(args[0])
            if cls is SafeType and len(args) != 3:
                raise TypeError("type() takes 1 or 3 arguments")
            raise RefusedClass("a class made by calling type() is not available here: write a class statement")
        return super().__call__(*args, **kwargs)

    def __instancecheck__(cls, value: object) -> bool:
        return issubclass(type(value), _REAL.get(cls, cls))

    def __subclasscheck__(cls, other: type) -> bool:
        return type.__subclasscheck__(_REAL.get(cls, cls), other)


class SafeType(type, metaclass=_MetaOfGuarded):
    """The `type` of user code: answers for one argument, is a base for metaclasses, makes no class from data."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> SafeType:
        copy, bases = dict(namespace), tuple(bases)
        check_bases(bases)
        check_namespace(copy)
        return super().__new__(mcs, name, bases, copy, **kwargs)


class SafeABCMeta(abc.ABCMeta, metaclass=_MetaOfGuarded):
    """The `ABCMeta` of user code."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> SafeABCMeta:
        copy, bases = dict(namespace), tuple(bases)
        check_bases(bases)
        check_namespace(copy)
        return super().__new__(mcs, name, bases, copy, **kwargs)


class SafeEnumMeta(enum.EnumMeta, metaclass=_MetaOfGuarded):
    """The `EnumMeta` of user code, as a base for metaclasses."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> SafeEnumMeta:
        # Only the dictionary that Enum itself prepared: a copy of it cannot be made, and it has no method of a program.
        if type(namespace) is not _ENUM_NAMESPACE:
            raise RefusedClass("an enum class is made of what its class statement holds")
        bases = tuple(bases)
        check_bases(bases)
        _check_ignored(namespace)
        check_namespace(namespace)
        return super().__new__(mcs, name, bases, namespace, **kwargs)


def _check_ignored(namespace: Any) -> None:
    """What Enum goes through before it copies the namespace: nothing there may call the program, which could write."""
    ignored = dict.get(namespace, "_ignore_", [])
    if type(ignored) is not list or not all(type(name) is str for name in [*ignored, *namespace._member_names]):
        raise RefusedClass("the names of an enum class must be exact strings, _ignore_ a list of them")


class GuardedSuper:
    """`super` with arguments: the class must be the program's, else a facade's overriding class could be skipped."""

    def __new__(cls, owner: type, *target: Any) -> Any:
        if not is_user_class(owner):
            raise RefusedClass("super() needs a class of this program")
        return super(owner, *target)


SafeType.__name__ = SafeType.__qualname__ = "type"
SafeABCMeta.__name__ = SafeABCMeta.__qualname__ = "ABCMeta"
GuardedSuper.__name__ = GuardedSuper.__qualname__ = "super"
SafeEnumMeta.__name__ = SafeEnumMeta.__qualname__ = enum.EnumMeta.__name__
SafeEnumMeta.__module__ = "enum"
SafeType.__module__ = GuardedSuper.__module__ = "builtins"
SafeABCMeta.__module__ = "abc"

_REAL: Final[dict[type, type]] = {SafeType: type, SafeABCMeta: abc.ABCMeta, SafeEnumMeta: enum.EnumMeta}
_TWINS: Final[dict[type, type]] = {
    type: SafeType,
    _MetaOfGuarded: SafeType,
    abc.ABCMeta: SafeABCMeta,
    enum.EnumMeta: SafeEnumMeta,
    super: GuardedSuper,
}
_FACES: Final[dict[type, Face]] = {}
METACLASSES: Final[set[type]] = {SafeType, SafeABCMeta, SafeEnumMeta}
EXPORTED.update((SafeType, SafeABCMeta, SafeEnumMeta, GuardedSuper))


def shown(value: Any) -> Any:
    """A class as the program may have it; anything that is no class as it is."""
    if not is_class(value):
        return value
    if value in USER or value in EXPORTED:
        return value
    if value in _TWINS:
        return _TWINS[value]
    face = _FACES.get(value)
    if face is None:
        face = _FACES[value] = Face(value)
    return face


def stand_in(cls: type, make: Callable[..., Any] | None = None) -> Face:
    """The face of `cls`, for a facade that has its name but not the class. See `Face` for `make`."""
    face = _FACES[cls] = Face(cls, make)
    return face


def behind(value: Any) -> Any:
    """The class that a face stands for, alone or in a tuple of classes; anything else as it is. Not to be shown."""
    if type(value) is Face:
        return value._cls
    return tuple(behind(each) for each in value) if type(value) is tuple else value


def class_of(value: object) -> Any:
    """What `type(value)` and `value.__class__` are to the program."""
    return shown(type(value))


def made_by(metaclass: type) -> type | None:
    """What makes the classes of a statement with `metaclass=`: a guarded one is a base only. None is the default.

    Classes of the real ones go together with the library's own, whose metaclasses derive from those.
    """
    return None if metaclass is SafeType else _REAL.get(metaclass, metaclass)


# Besides classes, what may stand among the bases of a class statement: recognised by exact type.
_ALIASES: set[type] = {types.GenericAlias}
_BASE_FUNCTIONS: list[object] = []


def allow_bases(alias_types: set[type], functions: list[object]) -> None:
    """Adds to what may be a base: types of generic aliases, and single objects such as `typing.NamedTuple`."""
    _ALIASES.update(alias_types)
    _BASE_FUNCTIONS.extend(functions)


def check_bases(bases: tuple[Any, ...]) -> None:
    """Raises RefusedClass for a base that is neither the program's nor exported."""
    for base in bases:
        if is_class(base):
            allowed = base in USER or base in EXPORTED
        elif type(base) in _ALIASES:
            origin = getattr(base, "__origin__", None)
            allowed = is_class(origin) and (origin in USER or origin in EXPORTED)
        else:
            allowed = any(base is each for each in _BASE_FUNCTIONS)
        if not allowed:
            raise RefusedClass("this cannot be a base class here")
