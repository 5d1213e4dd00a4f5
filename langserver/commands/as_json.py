"""Outcomes as JSON: every field of the proto message, named as there, int64 as decimal strings (proto3 JSON)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from langserver.core.claims import Failure
from langserver.core.verdict import Verdict
from langserver.zygote.job import LogLine, Outcome


def execute_response(outcome: Outcome, logs: Sequence[LogLine]) -> dict[str, Any]:
    """An `ExecuteResponse`; `error` is null when there is none. The outcome must not be a refusal."""
    judged, usage = outcome.verdict, outcome.usage
    output = judged.report.output if judged.report and not judged.failure else b""
    return {
        "task_id": "",
        "success": judged.failure is None,
        "output_json": output.decode("utf-8", "replace"),
        "error": error(judged.failure) if judged.failure else None,
        "logs": [asdict(line) for line in logs],
        "logs_truncated": outcome.logs_truncated,
        "usage": {
            "queue_seconds": 0.0,
            "wall_seconds": usage.wall_seconds,
            "cpu_seconds": usage.cpu_seconds,
            "peak_memory_bytes": str(usage.peak_memory_bytes),
            "compile_seconds": usage.compile_seconds,
            "run_seconds": usage.run_seconds,
        },
        "security_events": [asdict(event) for event in outcome.events],
    }


def validate_response(judged: Verdict) -> dict[str, Any]:
    """A `ValidateResponse`. The verdict must not be a refusal."""
    found = problems(judged)
    imports = judged.report.imports if judged.report else ()
    return {"ok": not found, "problems": [error(problem) for problem in found], "imports": list(imports)}


def problems(judged: Verdict) -> tuple[Failure, ...]:
    """What a validation found: all that the child reported, or the one thing that ended the child."""
    if judged.report is not None:
        return judged.report.failures
    return (judged.failure,) if judged.failure else ()


def error(failure: Failure) -> dict[str, Any]:
    """An `ExecuteError`."""
    return {
        "kind": f"ERROR_KIND_{failure.kind.name}",
        "message": failure.message,
        "type": failure.type,
        "traceback": failure.traceback,
        "line": failure.line,
        "column": failure.column,
        "hint": failure.hint,
    }


def status(name: str, message: str) -> dict[str, str]:
    """What stands where a server would answer a gRPC status other than OK."""
    return {"status": name, "message": message}


def dumps(value: dict[str, Any]) -> str:
    """One line of JSON in ASCII: no terminal, pipe or locale can spoil it."""
    return json.dumps(value)
