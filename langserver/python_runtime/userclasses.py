"""Which classes are the program's own. They are in a set filled here: no attribute, name or base makes one so."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from typing import Any, Final

from langserver.python_runtime.names import DEFINABLE, OPAQUE_NAMES, SOURCE_NAME, instead_of, is_dunder, is_private
from langserver.python_runtime.refusals import RefusedClass

# The program's classes, and those of them of which no foreign base owns a private name (the fast path asks this one).
USER: Final[set[type]] = set()
PLAIN: Final[set[type]] = set()
# Library classes that a facade or the builtins hand out.
EXPORTED: Final[set[type]] = set()
# Those of them that belong to the operator's packages: attributes of their instances are made to be set.
PACKAGED: Final[set[type]] = set()

# By id, since a metaclass may define how its classes compare. They are kept alive: the id of one that is gone would be
# given to a class of the program.
_BEFORE_TASK: dict[int, type] = {}
_OWNED: dict[type, frozenset[str]] = {object: frozenset()}
# Names that a library class puts on each class below it, and whose values its C code takes for its own.
_RELIED_ON: Final[dict[type, frozenset[str]]] = {}
_mro = type.__dict__["__mro__"].__get__
_namespace = type.__dict__["__dict__"].__get__

# A metaclass with one of these could lie to the interpreter or to the sets above.
METACLASS_CLOSED = ("__hash__", "__eq__", "__getattr__", "__getattribute__", "__prepare__", "mro", "__match_args__")


def mro_of(cls: type) -> tuple[type, ...]:
    """The method resolution order, whatever a metaclass says."""
    order: tuple[type, ...] = _mro(cls)
    return order


def namespace_of(cls: type) -> types.MappingProxyType[str, Any]:
    """The class's own dictionary, whatever a metaclass says."""
    namespace: types.MappingProxyType[str, Any] = _namespace(cls)
    return namespace


def is_class(value: object) -> bool:
    """Whether `value` is a class, told without asking it."""
    return issubclass(type(value), type)


def is_user_class(value: object) -> bool:
    """Whether `value` is one of the program's classes."""
    return is_class(value) and value in USER


def is_user_function(value: object) -> bool:
    """Whether `value` is a function that the program defined."""
    return type(value) is types.FunctionType and value.__code__.co_filename == SOURCE_NAME


def remember_library() -> None:
    """Called in the zygote, after all imports: no class that exists now can ever become the program's."""
    _BEFORE_TASK.update((id(each), each) for each in gc.get_objects() if isinstance(each, type))


def owned_names(cls: type) -> frozenset[str]:
    """Private names that a library class uses of itself: those it defines and those its methods mention."""
    known = _OWNED.get(cls)
    if known is None:
        names: set[str] = set()
        for name, value in namespace_of(cls).items():
            names.add(name)
            function = getattr(value, "__func__", value) if isinstance(value, (staticmethod, classmethod)) else value
            for part in (function, *((value.fget, value.fset) if isinstance(value, property) else ())):
                if isinstance(part, types.FunctionType):
                    names.update(part.__code__.co_names)
        known = _OWNED[cls] = frozenset(filter(is_private, names)) - OPAQUE_NAMES
    return known


def foreign_owner(cls: type, name: str) -> type | None:
    """The library base of a user class that owns the private `name`.

    That the program's class body has the name as well changes nothing: the library's methods set it on the instance.
    """
    return next((base for base in mro_of(cls) if base not in USER and name in owned_names(base)), None)


def rely_on(cls: type, *names: str) -> None:
    """In the zygote: the library relies on these attributes of the classes that derive from `cls`."""
    _RELIED_ON[cls] = frozenset(names)


def relies_on(cls: type, name: str) -> bool:
    """Whether the library relies on the attribute `name` of this class."""
    return any(name in _RELIED_ON.get(base, ()) for base in mro_of(cls))


def _check_relied_on(cls: type) -> None:
    for base, relied in _RELIED_ON.items():
        if base in mro_of(cls) and (type(cls) is not type or not relied.isdisjoint(namespace_of(cls))):
            raise RefusedClass(f"a class below {base.__name__} may define no {min(relied)}, nor have a metaclass")


def has_own_method(value: object, name: str) -> bool:
    """Whether `value.name` is a method or property that the program wrote, and nothing on the instance hides it."""
    kind = type(value)
    holder = next((base for base in mro_of(kind) if name in namespace_of(base)), None)
    part = namespace_of(holder)[name] if holder in USER else None
    if type(part) is property:
        return True
    if type(part) not in (types.FunctionType, staticmethod, classmethod):
        return False
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return True
    return type(held) is dict and not dict.__contains__(held, name)


