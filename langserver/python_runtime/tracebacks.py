"""Exceptions as text, as CPython prints them, but with the program's frames only and the caller's name for its file."""

from __future__ import annotations

import itertools
import sys
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass

from langserver.python_runtime import sources
from langserver.python_runtime.names import SOURCE_NAME

MESSAGE_CHARACTERS = 4000
_LINE_CHARACTERS = 200
_FRAMES_SHOWN = 40
_CHAIN_SHOWN = 8
_NOTES_SHOWN = 16
# CPython's own limits for groups.
_MEMBERS_SHOWN = 15
_GROUPS_DEEP = 10

_BY_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_BY_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frame stood. Lines count from 1; the columns are in bytes of UTF-8 from 0, None where not known."""

    line: int
    function: str
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


def name_of(kind: type) -> str:
    """The name of a class, whatever its metaclass says, as an exact string: a program may have set another."""
    return str.__str__(type.__dict__["__name__"].__get__(kind))


def text_of(error: BaseException) -> str:
    """`str(error)`, cut; an error whose own `__str__` fails is described by that."""
    try:
        text = str(error)
        return str.__str__(text)[:MESSAGE_CHARACTERS]
    except MemoryError:
        raise
    except BaseException as inner:  # noqa: BLE001 -- an exception of the program may raise anything
        return f"<this exception's text could not be made: {name_of(type(inner))}>"


def traceback_of(error: BaseException) -> types.TracebackType | None:
    """The traceback of `error`, whatever its class says."""
    found: types.TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    return found


def frames_of(error: BaseException) -> Iterator[tuple[types.FrameType, types.TracebackType]]:
    """Each of the program's frames with its step of the traceback, outermost first."""
    step = traceback_of(error)
    while step is not None:
        if step.tb_frame.f_code.co_filename == SOURCE_NAME:
            yield step.tb_frame, step
        step = step.tb_next


def places(error: BaseException) -> list[Place]:
    """Where each of the program's frames stood, outermost first."""
    return [_place(step) for _, step in frames_of(error)]


