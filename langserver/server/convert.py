"""Between the messages of proto/lang.proto and the values inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langserver.core.claims import Failure, SecurityClaim
from langserver.errors import RequestError
from langserver.limits import Asked, Ceilings
from langserver.pb import lang_pb2
from langserver.server.statuses import Refused
from langserver.server.tasks import Finished
from langserver.zygote.job import LogLine, Outcome
from langserver.zygote.request import TaskRequest

_TASK_ID_CHARS = 1024  # it is echoed, and so must fit into the answer
_METADATA_ENTRIES = 64
_METADATA_BYTES = 16 << 10
_MAX_INT32 = 2**31 - 1
_MAX_INT64 = 2**63 - 1


def task_of(request: lang_pb2.ExecuteRequest) -> TaskRequest:
    """What an Execute asks for, not checked yet but for its label. Raises RequestError."""
    limits = request.limits
    if len(request.task_id) > _TASK_ID_CHARS:
        raise RequestError(f"task_id has {len(request.task_id)} characters, the limit is {_TASK_ID_CHARS}")
    _check_metadata(request.metadata)
    return TaskRequest(
        runtime=request.runtime,
        code=request.inline_code.code,
        input_json=request.input_json,
        filename=request.inline_code.filename,
        timezone=request.timezone,
        seed=request.seed if request.HasField("seed") else None,
        asked=Asked(
            timeout_seconds=request.timeout_seconds,
            memory_mb=limits.memory_mb,
            cpu_seconds=limits.cpu_seconds,
            output_bytes=limits.output_bytes,
            log_bytes=limits.log_bytes,
        ),
    )


def check_of(request: lang_pb2.ValidateRequest, timeout_seconds: float) -> TaskRequest:
    """What a Validate asks for, not checked yet."""
    return TaskRequest(
        runtime=request.runtime,
        code=request.inline_code.code,
        filename=request.inline_code.filename,
        asked=Asked(timeout_seconds=timeout_seconds),
    )


def execute_response(
    task_id: str, finished: Finished, logs: Sequence[lang_pb2.LogLine] = ()
) -> lang_pb2.ExecuteResponse:
    """The answer to an Execute. Raises Refused when it is no answer but a status."""
    outcome = finished.outcome
    failure = _failure(outcome)
    report = outcome.verdict.report
    return lang_pb2.ExecuteResponse(
        task_id=task_id,
        success=failure is None,
        output_json=report.output.decode() if report and failure is None else "",  # checked to be UTF-8 JSON
        error=_error(failure) if failure else None,
        logs=logs,
        logs_truncated=outcome.logs_truncated,
        usage=_usage(finished),
        security_events=_events(outcome.events),
    )


def validate_response(finished: Finished) -> lang_pb2.ValidateResponse:
    """The answer to a Validate. Raises Refused when it is no answer but a status."""
    failure = _failure(finished.outcome)
    report = finished.outcome.verdict.report
    if report is None:  # a limit, or a fault: the one thing that is known
        problems = (failure,) if failure else ()
        return lang_pb2.ValidateResponse(ok=not problems, problems=[_error(problem) for problem in problems])
    return lang_pb2.ValidateResponse(
        ok=not report.failures, problems=[_error(problem) for problem in report.failures], imports=report.imports
    )


def log_line(line: LogLine) -> lang_pb2.LogLine:
    """One log line."""
    return lang_pb2.LogLine(stream=line.stream, text=line.text, at_seconds=line.at_seconds)


def max_limits(ceilings: Ceilings) -> lang_pb2.Limits:
    """The ceilings that a caller can ask up to."""
    return lang_pb2.Limits(
        memory_mb=ceilings.memory_mb,
        cpu_seconds=ceilings.cpu_seconds or ceilings.max_timeout_seconds,
        output_bytes=ceilings.output_bytes,
        log_bytes=ceilings.log_bytes,
    )


def _check_metadata(metadata: Mapping[str, str]) -> None:
    if len(metadata) > _METADATA_ENTRIES:
        raise RequestError(f"metadata has {len(metadata)} entries, the limit is {_METADATA_ENTRIES}")
    size = sum(len(text.encode()) for entry in metadata.items() for text in entry)
    if size > _METADATA_BYTES:
        raise RequestError(f"metadata has {size} bytes, the limit is {_METADATA_BYTES}")


def _failure(outcome: Outcome) -> Failure | None:
    verdict = outcome.verdict
    if verdict.refusal is not None:
        raise Refused(verdict.refusal, verdict.message)
    return verdict.failure


def _error(failure: Failure) -> lang_pb2.ExecuteError:
    return lang_pb2.ExecuteError(
        kind=lang_pb2.ErrorKind.Name(failure.kind),
        message=failure.message,
        type=failure.type,
        traceback=failure.traceback,
        line=_clamp(failure.line, _MAX_INT32),
        column=_clamp(failure.column, _MAX_INT32),
        hint=failure.hint,
    )


def _usage(finished: Finished) -> lang_pb2.Usage:
    usage = finished.outcome.usage
    return lang_pb2.Usage(
        queue_seconds=finished.queue_seconds,
        wall_seconds=usage.wall_seconds,
        cpu_seconds=usage.cpu_seconds,
        peak_memory_bytes=_clamp(usage.peak_memory_bytes, _MAX_INT64),
        compile_seconds=usage.compile_seconds,
        run_seconds=usage.run_seconds,
    )


def _events(claims: tuple[SecurityClaim, ...]) -> list[lang_pb2.SecurityEvent]:
    # The last ones: what ended the task is among them.
    return [lang_pb2.SecurityEvent(layer=claim.layer, action=claim.action, detail=claim.detail) for claim in claims]


def _clamp(number: int, highest: int) -> int:
    return max(0, min(number, highest))
