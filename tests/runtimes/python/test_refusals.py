"""What the policy refuses: every way in, the rule that stopped it, and what the author of a task is told."""

from __future__ import annotations

import sys

import pytest

from langserver.core.outcome import ErrorKind
from langserver.python_runtime import catalog

# Each of these runs in plain CPython and reaches something outside the program.
ESCAPES = {
    "function globals": "def main(): return str(main.__globals__)",
    "builtins name": "def main(): return str(__builtins__)",
    "getattr with a built name": "def main(): return str(getattr(main, '__glo' + 'bals__'))",
    "getattr with a lying string": """
class S(str):
    def startswith(self, x): return False
    def __eq__(self, other): return False
    __hash__ = str.__hash__
def main(): return str(getattr(main, S("__globals__")))""",
    "format field": "def main(): return '{0.__globals__}'.format(main)",
    "format spec": "def main(): return '{0:{1.__globals__}}'.format(1, main)",
    "format_map": "def main(): return '{f.__globals__}'.format_map({'f': main})",
    "unbound format": "def main(): return list(map(str.format, ['{0.__globals__}'], [main]))",
    "format of a subclass by super": """
class S(str):
    def go(self): return super().format(main)
def main(): return S('{0.__globals__}').go()""",
    "format by an alias": "def main(): return type(list[int])('{0.__globals__}', int).format(main)",
    "format by a slot wrapper": "def main(): return object.__getattribute__('{0.__globals__}', 'format')(main)",
    "string.Formatter": "import string\ndef main(): return string.Formatter().format('{0.__globals__}', main)",
    "UserString": "import collections\ndef main(): return str(collections.UserString('{0.__globals__}').format(main))",
    "attrgetter": "import operator\ndef main(): return str(operator.attrgetter('__globals__')(main))",
    "methodcaller": "import operator\ndef main(): return operator.methodcaller('__subclasses__')(object)",
    "generator frame": "def main():\n    g = (x for x in [1])\n    return str(getattr(g, 'gi_' + 'frame'))",
    "traceback frame": """
def main():
    try:
        1 / 0
    except ZeroDivisionError as e:
        return str(e.__traceback__.tb_frame)""",
    "pattern keyword": "def main():\n    match (x for x in [1]):\n        case object(gi_frame=f): return str(f)",
    "pattern by match_args": """
class A: pass
setattr(A, '__match_args__', ('__globals__',))
def main(): return 1""",
    "pattern by a field called format": """
from typing import NamedTuple
class A(NamedTuple):
    format: str
def main():
    match A('x'):
        case A(f): return str(f)""",
    "subclasses": "def main(): return len(object.__subclasses__())",
    "bases": "def main(): return str(().__class__.__base__)",
    "three-argument type": "def main(): return str(type('X', (), {'__del__': print}))",
    "real type from typing": "import typing\ndef main(): return str(typing.get_origin(typing.Type[int])('X', (), {}))",
    "metaclass that lies": """
class M(type):
    def __eq__(self, o): return True
    def __hash__(self): return 1
result = 1""",
    "metaclass made to lie": "class M(type): pass\nM.__eq__ = lambda self, o: True\nresult = 1",
    "function as metaclass": "def m(*a, **k): return 1\nclass X(metaclass=m): pass\nresult = 1",
    "object as base": """
class A:
    def __getattr__(self, name): return lambda bases: (dict,)
class B(A()): pass
result = 1""",
    "builtin's self": "def main(): return str(len.__self__)",
    "library function's code": "import json\ndef main(): return str(json.dumps.__code__)",
    "changing a module": "import json\njson.dumps = len\nresult = 1",
    "changing a library class": "import collections\ncollections.Counter.x = 1\nresult = 1",
    "re-initialising a descriptor": "import uuid\nuuid.UUID.hex.__init__(lambda s: 5)\nresult = 1",
    "private of a library base": """
import asyncio
class Q(asyncio.Queue):
    def go(self): return str(self._get_loop())
async def main(): return Q().go()""",
    "private of a library base as a field": """
import asyncio
from dataclasses import dataclass, replace
@dataclass
class Q(asyncio.Queue):
    _loop: object = None
result = 1""",
    "a task's loop": "import asyncio\nasync def main(): return str(asyncio.current_task().get_loop())",
    "foreign module": "import json\ndef main(): return str(json.codecs)",
    "foreign module by from": "from json import codecs\nresult = 1",
    "processes": "import asyncio\ndef main(): return str(asyncio.create_subprocess_exec)",
    "dataclass field text": """
import dataclasses, typing
T = typing.TypedDict('T', {'a=int(1)):#': dataclasses.InitVar[int]})
dataclasses.dataclass(T)
result = 1""",
    "make_dataclass namespace": "import dataclasses\ndataclasses.make_dataclass('X', [], namespace={'__del__': 1})",
    "wraps onto the library": "import functools, copy\nfunctools.update_wrapper(copy.copy, len)\nresult = 1",
    "reserved name": "import math as _getattr_\nresult = 1",
    "rebinding super": "def super(*a): return 1\nresult = 1",
    "super of a library class": "import collections as c\ndef main(): return str(super(c.Counter, c.Counter()))",
    "__import__": "result = str(__import__('os'))",
    "split of a group": "class G(ExceptionGroup):\n    def split(self, c): return None, None\nresult = 1",
}


