"""Every row of the outcome table, and every way in which a fact overrules a claim."""

from __future__ import annotations

import signal
from dataclasses import replace

import pytest

from langserver.core.claims import STOPPED, Failure, Report
from langserver.core.outcome import CLAIMABLE, ErrorKind
from langserver.core.verdict import MIB, Bounds, EndReason, Evidence, Exit, Refusal, verdict

BOUNDS = Bounds(timeout_seconds=2, memory_bytes=64 * MIB, cpu_seconds=3, output_bytes=100)
IDLE = 20 * MIB
GOOD = Report(output=b'{"a":1}')


def exited(code: int = 0, cpu: float = 0.01, growth: int = MIB) -> Exit:
    return Exit(code, None, cpu, IDLE + growth)


def killed(number: int, cpu: float = 0.01, growth: int = MIB) -> Exit:
    return Exit(None, number, cpu, IDLE + growth)


def evidence(exit_: Exit | None, runtime: str = "python", **other: object) -> Evidence:
    given = Evidence(runtime=runtime, bounds=BOUNDS, exit=exit_, idle_rss_bytes=IDLE)
    return replace(given, **other)  # type: ignore[arg-type]


def claimed(kind: ErrorKind) -> Report:
    return Report(failures=(Failure(kind, "said by the child", "SomeError", line=7),))


def test_a_whole_report_and_exit_0_is_a_success() -> None:
    judged = verdict(evidence(exited(), report=GOOD))
    assert (judged.refusal, judged.failure, judged.report) == (None, None, GOOD)


@pytest.mark.parametrize("kind", sorted(CLAIMABLE))
def test_what_a_child_may_claim_is_taken_from_an_honest_end(kind: ErrorKind) -> None:
    judged = verdict(evidence(exited(), report=claimed(kind)))
    message = "said by the child"
    if kind is ErrorKind.MEMORY_LIMIT:
        message = "the task needed more memory than its limit of 64 MiB"
    assert judged.failure == Failure(kind, message, "SomeError", line=7)


