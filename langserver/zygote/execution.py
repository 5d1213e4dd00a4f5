"""The owner of one execution: hands the task over, listens, ends it, and judges once the child is gone.

It is a task of its own, never the RPC handler: whoever wants it to end says so with `end` and waits.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from langserver.core.claims import Failure, Report, SecurityClaim
from langserver.core.forms import NOTHING, Found, Shelf
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import Bounds, EndReason, Evidence, Exit, Verdict, verdict
from langserver.sandbox.jail import step_of_exit_code
from langserver.wire.channel import MAX_EVENTS
from langserver.wire.conversation import Conversation
from langserver.wire.frames import HEAD, Kind, encode
from langserver.wire.header import Form, TaskHeader
from langserver.zygote.child_handle import Child
from langserver.zygote.failures import SpawnRefused, ZygoteLost
from langserver.zygote.result_check import output_fault

_TRIES = 3
_OF_A_CHILD_KILLED = (ErrorKind.CRASHED, ErrorKind.INTERNAL)  # not by a limit of the task's
_PIPE_BYTES = 64 << 10  # what a pipe holds (pipe(7))
_READ_BYTES = 16 << 10  # short lines cost the most to read: so much of them at one turn of the loop
_WRITE_BYTES = 1 << 20
_LINGER_SECONDS = 2.0
LAST_WORDS_SECONDS = 0.25  # that a Python child has at its timeout, to say where its program stands
# A killed child whose exit nobody tells: its zygote is stopped or stuck.
_REAP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Job:
    """One task as the sandbox needs it: no names, no principal.

    `lower_memory_bytes` and `lower_cpu_seconds` are limits below those a child is sealed with, 0 where there are none.
    """

    runtime: str
    header: TaskHeader
    source: bytes
    input: bytes
    bounds: Bounds
    lower_memory_bytes: int = 0
    lower_cpu_seconds: int = 0


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a task's log; `at_seconds` counts from its start, by the server's clock."""

    stream: str
    text: str
    at_seconds: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What an execution took. Wall and CPU time and memory are facts, compile and run time the child's word.

    V8 parses a script in the call that runs it: its compile time is 0, and part of its run time.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    compile_seconds: float = 0.0
    run_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """All there is to say of an execution but its log lines, which went to whoever asked for them as they came."""

    verdict: Verdict
    logs_truncated: bool = False
    events: tuple[SecurityClaim, ...] = ()
    usage: Usage = Usage()


class Supply(Protocol):
    """Where children come from."""

    async def take(self) -> Child:
        """A fresh child that has been told nothing. Raises ZygoteLost, SpawnRefused."""

    def done(self, child: Child) -> None:
        """The child is gone; its slot can be given up."""


class Execution:
    """Runs one job on one child. Make it, start `run` as a task, and call `end` to stop it early.

    `shelf` is where the compiled form of its program is, or is put.
    """

    def __init__(self, job: Job, supply: Supply, on_log: Callable[[LogLine], None], shelf: Shelf | None = None) -> None:
        self._job = job
        self._supply = supply
        self._on_log = on_log
        self._shelf = shelf
        self._ended: EndReason | None = None
        self._child: Child | None = None
        self._taking: asyncio.Future[Child] | None = None

    def end(self, reason: EndReason) -> None:
        """Kills the child, or waits for none any more. The first reason counts, a second one ends the waiting."""
        loop, child = asyncio.get_running_loop(), self._child
        if self._ended is not None:
            if child is not None:
                child.kill()
            return
        self._ended = reason
        if self._taking is not None:
            self._taking.cancel()
        if child is None:
            return
        if reason is EndReason.TIMEOUT and self._job.runtime == "python":
            child.say_time_is_up()
            loop.call_later(LAST_WORDS_SECONDS, _kill_unless_reaped, child)
        else:
            child.kill()
        loop.call_later(_REAP_SECONDS, _give_up_unless_reaped, child)

    async def run(self) -> Outcome:
        """The outcome, once the child is gone and everything is given back. Raises nothing of the task's making."""
        start = asyncio.get_running_loop().time()
        for tries_left in reversed(range(_TRIES)):
            if self._ended is not None:
                break
            try:
                child = await self._take()
            except ZygoteLost:
                continue
            except SpawnRefused as error:
                return Outcome(Verdict(failure=Failure(ErrorKind.INTERNAL, str(error))))
            hand_over = _HandOver(self._job, child, start, self._on_log, self.end, shelf=self._shelf)
            self._child = child
            try:
                outcome = await hand_over.perform(lambda: self._ended)
            except SpawnRefused as error:
                return Outcome(Verdict(failure=Failure(ErrorKind.INTERNAL, str(error))))
            finally:
                self._child = None
                self._supply.done(child)
            # A loss before the first byte of the task was sent harmed nobody, nor did a death before it began.
            if outcome is not None and not (hand_over.died_early and tries_left):
                return outcome
        return Outcome(verdict(Evidence(self._job.runtime, self._job.bounds, exit=None, ended=self._ended)))

    async def _take(self) -> Child:
        """A child. Raises SpawnRefused, ZygoteLost, which also means that nobody waits for one any more."""
        self._taking = asyncio.ensure_future(self._supply.take())
        try:
            return await self._taking
        except asyncio.CancelledError:
            if self._ended is None:
                raise
            raise ZygoteLost from None
        finally:
            self._taking = None


