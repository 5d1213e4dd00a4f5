"""Names of library classes that a program may write in annotations and ask `isinstance` about, and no more."""

from __future__ import annotations

import configparser
import dataclasses
import enum
import types
import typing
from typing import Any, Final

from langserver.python_runtime.faces import stand_in
from langserver.python_runtime.userclasses import is_user_function

_OF_TYPES: Final = """
    AsyncGeneratorType BuiltinFunctionType BuiltinMethodType CapsuleType CellType ClassMethodDescriptorType CodeType
    CoroutineType FrameType FunctionType GeneratorType GetSetDescriptorType LambdaType MemberDescriptorType
    MethodDescriptorType MethodWrapperType ModuleType TracebackType WrapperDescriptorType
""".split()


def _method(function: Any, instance: Any, /) -> types.MethodType:
    """`types.MethodType`: a method forwards what is read of it to its function, so that must be the program's."""
    if not is_user_function(function):
        raise TypeError("types.MethodType takes a function of this program here")
    return types.MethodType(function, instance)


_FACES: Final = {
    cls: stand_in(cls) for cls in {getattr(types, name) for name in _OF_TYPES if hasattr(types, name)} | {enum.EnumType}
}
TYPES: Final[dict[str, Any]] = {
    **{name: _FACES[getattr(types, name)] for name in _OF_TYPES if hasattr(types, name)},
    "MethodType": stand_in(types.MethodType, _method),
}
CONFIGPARSER: Final[dict[str, Any]] = {"SectionProxy": stand_in(configparser.SectionProxy)}
DATACLASSES: Final[dict[str, Any]] = {"Field": stand_in(dataclasses.Field)}
ENUM: Final[dict[str, Any]] = {"EnumMeta": _FACES[enum.EnumType], "EnumType": _FACES[enum.EnumType]}
TYPING: Final[dict[str, Any]] = {
    "ForwardRef": stand_in(typing.ForwardRef),
    "ParamSpecArgs": stand_in(typing.ParamSpecArgs),
    "ParamSpecKwargs": stand_in(typing.ParamSpecKwargs),
}