@pytest.mark.parametrize("name", ESCAPES)
def test_way_out_is_refused(run, name):
    ran = run(ESCAPES[name])
    assert ran.kind is ErrorKind.POLICY_VIOLATION, ran.failure
    assert ran.failure.line > 0
    assert [event.layer for event in ran.events] == ["policy"]


@pytest.mark.parametrize("name", "open eval exec compile input breakpoint globals locals".split())
def test_missing_builtin_says_what_to_do(run, name):
    failure = run(f"x = 1\n{name}()").failure
    assert (failure.kind, failure.line) == (ErrorKind.POLICY_VIOLATION, 2)
    assert failure.hint


def test_refused_import_names_the_alternatives(run):
    failure = run("import os").failure
    assert failure.kind is ErrorKind.POLICY_VIOLATION
    instead = "there are no files, processes or environment variables; pass what you need in as input"
    assert failure.message == "the module 'os' is not available"
    assert failure.hint == f"{instead}; {catalog.listing()}"


def test_listing_is_short_and_true(run):
    named = catalog.listing().removeprefix("available: ").partition(" and ")
    likely = named[0].split(", ")
    assert set(likely) < set(catalog.MODULES)
    assert named[2].startswith(f"{len(catalog.MODULES) - len(likely)} more, which docs/python.md")
    assert len(catalog.listing()) < 180


# Each is no module or name of the library: a mistake, not a matter of the policy.
UNKNOWN = [
    ("import nothing_like_it", "No module named 'nothing_like_it'", "available: json, re"),
    ("import tarfil", "No module named 'tarfil'", "'tarfile' is not available either: such archives are not read here"),
    ("import math.more", "No module named 'math.more'", ""),
    ("import json.nothing_at_all.more", "No module named 'json.nothing_at_all.more'", "available: json, re"),
    ("from datetim import datetime", "No module named 'datetim'", "did you mean 'datetime'?"),
    ("from math import sqroot", "cannot import name 'sqroot' from 'math'", "did you mean 'sqrt'?"),
    ("from math import zzz", "cannot import name 'zzz' from 'math'", "math has acos, "),
    ("from math import sqr", "cannot import name 'sqr' from 'math'", "did you mean 'sqrt'?"),
    ("from http import nothing", "cannot import name 'nothing' from 'http'", "http has HTTP"),
]
# What is there elsewhere, and hidden or left out here.
LEFT_OUT = [
    *("import os.path", "import threading", "import json.tool", "import _io", "import math._x", "import langserver"),
    *("from math import __loader__", "from json import codecs", "from json import tool", "from http import client"),
    *("from . import a", "import numpy.random", "import importlib.nothing", "import http.server.more"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "message", "hint"), UNKNOWN)
def test_import_of_what_is_nowhere_is_a_mistake(run, source, message, hint):
    for mode in ("run", "validate"):
        ran = run(source, mode=mode)
        (failure,) = ran.report.failures
        assert (failure.kind, failure.message) == (ErrorKind.USER_ERROR, message)
        assert failure.type == ("ImportError" if "cannot" in message else "ModuleNotFoundError")
        assert failure.hint.startswith(hint)
        assert ran.events == []


