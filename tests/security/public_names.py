"""Public names of the standard library that lead out of a program, as programs; and what a program uses instead."""

from __future__ import annotations

SECRET = "a line of the host"

# name: (program, what its result matches when it is out). `path` is a file of the host that holds SECRET.
OUT = {
    # frames, loops and what else hangs on a running task
    "frame of a task": (
        """
import asyncio
async def main(path): return repr(asyncio.current_task().get_stack()[0])
""",
        "<frame at",
    ),
    "frames printed by a task": (
        """
import asyncio, io
async def main(path):
    out = io.StringIO()
    asyncio.current_task().print_stack(file=out)
    return out.getvalue()
""",
        "Stack for",
    ),
    "loop of a task": (
        """
import asyncio
async def main(path): return repr(asyncio.current_task().get_loop())
""",
        "EventLoop",
    ),
    "loop of a future": (
        """
import asyncio
async def main(path): return repr(asyncio.get_running_loop().create_future().get_loop())
""",
        "EventLoop",
    ),
    "coroutine of a task": (
        """
import asyncio
async def main(path): return repr(asyncio.current_task().get_coro())
""",
        "<coroutine object",
    ),
    "threads of the loop": (
        """
import asyncio
async def main(path):
    return await asyncio.get_running_loop().run_in_executor(None, lambda: open(path).read())
""",
        SECRET,
    ),
    "processes of the loop": (
        """
import asyncio
async def main(path): return repr(asyncio.get_running_loop().subprocess_exec)
""",
        "bound method",
    ),
    "processes of asyncio": (
        """
import asyncio
async def main(path):
    p = await asyncio.create_subprocess_exec('/bin/cat', path, stdout=-1)
    return (await p.communicate())[0].decode()
""",
        SECRET,
    ),
    "files of the loop": (
        """
import asyncio
async def main(path): return repr(asyncio.get_running_loop().add_reader)
""",
        "bound method",
    ),
    "handle of a callback": (
        """
import asyncio
async def main(path): return repr(asyncio.get_running_loop().call_soon(len, ''))
""",
        "<Handle",
    ),
    "generator of a context manager": (
        """
import contextlib
@contextlib.contextmanager
def f(): yield 1
def main(path): return repr(getattr(f().gen, 'gi_' + 'frame'))
""",
        "<frame at",
    ),
    # what reads lines of any file
    "FrameSummary": (
        """
import traceback
def main(path): return traceback.FrameSummary(path, 1, 'x').line
""",
        SECRET,
    ),
    "format_list": (
        """
import traceback
def main(path): return traceback.format_list([traceback.FrameSummary(path, 1, 'x')])[0]
""",
        SECRET,
    ),
    "StackSummary": (
        """
import traceback
def main(path): return traceback.StackSummary.from_list([(path, 1, 'x', None)]).format()[0]
""",
        SECRET,
    ),
    "formatwarning": (
        """
import warnings
def main(path): return warnings.formatwarning('m', UserWarning, path, 1)
""",
        SECRET,
    ),
    "showwarning": (
        """
import io, warnings
def main(path):
    out = io.StringIO()
    warnings.showwarning('m', UserWarning, path, 1, out)
    return out.getvalue()
""",
        SECRET,
    ),
    "a traceback under another name": (
        """
import traceback
def main(path):
    try:
        exec(compile('1 / 0', path, 'exec'))
    except ZeroDivisionError:
        return traceback.format_exc()
""",
        SECRET,
    ),
    "locals of every frame": (
        """
import traceback
def main(path):
    hidden = 'in a frame'
    try:
        1 / 0
    except ZeroDivisionError as error:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
        return str(told.stack[0].locals)
""",
        "in a frame",
    ),
    "walk_tb": (
        """
import traceback
def main(path):
    try:
        1 / 0
    except ZeroDivisionError as error:
        return repr(list(traceback.walk_tb(error.__traceback__))[0][0])
""",
        "<frame at",
    ),
    # what formats or evaluates text
    "a logging style with fields": (
        """
import logging
def main(path):
    record = logging.LogRecord('a', 20, 'p', 1, 'm', (), None)
    vars(record)['f'] = main
    return logging.Formatter('{f.__globals__}', style='{').format(record)
""",
        "'main': <function",
    ),
    "string.Formatter's fields": (
        """
import string
def main(path): return str(string.Formatter().get_field('0.__globals__', (main,), {}))
""",
        "'main': <function",
    ),
    "a UserString's fields": (
        """
import collections
def main(path): return collections.UserString('{0.__globals__}').format(main)
""",
        "'main': <function",
    ),
    "get_type_hints": (
        """
import typing
class A:
    x: 'done.append(1) or int'
done = []
def main(path):
    typing.get_type_hints(A, globals(), {'done': done})
    return 'evaluated' if done else ''
""",
        "evaluated",
    ),
    "ForwardRef": (
        """
import typing
done = []
def main(path):
    typing.ForwardRef('done.append(1) or int')._evaluate({'done': done}, {}, recursive_guard=frozenset())
    return 'evaluated' if done else ''
""",
        "evaluated",
    ),
    "singledispatch of text": (
        """
import functools
done = []
@functools.singledispatch
def f(x): pass
def g(x: 'done.append(1) or int'): pass
def main(path):
    try:
        f.register(g)
    except TypeError:
        pass
    return 'evaluated' if done else ''
""",
        "evaluated",
    ),
    "a field's name in a dataclass": (
        """
import dataclasses, typing
done = []
def main(path):
    T = typing.TypedDict('T', {'a=done.append(1)):#': dataclasses.InitVar[int]})
    try:
        dataclasses.dataclass(T)
    except TypeError:
        pass
    return 'evaluated' if done else ''
""",
        "evaluated",
    ),
    "namespace of a dataclass": (
        """
import dataclasses
def main(path):
    A = dataclasses.make_dataclass('A', [], namespace={'__getattr__': lambda s, n: 'hook ran'})
    return A().anything
""",
        "hook ran",
    ),
    # what reads or writes attributes by name
    "update_wrapper": (
        """
import functools, json
class Box: pass
def main(path):
    return str(vars(functools.update_wrapper(Box(), json.dumps, assigned=('__globals__',))))
""",
        "JSONEncoder",
    ),
    "wraps onto the library": (
        """
import functools, json
def main(path):
    functools.wraps(main)(json.dumps)
    return json.dumps.__name__
""",
        "^main$",
    ),
    "attrgetter": (
        """
import operator
def main(path): return str(operator.attrgetter('__globals__')(main))
""",
        "'main': <function",
    ),
    "methodcaller": (
        """
import operator
def main(path): return str(operator.methodcaller('__subclasses__')(object))
""",
        "<class 'type'>",
    ),
    "cached_property as a reader": (
        """
import functools, json
def main(path):
    p = functools.cached_property(lambda s: None)
    p.__set_name__(None, '_default_encoder')
    return repr(p.__get__(json))
""",
        "JSONEncoder object",
    ),
    "partialmethod": (
        """
import functools
def main(path):
    made = functools.partialmethod(len).__get__(None, int)
    return repr(getattr(made, "_partial" + "method", None) or getattr(made, "__partial" + "method__"))
""",
        "partialmethod\\(",
    ),
    "members of an enum into a module": (
        """
import enum, json
class E(enum.Enum):
    OURS = 1
def main(path):
    E.__module__ = 'json'
    enum.global_enum(E)
    return repr(json.OURS)
""",
        "OURS",
    ),
    "an enum from a module": (
        """
import enum
def main(path):
    E = getattr(enum.IntEnum, '_con' + 'vert_')('E', 'socket', lambda n: n.startswith('AF_'))
    return str(list(E))
""",
        "AF_INET",
    ),
    "copy by reduction": (
        """
import copy
class A: pass
def main(path):
    setattr(A, '__reduce' + '__', lambda self: (open, (path,)))
    return copy.copy(A()).read()
""",
        SECRET,
    ),
    "table of copy": (
        """
import copy
def main(path): return repr(copy.dispatch_table)
""",
        "<function",
    ),
    # what an object gives away
    "obj of an error": (
        """
import json
def main(path):
    try:
        json.nothing
    except AttributeError as error:
        return repr(error.obj)
""",
        "<module 'json' from",
    ),
    "obj of a memoryview": (
        """
def main(path):
    inner = b'held inside'
    return str(memoryview(inner).obj)
""",
        "held inside",
    ),
    "self of a builtin": (
        """
def main(path): return repr(len.__self__)
""",
        "module 'builtins'",
    ),
    "code of a function": (
        """
import json
def main(path): return repr(json.dumps.__code__)
""",
        "code object",
    ),
    "cell of a function": (
        """
def make():
    x = 'in a cell'
    return lambda: x
def main(path): return make().__closure__[0].cell_contents
""",
        "in a cell",
    ),
    "frame of a traceback": (
        """
def main(path):
    try:
        1 / 0
    except ZeroDivisionError as error:
        return repr(getattr(error.__traceback__, 'tb_' + 'frame'))
""",
        "<frame at",
    ),
    "frame of a coroutine": (
        """
def main(path):
    async def f(): pass
    c = f()
    try:
        return repr(getattr(c, 'cr_' + 'frame'))
    finally:
        c.close()
""",
        "<frame at",
    ),
    "frame of an async generator": (
        """
def main(path):
    async def f(): yield
    return repr(getattr(f(), 'ag_' + 'frame'))
""",
        "<frame at",
    ),
    # files, the machine, the clock
    "io.open": (
        """
import io
def main(path): return io.open(path).read()
""",
        SECRET,
    ),
    "io.open_code": (
        """
import io
def main(path): return io.open_code(path).read().decode()
""",
        SECRET,
    ),
    "io.FileIO": (
        """
import io
def main(path): return io.FileIO(path).read().decode()
""",
        SECRET,
    ),
    "log files": (
        """
import logging
def main(path): return repr(logging.FileHandler(path, delay=True))
""",
        "FileHandler",
    ),
    "log to a file": (
        """
import logging
def main(path):
    logging.basicConfig(filename=path + '.log', force=True)
    return repr(logging.getLogger().handlers)
""",
        "FileHandler",
    ),
    "gzip files": (
        """
import gzip
def main(path): return repr(gzip.open)
""",
        "<function open",
    ),
    "clock of another process": (
        """
import time
def main(path): return str(time.clock_gettime((~1 << 3) | 2))
""",
        r"^\d",
    ),
    "setting the clock": (
        """
import time
def main(path): return repr(time.clock_settime)
""",
        "built-in function",
    ),
    "reading a zone": (
        """
import time
def main(path): return repr(time.tzset)
""",
        "built-in function",
    ),
    "changing the folder": (
        """
import contextlib
def main(path): return repr(contextlib.chdir)
""",
        "<class",
    ),
}
OUT |= {
    f"types.{name}": (f"import types\ndef main(path): return repr(types.{name})", "<class|<function")
    for name in """
        SimpleNamespace.__base__.__subclasses__()[0] new_class prepare_class resolve_bases coroutine
        DynamicClassAttribute
    """.split()
}
# These have stand-ins of their names, for annotations and `isinstance`: what makes the class useful is not there.
OUT |= {
    f"inside types.{name}": (f"import types\ndef main(path): return repr(types.{name}.__dict__)", "mappingproxy")
    for name in """
        FunctionType LambdaType CodeType ModuleType MethodType CellType FrameType TracebackType GeneratorType
        CoroutineType AsyncGeneratorType BuiltinFunctionType GetSetDescriptorType MemberDescriptorType MethodWrapperType
        WrapperDescriptorType
    """.split()
}

