"""From all that is known of an execution to its outcome."""

from __future__ import annotations

from langserver.core.verdict import EndReason, Evidence, Exit, verdict
from langserver.sandbox.jail import step_of_exit_code
from langserver.wire.channel import MAX_EVENTS
from langserver.wire.conversation import Conversation
from langserver.zygote.child_handle import Child
from langserver.zygote.job import Job, Outcome, Usage
from langserver.zygote.result_check import output_fault


async def judge(  # noqa: PLR0917
    job: Job,
    child: Child,
    said: Conversation,
    exit_: Exit | None,
    ended: EndReason | None,
    wall_seconds: float,
    *,
    late: bool,
    seen_bytes: int,
) -> Outcome:
    """The outcome of `job` on `child`, which said this and is gone. `late`, `seen_bytes`: see Evidence."""
    evidence = Evidence(
        runtime=job.runtime,
        bounds=job.bounds,
        exit=exit_,
        idle_rss_bytes=child.idle_rss_bytes,
        ended=ended,
        late=late,
        sealed=said.sealed,
        bad_input=said.bad_input,
        broken=said.broken,
        report=said.report,
        output_fault=await _fault(job, said),
        jail_step=step_of_exit_code(exit_.code) if exit_ and exit_.code is not None and not said.sealed else None,
        seen_bytes=seen_bytes,
        ran_out=child.ran_out,
        code_bytes=child.code_bytes,
    )
    judged = verdict(evidence)
    events = (*said.events, *judged.events)[-MAX_EVENTS:]  # the last ones: what ended the task is among them
    return Outcome(judged, said.logs_truncated, events, _usage(evidence, wall_seconds))


async def _fault(job: Job, said: Conversation) -> str | None:
    report = said.report
    if report is None or report.failures or job.header.mode == "validate":
        return None
    if len(report.output) > job.bounds.output_bytes:
        return None  # over its limit anyway
    return await output_fault(report.output)


def _usage(evidence: Evidence, wall_seconds: float) -> Usage:
    exit_, report = evidence.exit, evidence.report
    return Usage(
        wall_seconds=wall_seconds,
        cpu_seconds=exit_.cpu_seconds if exit_ else 0.0,
        peak_memory_bytes=evidence.peak_bytes,
        compile_seconds=_claimed_seconds(report.compile_ns, wall_seconds) if report else 0.0,
        run_seconds=_claimed_seconds(report.run_ns, wall_seconds) if report else 0.0,
    )


def _claimed_seconds(nanoseconds: int, wall_seconds: float) -> float:
    return min(nanoseconds / 1e9, wall_seconds)
