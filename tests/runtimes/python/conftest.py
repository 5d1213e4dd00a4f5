"""Drives PythonRuntime the way a zygote does, without a jail: one fork a task, its pipes and frames the real ones."""

from __future__ import annotations

import gc
import json
import linecache
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from langserver.core.claims import Failure, Report, SecurityClaim
from langserver.core.outcome import ErrorKind
from langserver.python_runtime import PythonRuntime
from langserver.wire.channel import Channel, TaskPipe
from langserver.wire.frames import FrameDecoder, Kind, encode
from langserver.wire.header import TaskHeader
from langserver.wire.report import decode_event, decode_log, decode_report
from langserver.wire.strict_json import BadInput

_CAPS = {
    Kind.SEALED: 0,
    Kind.STARTED: 0,
    Kind.BAD_INPUT: 512,
    Kind.LOG: 16 << 10,
    Kind.LOGS_TRUNCATED: 0,
    Kind.EVENT: 4 << 10,
    Kind.REPORT: 16 << 20,
    Kind.COMPILED: 2 << 20,
}
_CHILDS_LINECACHE: dict[str, Any] = {}


@dataclass
class Ran:
    """What came back from one task."""

    report: Report | None = None
    logs: list[tuple[str, str]] = field(default_factory=list)
    events: list[SecurityClaim] = field(default_factory=list)
    truncated: bool = False
    bad_input: str = ""
    status: int = 0
    form: bytes = b""

    @property
    def value(self) -> Any:
        """The result of a task that must have succeeded."""
        assert self.report is not None, f"no report, status {self.status}"
        assert not self.report.failures, self.report.failures
        return json.loads(self.report.output)

    @property
    def failure(self) -> Failure:
        """The failure of a task that must have failed."""
        assert self.report is not None, f"no report, status {self.status}"
        assert self.report.failures, self.report.output
        return self.report.failures[0]

    @property
    def kind(self) -> ErrorKind:
        """The kind of its failure."""
        return self.failure.kind


def _child(
    runtime: PythonRuntime, header: TaskHeader, read: int, write: int, memory: int, seconds: int, is_warm: bool
) -> None:
    vars(linecache).update(_CHILDS_LINECACHE)
    signal.alarm(seconds)
    if memory:
        with open("/proc/self/statm") as statm:
            size = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + memory, size + memory))
    channel, pipe = Channel(write), TaskPipe(read)
    channel.sealed()
    if is_warm:
        runtime.warm_up()
    header = TaskHeader.decode(pipe.read(Kind.HEADER))
    source = pipe.read(Kind.SOURCE).decode("utf-8", "surrogatepass")
    channel.set_log_budget(header.log_bytes)
    if header.form == "given":
        program = runtime.restore(header, source, pipe.read(Kind.FORM))
    else:
        program = runtime.compile(header, source)
    if header.form == "wanted":
        channel.compiled(runtime.form_of(program))
    if header.mode == "validate":
        runtime.validate(program, channel)
        return
    text = pipe.read(Kind.INPUT)
    pipe.read(Kind.GO)
    try:
        inputs = runtime.parse_input(text)
    except BadInput as error:
        channel.bad_input(str(error))
        return
    pipe.close()
    runtime.reseed(header)
    channel.started()
    runtime.run(program, inputs, header, channel)


def drive(
    runtime: PythonRuntime,
    source: str,
    inputs: Any = None,
    *,
    mode: str = "run",
    seed: int | None = None,
    zone: str = "UTC",
    output_bytes: int = 2 << 20,
    log_bytes: int = 256 << 10,
    memory: int = 0,
    seconds: int = 60,
    form: bytes | None = None,
    is_warm: bool = False,
) -> Ran:
    """Runs one task in a forked child and collects everything it says. `form`: given to it, empty: asked of it.
    `is_warm`: it has waited for its task.
    """
    word = "none" if form is None else "given" if form else "wanted"
    header = TaskHeader(mode, zone, seed, "node.py", output_bytes, log_bytes, word)  # type: ignore[arg-type]
    task_read, task_write = os.pipe()
    report_read, report_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 70
        # As in a zygote: what its parent made no child collects. It would die of gRPC's, of an earlier test's server.
        gc.freeze()
        try:
            os.close(task_write)
            os.close(report_read)
            _child(runtime, header, task_read, report_write, memory, seconds, is_warm)
            status = 0
        finally:
            os._exit(status)
    os.close(task_read)
    os.close(report_write)
    text = inputs if isinstance(inputs, bytes) else json.dumps({} if inputs is None else inputs).encode()
    frames = [(Kind.HEADER, header.encode()), (Kind.SOURCE, source.encode("utf-8", "surrogatepass"))]
    frames += [(Kind.FORM, form)] if form else []
    frames += [(Kind.INPUT, text), (Kind.GO, b"")]
    writer = os.fork()  # a large input must not wait for a child that is writing logs
    if writer == 0:
        try:
            data = b"".join(encode(kind, payload) for kind, payload in frames)
            while data:
                data = data[os.write(task_write, data) :]
        except BrokenPipeError:
            pass
        finally:
            os._exit(0)
    os.close(task_write)
    ran = Ran()
    decoder = FrameDecoder(_CAPS)
    while chunk := os.read(report_read, 1 << 16):
        for frame in decoder.feed(chunk):
            _take(ran, frame.kind, frame.payload)
    os.close(report_read)
    os.waitpid(writer, 0)
    ran.status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return ran


def _take(ran: Ran, kind: Kind, payload: bytes) -> None:
    if kind is Kind.LOG:
        line = decode_log(payload)
        ran.logs.append((line.stream, line.text))
    elif kind is Kind.EVENT:
        ran.events.append(decode_event(payload))
    elif kind is Kind.LOGS_TRUNCATED:
        ran.truncated = True
    elif kind is Kind.BAD_INPUT:
        ran.bad_input = payload.decode()
    elif kind is Kind.COMPILED:
        ran.form = payload
    elif kind is Kind.REPORT:
        assert ran.report is None, "a second report"
        ran.report = decode_report(payload, 16 << 20)


def loaded(policy: bool) -> PythonRuntime:
    """A preloaded runtime. What preloading does to `linecache` is undone here and done again in each child."""
    ours = dict(vars(linecache))
    runtime = PythonRuntime(policy)
    runtime.preload()
    _CHILDS_LINECACHE.update(vars(linecache))
    vars(linecache).update(ours)
    return runtime


Run = Callable[..., Ran]


@pytest.fixture(scope="session")
def runtime() -> PythonRuntime:
    """One preloaded runtime with the policy, as in a zygote."""
    return loaded(policy=True)


@pytest.fixture(scope="session")
def run(runtime: PythonRuntime) -> Run:
    """Runs a source under the policy: `run(source, inputs, ...)`, see `drive`."""
    return lambda source, inputs=None, **options: drive(runtime, source, inputs, **options)


@pytest.fixture(scope="session")
def plain() -> Run:
    """Runs a source without the policy."""
    unguarded = loaded(policy=False)
    return lambda source, inputs=None, **options: drive(unguarded, source, inputs, **options)