# ruff: noqa: E501
FACTS = [
    # what happened, runtime, evidence, kind, a part of the message
    ("killed at its timeout", "python", {"ended": EndReason.TIMEOUT}, killed(9), ErrorKind.TIMEOUT, "limit of 2 s"),
    ("soft CPU limit", "python", {}, killed(signal.SIGXCPU, cpu=3.0), ErrorKind.CPU_LIMIT, "3 s of CPU"),
    ("soft CPU limit, counted by ticks", "python", {}, killed(signal.SIGXCPU, cpu=2.9), ErrorKind.CPU_LIMIT, "3 s of CPU"),
    ("SIGXCPU by itself", "python", {}, killed(signal.SIGXCPU), ErrorKind.CRASHED, "SIGXCPU"),
    ("soft CPU limit, heard", "python", {}, exited(STOPPED, cpu=2.9), ErrorKind.CPU_LIMIT, "3 s of CPU"),
    ("as if it had heard, a report", "python", {"report": GOOD}, exited(STOPPED, cpu=1.0), ErrorKind.CRASHED, "exit status 62"),
    ("timeout, heard", "python", {"ended": EndReason.TIMEOUT, "report": GOOD}, exited(STOPPED), ErrorKind.TIMEOUT, "2 s"),
    ("ignored SIGXCPU", "python", {}, killed(9, cpu=3.9), ErrorKind.CPU_LIMIT, "3 s of CPU"),
    ("busy until its timeout", "python", {"ended": EndReason.TIMEOUT}, killed(9, cpu=3.1), ErrorKind.TIMEOUT, "2 s"),
    ("SIGSYS", "python", {}, killed(signal.SIGSYS), ErrorKind.SANDBOX_VIOLATION, "system call"),
    ("V8 out of memory", "js", {}, killed(signal.SIGTRAP), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("V8's memory for code full", "js", {"code_bytes": 32 * MIB}, killed(signal.SIGSEGV, growth=32 * MIB), ErrorKind.MEMORY_LIMIT, "32 MiB of machine code"),
    ("a crash with room for code", "js", {"code_bytes": 32 * MIB}, killed(signal.SIGSEGV, growth=20 * MIB), ErrorKind.CRASHED, "SIGSEGV"),
    ("a crash where nothing is compiled", "js", {}, killed(signal.SIGSEGV, growth=32 * MIB), ErrorKind.CRASHED, "SIGSEGV"),
    ("a trap in Python", "python", {}, killed(signal.SIGTRAP), ErrorKind.CRASHED, "SIGTRAP"),
    ("segmentation fault", "python", {}, killed(signal.SIGSEGV), ErrorKind.CRASHED, "SIGSEGV"),
    ("a foreign SIGKILL", "python", {}, killed(9), ErrorKind.CRASHED, "killed from outside"),
    ("an unknown signal", "python", {}, killed(60), ErrorKind.CRASHED, "signal 60"),
    ("exit without a report", "python", {}, exited(0), ErrorKind.CRASHED, "without a report"),
    ("another exit status", "python", {}, exited(7), ErrorKind.CRASHED, "exit status 7"),
    ("a report, then exit 1", "python", {"report": GOOD}, exited(1), ErrorKind.CRASHED, "exit status 1"),
    ("a report, then a crash", "python", {"report": GOOD}, killed(11), ErrorKind.CRASHED, "SIGSEGV"),
    ("a report, then it stays", "js", {"report": GOOD, "ended": EndReason.LINGERED}, killed(9), ErrorKind.CRASHED, "did not exit"),
    ("a broken protocol", "python", {"broken": "two reports", "ended": EndReason.BROKE_PROTOCOL}, killed(9), ErrorKind.CRASHED, "two reports"),
    ("a broken protocol, exit 0", "python", {"broken": "two reports", "report": GOOD}, exited(), ErrorKind.CRASHED, "two reports"),
    ("output that is no JSON", "python", {"report": GOOD, "output_fault": "bad"}, exited(), ErrorKind.CRASHED, "no JSON"),
    ("output over its limit", "python", {"report": Report(output=b"1" * 101)}, exited(), ErrorKind.OUTPUT_LIMIT, "101 bytes"),
    ("a peak at the limit, success", "python", {"report": GOOD}, exited(growth=63 * MIB), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("a peak at the limit, timeout", "python", {"ended": EndReason.TIMEOUT}, killed(9, growth=64 * MIB), ErrorKind.MEMORY_LIMIT, "64"),
    ("a peak at the limit, CPU", "python", {}, killed(signal.SIGXCPU, growth=64 * MIB), ErrorKind.MEMORY_LIMIT, "64"),
    ("a peak at the limit, user error", "python", {"report": claimed(ErrorKind.USER_ERROR)}, exited(growth=64 * MIB), ErrorKind.MEMORY_LIMIT, "64"),
    ("a wider margin for V8", "js", {"report": GOOD}, exited(growth=61 * MIB), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("ended by the watch", "js", {"ended": EndReason.OVERGREW, "seen_bytes": 97 * MIB}, killed(9), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("seen above the limit, success", "js", {"ended": EndReason.OVERGREW, "seen_bytes": 97 * MIB, "report": GOOD}, exited(), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("its control group was full", "python", {"ran_out": True}, killed(9), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("its control group was full, timeout", "python", {"ran_out": True, "ended": EndReason.TIMEOUT}, killed(9), ErrorKind.MEMORY_LIMIT, "64 MiB"),
    ("a jail step failed", "python", {"sealed": False, "jail_step": "landlock"}, exited(70), ErrorKind.INTERNAL, "landlock"),
    ("death before the seal", "python", {"sealed": False}, killed(11), ErrorKind.INTERNAL, "before it was sealed"),
    ("our code broke the protocol", "python", {"sealed": False, "ended": EndReason.BROKE_PROTOCOL, "broken": "x"}, killed(9), ErrorKind.INTERNAL, "before it was sealed: x"),
    ("timeout before the seal", "python", {"sealed": False, "ended": EndReason.TIMEOUT}, killed(9), ErrorKind.TIMEOUT, "2 s"),
    ("the caller went away", "python", {"ended": EndReason.CANCELLED}, killed(9), ErrorKind.CANCELLED, "went away"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("runtime", "other", "exit_", "kind", "part"),
    [row[1:] for row in FACTS],
    ids=[row[0] for row in FACTS],
)
def test_facts(runtime: str, other: dict[str, object], exit_: Exit, kind: ErrorKind, part: str) -> None:
    judged = verdict(evidence(exit_, runtime, **other))
    assert judged.failure is not None
    assert judged.failure.kind is kind
    assert part in judged.failure.message
    assert judged.refusal is None


SAID = Report(
    failures=(Failure(ErrorKind.USER_ERROR, "forged", "Forged", "Traceback: f", line=7, column=3, hint="forged"),)
)


@pytest.mark.parametrize(
    ("exit_", "ended", "kind"),
    [
        (exited(STOPPED), EndReason.TIMEOUT, ErrorKind.TIMEOUT),
        (killed(9), EndReason.TIMEOUT, ErrorKind.TIMEOUT),
        (exited(STOPPED, cpu=3), None, ErrorKind.CPU_LIMIT),
    ],
)
def test_a_child_whose_time_was_up_may_say_where_and_nothing_else(
    exit_: Exit, ended: EndReason | None, kind: ErrorKind
) -> None:
    failure = verdict(evidence(exit_, ended=ended, report=SAID)).failure
    assert failure is not None
    assert (failure.kind, failure.type, failure.line, failure.column) == (kind, "", 7, 0)
    assert "its limit" in failure.message
    assert (failure.traceback, failure.hint) == ("Traceback: f", "the program was in line 7 then")
    silent = verdict(evidence(exit_, ended=ended, report=SAID, broken="bytes after its last word")).failure
    assert silent is not None
    assert (silent.traceback, silent.line, silent.hint) == ("", 0, "")


def test_where_memory_ran_out_is_taken_from_who_says_that_it_did() -> None:
    full = exited(growth=64 * MIB)
    said = verdict(evidence(full, report=claimed(ErrorKind.MEMORY_LIMIT))).failure
    other = verdict(evidence(full, report=claimed(ErrorKind.USER_ERROR))).failure
    assert said is not None
    assert other is not None
    assert (said.kind, said.line) == (ErrorKind.MEMORY_LIMIT, 7)
    assert (other.kind, other.line) == (ErrorKind.MEMORY_LIMIT, 0)


def test_a_sigsys_is_a_security_event_too() -> None:
    (event,) = verdict(evidence(killed(signal.SIGSYS))).events
    assert (event.layer, event.action) == ("seccomp", "killed")


@pytest.mark.parametrize(
    ("layer", "other"),
    [("watch", {"ended": EndReason.OVERGREW, "seen_bytes": 97 * MIB}), ("cgroup", {"ran_out": True})],
)
def test_limits_that_did_not_hold_are_a_security_event_too(layer: str, other: dict[str, object]) -> None:
    (event,) = verdict(evidence(killed(9), **other)).events  # type: ignore[arg-type]
    assert (event.layer, event.action) == (layer, "killed")
    assert verdict(evidence(killed(9, growth=64 * MIB))).events == ()


def test_what_the_watch_saw_is_the_peak_if_it_is_more() -> None:
    assert evidence(killed(9), ended=EndReason.OVERGREW, seen_bytes=97 * MIB).peak_bytes == 97 * MIB
    assert evidence(killed(9, growth=99 * MIB), ended=EndReason.OVERGREW, seen_bytes=97 * MIB).peak_bytes == 99 * MIB


def test_bad_input_is_the_callers_fault() -> None:
    judged = verdict(evidence(exited(), bad_input="input_json is not JSON"))
    assert (judged.refusal, judged.message) == (Refusal.INVALID_ARGUMENT, "input_json is not JSON")


def test_bad_input_is_believed_of_an_honest_end_only() -> None:
    judged = verdict(evidence(killed(11), bad_input="input_json is not JSON"))
    assert judged.failure is not None
    assert judged.failure.kind is ErrorKind.CRASHED


def test_a_lost_zygote_is_unavailable() -> None:
    judged = verdict(evidence(None))
    assert judged.refusal is Refusal.UNAVAILABLE
    assert judged.message.startswith("zygote lost")


def test_a_lost_zygote_is_no_matter_to_a_caller_who_left() -> None:
    judged = verdict(evidence(None, ended=EndReason.CANCELLED))
    assert judged.failure is not None
    assert judged.failure.kind is ErrorKind.CANCELLED


@pytest.mark.parametrize("exit_", [killed(9), None])
def test_draining_ends_what_runs_as_unavailable(exit_: Exit | None) -> None:
    judged = verdict(evidence(exit_, ended=EndReason.DRAINED))
    assert judged.refusal is Refusal.UNAVAILABLE
    assert judged.message.startswith("draining")


@pytest.mark.parametrize("reason", [EndReason.DRAINED, EndReason.TIMEOUT])
def test_a_task_that_ended_before_the_kill_struck_keeps_its_result(reason: EndReason) -> None:
    assert verdict(evidence(exited(), ended=reason, report=GOOD)).report == GOOD


def test_a_result_that_came_after_its_time_was_up_is_none() -> None:
    failure = verdict(evidence(exited(), ended=EndReason.TIMEOUT, late=True, report=GOOD)).failure
    assert failure is not None
    assert failure.kind is ErrorKind.TIMEOUT


def test_a_peak_below_the_margin_is_a_success() -> None:
    assert verdict(evidence(exited(growth=61 * MIB), report=GOOD)).failure is None


def test_without_a_memory_limit_no_peak_and_no_trap_means_memory() -> None:
    unbounded = replace(BOUNDS, memory_bytes=None)
    assert verdict(evidence(exited(growth=900 * MIB), bounds=unbounded, report=GOOD)).failure is None
    judged = verdict(evidence(killed(signal.SIGTRAP), "js", bounds=unbounded))
    assert judged.failure is not None
    assert judged.failure.kind is ErrorKind.CRASHED


@pytest.mark.parametrize("runtime", ["python", "js"])
@pytest.mark.parametrize("megabytes", [1, 2, 4])
def test_of_a_tiny_limit_three_quarters_are_usable(runtime: str, megabytes: int) -> None:
    tiny = replace(BOUNDS, memory_bytes=megabytes * MIB)
    usable = megabytes * MIB * 3 // 4
    assert verdict(evidence(exited(growth=usable - 1), runtime, bounds=tiny, report=GOOD)).report == GOOD
    judged = verdict(evidence(exited(growth=usable), runtime, bounds=tiny, report=GOOD))
    assert judged.failure is not None
    assert judged.failure.kind is ErrorKind.MEMORY_LIMIT


def test_growth_is_never_negative() -> None:
    assert evidence(exited(growth=-5 * MIB)).peak_bytes == 0
