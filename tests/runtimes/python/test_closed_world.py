"""The closed world: from everything a program is given, every name it may read and every call that needs no argument.

A public name that is not listed compiles to a plain attribute access, which is sound only if nothing that can be
reached has a public name that leads out. So this follows them all, and looks at each thing that turns up.
"""

from __future__ import annotations

import asyncio
import builtins
import importlib
import itertools
import os
import sys
import types
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from langserver.python_runtime import catalog, guards, modules
from langserver.python_runtime.compiler import compile_source
from langserver.python_runtime.userclasses import EXPORTED, PLAIN, USER, is_class
from tests.runtimes.python.conftest import loaded
from tests.runtimes.python.elsewhere import in_a_process

# One of each kind of thing that a program can come to hold: `things` and `made()` give them.
PROGRAM = """
import abc, ast, asyncio, base64, calendar, collections, contextlib, copy, csv, dataclasses, datetime, decimal, difflib
import enum, fractions, functools, graphlib, hashlib, heapq, hmac, html.parser, io, ipaddress, itertools, json, logging
import operator, random, re, secrets, statistics, string, struct, textwrap, time, types, typing, urllib.parse, uuid
import warnings, zlib
import array, bz2, configparser, contextvars, email.utils, gzip, http, lzma, mimetypes, pprint, queue, tomllib
import traceback, zoneinfo, codecs, weakref, zipfile
import xml.etree.ElementTree as ET
class Plain:
    "A class."
    x: int = 1
    def method(self): return 1
    @classmethod
    def of_class(cls): return cls
    @staticmethod
    def of_nothing(): return 1
    @property
    def read(self): return 1
    @functools.cached_property
    def cached(self): return 1
class Sub(Plain): pass
class Meta(type): pass
class WithMeta(metaclass=Meta): pass
class Abstract(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class Color(enum.Enum): RED = 1
class Bits(enum.Flag): A = 1
@dataclasses.dataclass
class Data:
    a: int = 1
    b: list = dataclasses.field(default_factory=list)
Point = collections.namedtuple("Point", "x y")
class Row(typing.NamedTuple): a: int
class Typed(typing.TypedDict): a: int
class Proto(typing.Protocol):
    def f(self): ...
T = typing.TypeVar("T")
class Box(typing.Generic[T]): pass
def function(a=1, *b, c=2, **d): return 1
def numbers(): yield 1
async def later(): return 1
async def stream(): yield 1
@contextlib.contextmanager
def manager(): yield 1
@functools.wraps(function)
def wrapped(): return 1
@functools.lru_cache
def cached(): return 1
@functools.singledispatch
def single(x): return 1
def caught(act):
    try:
        act()
    except Exception as error:
        return error
def bad_import():
    import sys
errors = [caught(lambda: (1).nothing), caught(lambda: nothing), caught(lambda: 1 / 0), caught(bad_import),
          caught(lambda: json.loads("{")), caught(lambda: open("x")), ExceptionGroup("g", [ValueError(1)])]
with warnings.catch_warnings(record=True) as recorded:
    warnings.warn("w")
running = []
async def main():
    task = asyncio.create_task(asyncio.sleep(1))
    await asyncio.sleep(0)
    running.extend([asyncio.current_task(), asyncio.get_running_loop(), asyncio.get_running_loop().create_future(),
    task,
        asyncio.gather(asyncio.sleep(0)), asyncio.timeout(1), asyncio.TaskGroup(), asyncio.Lock(), asyncio.Queue(),
        asyncio.Event(), asyncio.Condition(), asyncio.Semaphore(), asyncio.Barrier(2), asyncio.shield(asyncio.sleep(0)),
        asyncio.as_completed([asyncio.sleep(0)]), asyncio.ensure_future(later()),
        asyncio.wait_for(asyncio.sleep(0), 1), asyncio.to_thread(function, 1),
        asyncio.get_running_loop().call_later(1, function), asyncio.get_running_loop().call_soon(function),
        asyncio.Future(), asyncio.all_tasks(), asyncio.Runner(), asyncio.timeout_at(1)])
    look()
begun = numbers()
next(begun)
stack = contextlib.ExitStack()
stack.enter_context(manager())
text = io.StringIO("a")
level = contextvars.ContextVar("level", default=function)
parser = configparser.ConfigParser(converters={"list": function})
parser.read_dict({"a": {"b": "1"}})
packed = [kind(io.BytesIO(), "w") for kind in (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile)]
class Moving:
    part = functools.partialmethod(function, 1)
    single = functools.singledispatchmethod(function)
class Raw(io.RawIOBase): pass
archive = zipfile.ZipFile(io.BytesIO(), "w")
archive.writestr("a", "b")
weak = weakref.WeakKeyDictionary({Plain: 1})
root = ET.fromstring("<a b='c'><d>e</d></a>")
pull = ET.XMLPullParser(["start", "end"])
pull.feed("<a><b/>")
class Told:
    def start(self, tag, attrib): return tag
class Named(zoneinfo.ZoneInfo): pass
class Stamp(datetime.datetime): pass
def places():
    try:
        1 / 0
    except ZeroDivisionError as error:
        told = traceback.TracebackException.from_exception(error)
        return [traceback.extract_tb(error.__traceback__), traceback.extract_stack(), told]
things = [
    archive, archive.infolist()[0], archive.open("c", "w"), weak, weakref.ref(Plain), weakref.WeakSet([Plain]),
    weakref.WeakValueDictionary({1: Plain}), root, ET.ElementTree(root), ET.XMLParser(), ET.XMLParser(target=Told()),
    ET.TreeBuilder(), ET.TreeBuilder(element_factory=function), pull, ET.iterparse(io.StringIO("<a/>")),
    ET.Comment("c"), ET.QName("a"), caught(lambda: ET.fromstring("<")),
    caught(lambda: zipfile.ZipFile(io.BytesIO(b"x"))),
    root.iter(), root.iterfind("d"), typing.overload(function), ET.C14NWriterTarget(print),
    Plain(), Sub(), Plain().method, Plain.of_class, Plain.of_nothing, Plain.read, Plain.cached, Plain, Sub, WithMeta,
    Meta,
    Abstract, Color.RED, Color, Bits.A, Data(), Data, Point(1, 2), Row(1), Typed(a=1), Proto, Box, Box[int], Box(),
    function,
    lambda: 0, begun, later(), stream(), manager(), manager, wrapped, cached, single, super(Sub, Sub()), object(),
    type, super,
    property(function), classmethod(function), staticmethod(function), *errors, recorded, stack, running,
    functools.partial(function, 1), functools.cmp_to_key(function), functools.cached_property(function),
    logging.getLogger("x.y"), logging.StreamHandler(), logging.Formatter("%(message)s"), logging.Filter(),
    logging.LogRecord("a", 20, "m", ()), memoryview(b"abc"), iter([1]), iter({}), {}.items(), {}.keys(), {}.values(),
    zip([1]), map(function, [1]), filter(function, [1]), enumerate([1]), reversed([1]), range(3), slice(1),
    itertools.count(), itertools.tee([1]), itertools.groupby([1]), re.compile("(?P<a>x)"), re.match("(?P<a>x)", "x"),
    re.finditer("x", "x"), text, io.BytesIO(b"a"), decimal.getcontext(), decimal.localcontext(), decimal.Decimal(1),
    csv.reader(text), csv.writer(text), csv.DictReader(io.StringIO("a\\nb")), csv.DictWriter(text, ["a"]),
    csv.Sniffer(),
    datetime.datetime.now(), datetime.date.today(), datetime.timezone.utc, datetime.timedelta(1), random.Random(1),
    random.SystemRandom(), string.Template("$a"), string.Formatter(), struct.Struct("i"), struct.iter_unpack("b", b"a"),
    textwrap.TextWrapper(), time.localtime(), types.SimpleNamespace(a=1), types.MappingProxyType({}), uuid.uuid4(),
    hashlib.sha256(), hmac.new(b"a", b"b", "sha256"), html.parser.HTMLParser(), ipaddress.ip_address("1.1.1.1"),
    ipaddress.ip_network("1.0.0.0/30"), ipaddress.ip_network("1.0.0.0/30").hosts(), graphlib.TopologicalSorter(),
    fractions.Fraction(1, 2), difflib.SequenceMatcher(), difflib.HtmlDiff(), difflib.unified_diff([], []),
    calendar.Calendar(), calendar.HTMLCalendar(), statistics.NormalDist(), urllib.parse.urlparse("http://a/b"),
    zlib.compressobj(), zlib.decompressobj(), collections.Counter("a"), collections.OrderedDict(a=1),
    collections.ChainMap({}), collections.defaultdict(list), collections.deque([1]), collections.UserDict(),
    collections.UserList(), collections.UserString("a"), json.JSONEncoder(), json.JSONDecoder(), operator.itemgetter(1),
    operator.attrgetter("a"), operator.methodcaller("a"), NotImplemented, Ellipsis, typing.List[int],
    typing.Optional[int],
    typing.Callable[[int], int], typing.Annotated[int, 1], typing.Literal[1], list[int], int | str, T, typing.Any,
    typing.NewType("N", int), typing.ParamSpec("P"), dataclasses.field(), dataclasses.fields(Data), dataclasses.MISSING,
    contextlib.suppress(ValueError), contextlib.nullcontext(), contextlib.closing(text), contextlib.AsyncExitStack(),
    array.array("i", [1]), level, level.set(function), contextvars.copy_context(), parser, parser["a"],
        parser.converters,
    *packed, bz2.BZ2Compressor(), bz2.BZ2Decompressor(), lzma.LZMACompressor(), lzma.LZMADecompressor(),
    io.TextIOWrapper(io.BytesIO(b"a")), Raw(), queue.Queue(), queue.PriorityQueue(), queue.SimpleQueue(), places(),
    Moving().part, Moving.part, Moving().single, Moving.single, types.MethodType(function, 1), types.FunctionType,
    types.FunctionType | None, list[types.FunctionType], typing.Optional[types.ModuleType], asyncio.Task[int],
    contextlib.redirect_stdout(text), pprint.PrettyPrinter(), logging.LoggerAdapter(logging.getLogger("z"), {}),
    zoneinfo.ZoneInfo("Europe/Berlin"), Named("Asia/Tokyo"), Stamp.now(), datetime.datetime.now().astimezone(),
    datetime.datetime.now(zoneinfo.ZoneInfo("UTC")), email.utils.localtime(), http.HTTPStatus.OK,
        time.get_clock_info("time"),
    string.Formatter().parse("{a}"), uuid.uuid1(), tomllib.loads("a = 1979-05-27T07:32:00Z"),
    heapq.merge([1]), secrets.SystemRandom(), b"a", bytearray(b"a"), 1, 1.5, 1j, {1}, frozenset(), enum.auto(),
]
"""