def _place(step: types.TracebackType) -> Place:
    code = step.tb_frame.f_code
    line, end_line, column, end_column = next(
        itertools.islice(code.co_positions(), max(0, step.tb_lasti) // 2, None), (None, None, None, None)
    )
    if line != step.tb_lineno:  # a place of another instruction than the one that raised
        return Place(step.tb_lineno, code.co_name)
    return Place(step.tb_lineno, code.co_name, column, end_line, end_column)


def render_exception(error: BaseException) -> str:
    """The text CPython prints: chained exceptions, the members of groups, notes, and where each was."""
    return "".join(_rendered(error, 0, set()))


def render_current() -> str:
    """The text of the exception being handled, `NoneType: None` without one."""
    error = sys.exception()
    return "NoneType: None\n" if error is None else render_exception(error)


def render_headed(heading: str, error: BaseException) -> str:
    """One line of `heading` and `error`, then the program's frames."""
    headline = f"{heading}: {name_of(type(error))}: {text_of(error)}".rstrip(": ") + "\n"
    return headline + "".join(_with_heading(error, "Traceback (most recent call last):"))


def _rendered(error: BaseException, depth: int, seen: set[int]) -> list[str]:
    """The whole lines of `error` and of what led to it, inside `depth` groups."""
    chain: list[tuple[BaseException, str]] = []  # the last one first, each with the words that stand before it
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(chain) < _CHAIN_SHOWN:
        seen.add(id(current))
        linked, words = _linked(current)
        shown = linked is not None and id(linked) not in seen and len(chain) + 1 < _CHAIN_SHOWN
        chain.append((current, words if shown else ""))
        current = linked
    lines: list[str] = []
    for each, words in reversed(chain):
        lines += _margin(words.splitlines(keepends=True), depth)
        lines += _group(each, depth, seen) if members_of(each) is not None else _margin(_single(each), depth)
    return lines


def _linked(error: BaseException) -> tuple[BaseException | None, str]:
    cause = BaseException.__dict__["__cause__"].__get__(error)
    if cause is not None:
        return cause, _BY_CAUSE
    if BaseException.__dict__["__suppress_context__"].__get__(error):
        return None, ""
    return BaseException.__dict__["__context__"].__get__(error), _BY_CONTEXT


def members_of(error: BaseException) -> tuple[BaseException, ...] | None:
    """The exceptions in a group; None if it is none."""
    if not issubclass(type(error), BaseExceptionGroup):
        return None
    members: tuple[BaseException, ...] = BaseExceptionGroup.__dict__["exceptions"].__get__(error)
    return members


def _margin(lines: list[str], depth: int) -> list[str]:
    return [f"{'  ' * depth}| {line}" for line in lines] if depth else lines


def _single(error: BaseException) -> list[str]:
    return [*_with_heading(error, "Traceback (most recent call last):"), *_last_lines(error)]


def _group(error: BaseException, depth: int, seen: set[int]) -> list[str]:
    members = members_of(error) or ()
    inside = depth or 1
    if inside > _GROUPS_DEEP:
        return _margin([f"... (groups inside {_GROUPS_DEEP} others are left out)\n"], inside)
    frames = _with_heading(error, "Exception Group Traceback (most recent call last):")
    lines = _margin([*frames, *_last_lines(error)], inside)
    if frames and not depth:
        lines[0] = lines[0].replace("|", "+", 1)
    indent = "  " * inside
    for number, member in enumerate(members[:_MEMBERS_SHOWN], 1):
        lines.append(f"{indent}{'+-' if number == 1 else '  '}+---------------- {number} ----------------\n")
        lines += _rendered(member, inside + 1, seen)
    left_out = len(members) - _MEMBERS_SHOWN
    if left_out > 0:
        lines.append(f"{indent}  +---------------- ... ----------------\n")
        lines += _margin([f"and {left_out} more exception{'s' if left_out > 1 else ''}\n"], inside + 1)
    # A group that ends another one has closed the frame already.
    if not lines[-1].endswith("+------------------------------------\n"):
        lines.append(f"{indent}  +------------------------------------\n")
    return lines


def _last_lines(error: BaseException) -> list[str]:
    text = text_of(error)
    lines = f"{name_of(type(error))}: {text}".split("\n") if text else [name_of(type(error))]
    lines += [line for note in _notes(error) for line in note.split("\n")]
    return [f"{line}\n" for line in lines]


def _notes(error: BaseException) -> list[str]:
    try:
        notes = object.__getattribute__(error, "__notes__")
    except AttributeError:
        return []
    if type(notes) is not list:
        return []
    return [str.__str__(note)[:MESSAGE_CHARACTERS] for note in notes[:_NOTES_SHOWN] if issubclass(type(note), str)]


def _with_heading(error: BaseException, heading: str) -> list[str]:
    found = places(error)
    if not found:
        return []
    shown = _collapsed(found)
    left_out = len(shown) - _FRAMES_SHOWN
    if left_out > 0:
        half = _FRAMES_SHOWN // 2
        shown[half : half + left_out] = [f"  ... {left_out} more frames ...\n"]
    return [f"{heading}\n", *(line for each in shown for line in each.splitlines(keepends=True))]


def render_places(found: list[Place]) -> str:
    """The program's frames as text, outermost first, many of them cut in the middle."""
    left_out = len(found) - _FRAMES_SHOWN
    half = _FRAMES_SHOWN // 2
    shown = _collapsed(found if left_out <= 0 else found[:half])
    if left_out > 0:
        shown += [f"  ... {left_out} more frames ...\n", *_collapsed(found[-half:])]
    return "".join(["Traceback (most recent call last):\n", *shown])


def _collapsed(found: list[Place]) -> list[str]:
    """A text for each frame, for many of the same call one that counts them; marked as this interpreter marks them."""
    summary = traceback.StackSummary.from_list([_summary(place) for place in found])
    named = f'  File "{SOURCE_NAME}"', f'  File "{sources.label()}"'
    return [each.replace(*named, 1) for each in summary.format()]


def _summary(place: Place) -> traceback.FrameSummary:
    text = sources.line(place.line)
    if len(text) > _LINE_CHARACTERS or place.column is None:
        text = text.strip()
        cut = f"{text[:_LINE_CHARACTERS]}..." if len(text) > _LINE_CHARACTERS else text
        return traceback.FrameSummary(SOURCE_NAME, place.line, place.function, lookup_line=False, line=cut)
    return traceback.FrameSummary(
        SOURCE_NAME,
        place.line,
        place.function,
        lookup_line=False,
        end_lineno=place.end_line,
        colno=place.column,
        end_colno=place.end_column,
    )


def render_syntax(name: str, message: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text of an error in the source, with carets from `start` to `end`: lines and columns from 1, 0 is unknown."""
    (line, column), (end_line, end_column) = start, end
    heading = f'  File "{sources.label()}"' + (f", line {line}\n" if line else "\n")
    text = sources.line(line)
    if not text.strip():
        return f"{heading}{name}: {message}\n"
    indent = len(text) - len(text.lstrip())
    shown = text.strip()[:_LINE_CHARACTERS]
    first = min(max(0, column - 1 - indent), len(shown))
    last = end_column - 1 - indent if end_line == line else len(shown)
    carets = " " * first + "^" * max(1, min(last, len(shown)) - first)
    return f"{heading}    {shown}\n    {carets}\n{name}: {message}\n"
