"""dataclasses, named tuples and typing, where they build code from names or evaluate text."""

from __future__ import annotations

import collections
import copy
import dataclasses
import datetime
import sys
import types
import typing
from typing import Any, Final

from langserver.python_runtime import names, taskmodule
from langserver.python_runtime.faces import allow_bases, shown
from langserver.python_runtime.guards import load
from langserver.python_runtime.modules import generated
from langserver.python_runtime.modules.copying import deepcopy
from langserver.python_runtime.modules.facade import Facade
from langserver.python_runtime.modules.printing import stderr
from langserver.python_runtime.refusals import RefusedClass
from langserver.python_runtime.userclasses import (
    USER,
    is_class,
    is_user_class,
    is_user_function,
    mro_of,
    namespace_of,
    owned_names,
    register,
)


def _check_fields(fields: typing.Iterable[Any]) -> None:
    for name in fields:
        if not _is_field(name):
            raise RefusedClass(f"{name!r} cannot be the name of a field here")


def _is_field(name: Any) -> bool:
    if type(name) is not str or not name.isidentifier():
        return False
    return not names.is_dunder(name) and not names.closed_everywhere(name)


def _check_private(cls: type, fields: typing.Iterable[str]) -> None:
    """Fields are read by name, a default even from the class, so none may be private to a library base, or special."""
    for base in (*mro_of(cls), *mro_of(type(cls))):
        if base in USER or base is cls or base is type:  # of the last see `harden`
            continue
        special = names.SPECIAL_NAMES & namespace_of(base).keys()
        if not (owned_names(base) | special).isdisjoint(fields):
            raise RefusedClass(f"a field cannot have the name of this attribute of {base.__name__}")


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """`dataclasses.dataclass` for the program's classes: it executes text made of their annotations' names."""
    if cls is None:
        return lambda decorated: dataclass(decorated, **options)
    if not is_user_class(cls) or issubclass(cls, type):
        raise RefusedClass("dataclass() needs a class of this program")
    for base in mro_of(cls):
        _check_fields(namespace_of(base).get("__annotations__", ()))
        _check_private(cls, namespace_of(base).get("__annotations__", ()))
    with generated.guarding(), taskmodule.showing(_told_of_annotations):
        made = dataclasses.dataclass(cls, **options)
    _keep_or_drop_match_args(made)
    if made is not cls and not is_user_class(made):
        register(made)
    return made


def harden() -> None:
    """In the zygote, once: each field is looked at where the library reads its default from the class.

    The names were looked at before, but hooks of a metaclass run in between.
    """
    get_field: Any = dataclasses._get_field  # type: ignore[attr-defined]

    def checked(cls: Any, name: Any, *rest: Any) -> Any:
        if generated.is_guarding():
            if not _is_field(name):
                raise RefusedClass("the names of these fields changed meanwhile")
            _check_private(cls, [name])
        field = get_field(cls, name, *rest)
        if name == "mro" and all(name not in namespace_of(base) for base in mro_of(cls)):
            field.default = dataclasses.MISSING  # and not the method of `type`
        return field

    dataclasses._get_field = checked  # type: ignore[attr-defined]


def _told_of_annotations(value: Any) -> Any:
    """What an annotation in text may refer to: the library must find its own marks and modules, nothing else."""
    if issubclass(type(value), Facade):
        return _MARKING.get(type(value).__name__)
    if type(value) is dataclasses.InitVar:
        return dataclasses.InitVar(object)  # without what the program put into its own
    bare = typing.get_origin(value) if type(value) is _ALIAS else value
    return value if any(bare is mark for mark in _MARKS) else None


_MARKING: Final = {"typing": typing, "dataclasses": dataclasses}
_ALIAS: Final[type] = type(typing.List[int])  # noqa: UP006 -- that of ClassVar[int] too
_MARKS: Final = (typing.ClassVar, dataclasses.InitVar, dataclasses.KW_ONLY)


def _keep_or_drop_match_args(cls: Any) -> None:
    args = namespace_of(cls).get("__match_args__", ())
    if not all(names.is_field(name) for name in args):
        type.__delattr__(cls, "__match_args__")


def make_dataclass(cls_name: str, fields: Any, *, bases: Any = (), namespace: Any = None, **options: Any) -> Any:
    """`dataclasses.make_dataclass`; its `namespace` may hold no dunder names."""
    specs = [(each, Any) if isinstance(each, str) else tuple(each) for each in fields]
    _check_fields(spec[0] for spec in specs)
    body = dict(namespace or {})
    _check_fields(body)
    if not all(is_user_class(base) for base in bases) or options.keys() & {"module", "decorator"}:
        raise RefusedClass("make_dataclass() takes classes of this program as bases")
    if sys.version_info >= (3, 12):  # which else asks its caller, who is here
        options["module"] = taskmodule.name()
    with generated.guarding(), taskmodule.showing(_told_of_annotations):
        made = dataclasses.make_dataclass(str(cls_name), specs, bases=tuple(bases), namespace=body, **options)
    made.__module__ = taskmodule.name()
    _keep_or_drop_match_args(made)
    if not is_user_class(made):
        register(made)
    return made


