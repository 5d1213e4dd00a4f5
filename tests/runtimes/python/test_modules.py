"""What ordinary programs use of the library: each gives here what it gives in plain CPython."""

from __future__ import annotations

import sys

import pytest

PROGRAMS = {
    "sys": """
import sys
from sys import maxsize, stdout
def deep(n): return n if n == 0 else deep(n - 1)
def main():
    try:
        1 / 0
    except ZeroDivisionError as error:
        kind, caught, tb = sys.exc_info()
        same = [kind is ZeroDivisionError, caught is error, sys.exception() is error, tb is not None]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(9000)
    out = [maxsize, sys.version_info >= (3, 11), list(sys.version_info[:3]), sys.version_info.major, same,
        sys.exc_info(), sys.byteorder, sys.float_info.max, sys.float_info.epsilon, sys.int_info.bits_per_digit,
        sys.maxunicode, sys.getsizeof(10) > 0, sys.intern("a") + "b", sys.platform, before, deep(5000),
        stdout.write("four"), sys.stdout.writelines(["a", "b"]), sys.stdout.flush(), sys.stdout.isatty(),
        callable(sys.stderr.write)]
    try:
        sys.exit(3)
    except SystemExit as error:
        out.append(error.code)
    return out
""",
    "array": """
import array
def main():
    a = array.array("d", [1.0, 2.5])
    a.append(3)
    b = array.array("B", b"abc")
    return [a.tolist(), a.typecode, len(a.tobytes()), memoryview(b)[1], b.index(98), str(a), array.typecodes]
""",
    "bz2, lzma, gzip, zlib": """
import bz2, gzip, io, lzma, zlib
def main():
    out = []
    for module, kind in ((bz2, bz2.BZ2File), (lzma, lzma.LZMAFile), (gzip, gzip.GzipFile)):
        data = module.compress(b"x" * 1000)
        out.append([module.decompress(data) == b"x" * 1000, len(data) < 200])
        file = io.BytesIO()
        with module.open(file, "wt", encoding="utf-8") as text:
            text.write("one\\ntwo\\n")
        out.append([line for line in module.open(io.BytesIO(file.getvalue()), "rt")])
        out.append(kind(io.BytesIO(file.getvalue())).read().decode() if kind is not gzip.GzipFile else None)
    file = io.BytesIO()
    with gzip.GzipFile(fileobj=file, mode="wb") as packed:
        packed.write(b"abc")
        out.append([packed.writable(), packed.readable(), packed.closed])
    out += [gzip.decompress(file.getvalue()).decode(),
        gzip.GzipFile(fileobj=io.BytesIO(file.getvalue())).read(2).decode()]
    half = bz2.BZ2Compressor()
    more = half.compress(b"a") + half.flush()
    return out + [bz2.BZ2Decompressor().decompress(more).decode(),
        lzma.LZMADecompressor().decompress(lzma.compress(b"q")).decode()]
""",
    "configparser": """
import configparser, io
def main():
    parser = configparser.ConfigParser()
    parser.read_string("[a]\\nx = 1\\ny = %(x)s2\\n[b]\\non = yes\\n")
    parser["c"] = {"k": "v"}
    out = io.StringIO()
    parser.write(out)
    exact = configparser.RawConfigParser()
    exact.optionxform = str
    exact.read_string("[A]\\nKey = %(x)s")
    out.write(str(exact.items("A")))
    own = configparser.ConfigParser(converters={"list": lambda text: text.split(",")})
    own.read_dict({"a": {"l": "1,2"}})
    try:
        parser.get("a", "nothing")
    except configparser.NoOptionError as error:
        said = str(error)
    return [parser.sections(), parser.getint("a", "y"), parser["b"].getboolean("on"), out.getvalue(), said,
            own["a"].getlist("l"), own.getlist("a", "l"), parser.get("a", "z", fallback=None)]
""",
    "contextvars": """
import asyncio, contextvars
level = contextvars.ContextVar("level", default=0)
async def one(n):
    token = level.set(n)
    await asyncio.sleep(0)
    seen = level.get()
    level.reset(token)
    return [seen, level.get()]
async def main():
    context = contextvars.copy_context()
    context.run(level.set, 9)
    task = asyncio.create_task(one(5), context=context)
    return [await asyncio.gather(one(1), one(2)), level.get(), context[level], await task, level.name,
            sorted(var.name for var in context if var.name == "level")]
""",
    "email.utils": """
import datetime
from email.utils import *
from email import utils
def main():
    when = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
    return [parseaddr("Jo <jo@example.org>"), formataddr(("Jörg, X", "j@example.org")), getaddresses(["a@b, C <d@e>"]),
            format_datetime(when), parsedate_to_datetime("Thu, 29 Feb 2024 12:00:00 +0100").isoformat(),
            formatdate(0), formatdate(0, localtime=True), mktime_tz(parsedate_tz("Thu, 29 Feb 2024 12:00:00 -0500")),
            utils.quote('a"b'), utils.localtime(when).isoformat(), utils.decode_rfc2231("utf-8'en'a%20b"),
            utils.unquote('"x"')]
""",
    "copy": """
import array, copy, datetime, types, zoneinfo
def main():
    zone, numbers = zoneinfo.ZoneInfo("Europe/Berlin"), array.array("i", [1, 2])
    kept = copy.deepcopy({"zone": zone, "numbers": numbers, "at": datetime.datetime(2024, 1, 1, tzinfo=zone)})
    return [kept["zone"] is zone, kept["numbers"] == numbers, kept["numbers"] is numbers, kept["at"].isoformat(),
            copy.copy(numbers).tolist()]
""",
    "html.entities": """
from html.entities import name2codepoint, html5, codepoint2name
def main(): return [name2codepoint["auml"], html5["gt;"], codepoint2name[228]]
""",
    "http": """
from http import HTTPStatus, HTTPMethod
def main(): return [HTTPStatus.NOT_FOUND.phrase, int(HTTPStatus(200)), HTTPMethod.GET.value, HTTPStatus.OK == 200]
""",
    "io": """
import csv, io
def main():
    text = io.TextIOWrapper(io.BytesIO("\\ufeffa,b\\n1,ü\\n".encode()), encoding="utf-8-sig", newline="")
    rows = list(csv.DictReader(text))
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="latin-1", write_through=True)
    out.write("ü")
    class Upper(io.TextIOBase):
        def __init__(self): self.seen = []
        def write(self, text): self.seen.append(text.upper()); return len(text)
    upper = Upper()
    print("x", file=upper)
    class Zeros(io.RawIOBase):
        def readable(self): return True
        def readinto(self, buffer):
            buffer[:] = bytes(len(buffer))
            return len(buffer)
    return [rows, raw.getvalue().hex(), upper.seen, isinstance(raw, io.IOBase), isinstance(raw, io.RawIOBase),
            Zeros().read(3).hex(), text.encoding, out.detach() is raw, io.DEFAULT_BUFFER_SIZE > 0]
""",
    "json": """
from json.decoder import JSONDecodeError, JSONDecoder
from json.encoder import JSONEncoder
import json
class Own(JSONEncoder):
    def default(self, o): return sorted(o)
def main():
    try:
        json.loads("{")
    except JSONDecodeError as error:
        said = str(error)
    return [said, json.dumps({1, 2}, cls=Own), JSONDecoder().raw_decode("[1] x")]
""",
    "mimetypes": """
import mimetypes
def main():
    mimetypes.add_type("text/own", ".own")
    return [mimetypes.guess_type("a.html"), mimetypes.guess_type("a.tar.gz"), mimetypes.guess_extension("image/png"),
            mimetypes.guess_type("x.own"), ".json" in mimetypes.types_map, "text/plain" in mimetypes.types_map.values()]
""",
    "queue": """
import queue
def main():
    out = []
    for kind in (queue.Queue, queue.LifoQueue, queue.PriorityQueue, queue.SimpleQueue):
        q = kind()
        for n in (2, 1, 3): q.put(n)
        out.append([q.get() for _ in range(3)] + [q.empty(), q.qsize()])
        try:
            q.get_nowait()
        except queue.Empty:
            out.append("empty")
    full = queue.Queue(maxsize=1)
    full.put(1)
    try:
        full.put_nowait(2)
    except queue.Full:
        out.append([full.full(), full.maxsize])
    full.get()
    full.task_done()
    full.join()
    return out
""",
    "quopri, base64, binascii": """
import base64, binascii, io, quopri
def main():
    out = io.BytesIO()
    base64.encode(io.BytesIO(b"abc"), out)
    return [quopri.encodestring("ü=".encode()).decode(), quopri.decodestring(b"=C3=BC").decode(),
        out.getvalue().decode(),
            binascii.hexlify(b"a", "-").decode()]
""",
    "tomllib": """
import io, tomllib
def main():
    try:
        tomllib.loads("a = ")
    except tomllib.TOMLDecodeError as error:
        said = str(error)[:20]
    return [tomllib.loads("[a]\\nb = [1, 2.5, true]\\nd = 2024-01-01")["a"]["b"], tomllib.load(io.BytesIO(b"x = 1")),
        said]
""",
    "calendar, csv, abc, decimal": """
import abc, calendar, csv, decimal, difflib, io, zlib
class Old(abc.ABC):
    @abc.abstractproperty
    def p(self): ...
    @abc.abstractstaticmethod
    def s(): ...
def main():
    calendar.prmonth(2024, 2)
    try:
        Old()
    except TypeError as error:
        said = "abstract" in str(error)
    return [said, decimal.HAVE_THREADS, difflib.Match(1, 2, 3).size, zlib.Z_NO_COMPRESSION, csv.QUOTE_ALL]
""",
    "string.Formatter": """
import string, types
class Default(string.Formatter):
    def get_value(self, key, args, kwargs):
        if isinstance(key, str): return kwargs.get(key, f"<{key}>")
        return super().get_value(key, args, kwargs)
    def format_field(self, value, spec):
        return value.upper() if spec == "up" else super().format_field(value, spec)
    def convert_field(self, value, conversion):
        return value[::-1] if conversion == "x" else super().convert_field(value, conversion)
    def check_unused_args(self, used, args, kwargs):
        self.unused = sorted(set(kwargs) - used)
def tried(act):
    try:
        return act()
    except (ValueError, IndexError, KeyError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
def main():
    own, plain = Default(), string.Formatter()
    thing = types.SimpleNamespace(a=[{"b": 1}])
    return [own.format("{a} {b:up} {0!x} {c}", "xy", b="z", d=1), own.unused, plain.format("{0.a[0][b]:>{1}}|{2!r}",
        thing, 5, "q"),
            plain.vformat("{x}", (), {"x": 1}), plain.format("{}{}", 1, 2), list(plain.parse("a{b!r:c}d")),
            plain.get_field("0.a", (thing,), {})[1], tried(lambda: plain.format("{}{0}", 1)),
            tried(lambda: plain.format("{0}{}", 1)), tried(lambda: plain.format("{1}", 1)),
            tried(lambda: plain.format("{x}")),
            tried(lambda: plain.format("{0.nothing}", 1)), tried(lambda: plain.format("{:{:{}}}", 1, 2, 3))]
""",
    "functools": """
import functools
class Cell:
    def __init__(self): self.alive = False
    def set_state(self, state, *, loud=False):
        self.alive = state
        return [state, loud]
    live = functools.partialmethod(set_state, True)
    loud = functools.partialmethod(set_state, loud=True)
    @functools.singledispatchmethod
    def kind(self, arg): return "other"
    @kind.register
    def _(self, arg: int): return f"int {self.alive}"
    @kind.register(str)
    def _(self, arg): return "str"
    @functools.singledispatchmethod
    @classmethod
    def of(cls, arg): return [cls.__name__, arg]
    @of.register
    @classmethod
    def _(cls, arg: int): return [cls.__name__, "int"]
class Sub(Cell): pass
def main():
    cell = Cell()
    return [cell.live(), cell.alive, cell.loud(False), Cell.live(cell), cell.kind(1), cell.kind("a"), cell.kind(2.5),
            Sub.of(1), Cell.of("x"), Sub().live()]
""",
    "types and typing": """
from __future__ import annotations
import dataclasses, enum, functools, types, typing
from types import TracebackType, FunctionType, MethodType, GeneratorType, CoroutineType, ModuleType, BuiltinFunctionType
from typing import IO, BinaryIO, ForwardRef, Optional, TextIO, Type, dataclass_transform, is_typeddict, no_type_check
class Manager:
    def __enter__(self): return self
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> bool:
        self.seen = isinstance(tb, TracebackType)
        return True
def numbers(): yield 1
async def later(): pass
def f(self, x): return [self, x]
class E(enum.Enum): A = 1
@dataclasses.dataclass
class D:
    a: Optional[FunctionType] = None
    b: FunctionType | None = None
class T(typing.TypedDict): x: int
@dataclass_transform()
def made(cls): return cls
@no_type_check
def unchecked(x: "nothing at all"): return x
Either = FunctionType | None
Some = Optional[TracebackType]
Many = list[FunctionType]
def main():
    manager = Manager()
    with manager:
        1 / 0
    coroutine = later()
    kinds = [isinstance(coroutine, CoroutineType), isinstance(numbers(), GeneratorType), isinstance(f, FunctionType),
             isinstance(len, BuiltinFunctionType), isinstance(manager.__exit__, MethodType), isinstance(1,
             FunctionType),
             isinstance(f, (int, FunctionType)), type(f) is FunctionType, isinstance(E, enum.EnumMeta), isinstance(E,
             enum.EnumType),
             isinstance(dataclasses.fields(D)[0], dataclasses.Field), is_typeddict(T), issubclass(bool, int)]
    coroutine.close()
    return [manager.seen, kinds, MethodType(f, 1)(2), D().a, unchecked(1), typing.get_args(Some)[1] is type(None),
            made(D) is D, FunctionType is types.LambdaType, TracebackType.__name__,
            typing.get_args(Many)[0] is FunctionType]
""",
    "traceback": """
import traceback, io, contextlib
def fails(n):
    if n: return fails(n - 1)
    raise ValueError("x")
def main():
    try:
        fails(2)
    except ValueError as error:
        tb = error.__traceback__
        places = traceback.extract_tb(tb)
        text = traceback.format_tb(tb)
        kept = traceback.TracebackException.from_exception(error)
        said = io.StringIO()
        traceback.print_tb(tb, file=said)
    names = [place.name for place in places]
    filename, line, name, shown = places[-1]
    return [names, line, name, shown, places[0].lineno, len(text), "".join(text) == said.getvalue() != "", str(kept),
            "".join(kept.format_exception_only()), [each.name for each in traceback.extract_tb(tb, limit=1)],
            [each.name for each in traceback.extract_tb(tb, limit=-2)], len(traceback.format_list(places)),
            len(places.format()),
            traceback.extract_stack()[-1].name, traceback.extract_stack(limit=1)[0].name,
            traceback.format_list([("a.py", 1, "f", "x = 1")])]
""",
    "redirect_stdout": """
import contextlib, io, pprint, traceback, warnings
def main():
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out) as target, contextlib.redirect_stderr(errors):
        print("a", 1)
        pprint.pprint({"b": 2})
        try:
            1 / 0
        except ZeroDivisionError:
            traceback.print_exc()
        again = io.StringIO()
        with contextlib.redirect_stdout(again):
            print("inner")
        print("outer")
    pretty = pprint.PrettyPrinter(indent=2, width=20, stream=out)
    pretty.pprint(["x" * 9, "y" * 9])
    return [out.getvalue(), again.getvalue(), errors.getvalue().splitlines()[-1], target is out, pretty.pformat([1])]
""",
    "time": """
import time
def main():
    about = [time.get_clock_info(name) for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time")]
    return [[each.monotonic for each in about], [each.adjustable for each in about],
        [each.resolution < 0.1 for each in about],
            abs(time.clock_gettime(time.CLOCK_REALTIME) - time.time()) < 5, time.clock_getres(time.CLOCK_MONOTONIC) < 1,
            time.clock_gettime_ns(time.CLOCK_PROCESS_CPUTIME_ID) > 0, time.thread_time_ns() > 0]
""",
    "uuid": """
import uuid
def main():
    one, two = uuid.uuid1(), uuid.uuid1()
    return [one.version, one.node == two.node == uuid.getnode(), one != two, uuid.uuid1(5, 7).node, uuid.uuid1(5,
        7).clock_seq]
""",
    "logging.LoggerAdapter": """
import io, logging
class Named(logging.LoggerAdapter):
    def process(self, msg, kwargs): return f"[{self.extra['who']}] {msg}", kwargs
def main():
    out = io.StringIO()
    logging.basicConfig(stream=out, level=logging.INFO, format=logging.BASIC_FORMAT, force=True)
    named = Named(logging.getLogger("a"), {"who": "me"})
    named.info("x %d", 1)
    named.debug("unseen")
    named.warning("w")
    logging.addLevelName(25, "NOTE")
    logging.getLogger("b").log(25, "noted")
    logging.getLogger("b").setLevel("NOTE")
    return [out.getvalue(), named.isEnabledFor(logging.DEBUG), named.name, logging.getLevelNamesMapping()["INFO"]]
""",
    "urllib.parse": """
from urllib.parse import *
import urllib.parse
def main():
    parts = urlsplit(b"http://u:p@h:1/p?q=1#f")
    return [parts.port, parts.geturl().decode(), type(parts).__name__, isinstance(parts, urllib.parse.SplitResultBytes),
            urlparse("//a/b;c")._replace(scheme="x").geturl(), parse_qsl("a=1&b=&a=2", keep_blank_values=True),
            urlencode({"a": [1, 2]}, doseq=True), urljoin("http://a/b/c", "../d"), quote("ü /"), unquote("%C3%BC"),
            urldefrag("a#b")]
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gives_what_it_gives_in_cpython(name, run, plain):
    expected = plain(PROGRAMS[name]).value
    assert run(PROGRAMS[name]).value == expected


def test_what_opens_files_says_what_to_use(run):
    source = """
import bz2, configparser, gzip, io, lzma, mimetypes
def main():
    said = []
    for act in (lambda: bz2.open("x"), lambda: gzip.open("x", "wb"), lambda: lzma.LZMAFile("x"),
        lambda: gzip.GzipFile("x"),
                lambda: io.open("x"), lambda: configparser.ConfigParser().read("x")):
        try:
            act()
        except RuntimeError as error:
            said.append(str(error))
    return said
"""
    ran = run(source)
    assert len(ran.value) == 6
    assert all("no files" in said for said in ran.value)


def test_waiting_for_another_thread_is_told(run):
    source = """
import queue
def main():
    said = []
    full = queue.Queue(1)
    for act in (full.get, lambda: full.put(1), lambda: full.put(2), full.join):
        try:
            act()
        except (queue.Empty, queue.Full, RuntimeError) as error:
            said.append(str(error))
    return said
"""
    assert [said.count("no other thread") for said in run(source).value] == [1, 1, 1]


def test_a_machine_is_not_named(run):
    source = "import uuid\nresult = [uuid.getnode(), uuid.uuid1().node]"
    first, second = run(source).value, run(source).value
    assert first[0] == first[1] != second[0]
    assert first[0] >> 40 & 1 == second[0] >> 40 & 1 == 1


@pytest.mark.skipif(sys.version_info < (3, 12), reason="itertools.batched came with 3.12")
def test_names_of_newer_versions(run):
    source = """
import calendar, csv, itertools
from collections.abc import Buffer
result = [list(itertools.batched("abc", 2)), calendar.Month.MAY.value, csv.QUOTE_STRINGS, isinstance(b"", Buffer)]
"""
    assert run(source).value == [[["a", "b"], ["c"]], 5, 4, True]


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace came with 3.13")
def test_parts_are_replaced(run, plain):
    source = """
import collections, copy, dataclasses, datetime, types
@dataclasses.dataclass
class D:
    a: int
    b: int = 2
class Own:
    def __replace__(self, /, **changes): return sorted(changes)
def main():
    point = collections.namedtuple("P", "x y")(1, 2)
    try:
        copy.replace([1], x=1)
    except TypeError as error:
        said = str(error)
    return [copy.replace(D(1), b=3).b, list(copy.replace(point, y=5)), copy.replace(Own(), z=1), said,
            copy.replace(datetime.date(2024, 1, 1), day=2).isoformat(), copy.replace(types.SimpleNamespace(a=1), a=2).a]
"""
    assert run(source).value == plain(source).value