@pytest.mark.parametrize("source", LEFT_OUT)
def test_import_of_what_is_left_out_is_refused(run, source):
    ran = run(source)
    assert ran.kind is ErrorKind.POLICY_VIOLATION
    assert [event.layer for event in ran.events] == ["policy"]
    assert run(source, mode="validate").kind is ErrorKind.POLICY_VIOLATION


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("import sys\nprint(sys.argv[1])", "the task's input is the variable `inputs`"),
        ("import sys\nfor line in sys.stdin: pass", "the task's input is the variable `inputs`"),
        ("import sys\nsys.path.append('x')", "there are no files"),
        ("from sys import argv", "the task's input is the variable `inputs`"),
        ("from os import environ", "environment variables; pass what you need in as input"),
        ("import tarfile", "zipfile, gzip and bz2"),
        ("import xml.dom.minidom", "use xml.etree.ElementTree"),
        ("import sqlite3", "use dicts and lists, collections"),
        ("import http.cookies", "split the header by ';'"),
        ("from http import cookies", "split the header by ';'"),
        ("import pandas as pd", "the operator of the server can add it with LANG_PYTHON_MODULES"),
    ],
)
def test_refusal_says_what_to_write_instead(run, source, hint):
    failure = run(source).failure
    assert failure.kind is ErrorKind.POLICY_VIOLATION
    assert hint in failure.hint


# Fun, other systems' and the interpreter's own test machinery: for these the list of modules must do.
NOTHING_INSTEAD = {"antigravity", "this", "nis", "test"}
# What programs on PyPI import most, and the names that are not those of the package.
PACKAGES = """
    requests urllib3 boto3 botocore numpy pandas yaml dateutil six certifi idna charset_normalizer typing_extensions
    packaging setuptools pip wheel attrs attr click pydantic jinja2 markupsafe pytz cryptography cffi scipy
    PIL matplotlib
    sklearn lxml bs4 sqlalchemy psycopg2 redis pymongo aiohttp httpx flask django fastapi openai tiktoken torch
    transformers
    tqdm rich simplejson orjson jsonschema openpyxl tabulate dotenv regex jwt stripe google
""".split()


def test_every_module_has_something_instead():
    for name in sorted(sys.stdlib_module_names | set(PACKAGES)):
        if name in catalog.MODULES or name.startswith("_") or name in NOTHING_INSTEAD:
            continue
        message, hint = catalog.without(name)
        assert message == f"the module {name!r} is not available", name
        assert "; available: " in hint, name


def test_a_module_of_a_package_is_told_of_as_the_package(run):
    assert catalog.without("os.path")[1] == catalog.without("os")[1]
    assert "network" in catalog.without("http.client")[1]
    assert "network" in catalog.without("urllib.request")[1]
    assert "email.utils" in catalog.without("email.message")[1]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("datetme", "datetime"), ("maths", "math"), ("jsn", "json"), ("collections.abs", "collections.abc")],
)
def test_misspelt_import_is_recognised(run, written, meant):
    failure = run(f"import {written}").failure
    assert failure.hint == f"did you mean {meant!r}?"
    assert failure.message == f"No module named {written!r}"


def test_refusals_can_be_caught_as_what_they_are_elsewhere(run):
    source = """
out = []
try:
    import requests
except ImportError as error:
    out.append("import")
try:
    main.__globals__ if False else getattr(out.append, "__self__")
except AttributeError:
    out.append("attribute")
out.append(hasattr(print, "__code__"))
out.append(getattr(print, "__code__", "default"))
result = out
"""
    assert run(source.replace("main.__globals__ if False else ", "")).value == ["import", "attribute", False, "default"]


def test_typo_in_a_module_is_the_users_error(run):
    failure = run("import math\nmath.squareroot(4)").failure
    assert (failure.kind, failure.line) == (ErrorKind.USER_ERROR, 2)
    assert failure.message == "module 'math' has no attribute 'squareroot'"


