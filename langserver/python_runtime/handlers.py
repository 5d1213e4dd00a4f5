"""What the guard does for each dunder attribute whose meaning depends on the object."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Final

from langserver.python_runtime import names
from langserver.python_runtime.faces import class_of, shown
from langserver.python_runtime.names import exact
from langserver.python_runtime.refusals import RefusedAttribute, attribute
from langserver.python_runtime.userclasses import (
    EXPORTED,
    PLAIN,
    USER,
    foreign_owner,
    is_class,
    is_user_class,
    is_user_function,
    mro_of,
    namespace_of,
)

Load = Callable[[Any, str], Any]
CheckWrite = Callable[[Any, str], None]
Handler = Callable[[Any, str, Load, CheckWrite], Any]

_owner_of_super = super.__dict__["__thisclass__"].__get__
_self_of_super = super.__dict__["__self__"].__get__
_self_class_of_super = super.__dict__["__self_class__"].__get__

_DESCRIPTORS = (types.FunctionType, types.MethodType, property, staticmethod, classmethod)
_WRAPPING = (types.MethodType, staticmethod, classmethod)
_INSIDE = (types.GetSetDescriptorType, types.MemberDescriptorType)


def super_parts(value: super) -> tuple[type, type]:
    """The class a super object stands after, and the class whose order it follows."""
    return _owner_of_super(value), _self_class_of_super(value)


def _is_users(value: Any) -> bool:
    return type(value) in USER or is_user_class(value)


def _is_free(value: Any) -> bool:
    """Whether `value` is a super object that stands for no instance: what it gives takes any object for its `self`."""
    return type(value) is super and _self_of_super(value) is _self_class_of_super(value)


def _refuse(name: str) -> RefusedAttribute:
    return attribute(name, "it leads out of this program's own objects")


def _class(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    return class_of(value)


def _dict(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    kind = type(value)
    if kind in PLAIN and not is_class(value):
        return value.__dict__
    if is_user_class(value):
        return {
            key: _entry(value, key, part, load)
            for key, part in namespace_of(value).items()
            if type(part) not in _INSIDE and not names.closed_everywhere(key) and key != "__dict__"
        }
    if kind in USER:
        return {key: part for key, part in value.__dict__.items() if _visible(kind, key)}
    if is_user_function(value) or kind is types.SimpleNamespace or issubclass(kind, BaseException):
        return value.__dict__
    raise _refuse(name)


def _entry(cls: Any, key: str, part: Any, load: Load) -> Any:
    """What a class's dictionary shows: of what the library put there, what the attribute itself would be."""
    if type(part) is dict:  # annotations and fields: text is made of them
        return dict(part)
    function = getattr(part, "__func__", part) if type(part) is staticmethod else part
    made = type(function) is types.FunctionType and not is_user_function(function)
    return load(cls, key) if made and key in HANDLERS else part


def _visible(kind: type, key: Any) -> bool:
    return type(key) is not str or not names.is_private(key) or foreign_owner(kind, key) is None