# Spelled by nobody's `dir`, or left out of it.
UNLISTED = """
    __class__ __self__ __func__ __wrapped__ __origin__ __args__ __dict__ __mro__ __bases__ __base__ __subclasses__
    __call__
    __get__ __init__ __new__ __defaults__ __kwdefaults__ __annotations__ __getattribute__ __module__ __objclass__
    __globals__
    __code__ __closure__ __builtins__ mro format obj gi_frame cr_frame ag_frame tb_frame f_back f_globals f_builtins
""".split()
ATOMS = (int, float, complex, str, bytes, bool, type(None))
EACH_KIND = 150  # a thousand bound methods are as good as the first hundred
CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)
NEVER_CALLED = {"sleep", "run", "clear", "breakpoint", "input"}  # they would wait, or take the world apart
TAKES_NAMES = (open, eval, exec, compile, __import__, getattr, setattr, delattr, vars, globals, locals)

Look = Callable[[Any, str], Any]


# Of `sys`: they look at nothing but what they are given, or at the program's own exception.
OF_THE_LANGUAGE = (
    *(sys.exception, sys.getrecursionlimit, sys.getsizeof, sys.intern, sys.getdefaultencoding),
    sys.get_int_max_str_digits,
)


def leads_out(value: Any, namespaces: dict[int, str]) -> str:
    """What `value` is, if a program must never hold it."""
    kind = type(value)
    if kind in (types.ModuleType, types.CodeType, types.FrameType):
        return kind.__name__
    if id(value) in namespaces:
        return f"the dictionary of {namespaces[id(value)]}"
    if value is sys.modules:
        return "sys.modules"
    if any(value is each for each in (USER, PLAIN, EXPORTED)):
        return "a set of classes that the policy trusts"
    if kind in (dict, types.MappingProxyType) and any(type(key) is str and "$" in key for key in value):
        return "a dictionary with hidden names"
    if kind is types.BuiltinFunctionType and any(value is each for each in TAKES_NAMES):
        return f"the real {value.__name__}"
    if any(value is each for each in OF_THE_LANGUAGE):
        return ""
    if kind is types.BuiltinFunctionType and value.__module__ in {"posix", "sys", "_thread", "gc", "marshal", "_imp"}:
        return f"{value.__module__}.{value.__name__}"
    if isinstance(value, asyncio.AbstractEventLoop):
        return "an event loop"
    if is_class(value) and value not in USER and value not in EXPORTED:
        return f"the class {value.__module__}.{value.__qualname__}"
    if (str if kind is str else repr)(value).find(os.path.dirname(os.__file__)) >= 0:
        return "a path of the host"
    return ""


