"""The course of one job on one child: handed over, listened to, and judged once the child is gone."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import replace

from langserver.core.forms import Shelf
from langserver.core.moments import Moments
from langserver.core.outcome import ErrorKind
from langserver.core.verdict import EndReason, Exit
from langserver.wire.conversation import Conversation
from langserver.zygote.child_handle import Child
from langserver.zygote.failures import SpawnRefused, ZygoteLost
from langserver.zygote.hand_over import HandOver
from langserver.zygote.job import Job, LogLine, Outcome
from langserver.zygote.judgement import judge

_OF_A_CHILD_KILLED = (ErrorKind.CRASHED, ErrorKind.INTERNAL)  # not by a limit of the task's
_PIPE_BYTES = 64 << 10  # what a pipe holds (pipe(7))
_READ_BYTES = 16 << 10  # short lines cost the most to read: so much of them at one turn of the loop
_LINGER_SECONDS = 2.0
# A killed child whose exit nobody tells: its zygote is stopped or stuck.
REAP_SECONDS = 10.0


class Course:
    """One job meets one child. `ended` tells why the execution was ended from outside, `end` has it ended."""

    def __init__(  # noqa: PLR0917
        self,
        job: Job,
        child: Child,
        start: float,
        on_log: Callable[[LogLine], None],
        ended: Callable[[], EndReason | None],
        end: Callable[[EndReason], None],
        shelf: Shelf | None,
    ) -> None:
        self._job = job
        self._child = child
        self._start = start
        self._on_log = on_log
        self._ended = ended
        self._end = end
        self._loop = asyncio.get_running_loop()
        self._hand_over = HandOver(job, child, shelf)
        self._conversation = Conversation(job.header.output_bytes, job.header.log_bytes, self._hand_over.wants_form)
        self._seen_bytes = 0
        self._late = False  # its time was up before its report was there
        self._spawned_at = self._loop.time()
        self._sealed_at: float | None = None
        self._started_at: float | None = None
        self._reported_at: float | None = None
        self.died_early = False  # somebody else killed its child before the program began
        self._linger_timer: asyncio.TimerHandle | None = None
        self._settled = asyncio.Event()  # the child is sealed, or will never be

    async def follow(self) -> Outcome | None:
        """Hands the job over and waits for the child's end; None when the zygote was lost before anything was sent.

        The task's time begins here: what a child takes to come is none of it. Raises SpawnRefused.
        """
        timer = self._loop.call_later(self._job.bounds.timeout_seconds, self._time_is_up)
        try:
            exit_ = await self._through()
        finally:
            timer.cancel()
            self._child.zygote.watch.end(self._child)
            if self._linger_timer is not None:
                self._linger_timer.cancel()
            self._hand_over.stop()
            self._loop.remove_reader(self._child.report_fd)
        wall_seconds = self._loop.time() - self._start
        if exit_ is None and self._ended() is None and not self._hand_over.begun:
            return None
        return await self._close(exit_, wall_seconds)

    async def _through(self) -> Exit | None:
        """The child's end. Raises SpawnRefused: its limits could not be lowered."""
        try:
            if self._ended() is None:
                await self._begin()
        except ZygoteLost:
            pass
        except SpawnRefused:
            self._child.kill()
            self._loop.call_later(REAP_SECONDS, give_up_unless_reaped, self._child)
            await self._child.exit  # the slot is given back once it is gone
            raise
        if self._ended() is not None:  # it came before there was anything to kill, or while limits were lowered
            self._child.kill()
            self._loop.call_later(REAP_SECONDS, give_up_unless_reaped, self._child)
        return await self._child.exit

    async def _begin(self) -> None:
        self._loop.add_reader(self._child.report_fd, self._listen)
        makes_way = self._job.makes_way and not self._child.makes_way  # a child that waited for any task
        if self._job.lower_memory_bytes or self._job.lower_cpu_seconds or makes_way:
            # Not before: an engine that compiles makes more of itself than a sealed child keeps.
            await self._settled.wait()
            if self._ended() is None:
                await self._child.limit(self._job.lower_memory_bytes, self._job.lower_cpu_seconds, makes_way)
            if self._ended() is not None:  # and so it gets nothing of the task
                return
        if self._job.bounds.memory_bytes is not None:
            self._child.zygote.watch.begin(self._child, self._job.bounds.memory_bytes, self._overgrow)
        self._hand_over.send()

    async def _close(self, exit_: Exit | None, wall_seconds: float) -> Outcome:
        reason, said = self._ended(), self._conversation
        self._drain()
        if not said.has_program:
            self._hand_over.give_form_up()
        self._child.sealed = said.sealed
        outcome = await judge(
            self._job, self._child, said, exit_, reason, wall_seconds, late=self._late, seen_bytes=self._seen_bytes
        )
        failure = outcome.verdict.failure
        self.died_early = (
            reason is None
            and not said.started
            and exit_ is not None
            and exit_.signal == signal.SIGKILL
            and failure is not None
            and failure.kind in _OF_A_CHILD_KILLED
        )
        return replace(outcome, moments=self._moments())

    def _moments(self) -> Moments:
        return Moments(self._spawned_at, self._sealed_at, self._started_at, self._reported_at)

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
        said = self._conversation
        claims = said.hear(data)
        now = self._loop.time()
        if self._sealed_at is None and said.sealed:
            self._sealed_at = now
            self._settled.set()
        if self._started_at is None and said.started:
            self._started_at = now
        if self._reported_at is None and said.over:
            self._reported_at = now
        for claim in claims:
            self._on_log(LogLine(claim.stream, claim.text, now - (self._started_at or now)))
        if said.broken is not None:
            self._end(EndReason.BROKE_PROTOCOL)
            return False
        if said.waits and self._hand_over.withholds:
            assert said.form is not None
            said.hand_on()
            self._hand_over.take_form(said.form)
        return True

    def _drain(self) -> None:
        """Reads what the dead child left in its pipe: at most what a pipe holds, as nobody writes any more."""
        while self._conversation.broken is None:
            before = self._conversation.received
            if not self._read() or self._conversation.received == before:
                return


def give_up_unless_reaped(child: Child) -> None:
    """Its zygote does not do its work any more, if nobody has told of the child's end by now."""
    if not child.exit.done():
        child.zygote.give_up()
