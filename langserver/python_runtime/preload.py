"""What the zygote imports and exercises, so that a sealed child never needs a file."""

from __future__ import annotations

import codecs
import datetime
import decimal
import encodings.aliases
import hashlib
import importlib
import json
import random
import sys
import time
from collections.abc import Callable

from langserver.core.zones import UTC
from langserver.python_runtime import catalog, localtime, modules, sources, zonedata
from langserver.python_runtime.modules import clocks, elements, loop
from langserver.python_runtime.packages import loading

# What attack programs of reviewers load: attempts must fail at a wall, not because an import cannot open a file.
_FOR_REVIEWERS = """
    ctypes mmap socket subprocess signal fcntl resource select threading sqlite3 ssl pwd grp gc pickle array struct stat
    atexit faulthandler codecs tokenize linecache traceback _posixsubprocess _posixshmem encodings.idna
    importlib.machinery asyncio multiprocessing tempfile shutil pathlib glob time os
"""
_INTERPRETERS = "_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters"
_LAZY = (
    "_strptime",
    "email.charset",
    "encodings.base64_codec",
    "encodings.hex_codec",
    "encodings.idna",
    "encodings.punycode",
    "encodings.rot_13",
    "stringprep",
    "difflib",
    "bisect",
    "_string",
)
_ENCODINGS = """
    ascii latin-1 utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be utf-7 unicode_escape
    raw_unicode_escape cp437 cp850 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 iso8859-2 iso8859-5 iso8859-7
    iso8859-9 iso8859-15 koi8-r koi8-u mac-roman gbk gb18030 big5 shift_jis cp932 euc_jp iso2022_jp euc_kr
"""

# Compiled once in the zygote: touches the visitor's and compiler's pages, which a child else pays for one by one.
_SAMPLE = '''
from __future__ import annotations
import json
from collections import Counter, defaultdict as grouped

class Thing:
    """A thing."""
    kind: str = "x"

    def __init__(self, a, *rest, b=1, **more):
        self._a = a
        self.b = b

    @property
    def a(self):
        return self._a

def main(inputs):
    found = [row["x"] for row in inputs.get("rows", []) if row]
    with_total = {k: v + 1 for k, v in sorted(Counter(found).items(), key=lambda kv: -kv[1])}
    try:
        match found:
            case [first, *_]:
                found[0] += first
            case {"a": int(n)}:
                pass
    except (KeyError, ValueError) as error:
        print(f"failed: {error!r:>10}")
    finally:
        thing = Thing(1)
        thing.b += 1
    while thing.b < 3:
        thing.b = thing.b + 1
    return json.loads(json.dumps({"a": with_total, "b": thing.a, "c": "{}".format(1), **{}}))
'''


def for_policy(packages: tuple[str, ...]) -> None:
    """The modules behind the facades, the operator's packages, and the facades."""
    _know_zones()
    zonedata.shut()
    elements.load()
    for name in (*catalog.MODULES, *_LAZY):
        importlib.import_module(name)
    loading.load(packages)
    sources.replace_linecache()
    loop.hide_paths()
    modules.build()


def for_reviewers(packages: tuple[str, ...]) -> None:
    """The modules of the catalog, the reviewers' own and the operator's packages."""
    _know_zones()
    for name in (*catalog.MODULES, *_LAZY, *_FOR_REVIEWERS.split(), _INTERPRETERS):
        importlib.import_module(name)
    loading.load(packages)
    sources.replace_linecache()


def _know_zones() -> None:
    zonedata.load()
    localtime.install()
    time.get_clock_info = clocks.get_clock_info  # the library's asks the kernel, which refuses it to a child


def exercise(warm_up: Callable[[str], None] | None) -> None:
    """Runs what loads something on first use. `warm_up` compiles a program and throws it away."""
    localtime.enter(UTC)
    time.strptime("2024-01-31 10:00:00", "%Y-%m-%d %H:%M:%S")
    datetime.datetime.strptime("01 Feb 2024 +0000", "%d %b %Y %z").strftime("%A %d %B %Y, %H:%M")
    datetime.datetime.now().astimezone().isoformat()
    for encoding in _ENCODINGS.split():
        codecs.lookup(encoding)  # str.encode would do without the module of some, streams do not
        "text".encode(encoding).decode(encoding)
    "bücher.example".encode("idna").decode("idna")
    str(decimal.Decimal(1) / 3)
    hashlib.sha256(b"x").hexdigest()
    hashlib.new("sha512", b"x").hexdigest()
    random.Random("text")  # noqa: S311 -- hashed, by a module that is loaded for it
    json.loads(json.dumps({"a": [1.5, None, "é"]}, indent=1))
    _keep_to_loaded_codecs()
    if warm_up is not None:
        warm_up(_SAMPLE)


def _keep_to_loaded_codecs() -> None:
    """Makes an encoding that is not loaded an unknown one: the library's search would open files for it."""

    def search(name: str) -> codecs.CodecInfo | None:
        plain = encodings.normalize_encoding(name)
        module = encodings.aliases.aliases.get(plain, plain)
        return encodings.search_function(name) if f"encodings.{module}" in sys.modules else None

    codecs.unregister(encodings.search_function)
    codecs.register(search)
