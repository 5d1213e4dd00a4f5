"""Every way to an attribute whose name is data, times every name, times every object that has it.

Run as a program, once in plain CPython and once under the policy: `result` is what was reached, and what exists at all.
"""

import asyncio
import collections
import dataclasses
import functools
import operator
import string
import types
import typing
from enum import Enum

NAMES = """
    gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await ag_frame ag_code tb_frame tb_next tb_lasti f_globals
    __globals__ __code__ __closure__ __builtins__ __reduce_ex__ __reduce__ __objclass__ __subclasshook__ __dir__
    __mro__ __bases__ __base__ __subclasses__ __dict__ __self__ __func__ __origin__ mro obj get_loop get_coro get_stack
    get_context _loop _abc_impl _convert_ _gi_frame __init_subclass__ __getstate__ __text_signature__ __weakref__
    __annotations__ __defaults__ __kwdefaults__ __wrapped__ __new__ __init__ __class__
""".split()
# What these give on the program's own objects, or as a class of its own kind, is meant to be had.
MEANT = {
    ("function", "__dict__"), ("function", "__annotations__"), ("function", "__defaults__"),
    ("function", "__kwdefaults__"), ("class", "__mro__"), ("class", "__bases__"), ("class", "__base__"),
    ("class", "__subclasses__"), ("class", "__dict__"), ("class", "mro"), ("class", "__init_subclass__"),
    ("class", "__annotations__"), ("instance", "__dict__"), ("instance", "__init_subclass__"), ("method", "__self__"),
    ("method", "__func__"), ("method", "__defaults__"), ("method", "__kwdefaults__"), ("method", "__annotations__"),
    ("super", "__dict__"), ("super", "__init_subclass__"), ("exception", "__dict__"), ("attribute error", "__dict__"),
    ("alias", "__origin__"), ("typing alias", "__origin__"), ("enum", "__mro__"), ("enum", "__bases__"),
    ("enum", "__base__"), ("enum", "__subclasses__"), ("enum", "__dict__"), ("enum", "mro"),
    ("enum", "__init_subclass__"), ("enum", "__annotations__"),
    ("property", "__init_subclass__"), ("instance", "__annotations__"), ("super", "__annotations__"),
}  # fmt: skip
EVERYWHERE = {"__dir__", "__init__", "__new__", "__class__"}


def function(a=1, *, b=2):
    return a


def numbers():
    yield 1


async def later():
    return 1


async def stream():
    yield 1


class Plain:
    x = 1

    def method(self):
        return 1

    def above(self):
        return super()


class Child(Plain):
    def above(self):
        return super()


class Choice(Enum):
    A = 1


def caught(act):
    try:
        act()
    except Exception as error:
        return error


class Text(str):
    pass


MISSING = object()


def by_default(o, n):
    found = getattr(o, n, MISSING)
    if found is MISSING:
        raise AttributeError(n)
    return found


def by_hasattr(o, n):
    if not hasattr(o, n):
        raise AttributeError(n)
    return True


def by_map(o, n):
    return list(map(str.format, ["{0." + n + "}"], [o]))[0]


def by_super_format(o, n):
    t = Text("{0." + n + "}")
    return super(Text, t).format(o)


def by_own_getattribute(o, n):
    return o.__getattribute__(n)


def by_type_getattribute(o, n):
    return type.__getattribute__(o, n)


def by_class_dictionary(o, n):
    for base in type(o).__mro__:
        if n in base.__dict__:
            return base.__dict__[n].__get__(o, type(o))
    raise AttributeError(n)


def by_own_dictionary(o, n):
    return vars(o)[n]


def by_dataclass(o, n):
    made = dataclasses.make_dataclass("D", [(n, object)])
    return made.__repr__(o)


def by_dataclass_pattern(o, n):
    class Anything(type):
        def __instancecheck__(cls, value):
            return True

    class K(metaclass=Anything):
        pass

    K.__match_args__ = (n,)
    match o:
        case K(found):
            return found
    raise AttributeError(n)


def by_namedtuple_pattern(o, n):
    class Anything(type):
        def __instancecheck__(cls, value):
            return True

    class K(metaclass=Anything):
        for __match_args__ in [collections.namedtuple("N", [n])._fields]:
            pass

    match o:
        case K(found):
            return found
    raise AttributeError(n)


def by_wraps(o, n):
    def taker():
        pass

    own = getattr(taker, n, MISSING)
    functools.update_wrapper(taker, o, assigned=(n,), updated=())
    if getattr(taker, n) == own:
        raise AttributeError(n)
    return getattr(taker, n)


def by_total(o, n):
    return functools.partial(getattr, o)(n)


