"""functools and operator, where they take names or write to their arguments."""

from __future__ import annotations

import functools
import types
from abc import get_cache_token
from collections.abc import Callable
from typing import Any, get_args

from langserver.python_runtime.faces import behind, shown
from langserver.python_runtime.guards import check_write, load
from langserver.python_runtime.names import exact
from langserver.python_runtime.refusals import attribute
from langserver.python_runtime.userclasses import PACKAGED, PLAIN, is_class, is_user_class, is_user_function

_ASSIGNED = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")


def attrgetter(*names: str) -> Callable[[Any], Any]:
    """`operator.attrgetter`, each step through the guard."""
    paths = [exact(name).split(".") for name in names]
    if not paths:
        raise TypeError("attrgetter expected at least 1 argument, got 0")

    def follow(value: Any, path: list[str]) -> Any:
        for name in path:
            value = load(value, name)
        return value

    if len(paths) == 1:
        return lambda value: follow(value, paths[0])
    return lambda value: tuple(follow(value, path) for path in paths)


def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """`operator.methodcaller`, the method fetched through the guard."""
    fetched = exact(name)
    return lambda value: load(value, fetched)(*args, **kwargs)


def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = ("__dict__",)) -> Any:
    """`functools.update_wrapper` for the program's own functions and objects."""
    for name in map(exact, assigned):
        if name not in _ASSIGNED:
            raise attribute(name, "wraps() copies only names, docstring and annotations")
        try:
            value = load(wrapped, name)
        except AttributeError:
            continue
        check_write(wrapper, name)
        setattr(wrapper, name, value)
    if "__dict__" in updated and is_user_function(wrapped):
        load(wrapper, "__dict__").update(wrapped.__dict__)
    check_write(wrapper, "__wrapped__")
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = ("__dict__",)) -> Callable[[Any], Any]:
    """`functools.wraps`."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


def _library_update_wrapper(
    wrapper: Any, wrapped: Any, assigned: Any = functools.WRAPPER_ASSIGNMENTS, updated: Any = ("__dict__",)
) -> Any:
    """What the library itself uses, in `contextmanager`, `lru_cache` and others: of classes no dictionary is copied.

    It would give a function the raw slots of the class, and those answer in the guards' place.
    """
    kind = type(wrapped)
    known = kind in (types.FunctionType, types.MethodType, _CACHED) or kind in PLAIN or kind in PACKAGED
    return _update_wrapper(wrapper, wrapped, assigned, updated if known and not is_class(wrapped) else ())


_update_wrapper = functools.update_wrapper
_CACHED = type(functools.lru_cache(len))


def harden() -> None:
    """In the zygote: `functools.wraps` asks for this name each time."""
    functools.update_wrapper = _library_update_wrapper


class cached_property:  # noqa: N801 -- the library's name
    """`functools.cached_property` for the program's classes."""

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self.func = func
        self.attrname: str | None = None
        self.__doc__ = func.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        if self.attrname is None:
            self.attrname = exact(name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if self.attrname is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        check_write(instance, self.attrname)
        values = load(instance, "__dict__")
        if self.attrname not in values:
            values[self.attrname] = self.func(instance)
        return values[self.attrname]


def total_ordering(cls: Any) -> Any:
    """`functools.total_ordering` for the program's classes."""
    if not is_user_class(cls):
        raise TypeError("total_ordering needs a class of this program")
    return functools.total_ordering(cls)


def _classes_of(annotation: Any) -> tuple[Any, ...]:
    parts = get_args(annotation) if not is_class(annotation) else (annotation,)
    if not parts or not all(is_class(each) for each in parts):
        raise TypeError("register() needs a class, as an argument or as the annotation of the first parameter")
    return parts


class _Implementations:
    """By class. The library's would handle an error that holds the class, while `issubclass` calls the program."""

    def __init__(self, default: Any) -> None:
        self._registry: dict[type, Any] = {object: default}
        self._found: dict[type, Any] = {}
        self._token = get_cache_token()

    def add(self, cls: type, implementation: Any) -> None:
        self._registry[cls] = implementation
        self._found.clear()

    def all(self) -> types.MappingProxyType[Any, Any]:
        """By class, as the program may have it."""
        return types.MappingProxyType({shown(cls): found for cls, found in self._registry.items()})

    def of(self, cls: Any) -> Any:
        """The one for `cls`. Raises RuntimeError when two are as good."""
        kind = behind(cls)
        if not is_class(kind):  # its hash and equality would be asked against the library's classes
            raise TypeError("dispatch() needs a class")
        if get_cache_token() != self._token:
            self._found.clear()
            self._token = get_cache_token()
        if kind not in self._found:
            known = kind in self._registry
            found = self._registry[kind] if known else functools._find_impl(kind, self._registry)  # type: ignore[attr-defined]
            self._found[kind] = found
        return self._found[kind]


def singledispatch(func: Callable[..., Any]) -> Any:
    """`functools.singledispatch`; annotations are taken as they are, text in them is not evaluated."""
    implementations = _Implementations(func)

    def register(cls: Any, implementation: Any = None) -> Any:
        if is_class(cls) or type(cls) is types.UnionType:
            if implementation is None:
                return lambda function: register(cls, function)
            classes = _classes_of(cls)
        else:
            implementation = cls
            function = cls.__func__ if type(cls) in (classmethod, staticmethod) else cls
            classes = _classes_of(next(iter(load(function, "__annotations__").values()), None))
        for each in classes:
            if not is_class(each):
                raise TypeError("register() needs a class")
            implementations.add(each, implementation)
        return implementation

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(f"{func.__name__} requires at least 1 positional argument")
        return implementations.of(type(args[0]))(*args, **kwargs)

    named: Any = func
    if type(func) in (classmethod, staticmethod):
        named = named.__func__
    wrapper.__name__, wrapper.__doc__ = named.__name__, named.__doc__
    return _Dispatcher(wrapper, register, implementations.of, implementations.all)


class _Dispatcher:
    def __init__(self, call: Any, register: Any, dispatch: Any, registry: Any) -> None:
        self.__name__, self.__doc__ = call.__name__, call.__doc__
        self.__call = call
        self.register = register
        self.dispatch = dispatch
        self.__registry = registry

    @property
    def registry(self) -> Any:
        """What is registered for which class."""
        return self.__registry()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__call(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self.__call, instance)


def _bound(function: Any, instance: Any, owner: Any) -> Any:
    """`function` as a method of `instance`, found in `owner`; a function if there is no instance."""
    if type(function) in (classmethod, staticmethod, partialmethod, singledispatchmethod):
        return function.__get__(instance, owner)
    return function if instance is None else functools.partial(function, instance)


class partialmethod:  # noqa: N801 -- the library's name
    """`functools.partialmethod`."""

    def __init__(self, func: Any, /, *args: Any, **keywords: Any) -> None:
        if not callable(func) and type(func) not in (classmethod, staticmethod):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        self.func, self.args, self.keywords = func, args, keywords

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None and type(self.func) not in (classmethod, staticmethod):
            return lambda first, /, *args, **keywords: self.func(
                first, *self.args, *args, **{**self.keywords, **keywords}
            )
        return functools.partial(_bound(self.func, instance, owner), *self.args, **self.keywords)


class singledispatchmethod:  # noqa: N801 -- the library's name
    """`functools.singledispatchmethod`."""

    def __init__(self, func: Any) -> None:
        if not callable(func) and type(func) not in (classmethod, staticmethod):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        self.func = func
        self.dispatcher = singledispatch(func)

    def register(self, cls: Any, method: Any = None) -> Any:
        """Adds an implementation for a class."""
        return self.dispatcher.register(cls, method)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            if not args:
                raise TypeError("a single-dispatch method requires at least 1 positional argument")
            return _bound(self.dispatcher.dispatch(type(args[0])), instance, owner)(*args, **kwargs)

        call.register = self.register  # type: ignore[attr-defined]
        return call


FUNCTOOLS: dict[str, Any] = {
    "WRAPPER_ASSIGNMENTS": _ASSIGNED,
    "WRAPPER_UPDATES": ("__dict__",),
    "cached_property": cached_property,
    "partialmethod": partialmethod,
    "singledispatch": singledispatch,
    "singledispatchmethod": singledispatchmethod,
    "total_ordering": total_ordering,
    "update_wrapper": update_wrapper,
    "wraps": wraps,
}
OPERATOR: dict[str, Any] = {"attrgetter": attrgetter, "methodcaller": methodcaller}