def _order(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if not is_user_class(value):
        raise _refuse(name)
    if name == "__subclasses__":
        return lambda: [shown(each) for each in type.__subclasses__(value) if each in USER]
    found = type.__getattribute__(value, name)
    if name == "__base__":
        return shown(found)
    return tuple(shown(each) for each in found if each in USER or each in EXPORTED)


def _init(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    free = _is_free(value)
    if (type(value) is super and not free) or (type(value) in USER and not is_class(value)):
        return getattr(value, name)
    owner = _self_class_of_super(value) if free else value
    if is_class(owner):
        found = value.__init__
        if is_user_function(found):
            return found

        def initialise(instance: Any, /, *args: Any, **kwargs: Any) -> None:
            if type(instance) not in USER or not type.__subclasscheck__(owner, type(instance)):
                raise _refuse(name)
            found(instance, *args, **kwargs)

        return initialise
    raise _refuse(name)


# What `C.__new__(C, ...)` makes of these is what `C(...)` makes; of others it would be half an object of the library.
_MADE_BY_NEW: Final = (object, int, float, complex, bool, str, bytes, tuple, list, dict, set, frozenset, bytearray)


def _new(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if type(value) is super:
        if not is_user_class(super_parts(value)[0]):
            raise _refuse(name)
    elif not is_class(value) or issubclass(value, type):
        raise _refuse(name)
    found = value.__new__
    if is_user_function(found):
        return found

    def make(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not is_user_class(cls) and not any(cls is each for each in _MADE_BY_NEW):
            raise _refuse(name)
        return found(cls, *args, **kwargs)

    return make


def _of_class(value: Any, name: str) -> Any:
    kind = type(value)
    part = next((namespace_of(base)[name] for base in mro_of(kind) if name in namespace_of(base)), None)
    get: Any = getattr(type(part), "__get__", None)
    if part is None:
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
    return part if get is None else get(part, value, kind)


def _accessor(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    # The class's own: a decorator may have filled the dictionary of the object with anything.
    found = getattr(value, name) if is_class(value) or type(value) is super else _of_class(value, name)
    bound: tuple[Any, ...] = ()
    if is_class(value) or _is_free(value):
        found_for_user = found
    elif type(value) is super:
        bound = (_self_of_super(value),)
        found_for_user = getattr(found, "__func__", found)
    else:
        bound = (value,)
        found_for_user = getattr(found, "__func__", found)
    if is_user_function(found_for_user):
        return found
    rest = found if bound else None

    def access(*args: Any) -> Any:
        target, attribute_name, *more = (*bound, *args)
        if type(attribute_name) is not str:
            raise TypeError("attribute name must be string")
        if name == "__getattribute__":
            if attribute_name in names.HANDLED or attribute_name in names.SPECIAL_NAMES:
                return load(target, attribute_name)
            check_read(target, attribute_name)
        else:
            check_write(target, attribute_name)
        return rest(attribute_name, *more) if rest is not None else found(target, attribute_name, *more)

    def check_read(target: Any, attribute_name: str) -> None:
        if names.closed_everywhere(attribute_name):
            raise _refuse(attribute_name)
        if names.is_private(attribute_name) and type(target) not in PLAIN:
            load(target, attribute_name)

    return access


def _get(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if type(value) not in _DESCRIPTORS and type(value) is not super and not _is_users(value):
        raise _refuse(name)
    if type(value) is super and _self_class_of_super(value) is not None and _is_free(value):
        raise _refuse(name)
    found = getattr(value, name)
    if is_user_function(getattr(found, "__func__", found)):
        return found

    def get(instance: Any, owner: Any = None, /) -> Any:
        # Told no class, a class method takes that of the instance, which is `type` itself for a class.
        return found(instance, class_of(instance) if owner is None and instance is not None else owner)

    return get


def _fields(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    """A copy: subclasses are made of what the dictionary holds."""
    found = _users_only(value, name, load, check_write)
    return dict(found) if type(found) is dict else found


def _users_only(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if _is_users(value) or (type(value) is super and not _is_free(value)):
        return getattr(value, name)
    raise _refuse(name)


def _init_subclass(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if _is_users(value) or type(value) is super:  # always that of a class
        return getattr(value, name)
    raise _refuse(name)


def _unknown(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    """`__getattr__`: that of the library, as aliases have it, reads any name of what they stand for."""
    found = getattr(value, name)
    if is_user_function(getattr(found, "__func__", found)):
        return found
    if type(value) is super or is_class(value):
        raise _refuse(name)
    return lambda missing: load(value, exact(missing))


def _parameterised(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    """`__class_getitem__`: an alias can be called and compared, so it must stand for a class that can be had."""
    kind = value if is_class(value) else type(value)
    if kind in USER or kind in EXPORTED or kind is super:
        return getattr(value, name)
    raise _refuse(name)


def _method_part(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if type(value) in USER or (type(value) in _WRAPPING and is_user_function(value.__func__)):
        return getattr(value, name)
    raise _refuse(name)


def _function_part(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    function = value.__func__ if type(value) is types.MethodType else value
    if is_user_function(function) or is_user_class(value):
        return getattr(value, name)
    if type(value) in USER:
        found = getattr(value, name)
        return dict(found) if type(found) is dict else found  # it may be that of a library class
    raise _refuse(name)


def _wrapped(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    found = getattr(value, name)
    if is_user_function(found) or _is_users(found):
        return found
    raise _refuse(name)


def _origin(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    return shown(getattr(value, name))


def _generic_bases(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if not is_user_class(value):
        raise _refuse(name)
    found = getattr(value, name)
    return tuple(shown(each) for each in found) if type(found) is tuple else found


def _module(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    found = getattr(value, name)
    return "builtins" if type(found) is str and found.startswith("langserver.") else found


def _abstract(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    function = value.__func__ if type(value) is types.MethodType else value
    if _is_users(value) or is_user_function(function) or type(value) in (property, classmethod, staticmethod):
        return getattr(value, name)
    raise _refuse(name)


def _setter(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    """Besides what is the program's own, a property that it made: `super(C, C).x.__set__(self, value)`."""
    if type(value) is property and is_user_function(value.fset if name == "__set__" else value.fdel):
        return getattr(value, name)
    return _users_only(value, name, load, check_write)


def _call(value: Any, name: str, load: Load, check_write: CheckWrite) -> Any:
    if type(value) is super and not _is_free(value) and issubclass(super_parts(value)[1], type):
        if not is_user_class(super_parts(value)[0]):
            raise _refuse(name)
        return getattr(value, name)  # a metaclass's own __call__, as in a singleton
    if _is_free(value):
        raise _refuse(name)
    if is_class(value) and issubclass(value, type):
        return _metaclass_call(value)
    return getattr(value, name)


def _metaclass_call(meta: type) -> Any:
    def call(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not is_user_class(cls) or issubclass(cls, type):
            raise _refuse("__call__")
        found = meta.__dict__.get("__call__") if meta in USER else None
        return (found or type.__call__)(cls, *args, **kwargs)

    return call


HANDLERS: Final[dict[str, Handler]] = {
    "__class__": _class,
    "__dict__": _dict,
    "__mro__": _order,
    "__bases__": _order,
    "__base__": _order,
    "__subclasses__": _order,
    "__init__": _init,
    "__new__": _new,
    "__getattribute__": _accessor,
    "__setattr__": _accessor,
    "__delattr__": _accessor,
    "__get__": _get,
    "__self__": _method_part,
    "__func__": _method_part,
    "__defaults__": _function_part,
    "__kwdefaults__": _function_part,
    "__annotations__": _function_part,
    "__wrapped__": _wrapped,
    "__origin__": _origin,
    "__call__": _call,
    "__dataclass_fields__": _fields,
    "__orig_bases__": _generic_bases,
    "__module__": _module,
    "__isabstractmethod__": _abstract,
    "__set__": _setter,
    "__delete__": _setter,
    "__init_subclass__": _init_subclass,
    "__getattr__": _unknown,
    "__class_getitem__": _parameterised,
} | dict.fromkeys(
    "__set_name__ __match_args__ __slots__ __orig_class__ __abstractmethods__".split(),
    _users_only,
)
