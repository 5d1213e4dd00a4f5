"""One execution on a child that says any bytes and ends in any way: an outcome that is allowed, in bounded time."""

from __future__ import annotations

import asyncio
import os

from langserver.core.claims import SecurityClaim
from langserver.core.outcome import CLAIMABLE, ErrorKind
from langserver.core.verdict import Exit, Refusal
from langserver.limits import Asked, Ceilings
from langserver.wire.channel import LOG_LINE_COST, MAX_EVENTS
from langserver.wire.frames import Kind
from langserver.zygote.execution import LAST_WORDS_SECONDS, Execution
from langserver.zygote.job import Job, LogLine, Outcome
from langserver.zygote.request import TaskRequest, make_job
from tests.fuzz import oracle
from tests.fuzz.source import Source, pieces
from tests.fuzz.targets import conversation
from tests.fuzz.targets.report import check_text
from tests.fuzz.virtual_loop import run, settle
from tests.integration.server.fake_child import KILLED, FakeSupply

TIMEOUT_SECONDS = 5
MIB = 1 << 20
CEILINGS = Ceilings(memory_mb=64, log_bytes=1000, output_bytes=100)
MOST_PIECES = 100
PIPE_BYTES = 60_000  # what is written before anybody reads
# How the child ends: by itself once it has said everything, or, None, not before it is killed.
ENDS: tuple[Exit | None, ...] = (
    Exit(0, None, 0.01, MIB),
    None,
    Exit(1, None, 0.01, MIB),
    Exit(62, None, 1e9, MIB),  # as a child whose time is up
    Exit(64, None, 0.01, MIB),  # as a step of the jail that failed
    Exit(None, 11, 0.01, MIB),
    Exit(None, 24, 0.01, MIB),  # SIGXCPU
    Exit(None, 31, 0.01, MIB),  # SIGSYS
    Exit(None, 5, 0.01, MIB),  # SIGTRAP
    Exit(0, None, 0.01, 64 * MIB),  # all its memory
    Exit(255, None, 1e9, 2**62),
)
SERVERS_WORD = {ErrorKind.TIMEOUT, ErrorKind.CPU_LIMIT, ErrorKind.CRASHED, ErrorKind.INTERNAL}


def seeds() -> list[bytes]:
    found = []
    for at, stream in enumerate(conversation.streams()):
        others = bytes([1 + at % (len(ENDS) - 1), at % 8, 1, 9])
        found += [head + stream for head in (bytes(4), bytes([1, 0, 0, 0]), others)]
    return found


def check(data: bytes) -> None:
    source = Source(data)
    end, flags, cuts = source.choice(ENDS), source.byte(), source.take(2)
    stream = source.rest()[:PIPE_BYTES]
    # Not read, an input larger than a pipe stays under way; of a closed pipe nothing is expected.
    job = _job("1" * (200_000 if flags & 1 else 1), "python" if flags & 4 else "js")
    cut = pieces(stream, cuts)
    whole = run(_run(job, [stream], end, bool(flags & 2)))
    _judge(*whole, stream, end)
    if len(cut) <= MOST_PIECES:
        assert _told(*run(_run(job, cut, end, bool(flags & 2)))) == _told(*whole), "it depends on how it was cut"


def _job(text: str, runtime: str) -> Job:
    asked = Asked(timeout_seconds=TIMEOUT_SECONDS)
    return make_job(TaskRequest(runtime, "1", text, asked=asked), CEILINGS, "run")


async def _run(job: Job, way: list[bytes], end: Exit | None, closes_input: bool) -> tuple[Outcome, list[LogLine]]:
    supply, lines, descriptors = FakeSupply(), [], len(os.listdir("/proc/self/fd"))
    supply.allowed.set()
    child = supply.child
    running = asyncio.create_task(Execution(job, supply, lines.append).run())
    await settle()
    if closes_input:
        os.close(child.far_input)
        child.far_input = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    for piece in way:
        os.write(child.far_report, piece)
        await settle()
    if end is None:
        await child.killed.wait()
    child.end(end or KILLED)
    outcome = await running
    assert supply.given_back == 1
    assert len(os.listdir("/proc/self/fd")) <= descriptors - 4, "its four pipe ends are closed"
    loop = asyncio.get_running_loop()
    last_words = LAST_WORDS_SECONDS if job.runtime == "python" else 0
    assert loop.time() <= TIMEOUT_SECONDS + last_words, loop.time()
    return outcome, lines


def _told(outcome: Outcome, lines: list[LogLine]) -> tuple[object, ...]:
    logs = [(line.stream, line.text) for line in lines]
    return outcome.verdict, outcome.events, outcome.logs_truncated, logs


def _judge(outcome: Outcome, lines: list[LogLine], stream: bytes, end: Exit | None) -> None:
    verdict = outcome.verdict
    assert sum(len(line.text.encode()) + LOG_LINE_COST for line in lines) <= CEILINGS.log_bytes
    assert all(line.at_seconds >= 0 for line in lines)
    assert len(outcome.events) <= MAX_EVENTS
    usage = outcome.usage
    assert 0 <= usage.compile_seconds <= usage.wall_seconds
    assert 0 <= usage.run_seconds <= usage.wall_seconds
    frames, left, more = oracle.frames(stream, conversation.caps(CEILINGS.output_bytes))
    kinds = [kind for kind, _ in frames]
    whole = more and not left and oracle.in_order(kinds)
    sealed = kinds[:1] == [Kind.SEALED]
    honest_end = end is not None and end.code == 0
    if verdict.refusal is not None:
        assert verdict.refusal is Refusal.INVALID_ARGUMENT, "whether it is worth another try is not for a child to say"
        assert honest_end
        assert whole
        assert kinds[-1] == Kind.BAD_INPUT
        check_text(verdict.message, 512)
    elif verdict.failure is None:
        assert verdict.report is not None
        assert not verdict.report.failures
        assert honest_end
        assert whole
        assert kinds[-1] == Kind.REPORT
        depth = oracle.json_depth(verdict.report.output)
        assert depth is not None
        assert depth <= 200
        assert len(verdict.report.output) <= CEILINGS.output_bytes
    else:
        kind = verdict.failure.kind
        assert kind in CLAIMABLE | SERVERS_WORD
        assert (kind is ErrorKind.INTERNAL) <= (not sealed), "a fault of ours is nothing that a program can make"
        assert (kind is ErrorKind.CRASHED) <= sealed, "nor is what happens before there can be one a program's"
        assert (kind is ErrorKind.TIMEOUT) <= (end is None)
        assert not (kind is ErrorKind.TIMEOUT and whole and kinds[-1:] == [Kind.REPORT]), "it is not waited for so long"
        assert (kind is ErrorKind.CPU_LIMIT) <= (end is not None and (end.signal == 24 or end.code == 62))
        killed = SecurityClaim("seccomp", "killed", "a system call that no honest program makes")
        assert (killed in outcome.events) <= (end is not None and end.signal == 31)
        check_text(verdict.failure.message, 8 << 10)