def test_validate_reports_every_problem_and_the_imports(run):
    source = "import json, requests.api\nimport threading\nx = f.__code__\ny = (1).__reduce__\nraise SystemExit"
    report = run(source, mode="validate").report
    assert [(each.line, each.column) for each in report.failures] == [(1, 1), (2, 1), (3, 5), (4, 5)]
    assert report.imports == ("json", "requests.api", "threading")
    assert not run("import json\nx = 1", mode="validate").report.failures


SURVIVED = """
def tried(act):
    try:
        act()
    except (AttributeError, ImportError, RuntimeError, TypeError):
        pass
def load():
    import requests
for _ in range(3):
    tried(load)
    tried(lambda: open("x"))
    tried(lambda: getattr(len, "__self__"))
    tried(lambda: type("X", (), {}))
    hasattr(print, "__code__")
result = 1
"""


def test_survived_refusals_are_told_once_each(run):
    ran = run(SURVIVED)
    assert ran.value == 1
    assert {(event.layer, event.action) for event in ran.events} == {("policy", "refused")}
    words = ["'requests'", "open()", "'__self__'", "calling type()", "'__code__'"]
    assert [word in event.detail for word, event in zip(words, ran.events, strict=True)] == [True] * 5


def test_refusal_that_ends_the_task_is_told_once(run):
    caught = "try:\n    import os\nexcept ImportError as error:\n    error.args = ('forged',)\n    raise\n"
    assert [event.detail[:17] for event in run(caught).events] == ["the module 'os' i"]
    assert len(run("x = (1).__reduce__").events) == 1  # refused before it runs


def test_refusals_without_end_are_told_up_to_a_number(run):
    ran = run("for n in range(500): hasattr(len, f'__x{n}__')\nhasattr(len, '__' + 'y' * 10**6 + '__')\nresult = 1")
    assert ran.value == 1
    assert len(ran.events) == 30


def test_refusal_that_ends_the_task_is_told_after_any_number(run):
    ran = run("for n in range(500): hasattr(len, f'__x{n}__')\nimport requests")
    assert ran.kind is ErrorKind.POLICY_VIOLATION
    assert len(ran.events) == 31
    assert "'requests'" in ran.events[-1].detail


def test_refusal_at_the_end_of_the_stack_is_told_later(run):
    source = """
def deep():
    try:
        deep()
    except RecursionError:
        pass
    try:
        getattr(print, "__globals__")
    except (RecursionError, AttributeError):
        pass
deep()
getattr(print, "__globals__")
"""
    ran = run(source)
    assert ran.kind is ErrorKind.POLICY_VIOLATION
    assert any("'__globals__'" in event.detail for event in ran.events)


@pytest.mark.parametrize(
    "act", ["type(error)('forged')", "error.__init__('forged')", "Exception.__init__(error, 'forged')"]
)
def test_program_cannot_tell_refusals_itself(run, act):
    source = f"try:\n    import os\nexcept ImportError as e:\n    error = e\ntry:\n    {act}\nexcept Exception: pass\n"
    assert not [event for event in run(source).events if "forged" in event.detail]


def test_missing_module_is_caught_by_either_name(run):
    for name in ("ImportError", "ModuleNotFoundError"):
        source = f"try:\n    import requests\nexcept {name} as error:\n    result = error.name"
        assert run(source).value == "requests"
    for name, kind in {"nothing": ErrorKind.USER_ERROR, "codecs": ErrorKind.POLICY_VIOLATION}.items():
        assert run(f"try:\n    from json import {name}\nexcept ModuleNotFoundError: pass").kind is kind


AHEAD = """
import json, yaml
from requests.auth import get
from json import loads, codecs
def main(inputs):
    import numpy as np
    x = eval("1")
    return [open(p) for p in inputs]
"""


def test_validate_foretells_what_will_be_refused(run):
    report = run(AHEAD, mode="validate").report
    places = [(each.kind, each.line, each.column) for each in report.failures]
    expected = [(2, 1), (3, 1), (4, 1), (6, 5), (7, 9), (8, 13)]
    assert places == [(ErrorKind.POLICY_VIOLATION, line, column) for line, column in expected]
    assert report.imports == ("json", "yaml", "requests.auth", "numpy")


@pytest.mark.parametrize("statement", ["import yaml", "from json import nothing", "from . import x", "open('x')"])
def test_validate_says_what_execution_says(run, statement):
    ahead, ran = run(statement, mode="validate").report.failures[0], run(statement).failure
    assert (ahead.message, ahead.hint, ahead.line) == (ran.message, ran.hint, ran.line)


