"""The input of a task of a language runtime: the program, its own input, and what it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from worker_bridge.core.json_text import Member, members

_LIMITS: Final = ("memory_mb", "cpu_seconds", "output_bytes", "log_bytes")
_HIGHEST: Final = (1 << 31) - 1
_SEEDS: Final = range(-(1 << 63), 1 << 63)
_ABSENT: Final = Member(None, "")


class BadProgram(ValueError):
    """The input asks for nothing that can be executed; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Program:
    """`input_json` is as it was written. A timeout of 0 s, and a limit that is not there, mean the default."""

    code: str
    input_json: str = "{}"
    filename: str = ""
    timeout_seconds: int = 0
    timezone: str = ""
    seed: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)


def parse_program(text: str) -> Program:
    """Reads {"code", "input", "filename"?, "timeout_seconds"?, "timezone"?, "seed"?, "limits"?}. Raises BadProgram."""
    try:
        given = {name: member for name, member in members(text).items() if member.value is not None}
    except ValueError as error:
        raise BadProgram(f"the task's input: {error}") from None
    return Program(
        code=_string(given, "code", required=True),
        input_json=given["input"].text if "input" in given else "{}",
        filename=_string(given, "filename"),
        timeout_seconds=_timeout(given.get("timeout_seconds", _ABSENT).value),
        timezone=_string(given, "timezone"),
        seed=_seed(given.get("seed", _ABSENT).value),
        limits=_limits(given.get("limits", _ABSENT).value),
    )


def _string(given: Mapping[str, Member], name: str, *, required: bool = False) -> str:
    value = given.get(name, _ABSENT).value
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        raise BadProgram(f"{name} must be a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadProgram(f"{name} holds half of a surrogate pair") from None
    return value


def _timeout(value: Any) -> int:
    if value is None:
        return 0
    if type(value) not in (int, float) or not 0 <= value <= _HIGHEST:
        raise BadProgram("timeout_seconds must be a number of seconds")
    seconds: int = math.ceil(value)
    return seconds


def _seed(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value not in _SEEDS:
        raise BadProgram("seed must be a whole number of 64 bits")
    return value


def _limits(value: Any) -> dict[str, int]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadProgram("limits must be an object")
    for name, number in value.items():
        if name not in _LIMITS:
            raise BadProgram(f"limits: there is no {name[:100]!r}, only {', '.join(_LIMITS)}")
        if type(number) is not int or not 0 <= number <= _HIGHEST:
            raise BadProgram(f"limits: {name} must be a whole number from 0")
    return value
