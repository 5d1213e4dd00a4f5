"""What a program threw, as V8 and the prelude tell it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from langserver.js_runtime.excerpt import source_line

_INTERNAL_LABEL = "task.js"  # the sourceURL of every user source: V8's frames carry it
_SHOWN_LINE = 200
_REPORT = re.compile(r"(?s)([^\n]*?):(\d+): (.*)")
_TYPE = re.compile(r"(?s)([A-Za-z_$][\w$]*): (.*)")
_CONSTRUCTED = re.compile(r"new\s+([A-Za-z_$][\w$]*)")
_UNNAMED = re.compile(r"\[object (\w{1,100})\]")  # what an object is as a text, unless it says otherwise
NO_ERROR = "an object was thrown that is no Error"
_THROW = re.compile(r"\bthrow\b(?!\s+new\s+\w*Error\b)|\breject\b")
_UNCAUGHT_ERROR = re.compile(r"[A-Z]\w*Error(?:: |$)")


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the user's source; line and column count from 1, 0 is unknown."""

    function: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Thrown:
    """What a program threw and did not catch; `properties` is what it had put on its error, as `{ code: 42 }`, and
    `keys` are the names in its input, where the prelude tells them.
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    cause: Thrown | None = None
    properties: str = ""
    keys: tuple[str, ...] = ()
    is_value: bool = False  # it is no error


@dataclass(frozen=True, slots=True)
class Place:
    """The source as its author knows it, the label for its frames, and which modules there are. The rest the prelude
    knows and minds as well, it is for what V8 tells by itself: how many lines it counts too many, and what we called
    the function that a module exports by default without a name.
    """

    label: str
    source: str
    modules: Collection[str] = ()
    lines_before: int = 0
    default_name: str = ""


def thrown_by_script(report: bytes, place: Place) -> Thrown:
    """Reads V8's report of what the top level of a script threw: as of a complaint, then the error's own stack."""
    text = report.decode("utf-8", "replace")
    found = _REPORT.match(text)
    if not found:
        return Thrown("", "the program threw a value that cannot be described")
    rest = found[3]
    stack, header = _stack(rest)
    frames = _frames(stack, place)
    if header is None:
        header, _, after = rest.partition("\n")
        line = after.partition("\n")[0]
        if header == "<string conversion failed>":
            header = "the program threw a value that cannot be described"
        if not frames and found[1] == _INTERNAL_LABEL:
            column = after.partition("\n")[2].partition("\n")[0].find("^") + 1
            frames = (Frame("", int(found[2]) - place.lines_before, column),)
        if unnamed := _UNNAMED.fullmatch(header):
            # V8 has made a text of it, and of all that was in it this is left.
            return Thrown(unnamed[1], f"{NO_ERROR}: {line.strip()[:_SHOWN_LINE]}", frames)
        if not _UNCAUGHT_ERROR.match(header):
            return Thrown("", header, frames)
    named = _TYPE.fullmatch(header)
    thrown = Thrown(named[1], named[2], frames) if named else Thrown(header, "", frames)
    return _with_class_name(thrown, place)


def _stack(rest: str) -> tuple[str, str | None]:
    """The error's stack and its first lines, which repeat how the report begins; ("", None) when there is no such."""
    at = rest.find("\n\n")
    while at >= 0:
        stack = rest[at + 2 :]
        header = stack.partition("\n    at ")[0].rstrip("\n")
        if header and rest.startswith(header):
            return stack, header
        at = rest.find("\n\n", at + 1)
    return "", None


def _with_class_name(thrown: Thrown, place: Place) -> Thrown:
    """Gives an error of a script's top level its class for a type, when the class kept the name of Error.

    V8's report has no word of the class. But the first frame of an error is where it was made, past its constructors,
    and there the source says `new Class`.
    """
    if thrown.type != "Error" or not thrown.frames:
        return thrown
    frame = thrown.frames[0]
    line = source_line(place.source, frame.line)
    made = _CONSTRUCTED.match(line, max(0, frame.column - 1)) if line else None
    if made and re.search(rf"\bclass\s+{re.escape(made[1])}\s+extends\b", place.source):
        return replace(thrown, type=made[1])
    return thrown


def thrown_by_program(description: bytes, place: Place) -> Thrown:
    """Reads the JSON of `describe` in prelude/errors.js. Raises ValueError or KeyError on anything else."""
    thrown = _described(json.loads(description), place)
    return replace(thrown, frames=_only_throw(place.source)) if thrown.is_value else thrown


def _only_throw(source: str) -> tuple[Frame, ...]:
    """The place of what is no error, which has no stack: where the source says throw, if it says so once."""
    found = [match for match, _ in zip(_THROW.finditer(source), range(2), strict=False)]
    if len(found) != 1 or found[0][0] != "throw":
        return ()
    at = found[0].start()
    start = source.rfind("\n", 0, at) + 1
    return (Frame("", source.count("\n", 0, at) + 1, at - start + 1),)


def _described(value: dict[str, object], place: Place) -> Thrown:
    frames = value["frames"]
    if isinstance(frames, str):  # a stack that the program had made a text of
        places = _frames(frames, place)
    else:
        assert isinstance(frames, list)
        places = tuple(Frame(str(name), int(line), int(column)) for name, line, column in frames)
    cause, keys = value.get("cause"), value.get("keys", [])
    assert isinstance(keys, list)
    return Thrown(
        str(value["type"]),
        str(value["message"]),
        places,
        _described(cause, place) if isinstance(cause, dict) else None,
        str(value.get("properties", "")),
        tuple(str(key) for key in keys),
        bool(value.get("isValue")),
    )


def _frames(stack: str, place: Place) -> tuple[Frame, ...]:
    """The frames in a stack that is a text: the prelude wrote it as its author knows it, or V8 as it counts itself."""
    written = re.compile(
        rf"    at (?:(.{{1,200}}?) \()?(?:({re.escape(place.label)})|{_INTERNAL_LABEL}):(\d+):(\d+)\)?"
    )
    frames = []
    for match in map(written.fullmatch, stack.split("\n")):
        if match:
            before = 0 if match[2] is not None else place.lines_before
            frames.append(Frame(_function(match[1] or "", place), int(match[3]) - before, int(match[4])))
    return tuple(frames)


def _function(name: str, place: Place) -> str:
    if name == "eval":  # V8's name for the top level of a text given to a constructor
        return ""
    return "default" if name and name == place.default_name else name