def by_reduce(o, n):
    return functools.reduce(getattr, [n], o)


def by_error(o, n):
    return ("{0.obj." + n + "}").format(AttributeError(name=n, obj=o))


class ByFormatter(string.Formatter):
    def get_value(self, key, args, kwargs):
        return args[0]


SINKS = {
    "getattr": getattr,
    "getattr with a default": by_default,
    "hasattr": by_hasattr,
    "attrgetter": lambda o, n: operator.attrgetter(n)(o),
    "attrgetter with a path": lambda o, n: operator.attrgetter("x." + n)(types.SimpleNamespace(x=o)),
    "methodcaller": lambda o, n: operator.methodcaller(n)(o),
    "str.format": lambda o, n: ("{0." + n + "}").format(o),
    "str.format by keyword": lambda o, n: ("{x." + n + "}").format(x=o),
    "str.format of an item": lambda o, n: ("{0[0]." + n + "}").format([o]),
    "str.format in a spec": lambda o, n: ("{1:{0." + n + "}}").format(o, "x"),
    "str.format unbound": lambda o, n: str.format("{." + n + "}", o),
    "format_map": lambda o, n: ("{x." + n + "}").format_map({"x": o}),
    "format by map": by_map,
    "format by super": by_super_format,
    "format of UserString": lambda o, n: collections.UserString("{0." + n + "}").format(o),
    "format by an alias": lambda o, n: types.GenericAlias("{0." + n + "}", int).format(o),
    "format by getattr": lambda o, n: getattr("{0." + n + "}", "format")(o),
    "format by object.__getattribute__": lambda o, n: object.__getattribute__("{0." + n + "}", "format")(o),
    "format by attrgetter": lambda o, n: operator.attrgetter("format")("{0." + n + "}")(o),
    "format by methodcaller": lambda o, n: operator.methodcaller("format", o)("{0." + n + "}"),
    "format by partial": lambda o, n: functools.partial(str.format, "{0." + n + "}")(o),
    "string.Formatter": lambda o, n: string.Formatter().format("{0." + n + "}", o),
    "string.Formatter.vformat": lambda o, n: string.Formatter().vformat("{0." + n + "}", (o,), {}),
    "string.Formatter.get_field": lambda o, n: string.Formatter().get_field("0." + n, (o,), {})[0],
    "string.Formatter of one's own": lambda o, n: ByFormatter().format("{q." + n + "}", o),
    "object.__getattribute__": lambda o, n: object.__getattribute__(o, n),
    "type.__getattribute__": by_type_getattribute,
    "its own __getattribute__": by_own_getattribute,
    "a dictionary of its class": by_class_dictionary,
    "its own dictionary": by_own_dictionary,
    "a dataclass's method": by_dataclass,
    "a pattern with __match_args__ set": by_dataclass_pattern,
    "a pattern with a named tuple's fields": by_namedtuple_pattern,
    "functools.update_wrapper": by_wraps,
    "functools.partial": by_total,
    "functools.reduce": by_reduce,
    "the object of an AttributeError": by_error,
    "an alias's own attribute": lambda o, n: getattr(types.GenericAlias(o, int), n),
    "a typing alias": lambda o, n: getattr(typing.Annotated[o, 1], n),
}


def look(objects):
    exist, reached = [], {}
    for kind, thing in objects.items():
        for name in NAMES:
            try:
                getattr(thing, name)
            except Exception:
                pass
            else:
                exist.append((kind, name))
            if (kind, name) in MEANT or name in EVERYWHERE:
                continue
            for sink, reach in SINKS.items():
                try:
                    reach(thing, name)
                except Exception:
                    continue
                reached.setdefault(sink, []).append((kind, name))
    return exist, reached


async def run():
    task = asyncio.create_task(asyncio.sleep(0))
    begun = numbers()
    next(begun)
    error = caught(lambda: 1 / 0)
    return look(
        {
            "function": function,
            "generator": begun,
            "coroutine": later(),
            "async generator": stream(),
            "exception": error,
            "attribute error": caught(lambda: begun.nothing),
            "traceback": error.__traceback__,
            "class": Plain,
            "enum": Choice,
            "instance": Plain(),
            "library class": collections.Counter,
            "builtin class": int,
            "alias": list[int],
            "typing alias": typing.List[int],  # noqa: UP006
            "method": Plain().method,
            "super": Child().above(),
            "builtin": len,
            "method of a builtin": "".join,
            "slot wrapper": int.__add__,
            "property": property(function),
            "task": task,
            "library function": asyncio.gather,
        }
    )


result = asyncio.run(run())
