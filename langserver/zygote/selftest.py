"""The zygote's part of the self-test: children sealed like every other, that try what they must not be able to do."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

from langserver.sandbox.attempts import ENDED, MEMORY_BYTES, SAME, killed_by
from langserver.sandbox.confine import REPORT_FD
from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.landlock import ENTROPY_DEVICE
from langserver.sandbox.selftest import ENTROPY, Trial, checks, trials
from langserver.zygote.fork import Birth, Seal
from langserver.zygote.reap import reap
from langserver.zygote.runtime import Runtime

_Work = tuple[int, Callable[[], int]]

_RECORD = struct.Struct("!Hq")
_SEALED = 0xFFFF  # in the place of a trial's number, first of all
_CPU_SECONDS = 5
_FAULT = 63  # below the exit codes of the jail's steps


class SelfTest:
    """One run of it. `idle_bytes` is the memory of a child that does nothing, as its limit counts it."""

    def __init__(self, runtime: Runtime, jail: Jail, idle_bytes: int, fork: Callable[[Birth], int]) -> None:
        self._runtime = runtime
        self._jail = jail
        self._limits = ChildLimits(idle_bytes + MEMORY_BYTES, _CPU_SECONDS)
        self._fork = fork

    def answers(self) -> Iterator[tuple[int, int]]:
        """Each trial's number and its answer (langserver.sandbox.selftest). Raises OSError, LayerUnavailable."""
        numbered = list(enumerate(trials(self._jail.layers)))
        for left_out in dict.fromkeys(trial.left_out for _, trial in numbered):
            work = [_work(number, trial) for number, trial in numbered if trial.left_out == left_out]
            if left_out:
                jail = Jail(self._jail.runtime, self._jail.layers - left_out, self._jail.proc, self._jail.jit)
                try:
                    yield from self._try(jail, work)
                finally:
                    jail.close()
            else:
                yield from self._try(self._jail, work)
        for number, name in enumerate(checks(self._runtime.name), len(numbered)):
            yield number, self._read_entropy(number) if name == ENTROPY else self._compare_siblings(number)

    def _read_entropy(self, number: int) -> int:
        answers: list[int] = []

        def wake() -> None:
            answers.append(_entropy())
            self._runtime.wake()

        return dict(self._try(self._jail, [(number, lambda: answers[0])], wake))[number]

    def _compare_siblings(self, number: int) -> int:
        drawn = []
        for _ in range(2):
            answered, end = self._run_child(self._jail, [(number, self._runtime.draw)], self._runtime.wake)
            if not answered:
                return end or ENDED
            drawn += answered
        return SAME if drawn[0] == drawn[1] else 0

    def _try(self, jail: Jail, work: list[_Work], wake: Callable[[], None] | None = None) -> Iterator[tuple[int, int]]:
        """The answers of one child; where one ends before its time, another goes on behind that trial."""
        while work:
            answered, end = self._run_child(jail, work, wake or self._runtime.wake)
            if answered is None:  # nor would another be sealed
                yield from ((number, end) for number, _ in work)
                return
            yield from zip((number for number, _ in work), answered, strict=False)
            work = work[len(answered) :]
            if work:
                yield work.pop(0)[0], end

    def _run_child(self, jail: Jail, work: list[_Work], wake: Callable[[], None]) -> tuple[list[int] | None, int]:
        """What it answered, None when it was not sealed; and how it ended, as an answer."""
        input_read, input_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        kept = frozenset({input_write, report_read})
        life = partial(_live, work=work)
        pid = self._fork(Birth(jail, self._limits, wake, life, input_read, report_write, kept))
        os.close(input_read)
        os.close(report_write)
        records = list(_RECORD.iter_unpack(_read_all(report_read)))
        os.close(input_write)
        os.close(report_read)
        code, signal_number, *_ = reap(pid)
        if records[:1] != [(_SEALED, 0)]:
            return None, killed_by(signal_number) if signal_number else ENDED + code
        # An end in good order, before its time, is that of another program: it was executed.
        end = killed_by(signal_number) if signal_number else (ENDED + code if code else 0)
        return [answer for _, answer in records[1:]], end


def _work(number: int, trial: Trial) -> _Work:
    zygote = os.getpid()
    return number, lambda: trial.attempt.run(zygote)


def _live(seal: Seal, work: list[_Work]) -> NoReturn:
    try:
        seal(lambda _: None)
        os.write(REPORT_FD, _RECORD.pack(_SEALED, 0))
        for number, run in work:
            os.write(REPORT_FD, _RECORD.pack(number, run()))
        os._exit(0)
    finally:
        os._exit(_FAULT)


def _entropy() -> int:
    try:
        descriptor = os.open(ENTROPY_DEVICE, os.O_RDONLY | os.O_CLOEXEC)
        read = os.read(descriptor, 16)
        os.close(descriptor)
    except OSError as error:
        return error.errno or ENDED
    return 0 if len(read) == 16 else ENDED


def _read_all(descriptor: int) -> bytes:
    return b"".join(itertools.takewhile(bool, iter(lambda: os.read(descriptor, 1 << 16), None)))