class _HandOver:
    """One job meets one child."""

    def __init__(
        self,
        job: Job,
        child: Child,
        start: float,
        on_log: Callable[[LogLine], None],
        end: Callable[[EndReason], None],
        *,
        shelf: Shelf | None,
    ) -> None:
        self._job = job
        self._child = child
        self._start = start
        self._on_log = on_log
        self._end = end
        self._loop = asyncio.get_running_loop()
        self._shelf = shelf
        self._found = shelf.find(child.zygote.image) if shelf is not None else NOTHING
        self._conversation = Conversation(job.header.output_bytes, job.header.log_bytes, self._found.wanted)
        self._unsent = deque(_source_bytes(job, self._found))
        self._withheld = deque(_input_bytes(job))
        if not self._found.wanted:
            self._release()
        self._sent = False
        self._seen_bytes = 0
        self._late = False  # its time was up before its report was there
        self._started_at: float | None = None
        self.died_early = False  # somebody else killed its child before the program began
        self._linger_timer: asyncio.TimerHandle | None = None
        self._settled = asyncio.Event()  # the child is sealed, or will never be

    async def perform(self, ended: Callable[[], EndReason | None]) -> Outcome | None:
        """Hands the job over and waits for the child's end; None when the zygote was lost before anything was sent.

        The task's time begins here: what a child takes to come is none of it.
        """
        timer = self._loop.call_later(self._job.bounds.timeout_seconds, self._time_is_up)
        try:
            if ended() is None:
                self._loop.add_reader(self._child.report_fd, self._listen)
                if self._job.lower_memory_bytes or self._job.lower_cpu_seconds:
                    # Not before: an engine that compiles makes more of itself than a sealed child keeps.
                    await self._settled.wait()
                    if ended() is None:
                        await self._child.limit(self._job.lower_memory_bytes, self._job.lower_cpu_seconds)
                if self._job.bounds.memory_bytes is not None:
                    self._child.zygote.watch.begin(self._child, self._job.bounds.memory_bytes, self._overgrow)
                self._send()
        except ZygoteLost:
            pass
        if ended() is not None:  # it came before there was anything to kill, or while limits were lowered
            self._child.kill()
            self._loop.call_later(_REAP_SECONDS, _give_up_unless_reaped, self._child)
        try:
            exit_ = await self._child.exit
        finally:
            timer.cancel()
            self._child.zygote.watch.end(self._child)
            if self._linger_timer is not None:
                self._linger_timer.cancel()
            self._stop_sending()
            self._loop.remove_reader(self._child.report_fd)
        wall_seconds = self._loop.time() - self._start
        reason = ended()
        if exit_ is None and reason is None and not self._sent:
            return None
        self._drain()
        if self._shelf is not None and self._found.form and not self._conversation.has_program:
            self._shelf.forget(self._child.zygote.image)
        outcome = await self._judge(exit_, reason, wall_seconds)
        self.died_early = (
            reason is None
            and not self._conversation.started
            and exit_ is not None
            and exit_.signal == signal.SIGKILL
            and outcome.verdict.failure is not None
            and outcome.verdict.failure.kind in _OF_A_CHILD_KILLED
        )
        return outcome

    def _send(self) -> None:
        while self._unsent:
            piece = self._unsent[0]
            try:
                written = os.write(self._child.input_fd, piece[:_WRITE_BYTES])
            except BlockingIOError:
                self._loop.add_writer(self._child.input_fd, self._send)
                return
            except BrokenPipeError:  # the child ended first; its exit says why
                break
            self._sent = True
            if written == len(piece):
                self._unsent.popleft()
            else:
                self._unsent[0] = piece[written:]
        if self._withheld:
            self._loop.remove_writer(self._child.input_fd)
            return
        self._stop_sending()

    def _release(self) -> None:
        """Nothing stands between the child and its input any more."""
        self._unsent.extend(self._withheld)
        self._withheld.clear()

    def _stop_sending(self) -> None:
        self._unsent.clear()
        self._withheld.clear()
        if self._child.input_fd >= 0:
            self._loop.remove_writer(self._child.input_fd)
            self._child.close_input()

    def _overgrow(self, seen_bytes: int) -> None:
        self._seen_bytes = seen_bytes
        self._end(EndReason.OVERGREW)

    def _time_is_up(self) -> None:
        """What the pipe holds now counts; a child that does not end at SIGXCPU wins nothing by it."""
        for _ in range(_PIPE_BYTES // _READ_BYTES):
            if self._conversation.over or self._conversation.broken is not None:
                break
            self._listen()
        self._late = not self._conversation.over
        self._end(EndReason.TIMEOUT)

    def _listen(self) -> None:
        if not self._read():
            self._loop.remove_reader(self._child.report_fd)
            self._settled.set()
        elif self._conversation.over and self._linger_timer is None:
            self._linger_timer = self._loop.call_later(_LINGER_SECONDS, self._end, EndReason.LINGERED)

    def _read(self) -> bool:
        """Takes in what the pipe holds now; False when nothing more can come or be believed."""
        try:
            data = os.read(self._child.report_fd, _READ_BYTES)
        except BlockingIOError:
            return True
        if not data:
            return False
        claims = self._conversation.hear(data)
        now = self._loop.time()
        if self._conversation.sealed:
            self._settled.set()
        if self._started_at is None and self._conversation.started:
            self._started_at = now
        for claim in claims:
            line = LogLine(claim.stream, claim.text, now - (self._started_at or now))
            self._on_log(line)
        if self._conversation.broken is not None:
            self._end(EndReason.BROKE_PROTOCOL)
            return False
        if self._conversation.waits and self._withheld:
            self._take_form()
        return True

    def _take_form(self) -> None:
        """Keeps what the child made of the source alone; only then it gets what else there is of the task."""
        assert self._shelf is not None
        assert self._conversation.form is not None
        self._shelf.keep(self._child.zygote.image, self._conversation.form)
        self._conversation.hand_on()
        self._release()
        self._send()

    def _drain(self) -> None:
        """Reads what the dead child left in its pipe: at most what a pipe holds, as nobody writes any more."""
        while self._conversation.broken is None:
            before = self._conversation.received
            if not self._read() or self._conversation.received == before:
                return

    async def _judge(self, exit_: Exit | None, ended: EndReason | None, wall_seconds: float) -> Outcome:
        said = self._conversation
        report = said.report
        self._child.sealed = said.sealed
        evidence = Evidence(
            runtime=self._job.runtime,
            bounds=self._job.bounds,
            exit=exit_,
            idle_rss_bytes=self._child.idle_rss_bytes,
            ended=ended,
            late=self._late,
            sealed=said.sealed,
            bad_input=said.bad_input,
            broken=said.broken,
            report=report,
            output_fault=await self._output_fault(report),
            jail_step=step_of_exit_code(exit_.code) if exit_ and exit_.code is not None and not said.sealed else None,
            seen_bytes=self._seen_bytes,
            ran_out=self._child.ran_out,
            code_bytes=self._child.code_bytes,
        )
        usage = Usage(
            wall_seconds=wall_seconds,
            cpu_seconds=exit_.cpu_seconds if exit_ else 0.0,
            peak_memory_bytes=evidence.peak_bytes,
            compile_seconds=_claimed_seconds(report.compile_ns, wall_seconds) if report else 0.0,
            run_seconds=_claimed_seconds(report.run_ns, wall_seconds) if report else 0.0,
        )
        judged = verdict(evidence)
        events = (*said.events, *judged.events)[-MAX_EVENTS:]  # the last ones: what ended the task is among them
        return Outcome(judged, said.logs_truncated, events, usage)

    async def _output_fault(self, report: Report | None) -> str | None:
        if report is None or report.failures or self._job.header.mode == "validate":
            return None
        if len(report.output) > self._job.bounds.output_bytes:
            return None  # over its limit anyway
        return await output_fault(report.output)


def _source_bytes(job: Job, found: Found) -> list[memoryview]:
    """The first half of the hand-over, with the compiled form that was found. Large parts as they are, not copied."""
    form: Form = "wanted" if found.wanted else "given" if found.form else "none"
    header = replace(job.header, form=form).encode()
    parts = [encode(Kind.HEADER, header) + HEAD.pack(Kind.SOURCE, len(job.source)), job.source]
    if found.form:
        parts += [HEAD.pack(Kind.FORM, len(found.form)), found.form]
    return [memoryview(part) for part in parts if part]


def _input_bytes(job: Job) -> list[memoryview]:
    """The second half."""
    parts = HEAD.pack(Kind.INPUT, len(job.input)), job.input, encode(Kind.GO)
    return [memoryview(part) for part in parts if part]


def _claimed_seconds(nanoseconds: int, wall_seconds: float) -> float:
    return min(nanoseconds / 1e9, wall_seconds)


def _kill_unless_reaped(child: Child) -> None:
    if not child.exit.done():
        child.kill()


def _give_up_unless_reaped(child: Child) -> None:
    if not child.exit.done():
        child.zygote.give_up()
