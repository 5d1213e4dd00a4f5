"""Runs programs in children of a `forker` process and collects what they say, as the server would."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langserver.core.claims import Failure, LogClaim, Report, SecurityClaim
from langserver.core.outcome import ErrorKind
from langserver.wire.frames import FrameDecoder, Kind, encode
from langserver.wire.header import Mode, TaskHeader
from langserver.wire.report import decode_event, decode_log, decode_report

OUTPUT_BYTES = 2 << 20
LOG_BYTES = 256 << 10
ROOT = Path(__file__).resolve().parents[3]
OURS = re.compile(r"task\.js|internal|prelude|<anonymous>|site-packages|/")  # what no traceback may show


@dataclass
class Ended:
    """What a child said and how it ended. `signal` is 0 for an exit; `peak` is in MiB and counts the idle child."""

    report: Report | None = None
    logs: list[tuple[str, str]] = field(default_factory=list)
    logs_cut: bool = False
    events: list[SecurityClaim] = field(default_factory=list)
    bad_input: str | None = None
    kinds: list[Kind] = field(default_factory=list)
    exit_code: int = 0
    signal: int = 0
    peak: float = 0.0
    seconds: float = 0.0
    timed_out: bool = False

    @property
    def value(self) -> Any:
        """The output as JSON; fails the test when there is none."""
        assert self.report is not None, f"no report: {self}"
        assert not self.report.failures, self.report.failures
        return json.loads(self.report.output)

    @property
    def failure(self) -> Failure:
        """The one failure; fails the test when there is none."""
        assert self.report is not None, f"no report: {self}"
        assert len(self.report.failures) == 1, self.report
        return self.report.failures[0]


@dataclass(frozen=True)
class Broken:
    """A source that does not parse, and what is told of it: no message where it is not ours to say, line 0 where there
    is none.
    """

    source: str
    message: str | None
    line: int
    column: int

    def check(self, failure: Failure) -> None:
        """Fails the test unless the failure says so."""
        assert (failure.kind, failure.type) == (ErrorKind.SYNTAX_ERROR, "SyntaxError")
        assert (failure.line, failure.column) == (self.line, self.column)
        assert self.message is None or failure.message == self.message
        if self.line:
            shown, caret = failure.traceback.split("\n")[-2:]
            assert shown == self.source.split("\n")[self.line - 1]
            assert caret == " " * (self.column - 1) + "^"
        assert not OURS.search(failure.traceback)


class Forker:
    """A forker process and the children it makes, one at a time."""

    def __init__(self, modules: Iterable[str] = (), *, jit: bool = False) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        script, profile = Path(__file__).with_name("forker.py"), "jit" if jit else "jitless"
        command = [sys.executable, str(script), str(theirs.fileno()), profile, *modules]
        environment = {"PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment)
        theirs.close()

    def close(self) -> None:
        """Ends the forker."""
        self._control.close()
        self._process.wait(10)

    def run(
        self,
        source: str,
        inputs: Any = None,
        *,
        text: bytes | None = None,
        seconds: float = 10,
        memory_mib: int = 128,
        mode: Mode = "run",
        zone: str = "UTC",
        seed: int | None = None,
        output_bytes: int = OUTPUT_BYTES,
        log_bytes: int = LOG_BYTES,
    ) -> Ended:
        """One task in one child; killed after `seconds`."""
        header = TaskHeader(mode, zone, seed, "node.js", output_bytes, log_bytes)
        given = text if text is not None else json.dumps({} if inputs is None else inputs).encode()
        stream = b"".join(
            (
                encode(Kind.HEADER, header.encode()),
                encode(Kind.SOURCE, source.encode()),
                encode(Kind.INPUT, given),
                encode(Kind.GO),
            )
        )
        report_end, child_report = os.pipe()
        child_input, input_end = os.pipe()
        socket.send_fds(self._control, [str(memory_mib).encode()], [child_report, child_input])
        os.close(child_report)
        os.close(child_input)
        pid = int(self._control.recv(64))
        feeder = threading.Thread(target=_feed, args=(input_end, stream))
        feeder.start()
        ended = _listen(report_end, pid, time.monotonic() + seconds)
        status, peak = (int(part) for part in self._control.recv(64).split())
        feeder.join()
        ended.exit_code, ended.signal, ended.peak = os.waitstatus_to_exitcode(status), os.WTERMSIG(status), peak / 1024
        return ended


def _feed(end: int, stream: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(end, "wb", buffering=0) as pipe:
        view = memoryview(stream)
        while view:
            view = view[pipe.write(view) :]


def _listen(end: int, pid: int, deadline: float) -> Ended:
    ended = Ended()
    small = 1 << 20
    caps = dict.fromkeys((Kind.SEALED, Kind.STARTED, Kind.BAD_INPUT, Kind.LOG, Kind.LOGS_TRUNCATED, Kind.EVENT), small)
    decoder = FrameDecoder({**caps, Kind.REPORT: OUTPUT_BYTES + small})
    start = time.monotonic()
    while True:
        if not select.select([end], [], [], max(0, deadline - time.monotonic()))[0] and not ended.timed_out:
            ended.timed_out = True
            os.kill(pid, signal.SIGKILL)
            deadline += 60
            continue
        data = os.read(end, 1 << 20)
        if not data:
            break
        for frame in decoder.feed(data):
            ended.kinds.append(frame.kind)
            if frame.kind is Kind.REPORT:
                ended.report = decode_report(frame.payload, OUTPUT_BYTES)
            elif frame.kind is Kind.LOG:
                claim: LogClaim = decode_log(frame.payload)
                ended.logs.append((claim.stream, claim.text))
            elif frame.kind is Kind.LOGS_TRUNCATED:
                ended.logs_cut = True
            elif frame.kind is Kind.EVENT:
                ended.events.append(decode_event(frame.payload))
            elif frame.kind is Kind.BAD_INPUT:
                ended.bad_input = frame.payload.decode()
    os.close(end)
    ended.seconds = time.monotonic() - start
    return ended
