"""`xml.etree.ElementTree`: the library's own in Python, its parser kept apart from the program.

The C implementation of elements was the place of more than one use after free, by methods of a program that it calls in
the middle (CPython gh-126033, gh-126037). Of what is left only expat is C, and what it finds is written down while it
runs: the program's objects are told of it when it has returned.
"""

from __future__ import annotations

import importlib
import io
import sys
import types
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from langserver.python_runtime import guards
from langserver.python_runtime.modules import copying
from langserver.python_runtime.names import exact
from langserver.python_runtime.refusals import RefusedCall

_NAME: Final = "xml.etree.ElementTree"
_EVENTS: Final = ("start", "end", "start-ns", "end-ns", "comment", "pi")
_LISTED: Final = """
    C14NWriterTarget Comment Element ElementTree PI ParseError ProcessingInstruction QName SubElement TreeBuilder
    VERSION XML XMLID XMLPullParser canonicalize dump fromstring fromstringlist indent iselement parse tostring
    tostringlist
""".split()

library: Any = None


def load() -> None:
    """In the zygote, before anything else imports it: the module without its C part, and what is put in its place."""
    global library  # noqa: PLW0603 -- once, in the zygote
    sys.modules.pop(_NAME, None)
    accelerator = sys.modules.get("_elementtree")
    sys.modules["_elementtree"] = None  # type: ignore[assignment]  # which makes importing it an ImportError
    try:
        library = importlib.import_module(_NAME)
    finally:
        del sys.modules["_elementtree"]
        if accelerator is not None:
            sys.modules["_elementtree"] = accelerator
    assert type(library.Element.find) is types.FunctionType
    importlib.import_module("xml.parsers.expat")  # each parser imports it
    _Parser.real = library.XMLParser
    library.XMLParser = XMLParser
    library.iterparse = iterparse
    library.register_namespace = _with_exact_names(library.register_namespace)
    _keep_from_files(library.ElementTree)
    library.Element.__copy__ = _copy
    _keep_to_writable(library.TreeBuilder)
    _keep_exact_paths(library.ElementPath)
    guards.WRITABLE[library.Element] = frozenset({"attrib", "tag", "tail", "text"})
    guards.WRITABLE[library.QName] = frozenset({"text"})
    copying.COPIED[library.Element] = (_copy, _deepcopy)


def names() -> dict[str, Any]:
    """What the facade has."""
    more = {"XMLParser": XMLParser, "iterparse": iterparse, "register_namespace": library.register_namespace}
    return {name: getattr(library, name) for name in _LISTED} | more


def _copy(self: Any) -> Any:
    """`Element.__copy__`. Raises RefusedAttribute when `makeelement` of the program gives what it may not write on."""
    made = guards.writable(self.makeelement(self.tag, self.attrib))
    made.text, made.tail = self.text, self.tail
    made[:] = self
    return made


_copy.__name__, _copy.__qualname__ = "__copy__", "Element.__copy__"


def _keep_to_writable(builder: Any) -> None:
    """In place: a builder writes `text` and `tail` on what factories of the program give it."""
    flush = builder._flush

    def flush_to_writable(self: Any) -> None:
        if self._data and self._last is not None:
            guards.writable(self._last)
        flush(self)

    builder._flush = flush_to_writable


def _deepcopy(element: Any, part: Any) -> Any:
    made = element.makeelement(part(element.tag), part(element.attrib))
    made.text, made.tail = part(element.text), part(element.tail)
    made.extend([part(child) for child in element])
    return made