def _convert(value: Any, dict_factory: Any, as_tuple: bool) -> Any:
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        pairs = [
            (field.name, _convert(load(value, field.name), dict_factory, as_tuple))
            for field in dataclasses.fields(kind)
        ]
        return dict_factory([part for _, part in pairs] if as_tuple else pairs)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*[_convert(part, dict_factory, as_tuple) for part in value])
    if kind in (list, tuple):
        return kind(_convert(part, dict_factory, as_tuple) for part in value)
    if kind is dict:
        return {
            _convert(key, dict_factory, as_tuple): _convert(part, dict_factory, as_tuple) for key, part in value.items()
        }
    return deepcopy(value)


def asdict(obj: Any, *, dict_factory: Any = dict) -> Any:
    """`dataclasses.asdict`; other objects in it are copied by our `deepcopy`."""
    if is_class(obj) or not dataclasses.is_dataclass(obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return _convert(obj, dict_factory, as_tuple=False)


def astuple(obj: Any, *, tuple_factory: Any = tuple) -> Any:
    """`dataclasses.astuple`."""
    if is_class(obj) or not dataclasses.is_dataclass(obj):
        raise TypeError("astuple() should be called on dataclass instances")
    return _convert(obj, tuple_factory, as_tuple=True)


def replace(obj: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace`."""
    kind = type(obj)
    if is_class(obj) or not dataclasses.is_dataclass(kind):
        raise TypeError("replace() should be called on dataclass instances")
    for field in dataclasses.fields(kind):
        if not field.init:
            if field.name in changes:
                raise ValueError(
                    f"field {field.name} is declared with init=False, it cannot be specified with replace()"
                )
        elif field.name not in changes:
            changes[field.name] = load(obj, field.name)
    return kind(**changes)


def copy_replace(obj: Any, /, **changes: Any) -> Any:
    """`copy.replace`, from Python 3.13 on. Raises TypeError for what has no replacement of parts."""
    kind = type(obj)
    hook: Any = next(
        (namespace_of(base)["__replace__"] for base in mro_of(kind) if "__replace__" in namespace_of(base)), None
    )
    if is_user_function(hook):
        return hook(obj, **changes)
    if dataclasses.is_dataclass(kind):
        return replace(obj, **changes)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return load(obj, "_replace")(**changes)
    if kind is types.SimpleNamespace:
        return types.SimpleNamespace(**{**vars(obj), **changes})
    if kind in {datetime.date, datetime.datetime, datetime.time}:
        return obj.replace(**changes)
    raise TypeError(f"replace() does not support {kind.__name__} objects")


def namedtuple(typename: str, field_names: Any, *, rename: bool = False, defaults: Any = None) -> Any:
    """`collections.namedtuple`: it evaluates text made of the names."""
    if isinstance(field_names, str):
        field_names = str.__str__(field_names).replace(",", " ").split()
    fields = [str.__str__(each) if isinstance(each, str) else str(each) for each in field_names]
    if not rename:
        _check_fields(fields)
    make: Any = collections.namedtuple  # noqa: PYI024 -- untyped: the names are the program's
    made = make(str(typename), fields, rename=rename, defaults=defaults, module=taskmodule.name())
    _keep_or_drop_match_args(made)
    register(made)
    return made


def _same(value: Any) -> Any:
    return value


def dataclass_transform(**_: Any) -> Any:
    """`typing.dataclass_transform`: a word to type checkers."""
    return _same


def reveal_type(obj: Any, /) -> Any:
    """`typing.reveal_type`."""
    stderr().write(f"Runtime type is {shown(type(obj)).__name__!r}\n")
    return obj


def get_origin(tp: Any) -> Any:
    """`typing.get_origin`."""
    return shown(typing.get_origin(tp))


def get_args(tp: Any) -> Any:
    """`typing.get_args`."""
    return tuple(shown(each) for each in typing.get_args(tp))


allow_bases(
    {type(each) for each in (typing.List, typing.List[int], typing.Tuple, typing.Callable)},  # noqa: UP006
    [typing.NamedTuple, typing.TypedDict, typing.Any],
)

COPY: dict[str, Any] = {"replace": copy_replace} if hasattr(copy, "replace") else {}
DATACLASSES: dict[str, Any] = {
    "FrozenInstanceError": dataclasses.FrozenInstanceError,
    "InitVar": dataclasses.InitVar,
    "KW_ONLY": dataclasses.KW_ONLY,
    "MISSING": dataclasses.MISSING,
    "asdict": asdict,
    "astuple": astuple,
    "dataclass": dataclass,
    "field": dataclasses.field,
    "fields": dataclasses.fields,
    "is_dataclass": dataclasses.is_dataclass,
    "make_dataclass": make_dataclass,
    "replace": replace,
}
TYPING: dict[str, Any] = {
    "dataclass_transform": dataclass_transform,
    "final": _same,
    "get_args": get_args,
    "get_origin": get_origin,
    "no_type_check": _same,
    "override": _same,
    "reveal_type": reveal_type,
}