def parts(value: Any) -> Iterable[Any]:
    """What is inside a container."""
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return list(itertools.islice(value, 300))
    if isinstance(value, (dict, types.MappingProxyType)):
        return [each for pair in itertools.islice(value.items(), 300) for each in pair]
    return ()


def walk(roots: dict[str, Any], look: Look, depth: int, calls: bool) -> tuple[dict[str, str], int]:
    """By what was found where the first of its kind is; and how many things were looked at."""
    namespaces = {id(vars(each)): name for name, each in sys.modules.items() if isinstance(each, types.ModuleType)}
    found: dict[str, str] = {}
    seen: dict[int, Any] = {}
    kinds: Counter[type] = Counter()
    todo = deque((name, value, 0) for name, value in roots.items())

    def take(path: str, value: Any, steps: int) -> None:
        try:
            what = leads_out(value, namespaces)
        except Exception:
            what = ""  # it has no text yet
        if what:
            found.setdefault(what, path)
        elif type(value) not in ATOMS:
            todo.append((path, value, steps + 1))

    while todo:
        path, value, steps = todo.popleft()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        kinds[type(value)] += 1
        if steps > depth or (kinds[type(value)] > EACH_KIND and not is_class(value)):
            continue
        try:
            names = {*dir(value), *object.__dir__(value), *UNLISTED}
        except Exception:
            names = {*UNLISTED}
        for name in sorted(each for each in names if type(each) is str):
            try:
                take(f"{path}.{name}", look(value, name), steps)
            except Exception:
                continue
        for number, part in enumerate(parts(value)):
            take(f"{path}[{number}]", part, steps)
        if calls and isinstance(value, CALLABLE) and path.rpartition(".")[2] not in NEVER_CALLED:
            try:
                given = value()
                take(f"{path}()", given, steps)
                for part in itertools.islice(given, 3) if hasattr(type(given), "__next__") else ():
                    take(f"{path}()[]", part, steps)
            except BaseException:  # asyncio.CancelledError too
                continue
    return found, len(seen)