# Modules that are no business of a program.
ELSEWHERE = """
    os builtins importlib inspect linecache socket pickle marshal gc email.message email.mime.text
    tempfile pathlib shutil glob code pdb runpy pkgutil site sysconfig platform resource select selectors tty sched
    concurrent.futures webbrowser zipimport ctypes subprocess threading signal fcntl mmap multiprocessing pty
""".split()

# What to use instead: each gives here what it gives in plain CPython.
INSTEAD = {
    "asyncio": """
import asyncio
async def work(n, out):
    await asyncio.sleep(0)
    out.append(n)
    return n
async def main(path):
    out = []
    queue = asyncio.Queue()
    async with asyncio.TaskGroup() as group:
        group.create_task(work(1, out))
        group.create_task(queue.put(2))
    got = await asyncio.gather(work(3, out), queue.get(), asyncio.wait_for(work(4, out), 5))
    async with asyncio.timeout(5), asyncio.Lock():
        task = asyncio.create_task(work(5, out), name="named")
        got.append([await task, task.get_name(), task.done()])
    return [out, got]""",
    "traceback": """
import traceback
def main(path):
    try:
        {}["key"]
    except KeyError as error:
        return [traceback.format_exc().splitlines()[-1], traceback.format_exception(error)[-1]]""",
    "logging": """
import io, logging
def main(path):
    out = io.StringIO()
    logging.basicConfig(stream=out, level=logging.INFO, format="%(levelname)s %(name)s %(message)s", force=True)
    logging.getLogger("a.b").info("n=%d", 1)
    logging.debug("unseen")
    return out.getvalue()""",
    "warnings": """
import warnings
def main(path):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn("w", DeprecationWarning)
    return [str(seen[0].message), seen[0].category.__name__]""",
    "contextlib": """
import contextlib, io
def main(path):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("seen")
    return out.getvalue()""",
    "zoneinfo": """
import datetime, zoneinfo
def main(path):
    return datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).isoformat()""",
    "contextvars": """
import contextvars
level = contextvars.ContextVar("level", default=1)
def main(path): return [level.get(), contextvars.copy_context().run(level.get)]""",
    "email.utils": """
from email.utils import parseaddr, parsedate_to_datetime
def main(path): return [parseaddr("A <a@b>"), parsedate_to_datetime("Thu, 29 Feb 2024 12:00:00 +0100").isoformat()]""",
    "gzip": """
import gzip, io
def main(path):
    file = io.BytesIO()
    with gzip.open(file, "wt") as text: text.write("abc")
    return gzip.open(io.BytesIO(file.getvalue()), "rt").read()""",
    "types": """
import types
def main(path):
    kinds = [isinstance(main, types.FunctionType), isinstance(1, types.FunctionType)]
    kinds.append(isinstance(None, types.NoneType))
    return [kinds, types.SimpleNamespace(a=1).a, dict(types.MappingProxyType({"a": 1}))]""",
    "uuid": """
import uuid
def main(path):
    named = [uuid.uuid5(uuid.NAMESPACE_DNS, "a"), uuid.uuid3(uuid.NAMESPACE_URL, "a")]
    return [*map(str, named), uuid.uuid4().version]""",
    "io": """
import io
def main(path): return [io.StringIO("a\\nb").readlines(), list(io.BytesIO(b"ab").read())]""",
    "functools": """
import functools
@functools.singledispatch
def kind(x): return "other"
@kind.register
def _(x: int): return "int"
@functools.total_ordering
class N:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
    @functools.cached_property
    def twice(self): return self.n * 2
def deco(f):
    @functools.wraps(f)
    def inner(*a): return f(*a)
    return inner
@deco
def named(x):
    "doc"
    return x
def main(path): return [kind(1), kind(""), N(1) >= N(1), N(2).twice, named.__name__, named.__doc__]""",
    "operator": """
import operator, types
def main(path):
    nested = types.SimpleNamespace(a=types.SimpleNamespace(b=1))
    return [operator.attrgetter("a.b")(nested), operator.methodcaller("upper")("a")]""",
    "records": """
import collections, copy, dataclasses, enum
@dataclasses.dataclass(order=True)
class D:
    a: int
    b: list = dataclasses.field(default_factory=list)
P = collections.namedtuple("P", "x y", defaults=[2])
class E(enum.Enum):
    A = 1
def main(path):
    d = D(1, [1])
    c = copy.deepcopy(d)
    return [dataclasses.asdict(d), c == d, c.b is d.b, P(1)._asdict(), E["A"].value, dataclasses.replace(d, a=2).a]""",
    "formatting": """
import string, types
def main(path):
    shown = string.Formatter().format("{0.a:>3}", types.SimpleNamespace(a=1))
    return [shown, string.Template("$a").substitute(a=1)]""",
}