class _Found:
    """What expat is given for a target: each thing it finds, kept in order until it has returned."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []

    def start(self, tag: Any, attrib: Any) -> None:
        self.events.append(("start", tag, attrib))

    def end(self, tag: Any) -> None:
        self.events.append(("end", tag))

    def data(self, data: Any) -> None:
        self.events.append(("data", data))

    def comment(self, text: Any) -> None:
        self.events.append(("comment", text))

    def pi(self, target: Any, data: Any = None) -> None:
        self.events.append(("pi", target, data))

    def start_ns(self, prefix: Any, uri: Any) -> None:
        self.events.append(("start_ns", prefix, uri))

    def end_ns(self, prefix: Any) -> None:
        self.events.append(("end_ns", prefix))

    def doctype(self, name: Any, pubid: Any, system: Any) -> None:
        self.events.append(("doctype", name, pubid, system))


class _Parser:
    real: Any = None


class XMLParser:
    """`xml.etree.ElementTree.XMLParser`."""

    def __init__(self, *, target: Any = None, encoding: str | None = None) -> None:
        self._found = _Found()
        self._expat = _Parser.real(target=self._found, encoding=encoding)
        self._queue: Any = None
        self._wanted: tuple[str, ...] = ()
        self._busy = False
        self.target = library.TreeBuilder() if target is None else target
        self.entity: dict[str, str] = {}  # texts of entities that no document type declares

    @property
    def version(self) -> str:
        """Expat's."""
        version: str = self._expat.version
        return version

    def feed(self, data: Any) -> None:
        """More of the document. Raises ParseError, RuntimeError inside itself."""
        self._ask(self._expat.feed, data)

    def flush(self) -> None:
        """What is held back until more comes, where expat does so."""
        flush = getattr(self._expat, "flush", None)
        if flush is not None:
            self._ask(flush)

    def close(self) -> Any:
        """What the target's `close` gives. Raises ParseError, RuntimeError inside `feed`."""
        self._ask(self._expat.close)
        close = getattr(self.target, "close", None)
        return None if close is None else close()

    def _setevents(self, queue: Any, events: Any) -> None:
        """For XMLPullParser: which events go into its queue. Raises ValueError."""
        wanted = tuple(exact(each) for each in events)
        for each in wanted:
            if each not in _EVENTS:
                raise ValueError(f"unknown event {each!r}")
        self._queue, self._wanted = queue, wanted

    def _ask(self, function: Any, *data: Any) -> None:
        if self._busy:  # by a finalizer: expat must not be called inside itself
            raise RuntimeError("a parser cannot be called while it parses")
        self._expat.entity = {exact(name): exact(text) for name, text in dict(self.entity).items()}
        self._busy = True
        try:
            function(*data)
        finally:
            self._busy = False
            self._tell()

    def _tell(self) -> None:
        events, self._found.events = self._found.events, []
        for event, *parts in events:
            label = event.replace("_", "-")
            method = getattr(self.target, event, None)
            if method is not None:
                said = method(*parts)
            elif event in {"start_ns", "end_ns"}:
                said = tuple(parts) if event == "start_ns" else None
            else:
                continue
            if label in self._wanted:
                self._queue.append((label, said))


def _no_file(source: Any) -> NoReturn:
    raise RefusedCall(
        "there are no files to open here", "pass the text to fromstring, or a file object such as io.BytesIO"
    )


class _Events:
    """What `iterparse` gives: events, and the root once they have ended."""

    def __init__(self, source: Any, events: Any, parser: Any) -> None:
        self._pull = library.XMLPullParser(events, _parser=parser)
        self._source = source
        self._iterator = self._all()
        self.root: Any = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    def close(self) -> None:
        """No more events."""
        self._iterator.close()

    def _all(self) -> Any:
        while True:
            yield from self._pull.read_events()
            data = self._source.read(16 << 10)
            if not data:
                break
            self._pull.feed(data)
        root = self._pull._close_and_return_root()
        yield from self._pull.read_events()
        self.root = root


def iterparse(source: Any, events: Any = None, parser: Any = None) -> _Events:
    """`xml.etree.ElementTree.iterparse`, of a file object."""
    if not hasattr(source, "read"):
        _no_file(source)
    return _Events(source, events, parser)


def _with_exact_names(register: Any) -> Any:
    def register_namespace(prefix: Any, uri: Any) -> None:
        """`xml.etree.ElementTree.register_namespace`."""
        register(exact(prefix), exact(uri))

    return register_namespace


def _keep_from_files(tree: Any) -> None:
    """In place, since a class that derives from it would have the library's methods behind its own."""
    parse_any, write_any = tree.parse, tree.write

    def parse(self: Any, source: Any, parser: Any = None) -> Any:
        """Reads a file object. Raises ParseError."""
        if not hasattr(source, "read"):
            _no_file(source)
        return parse_any(self, source, parser)

    def write(self: Any, file_or_filename: Any, encoding: Any = None, *args: Any, **options: Any) -> None:
        """Writes to a file object, at once: over one of the program's, C code would call back in the middle."""
        if not hasattr(file_or_filename, "write"):
            _no_file(file_or_filename)
        held: Any = io.StringIO() if str(encoding).lower() == "unicode" else io.BytesIO()
        write_any(self, held, encoding, *args, **options)
        file_or_filename.write(held.getvalue())

    tree.parse, tree.write = parse, write


def _keep_exact_paths(paths: Any) -> None:
    """A path is a key under which its steps are kept."""
    find_any = paths.iterfind

    def iterfind(elem: Any, path: Any, namespaces: Any = None) -> Any:
        known = {} if not namespaces else {_prefix(key): exact(uri) for key, uri in dict(namespaces).items()}
        return find_any(elem, exact(path), known)

    def _prefix(key: Any) -> Any:
        return key if key is None else exact(key)

    paths.iterfind = iterfind
