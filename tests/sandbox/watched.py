"""A zygote for tests: the real runtime, jail and life of a child, and on each child a second filter, as the test wants.

Started as `python -I watched.py ROOT RUNTIME LAYERS`. Reads one JSON object a line and answers with one:

    code, inputs    the task
    watch           calls that kill the child: [[name, [[index of an argument, value]...]]...]
    deny            an event that the audit hook of this child refuses
    memory_mib      growth that the child may have; absent: no limit
    time_is_up      send the child SIGXCPU after its first log line
    pause           stop and continue the child once it waits after its first log line
    late            tell which modules came after the seal
    form            empty: ask for the compiled form; else one, in base64, that goes behind the source
    forget          leave out that call of ours which makes the audit hook refuse the form's events too

    signal, exit    how it ended
    kinds           the frames it sent, by name
    output          of its report, None where there is none
    failures        of its report: [kind, type, message]
    events          [layer, action, detail]
    late            with `late`: the names of these modules
    form            with `form`: what it sent as the compiled form, in base64
"""

from __future__ import annotations

import base64
import json
import os
import re
import select
import signal
import sys
import time
from typing import Any

sys.path.insert(0, sys.argv[1])

from langserver.sandbox import audit
from langserver.sandbox.bpf import Is
from langserver.sandbox.jail import ChildLimits, Jail
from langserver.sandbox.layers import SECCOMP, parse_layers
from langserver.sandbox.seccomp import KILL_PROCESS
from langserver.wire.frames import FrameDecoder, Kind, encode
from langserver.wire.header import TaskHeader
from langserver.wire.report import decode_event, decode_report
from langserver.zygote import child
from langserver.zygote.main import prepare
from langserver.zygote.runtime import Runtime
from tests.sandbox.second_filter import Both, filter_answering

CAPS = dict.fromkeys(Kind, 4 << 20)
LATE = b"late modules: "


class Watched:
    def __init__(self, runtime: Runtime, jail: Jail) -> None:
        self.runtime = runtime
        self.jail = jail
        self.own_filter = jail.filter
        self.idle = 0
        self.idle = self.measure_idle()

    def fork(self, task: dict[str, Any]) -> tuple[int, int, int]:
        """The child's pid, the end that it reads from and the one that it writes to."""
        limits = ChildLimits(self.idle + (task["memory_mib"] << 20) if task.get("memory_mib") else None, 30)
        if SECCOMP in self.jail.layers:
            calls = [
                (name, tuple(Is(index, value) for index, value in conditions))
                for name, conditions in task.get("watch", ())
            ]
            assert self.own_filter is not None
            second = filter_answering(KILL_PROCESS, calls)
            self.jail.filter = Both(second, self.own_filter) if calls else self.own_filter
        input_read, input_write = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        parent = os.getpid()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as a zygote leaves it to its children
        pid = os.fork()
        signal.signal(signal.SIGPIPE, signal.SIG_IGN if pid else signal.SIG_DFL)
        if pid == 0:
            audit.ALLOWED[self.runtime.name].pop(task.get("deny"), None)
            if task.get("forget"):
                child.user_code_comes = lambda: None
            watch_late = late_modules() if task.get("late") else None

            def seal(tell) -> None:
                self.jail.seal(report_write, input_read, parent, limits, self.runtime.wake, tell)
                if watch_late:
                    watch_late()

            child.live(self.runtime, seal)
        os.close(input_read)
        os.close(report_write)
        return pid, input_write, report_read

    def measure_idle(self) -> int:
        pid, feed, listen = self.fork({})
        os.read(listen, 1)
        field = "VmData" if self.runtime.name == "js" else "VmSize"
        found = re.search(rf"{field}:\s+(\d+) kB".encode(), self.jail.proc.status(pid))
        assert found is not None
        os.close(feed)
        os.close(listen)
        os.waitpid(pid, 0)
        return int(found[1]) << 10

    def run(self, task: dict[str, Any]) -> dict[str, Any]:
        pid, feed, listen = self.fork(task)
        form = base64.b64decode(task.get("form", ""))
        word = "given" if form else "wanted" if "form" in task else "none"
        header = TaskHeader("run", task.get("zone", "UTC"), task.get("seed"), "task", 2 << 20, 256 << 10, word)
        stream = b"".join(
            (
                encode(Kind.HEADER, header.encode()),
                encode(Kind.SOURCE, task["code"].encode()),
                encode(Kind.FORM, form) if form else b"",
                encode(Kind.INPUT, json.dumps(task.get("inputs", {})).encode()),
                encode(Kind.GO),
            )
        )
        os.set_blocking(feed, False)
        decoder, frames = FrameDecoder(CAPS), []
        paused, told_of_time = not task.get("pause"), not task.get("time_is_up")
        while True:
            if select.select([listen], [feed] if stream else [], [])[1]:
                stream = feed_some(feed, stream)
                continue
            data = os.read(listen, 1 << 16)
            if not data:
                break
            frames += decoder.feed(data)
            if not paused and any(frame.kind is Kind.LOG for frame in frames):
                paused = True
                self.pause(pid)
            if not told_of_time and any(frame.kind is Kind.LOG for frame in frames):
                told_of_time = True
                os.kill(pid, signal.SIGXCPU)
        os.close(listen)
        os.close(feed)
        _, status = os.waitpid(pid, 0)
        return told(frames, status)

    def pause(self, pid: int) -> None:
        while (state := self.jail.proc.status(pid).partition(b"\nState:\t")[2][:1]) != b"S":
            if state == b"Z":
                return
            time.sleep(0.001)
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        os.kill(pid, signal.SIGCONT)


def feed_some(feed: int, stream: bytes) -> bytes:
    """What is left to be sent."""
    try:
        return stream[os.write(feed, stream) :]
    except BrokenPipeError:  # the child is gone, or has read what it wanted
        return b""


def late_modules():
    """Has the child send, behind its report, which modules came after the seal."""
    ending = os._exit

    def after_the_seal() -> None:
        before = frozenset(sys.modules)

        def end(code: int) -> None:
            late = sorted(name for name in frozenset(sys.modules) - before)
            os.write(3, encode(Kind.LOG, LATE + json.dumps(late).encode()))
            ending(code)

        os._exit = end

    return after_the_seal


def told(frames, status: int) -> dict[str, Any]:
    reports = [decode_report(frame.payload, 2 << 20) for frame in frames if frame.kind is Kind.REPORT]
    events = [decode_event(frame.payload) for frame in frames if frame.kind is Kind.EVENT]
    forms = [frame.payload for frame in frames if frame.kind is Kind.COMPILED]
    late = [frame.payload for frame in frames if frame.kind is Kind.LOG and frame.payload.startswith(LATE)]
    return {
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "exit": os.WEXITSTATUS(status),
        "kinds": [frame.kind.name for frame in frames],
        "output": reports[0].output.decode() if reports else None,
        "failures": [[failure.kind.name, failure.type, failure.message] for failure in reports[0].failures]
        if reports
        else [],
        "events": [[event.layer, event.action, event.detail] for event in events],
        "late": json.loads(late[0].removeprefix(LATE)) if late else None,
        "form": base64.b64encode(forms[0]).decode() if forms else None,
    }


def main() -> None:
    _, _, name, layer_names = sys.argv
    runtime, jail, _ = prepare(name, parse_layers(layer_names), 0)
    watched = Watched(runtime, jail)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(watched.run(json.loads(line))), flush=True)


main()
