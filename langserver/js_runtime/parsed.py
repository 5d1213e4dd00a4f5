"""What a real parser (acorn, in the task's own isolate, before anything of the program ran) finds in a source."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import IntEnum

from langserver.js_runtime.absent import ABSENT
from langserver.js_runtime.libraries import library_text

_PARTS = ("collect", "edit", "read")  # each builds on the one before
_SOURCE_URL = "\n//# sourceURL=internal"


class SourceKind(IntEnum):
    """As what a source is read; the values are the places of the readers in parsing/read.js."""

    BODY = 0  # of an async function: a top-level return and await
    SCRIPT = 1
    MODULE = 2


@dataclass(frozen=True, slots=True)
class Complaint:
    """A syntax error and its place: line and column count from 1, 0 is unknown."""

    message: str
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Spot:
    """Something that stands somewhere in the source."""

    name: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class LastExpression:
    """The expression whose value a body has at its end: its place, and how many UTF-16 units of the text that is run
    stand before it.
    """

    split_at: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ModuleName(Spot):
    """A module that the source names.

    `is_statement`: by an import or export statement. `is_guarded`: in a try block, so the program can do without it.
    `is_import`: by a statement or by import(), not by require.
    """

    is_statement: bool
    is_guarded: bool
    is_import: bool


@dataclass(frozen=True, slots=True)
class ImportedName(Spot):
    """A name that an import statement takes from `module`; `imported` is "default" or "*" or what it is there."""

    module: str
    imported: str


@dataclass(frozen=True, slots=True)
class ModuleText:
    """A module as the script or body that it is run as (parsing/edit.js), and what its statements meant."""

    source: str
    lines_before: int
    awaits: bool
    imports: tuple[str, ...]
    names: tuple[ImportedName, ...]
    refusals: tuple[Spot, ...]  # statements that mean nothing here
    reader: str  # the text of a function that gives its exports; "" when it has none
    has_default: bool
    default_name: str
    last: LastExpression | None


@dataclass(frozen=True, slots=True)
class Reading:
    """`problem` ends a reading: the rest is then what was found before it, and there is no `module`."""

    problem: Complaint | None
    awaits: bool  # outside of every function
    declared: frozenset[str]  # of require, module and exports, at the top
    modules: tuple[ModuleName, ...]
    module: ModuleText | None
    absent: tuple[Spot, ...] = ()  # uses of what is not there on purpose, that nothing guards
    keeps_value: bool = False  # as a body it has the value that it has as a script
    last: LastExpression | None = None  # not where the source has another value of its own, such as a top-level return


def load_parser() -> bytes:
    """The text whose value is an array with one reader for each SourceKind; read once, where files can be opened."""
    folder = os.path.join(os.path.dirname(__file__), "parsing")
    parts = []
    for name in _PARTS:
        with open(os.path.join(folder, f"{name}.js"), encoding="utf-8") as file:
            parts.append(file.read())
    code = "\n".join(parts)
    head = f"'use strict';\nconst ABSENT = new Set({json.dumps(list(ABSENT))});"
    return f"((acorn) => {{\n{head}\n{code}\n}})(({library_text('acorn')})()){_SOURCE_URL}".encode()


def decode_reading(answer: bytes) -> Reading:
    """Reads the JSON of parsing/read.js."""
    told = json.loads(answer)
    problem, module = told["problem"], told["module"]
    return Reading(
        None if problem is None else Complaint(problem["message"], problem["line"], problem["column"]),
        told["awaits"],
        frozenset(told["declared"]),
        tuple(
            ModuleName(m["name"], m["line"], m["column"], m["isStatement"], m["isGuarded"], m["isImport"])
            for m in told["modules"]
        ),
        None if module is None else _module_text(module, told["awaits"]),
        tuple(Spot(use["name"], use["line"], use["column"]) for use in told["absent"]),
        told["keepsValue"],
        _last(told["last"]),
    )


def _last(told: dict[str, int] | None) -> LastExpression | None:
    return None if told is None else LastExpression(told["splitAt"], told["line"], told["column"])


def _module_text(told: dict[str, object], awaits: bool) -> ModuleText:
    imports, refusals, last = told["imports"], told["refusals"], told["last"]
    assert last is None or isinstance(last, dict)
    assert isinstance(imports, list)
    assert isinstance(refusals, list)
    return ModuleText(
        source=str(told["source"]),
        lines_before=1,
        awaits=awaits,
        imports=tuple(each["module"] for each in imports),
        names=tuple(
            ImportedName(name["local"], name["line"], name["column"], each["module"], name["imported"])
            for each in imports
            for name in each["names"]
        ),
        refusals=tuple(Spot(each["what"], each["line"], each["column"]) for each in refusals),
        reader=str(told["reader"]),
        has_default=bool(told["hasDefault"]),
        default_name=str(told["defaultName"]),
        last=_last(last),
    )
