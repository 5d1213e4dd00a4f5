"""From what a caller sends to a job for the sandbox: the checks that need no child."""

from __future__ import annotations

from dataclasses import dataclass, field

from langserver.core.zones import UTC, zone_names
from langserver.errors import RequestError
from langserver.limits import Asked, Ceilings, grant
from langserver.wire.header import Mode, TaskHeader
from langserver.zygote.job import Job

RUNTIMES = ("python", "js")
_ALIASES = {"python": "python", "js": "js", "javascript": "js", "node": "js"}
_LABELS = {"python": "task.py", "js": "task.js"}
_LABEL_CHARS = 128


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A caller's words. Empty texts and None mean the default."""

    runtime: str
    code: str = field(repr=False)
    input_json: str = field(default="", repr=False)
    filename: str = ""
    timezone: str = ""
    seed: int | None = None
    asked: Asked = Asked()


def canonical_runtime(name: str) -> str:
    """`python` or `js`. Raises RequestError."""
    try:
        return _ALIASES[name]
    except KeyError:
        known = ", ".join(sorted(_ALIASES))
        raise RequestError(f"unknown runtime {name[:64]!r}: expected one of {known}") from None


def make_job(request: TaskRequest, ceilings: Ceilings, mode: Mode) -> Job:
    """Checks a request and makes the job of it. Raises RequestError, which names limit and size, or what is unknown."""
    runtime = canonical_runtime(request.runtime)
    if not request.code:
        raise RequestError("there is no code: inline_code.code is empty")
    granted = grant(request.asked, ceilings)
    zone = request.timezone or UTC
    if zone not in zone_names():
        raise RequestError(f"unknown timezone {zone[:64]!r}: expected an IANA name like Europe/Berlin")
    header = TaskHeader(
        mode=mode,
        zone=zone,
        seed=request.seed,
        label=_label(request.filename) or _LABELS[runtime],
        output_bytes=granted.bounds.output_bytes,
        log_bytes=granted.log_bytes,
    )
    return Job(
        runtime=runtime,
        header=header,
        source=_sized(request.code, "the code", ceilings.code_bytes, "LANG_CODE_BYTES"),
        input=_sized(request.input_json, "input_json", ceilings.input_bytes, "LANG_INPUT_BYTES"),
        bounds=granted.bounds,
        lower_memory_bytes=granted.lower_memory_bytes,
        lower_cpu_seconds=granted.lower_cpu_seconds,
    )


def _sized(text: str, what: str, limit: int, setting: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise RequestError(f"{what} holds a lone surrogate at character {error.start}: it is no Unicode text") from None
    if len(data) > limit:
        raise RequestError(f"{what} has {len(data)} bytes, the limit is {limit} ({setting})")
    return data


def _label(filename: str) -> str:
    """A file name as errors show it: printable, one line, short; it means no path and is never opened."""
    return "".join(char for char in filename[:_LABEL_CHARS] if char.isprintable())
