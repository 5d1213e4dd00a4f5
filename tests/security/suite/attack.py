"""One attack: a row of tests/security/attacks/RUNTIME/FAMILY.toml, whose README.md says what each field means."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Literal

from tests.security.suite import system_calls

FOLDER: Final = Path(__file__).parents[1] / "attacks"

Runtime = Literal["python", "native", "javascript"]
RUNTIMES: Final[tuple[Runtime, ...]] = ("python", "native", "javascript")

FAMILIES: Final = (
    "introspection",
    "frames",
    "format strings",
    "module leaks",
    "syntax",
    "files",
    "network",
    "processes",
    "memory",
    "CPU",
    "output",
    "result channel",
    "state left behind",
    "probing the host",
)


class Judged(StrEnum):
    """When the attacker has won."""

    RESULT = "result"  # the accepted result says `escaped`, which the code sets with the forbidden thing in hand
    SECOND_RESULT = "second result"  # the same, of the second of two runs
    SAME_TWICE = "same result twice"  # two fresh tasks give the same evidence
    OUTLIVES = "outlives its limits"  # later, larger or longer than its limits allow
    UPSETS = "upsets the server"  # a fault of the server, or a forged field that is believed
    SHOWS_HOST = "error shows the host"  # the error text has a path or a name of ours


TWICE: Final = (Judged.SECOND_RESULT, Judged.SAME_TWICE)


class Ends(StrEnum):
    """What a task that does not succeed may end as."""

    ANYHOW = ""  # but for a fault of the server
    REFUSED = "refused"
    OWN_ERROR = "own error"
    LIMIT = "limit"  # or refused before it got there


class Host(StrEnum):
    """Where an attack is shown to be real."""

    NONE = "none"  # `langserver run --layers none`: plain CPython
    NAIVE = "naive"  # suite/hosts/naive.py: CPython as a first draft would use it
    RESTRICTED = "restricted"  # suite/hosts/restricted.py: RestrictedPython with its own guards and raw modules
    NODE = "node"  # suite/hosts/node.cjs: Node.js
    MINIRACER = "miniracer"  # suite/hosts/miniracer.py: mini-racer with a first draft around it
    ANSWER = "answer"  # the wall's own answer: it ended at a limit or broke the protocol, so it had come that far
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class Real:
    """How an attack is shown to be real: where, and by which text in all that the naive host said (a pattern).

    Without a pattern the host's result says `escaped`. NOWHERE has the reason instead.
    """

    host: Host
    shows: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the task is run with."""

    timeout_seconds: int
    memory_mb: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Layers that stop an attack by themselves: one, or several that it takes together.

    `abi` is landlock's from which on they do. `first` and `last` are the CPythons between which they do.
    """

    layers: frozenset[str]
    abi: int = 0
    first: tuple[int, ...] = (0,)
    last: tuple[int, ...] = (99,)

    @classmethod
    def read(cls, text: str) -> Stop:
        """Of the form `seccomp`, `privileges+rlimits`, `landlock 6`, `audit from 3.12` or `audit until 3.12`.

        Raises BadRow.
        """
        names, *when = text.split()
        layers = frozenset(names.split("+"))
        match when:
            case []:
                return cls(layers, abi=int("landlock" in layers))
            case [abi]:
                return cls(layers, abi=int(abi))
            case ["from", version]:
                return cls(layers, first=_version(version))
            case ["until", version]:
                return cls(layers, last=_version(version))
        raise BadRow(f"{text!r} says not when it stops anything")

    def works_on(self, python: tuple[int, ...]) -> bool:
        """Whether it stops the attack on this CPython, major and minor."""
        return self.first <= python <= self.last


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """One attempt. Texts are empty, and `limits` and `harmless` None, where a row has none."""

    id: str
    runtime: Runtime
    family: str
    title: str
    code: str
    proof: str
    source: str
    judged: Judged
    ends: Ends
    parses: bool
    input: Mapping[str, Any]
    harmless: Mapping[str, Any] | None
    limits: Limits | None
    believed: str
    aims_at: str
    stopped_by: tuple[Stop, ...]
    real: Real
    host: str
    since: tuple[int, ...]
    dangerous: str
    alone: bool
    decision: str
    because: str

    def input_for(self, *, stopped: bool) -> Mapping[str, Any]:
        """What it is given; where nothing stops it, something smaller."""
        return self.input if stopped or self.harmless is None else {**self.input, **self.harmless}


class BadRow(Exception):
    """A row that cannot be meant."""


def load() -> tuple[Attack, ...]:
    """Every attack, by runtime and in the order of FAMILIES. Raises BadRow."""
    found: list[Attack] = []
    for runtime in RUNTIMES:
        for family in FAMILIES:
            file = FOLDER / runtime / f"{family.lower().replace(' ', '-')}.toml"
            if file.exists():
                found += (_attack(runtime, family, row) for row in tomllib.loads(file.read_text("utf-8"))["attack"])
    return tuple(found)


_DEFAULT_STOP: Final = {"python": ("policy",), "javascript": ("policy",)}
_DEFAULT_HOST: Final = {"python": Host.NONE, "native": Host.NONE, "javascript": Host.NODE}
_FIELDS: Final = frozenset(
    "id title code proof source judged ends parses input harmless limits stopped_by real shows not_real host dangerous"
    " alone decision raw expand believed aims_at since because".split()
)


def _attack(runtime: Runtime, family: str, row: dict[str, Any]) -> Attack:
    name = row["id"]
    if unknown := row.keys() - _FIELDS:
        raise BadRow(f"{name}: unknown fields {sorted(unknown)}")
    if runtime == "native" and "stopped_by" not in row:
        raise BadRow(f"{name}: nothing is said to stop it")
    limits = row.get("limits")
    return Attack(
        id=name,
        runtime=runtime,
        family=family,
        title=row["title"],
        code=_code(row),
        proof=row.get("proof", ""),
        source=row.get("source", ""),
        judged=Judged(row.get("judged", Judged.RESULT)),
        ends=Ends(row.get("ends", "")),
        parses=row.get("parses", True),
        input=row.get("input", {}),
        harmless=row.get("harmless"),
        limits=Limits(**limits) if limits else None,
        believed=row.get("believed", ""),
        aims_at=row.get("aims_at", ""),
        stopped_by=tuple(map(Stop.read, row.get("stopped_by", _DEFAULT_STOP.get(runtime, ())))),
        real=_real(runtime, row),
        host=row.get("host", ""),
        since=_version(row["since"]) if "since" in row else (),
        dangerous=row.get("dangerous", ""),
        alone=row.get("alone", False),
        decision=row.get("decision", ""),
        because=row.get("because", ""),
    )


def _real(runtime: Runtime, row: dict[str, Any]) -> Real:
    if "not_real" in row:
        return Real(Host.NOWHERE, why=row["not_real"])
    return Real(Host(row.get("real", _DEFAULT_HOST[runtime])), shows=row.get("shows", ""))


def _code(row: dict[str, Any]) -> str:
    code: str = row["code"]
    for part in row.get("expand", ()):
        text = part["text"] if "text" in part else chr(part["codepoint"])
        code = code.replace(part["mark"], text * part.get("times", 1))
    return system_calls.helper() + code if row.get("raw") else code
