"""The input of a task of a language runtime: the program, its own input, and what it asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from worker_bridge.core.json_text import Members, value

_LIMITS: Final = ("memory_mb", "cpu_seconds", "output_bytes", "log_bytes")
_MEMBERS: Final = Members("code", "input", "filename", "timeout_seconds", "timezone", "seed", "limits")
_HIGHEST: Final = (1 << 31) - 1
_SEEDS: Final = range(-(1 << 63), 1 << 63)

Value = TypeVar("Value")
Default = TypeVar("Default")


class BadProgram(ValueError):
    """The input asks for nothing that can be executed; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Program:
    """`input_json` is as it was written. A timeout of 0 s, and a limit that is not there, mean the default."""

    code: str = field(repr=False)
    input_json: str = field(default="{}", repr=False)
    filename: str = ""
    timeout_seconds: int = 0
    timezone: str = ""
    seed: int | None = None
    limits: Mapping[str, int] = field(default_factory=dict)


def parse_program(text: str) -> Program:
    """Reads {"code", "input", "filename"?, "timeout_seconds"?, "timezone"?, "seed"?, "limits"?}. Raises BadProgram."""
    try:
        given = _MEMBERS.of(text)
    except ValueError as error:
        raise BadProgram(f"the task's input: {error}") from None
    if "code" not in given:
        raise BadProgram("code is missing")
    seed = _value(given, "seed", int, None)
    if seed is not None and seed not in _SEEDS:
        raise BadProgram("seed: a whole number of 64 bits is expected")
    return Program(
        code=_value(given, "code", str, ""),
        input_json=given.get("input", "{}"),
        filename=_value(given, "filename", str, ""),
        timeout_seconds=_timeout(_value(given, "timeout_seconds", float, 0.0)),
        timezone=_value(given, "timezone", str, ""),
        seed=seed,
        limits=_limits(_value(given, "limits", dict[str, int], {})),
    )


def _value(given: Mapping[str, str], name: str, kind: type[Value], default: Default) -> Value | Default:
    if name not in given:
        return default
    try:
        return value(given[name], kind)
    except ValueError as error:
        raise BadProgram(f"{name}: {error}") from None


def _timeout(seconds: float) -> int:
    if not 0 <= seconds <= _HIGHEST:
        raise BadProgram("timeout_seconds: a number of seconds is expected")
    whole: int = math.ceil(seconds)
    return whole


def _limits(limits: dict[str, int]) -> dict[str, int]:
    for name, number in limits.items():
        if name not in _LIMITS:
            raise BadProgram(f"limits: there is no {name[:100]!r}, only {', '.join(_LIMITS)}")
        if not 0 <= number <= _HIGHEST:
            raise BadProgram(f"limits: {name}: a whole number from 0 is expected")
    return limits
