"""What a source names of modules and absent globals: which there are, and what is said of the rest."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from langserver.core.claims import Failure
from langserver.core.outcome import ErrorKind
from langserver.js_runtime.absent import ABSENT, DYNAMIC_IMPORT, listed, unavailable, why_no_module
from langserver.js_runtime.parsed import Complaint, ModuleName, ModuleText, Reading
from langserver.js_runtime.syntax import Text, refused_text

_META = "a source is no file here: it has no address and no folder"
_FROM = "import the names first and export them by themselves"


class Offer:
    """The modules that require and import give."""

    def __init__(self, names: Iterable[str]) -> None:
        """A name that ends in a slash is a family: `lodash/` has `lodash/get`."""
        self._names = frozenset(names)
        self._families = tuple(name for name in self._names if name.endswith("/"))
        self.sentence = listed(self._names)

    @property
    def names(self) -> Collection[str]:
        """Their names."""
        return self._names

    def has(self, module: str) -> bool:
        """Whether the module is there; `node:` before its name changes nothing."""
        name = module.removeprefix("node:")
        return name in self._names or name.startswith(self._families)


def refused_imports(reading: Reading, offer: Offer, program: Text) -> list[Failure]:
    """The import statements whose module is not there."""
    return [
        _refused(found, offer, program) for found in reading.modules if found.is_statement and not offer.has(found.name)
    ]


def refused_calls(reading: Reading, offer: Offer, program: Text) -> list[Failure]:
    """The calls of require that will be refused, and those of import(), unless the program can do without them."""
    return [
        _refused(found, offer, program)
        for found in reading.modules
        if not found.is_statement and not found.is_guarded and (found.is_import or not offer.has(found.name))
    ]


def refused_uses(reading: Reading, program: Text) -> list[Failure]:
    """The uses of a global that is not there on purpose, unless the program can do without it."""
    return [
        refused_text(
            ErrorKind.POLICY_VIOLATION,
            Complaint(unavailable(use.name, ABSENT[use.name]), use.line, use.column),
            program,
            ABSENT[use.name],
        )
        for use in reading.absent
    ]


def refused_statements(module: ModuleText, program: Text) -> list[Failure]:
    """The statements and expressions of a module that mean nothing here."""
    found = []
    for spot in module.refusals:
        hint = _META if spot.name == "import.meta" else _FROM
        message = unavailable(spot.name, hint)
        problem = Complaint(message, spot.line, spot.column)
        found.append(refused_text(ErrorKind.POLICY_VIOLATION, problem, program, hint))
    return found


def missing_name(answer: bytes, module: ModuleText, program: Text) -> Failure:
    """The failure of an import of a name that its module does not have, which `setModule` in prelude/start.js told."""
    told = json.loads(answer)
    name = module.names[told["number"]]
    close = get_close_matches(name.imported, told["there"], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"write `import {name.name} from ...` to have the module itself"
    message = f"the module {json.dumps(name.module)} has no export named {name.imported!r}"
    return refused_text(ErrorKind.SYNTAX_ERROR, Complaint(message, name.line, name.column), program, hint)


def _refused(found: ModuleName, offer: Offer, program: Text) -> Failure:
    quoted = json.dumps(found.name, ensure_ascii=False)
    if found.is_statement:
        what = f"import of {quoted}"
    else:
        what = f"import({quoted})" if found.is_import else f"require({quoted})"
    why = DYNAMIC_IMPORT if found.is_import and not found.is_statement else why_no_module(found.name, offer.names)
    is_told = offer.sentence in why or offer.has(found.name)
    hint = why if is_told else f"{why}; {offer.sentence}"
    problem = Complaint(unavailable(what, why), found.line, found.column)
    return refused_text(ErrorKind.POLICY_VIOLATION, problem, program, hint)
