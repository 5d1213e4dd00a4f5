"""From a language server's answer to what is reported."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Final

from google.protobuf.json_format import MessageToJson

from langserver.pb import lang_pb2 as pb
from worker_bridge.core.outcome import Outcome

MAX_LOGS_BYTES: Final = 512 << 10

_ERROR_CHARACTERS: Final = 8_000
_TRACEBACK_CHARACTERS: Final = 64_000
_LABEL_CHARACTERS: Final = 500
_PREFIX: Final = "ERROR_KIND_"
# What the same code with the same input would end as again. The rest is left to the coordinator's retries.
_TERMINAL: Final = frozenset(
    {
        pb.ERROR_KIND_SYNTAX_ERROR,
        pb.ERROR_KIND_POLICY_VIOLATION,
        pb.ERROR_KIND_INVALID_RESULT,
        pb.ERROR_KIND_SANDBOX_VIOLATION,
        pb.ERROR_KIND_OUTPUT_LIMIT,
    }
)


def fault_of(response: pb.ExecuteResponse | None, task_id: str) -> str | None:
    """Why this is no answer to the question, or None."""
    if response is None:  # what gRPC makes of bytes that are no such message
        return "its answer cannot be read"
    if response.task_id not in ("", task_id):  # something between here and there mixes up calls
        return "its answer is another task's"
    return None


def outcome_of(response: pb.ExecuteResponse, filename: str) -> Outcome:
    """`filename` is the label that the error names a line of."""
    logs = _logs(response.logs, cut=response.logs_truncated)
    if response.success:
        return Outcome(completed=True, output=response.output_json.encode(), logs_json=logs)
    error = response.error
    error.traceback = error.traceback[:_TRACEBACK_CHARACTERS]
    error.message = error.message[:_ERROR_CHARACTERS]
    return Outcome(
        completed=False,
        error=_text(error, filename),
        terminal=error.kind in _TERMINAL,
        error_json=MessageToJson(error, indent=None, ensure_ascii=False).encode(),
        logs_json=logs,
    )


def _text(error: pb.ExecuteError, filename: str) -> str:
    known = error.kind in pb.ErrorKind.values()
    kind = pb.ErrorKind.Name(error.kind).removeprefix(_PREFIX) if known else "INTERNAL"
    place = f" ({(filename or '<code>')[:_LABEL_CHARACTERS]}:{error.line})" if error.line else ""
    return f"{kind}: {_said(error)}{place}"


def _said(error: pb.ExecuteError) -> str:
    """A program's own error with its class, without which `'count'` is all there is to a KeyError."""
    if error.kind != pb.ERROR_KIND_USER_ERROR or not error.type or error.message.startswith(error.type):
        return error.message
    name = error.type[:_LABEL_CHARACTERS]
    return f"{name}: {error.message}" if error.message else name


def _logs(lines: Sequence[pb.LogLine], *, cut: bool) -> bytes:
    """As many lines from the first on as there is room for; the last one says how many more there were."""
    texts: list[str] = []
    size = 0
    for number, line in enumerate(lines):
        told = {"stream": line.stream, "text": line.text, "at_seconds": _moment(line.at_seconds)}
        text = json.dumps(told, ensure_ascii=False)
        size += len(text.encode()) + 1
        if size > MAX_LOGS_BYTES:
            texts.append(_note(f"{len(lines) - number} more lines are left out"))
            break
        texts.append(text)
    else:
        if cut:
            texts.append(_note("more lines are left out"))
    return f"[{','.join(texts)}]".encode() if texts else b""


def _moment(seconds: float) -> float:
    return seconds if math.isfinite(seconds) else 0.0  # JSON has no other


def _note(text: str) -> str:
    return json.dumps({"stream": "worker", "text": text, "at_seconds": 0.0})