def given_to_a_program() -> Any:
    runtime = loaded(policy=True)
    program = compile_source("task.py", PROGRAM, True)
    assert program.code is not None, program.failures
    names = runtime._globals(program.name, {})
    found: list[Any] = []

    def walk_now() -> None:
        roots = {name: value for name, value in runtime._builtins.items() if not name.startswith(("$", "__"))}
        roots |= {name: modules.import_module(name, itself=True) for name in catalog.MODULES}
        roots |= {f"things[{number}]": value for number, value in enumerate(names["things"])}
        found.extend(walk(roots, guards.load, 5, calls=True))

    names["look"] = lambda: None
    exec(program.code, names)
    names["look"] = walk_now  # while tasks and futures are pending: their texts say more then
    from langserver.python_runtime.modules import asynchronous

    with suppress(asyncio.CancelledError):  # the walk found `cancel`
        asynchronous.run(names["main"]())
    return found


def test_nothing_leads_out() -> None:
    found, count = in_a_process(given_to_a_program)
    assert found == {}
    assert count > 20_000


def given_to_python() -> Any:
    real = [builtins, *map(importlib.import_module, ("asyncio", "json", "random", "types"))]
    real += [importlib.import_module("langserver.python_runtime.userclasses"), types.SimpleNamespace(x={"$hidden": 1})]
    real[-1].__name__ = "with a hidden name"
    return walk({module.__name__: vars(module) for module in real}, getattr, 2, calls=False)


def test_the_walk_finds_what_leads_out() -> None:
    found, _ = in_a_process(given_to_python)
    assert {"module", "code", "a path of the host", "the real open", "the class builtins.function"} <= found.keys()
    assert any(what.startswith(("posix.", "sys.")) for what in found)
    assert any(what.startswith("the dictionary of ") for what in found)
    assert {"a set of classes that the policy trusts", "a dictionary with hidden names"} <= found.keys()