FINE = [
    *(f"try:\n    import yaml\nexcept {caught} as e: pass" for caught in ("ImportError", "(KeyError, Exception)")),
    "try:\n    import yaml\nexcept ModuleNotFoundError:\n    yaml = None",
    "try:\n    import yaml\nexcept:\n    pass",
    "try:\n    open('x')\nexcept Exception:\n    pass",
    "from contextlib import suppress\nwith suppress(ImportError):\n    import yaml",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import yaml",
    "from io import StringIO as open\nopen('x')",
    "def compile(x): return x\nresult = compile(1)",
    "def f(input): return input(1)\nresult = f(int)",
    "class A:\n    def open(self): return 1\nresult = A().open()",
]


@pytest.mark.parametrize("source", FINE)
def test_validate_accepts_what_runs(run, source):
    assert not run(source, mode="validate").report.failures
    assert not run(source).report.failures


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import yaml\nexcept KeyError: pass",
        "try:\n    pass\nexcept ImportError:\n    import yaml",
        "try:\n    pass\nexcept ImportError: pass\nelse:\n    import yaml",
        "if 1:\n    import yaml",
    ],
)
def test_validate_knows_which_imports_nobody_catches(run, source):
    assert run(source, mode="validate").report.failures


def test_execution_refuses_no_import_before_it_runs(run):
    source = "print('ran')\nif inputs:\n    import yaml\n    open('x')\nresult = 1"
    ran = run(source)
    assert (ran.value, ran.logs, ran.events) == (1, [("stdout", "ran")], [])


EVERYTHING = '''
import threading, os
from math import sqr
x = f"{o.__code__} {p.gi_frame!r}" + q.__globals__ + """
""" + o.__closure__
@a.__code__
def f(y=b.__code__): pass
class A:
    def __foo__(self): pass
    __slots__ = ("z",)
break
open("x")
'''


def test_validate_says_all_at_once_in_order(run):
    report = run(EVERYTHING, mode="validate").report
    found = [(failure.line, failure.column, failure.message.split(":")[0]) for failure in report.failures]
    assert found == [
        (2, 1, "the module 'os' is not available"),
        (2, 1, "the module 'threading' is not available"),
        (3, 1, "cannot import name 'sqr' from 'math'"),
        (4, 8, "the attribute __code__ is not available"),
        (4, 21, "the attribute gi_frame is not available"),
        (4, 38, "the attribute __globals__ is not available"),
        (5, 7, "the attribute __closure__ is not available"),
        (6, 2, "the attribute __code__ is not available"),
        (7, 9, "the attribute __code__ is not available"),
        (9, 5, "__foo__ cannot be defined in a class here"),
        (11, 1, "'break' outside loop"),
        (12, 1, "open() is not available"),
    ]
    assert all(failure.hint for failure in report.failures if failure.kind is ErrorKind.POLICY_VIOLATION)
    assert report.imports == ("threading", "os", "math")


def test_validate_of_a_large_source_ends(run):
    report = run("o.__code__\n" * 20_000, mode="validate", seconds=60).report
    assert len(report.failures) == 100
    report = run("x = [" + "o.__code__, " * 20_000 + "]", mode="validate", seconds=60).report
    assert [failure.column for failure in report.failures[:2]] == [6, 18]
    assert run("x = 1\n" * 20_000, mode="validate", seconds=60).report.failures == ()


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("x = __file__", "there is no file"),
        ("class A:\n    def __subclasshook__(cls, c): pass", "register()"),
        ("class A:\n    def __getstate__(self): pass", "__copy__"),
        ("class A:\n    def __mine__(self): pass", "choose another"),
        ("x = f.__closure__", "nonlocal"),
        ("match x:\n    case A(gi_frame=y): pass", "case Thing() as x"),
        ("eval('1')", "ast.literal_eval"),
        ("type('X', (), {})", "write a class statement"),
    ],
)
def test_a_refusal_says_what_to_do(run, source, hint):
    failure = run(source).failure
    assert failure.kind is ErrorKind.POLICY_VIOLATION
    assert hint in failure.hint + failure.message
