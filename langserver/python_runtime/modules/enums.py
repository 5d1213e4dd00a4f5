"""What the library lets the makers of an enum decide, where it would then write to objects that are not the enum's."""

from __future__ import annotations

import dataclasses
import enum
import types
from typing import Any

from langserver.python_runtime.refusals import RefusedClass
from langserver.python_runtime.userclasses import namespace_of

_MAKER = "_new_member_"


def harden() -> None:
    """In the zygote, once."""
    proto: Any = enum._proto_member  # type: ignore[attr-defined]
    set_name: Any = proto.__set_name__

    def checked_set_name(self: Any, enum_class: Any, member_name: str) -> None:
        _check_maker(enum_class)
        set_name(self, enum_class, member_name)

    proto.__set_name__ = checked_set_name
    enum.EnumMeta.__members__ = property(_members)  # type: ignore[assignment]
    _give_fields_own_metadata()


def _check_maker(cls: Any) -> None:
    made = namespace_of(cls).get(_MAKER)
    if type(made) is staticmethod and type(made.__func__) is _Maker:
        return
    type.__setattr__(cls, _MAKER, staticmethod(_Maker(getattr(cls, _MAKER))))


class _Maker:
    """Makes the members of one enum. The library writes to what it gets, and calls its `__init__`."""

    __slots__ = ("_make",)

    def __init__(self, make: Any) -> None:
        self._make = make

    def __call__(self, cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        member = self._make(cls, *args, **kwargs)
        if type(member) is not cls:
            raise RefusedClass("the __new__ of an enum must return a member of that enum")
        return member


def _members(cls: Any) -> types.MappingProxyType[str, Any]:
    """Of a copy: `proxy == other` hands what is behind a proxy to the other operand."""
    return types.MappingProxyType(dict(cls._member_map_))


def _give_fields_own_metadata() -> None:
    """The same of `metadata`: all fields without have one dictionary together."""
    init: Any = dataclasses.Field.__init__
    shared: Any = dataclasses._EMPTY_METADATA  # type: ignore[attr-defined]

    def initialise(self: Any, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        if self.metadata is shared:
            self.metadata = types.MappingProxyType({})

    dataclasses.Field.__init__ = initialise  # type: ignore[method-assign]