def register(cls: type) -> None:
    """Makes `cls` one of the program's classes. Raises RefusedClass when it must not be one."""
    if id(cls) in _BEFORE_TASK or cls in EXPORTED:
        raise RefusedClass("a library class is not the program's")
    for meta in () if type(cls) is type else mro_of(type(cls)):
        if meta in USER and any(name in namespace_of(meta) for name in METACLASS_CLOSED):
            raise RefusedClass(f"a metaclass may not define any of {', '.join(METACLASS_CLOSED)}")
    if issubclass(cls, type):
        check_metaclass(cls)
    _check_relied_on(cls)
    USER.add(cls)
    try:
        check_group(cls)
    except RefusedClass:
        USER.discard(cls)
        raise
    # Never a metaclass: its instances are classes, which have names of their own bases.
    if issubclass(cls, type):
        return
    for base in mro_of(cls):
        if base not in USER and owned_names(base):
            return
    PLAIN.add(cls)


# `except*` calls `split` of a group and takes apart what it gets, whatever that is: a program of the interpreter's own.
_OF_GROUPS: Final = ("split", "subgroup", "__getattribute__")


def check_group(cls: type) -> None:
    """Raises RefusedClass if a class of the program gives an exception group its own way to be split."""
    order = mro_of(cls)
    if BaseExceptionGroup in order:
        for base in order:
            if base in USER and any(name in namespace_of(base) for name in _OF_GROUPS):
                raise RefusedClass(
                    "an exception group may not define split, subgroup or __getattribute__", "define derive() only"
                )


def check_attribute_of_groups(cls: type, name: str) -> None:
    """The same of an attribute that a class is given after it was made: it may be a base of a group."""
    if name in _OF_GROUPS and any(BaseExceptionGroup in mro_of(each) for each in _with_subclasses(cls)):
        raise RefusedClass(f"an exception group may not have its own {name}", "define derive() only")


def _with_subclasses(cls: type) -> Iterator[type]:
    yield cls
    subclasses: list[type] = type.__subclasses__(cls)
    for each in subclasses:
        yield from _with_subclasses(each)


def check_metaclass(cls: type) -> None:
    """Raises RefusedClass if this metaclass of the program defines what no metaclass may."""
    for name in METACLASS_CLOSED:
        if name in namespace_of(cls):
            raise RefusedClass(f"a metaclass may not define {name}")
    for base in mro_of(cls):
        if base not in USER and base is not cls:
            for name in namespace_of(base):
                if is_private(name) and name in namespace_of(cls):
                    raise RefusedClass(f"a metaclass may not define {name}: it belongs to {base.__name__}")
    if issubclass(cls, type) and any(base is not object and not issubclass(base, type) for base in mro_of(cls)):
        raise RefusedClass("a metaclass may derive from metaclasses only")


# Under this name the registrar stands in a class body. Spelled like a dunder so that Enum and the program's own
# metaclasses leave it alone; `$` keeps source from naming it.
REGISTRAR_ENTRY: Final = "__$reg__"


def check_made(cls: type) -> None:
    """Asks of a class that was just made what was asked of its body: a metaclass may have been given its dictionary.

    Raises RefusedClass.
    """
    for name in namespace_of(cls):
        if is_dunder(name) and name not in DEFINABLE | WRITTEN_BY_COMPILER | _WRITTEN_BY_TYPE:
            raise RefusedClass(f"a class may not define {name}", instead_of(name))


# The last is of named tuples: `typing.NamedTuple` tells the registrar of a class that stands, from 3.13 on.
_WRITTEN_BY_TYPE: Final = frozenset({"__dict__", "__weakref__", "__getnewargs__"})
WRITTEN_BY_COMPILER: Final = frozenset(
    "__module__ __qualname__ __annotations__ __classcell__ __orig_bases__ __firstlineno__ __static_attributes__ "
    "__type_params__ __classdictcell__ __annotate__ __annotate_func__ __conditional_annotations__".split()
) | {REGISTRAR_ENTRY}


class Registrar:
    """Stands first in every class body: `type.__new__` calls its `__set_name__` before any hook of the program."""

    __slots__ = ()

    def __set_name__(self, owner: type, name: str) -> None:
        type.__delattr__(owner, name)
        check_made(owner)
        register(owner)

    def __repr__(self) -> str:
        return "<registrar>"

    def __get__(self, instance: object, owner: type | None = None) -> Registrar:
        """Being a descriptor keeps Enum from taking it for a member."""
        return self
