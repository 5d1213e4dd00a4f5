"""What a child with native code says and does, one row each, and what may become of it."""

from __future__ import annotations

# ruff: noqa: E501 - a row is a line
from dataclasses import dataclass

# At hand in each program: it is plain Python in a sealed child, as an escape from the language would have it.
WORDS = """
import ctypes, os, struct, time
from langserver.core.claims import Failure, LogClaim, Report, SecurityClaim
from langserver.core.outcome import ErrorKind
from langserver.wire.frames import HEAD, Kind, encode
from langserver.wire.report import encode_event, encode_log, encode_report

def say(*frames):
    data = memoryview(b"".join(frames))
    while data:
        data = data[os.write(3, data):]

def report(output=b'"claimed"', **other):
    return encode(Kind.REPORT, encode_report(Report(output, **other)))

def claim(kind):
    payload = encode_report(Report(failures=(Failure(ErrorKind(kind), "claimed", line=2**32 - 1, column=2**31),)))
    return encode(Kind.REPORT, payload)

def log(text="hello"):
    return encode(Kind.LOG, encode_log(LogClaim("stdout", text)))

def event(layer="audit", action="denied", detail="claimed"):
    return encode(Kind.EVENT, encode_event(SecurityClaim(layer, action, detail)))

def drip(data):
    for at in range(len(data)):
        os.write(3, data[at : at + 1])
        time.sleep(0.002)

SEALED, STARTED, CUT = encode(Kind.SEALED), encode(Kind.STARTED), encode(Kind.LOGS_TRUNCATED)
leave = os._exit
"""

BROKEN = "CRASHED: broke the protocol"
NO_JSON = "CRASHED: sent a result that is no JSON"
NO_REPORT = "CRASHED: exited without a report"
CLAIMED = 'OK: "claimed"'


@dataclass(frozen=True)
class Hostile:
    """`allowed`: what may become of it, kind and a part of the message, or the output."""

    name: str
    code: str
    allowed: tuple[str, ...]
    early: bool = False
    input_json: str = ""
    timeout: int = 20

    @property
    def program(self) -> str:
        return WORDS + self.code


def said(name: str, frames: str, *allowed: str, early: bool = False) -> Hostile:
    """It says this, and exits 0."""
    return Hostile(name, f"say({frames})\nleave(0)", allowed, early)


def result(name: str, output: str, *allowed: str) -> Hostile:
    return said(f"result: {name}", f"report({output})", *allowed)


FRAMES = [
    said("nothing", "b''", NO_REPORT),
    said("half a head", "b'\\x16'", NO_REPORT),
    said("half a report", "report()[:-1]", NO_REPORT),
    said("half a log line, then a report", "log()[:-1], report()", BROKEN),
    said("a head with 4 GiB", "HEAD.pack(Kind.REPORT, 2**32 - 1)", BROKEN),
    said("a report one byte over its cap", "HEAD.pack(Kind.REPORT, (2 << 20) + (1 << 20) + 1)", BROKEN),
    said("a kind that there is not", "HEAD.pack(255, 0)", BROKEN),
    said("the server's own kinds", "encode(Kind.GO), report()", BROKEN),
    said("a form for the cache, much too late", "HEAD.pack(23, 4), b'form', report()", BROKEN),
    said("noise", "os.urandom(50_000)", BROKEN),
    said("zeros", "bytes(50_000)", BROKEN),
    said("sealed again", "SEALED, report()", BROKEN),
    said("started again", "STARTED, report()", BROKEN),
    said("bad input when it is late", "encode(Kind.BAD_INPUT, b'claimed'), report()", BROKEN),
    said("two reports", "report(), report()", BROKEN),
    said("two reports that differ", "report(b'1'), report(b'2')", BROKEN),
    said("a log line after the report", "report(), log()", BROKEN),
    said("one byte after the report", "report(), b'x'", BROKEN),
    said("a payload with a byte too much", "encode(Kind.LOG, encode_log(LogClaim('stdout', 'x')) + b'x')", BROKEN),
    said("a stream that there is not", "encode(Kind.LOG, b'\\x63\\0\\0\\0\\0')", BROKEN),
    said("65,000 empty log lines", "log('') * 65_000, report()", BROKEN),
    said("logs for ever", "*[log('x' * 8000)] * 100", BROKEN),
    said("log lines after the cut", "CUT, log(), report()", BROKEN),
    said("two cuts", "CUT, CUT, report()", BROKEN),
    said("events for ever", "event() * 5000", BROKEN),
    said("64 events", "event() * 64, report()", CLAIMED),
    said("an event of the kernel's", "event(action='killed'), report()", BROKEN),
    said("an event of no layer", "encode(Kind.EVENT, b'\\xc8' + bytes(8)), report()", BROKEN),
    said(
        "log text that is no UTF-8",
        "encode(Kind.LOG, struct.pack('!BI', 0, 8000) + b'\\xff' * 8000), report()",
        CLAIMED,
    ),
    said("more failures than fit", "encode(Kind.REPORT, struct.pack('!QQHHI', 1, 1, 65535, 65535, 0)), b''", BROKEN),
    said("as many zeros as a report holds", "HEAD.pack(Kind.REPORT, 3 << 20), bytes(3 << 20)", BROKEN),
    said(
        "an output longer than its report", "encode(Kind.REPORT, struct.pack('!QQHHI', 1, 1, 0, 0, 2**32 - 1))", BROKEN
    ),
]
RESULTS = [
    result("NaN", "b'NaN'", NO_JSON),
    result("Infinity", "b'[-Infinity]'", NO_JSON),
    result("nothing", "b''", NO_JSON),
    result("two values", "b'1 2'", NO_JSON),
    result("a comma too much", "b'[1,]'", NO_JSON),
    result("not UTF-8", "b'\"\\xff\"'", NO_JSON),
    result("a surrogate in UTF-8", "b'\"\\xed\\xa0\\x80\"'", NO_JSON),
    result("half a surrogate pair", "b'\"\\\\ud800\"'", NO_JSON),
    result("a byte order mark", "b'\\xef\\xbb\\xbf1'", NO_JSON),
    result("a NUL behind", "b'1\\0'", NO_JSON),
    result("201 levels", "b'[' * 201 + b']' * 201", NO_JSON),
    result("a million levels", "b'[' * 1_000_000 + b']' * 1_000_000", NO_JSON),
    result("a million levels, open", "b'{\"a\":' * 300_000", NO_JSON),
    result("long noise", "os.urandom(1 << 20)", NO_JSON),
    result("a name twice", 'b\'{"a":1,"a":2}\'', 'OK: {"a":1,"a":2}'),
    result("a huge exponent", "b'1e999999'", "OK: 1e999999"),
    result("100,000 digits", "b'9' * 100_000", "OK: 9999"),
    result("a byte over its limit", "b' ' * (2 << 20) + b'1'", "OUTPUT_LIMIT: "),
    result("as much as a report holds", "b'1' * ((3 << 20) - 100)", "OUTPUT_LIMIT: "),
]
CLAIMS = [
    *(
        said(f"the claim {kind}", f"encode(Kind.REPORT, struct.pack('!QQHHI', 1, 1, 1, 0, 0) + struct.pack('!BII', {kind}, 1, 1) + bytes(16))", BROKEN)
        for kind in (0, 5, 6, 10, 11, 12, 13, 255)
    ),
    said("the claim of a sandbox violation", "claim(4)", "SANDBOX_VIOLATION: claimed"),
    said("the claim of no memory", "claim(7)", "MEMORY_LIMIT: "),
    said("the claim of a user's error", "claim(3)", "USER_ERROR: claimed"),
    said("a run of 584 years", "report(run_ns=2**64 - 1, compile_ns=2**64 - 1)", CLAIMED),
]  # fmt: skip
ENDS = [
    Hostile("a good report, then exit 3", "say(report())\nleave(3)", ("CRASHED: ",)),
    Hostile("a good report, then a jail's exit code", "say(report())\nleave(70)", ("CRASHED: ",)),
    Hostile("a good report, then SIGSEGV", "say(report())\nctypes.string_at(0)", ("CRASHED: ",)),
    Hostile(
        "a good report, then a call that nobody makes",
        "say(report())\nctypes.CDLL(None).ptrace(0, 0, 0, 0)",
        ("SANDBOX_VIOLATION: the kernel",),
    ),
    Hostile("closing its pipe is refused", "os.close(3)\nleave(0)", ("SANDBOX_VIOLATION: ",)),
    Hostile("writes for ever after its report", "say(report())\nwhile True: say(bytes(4096))", (BROKEN,)),
    Hostile("logs for ever", "while True: say(log('x' * 8000))", (BROKEN,)),
    Hostile("events for ever", "while True: say(event())", (BROKEN,)),
    Hostile("an honest report, drop by drop", "drip(report())\nleave(0)", (CLAIMED,)),
]
EARLY = [
    said("early: a report before it started", "report()", BROKEN, early=True),
    said("early: noise, then exit 0", "b'\\xff' * 5", BROKEN, early=True),
    Hostile("early: noise, then a jail's exit code", "say(b'\\xff' * 5)\nleave(64)", (BROKEN,), early=True),
    Hostile("early: a jail's exit code", "leave(70)", ("CRASHED: exited without a report",), early=True),
    # Where a compiled form is asked for, it has no input yet that could be bad.
    said("early: bad input", "encode(Kind.BAD_INPUT, b'claimed \\xff')", "INVALID_ARGUMENT: claimed \ufffd", BROKEN, early=True),
    said("early: bad input that is long", "encode(Kind.BAD_INPUT, b'\\xff' * 512)", "INVALID_ARGUMENT: \ufffd", BROKEN, early=True),
    Hostile("early: bad input, then exit 1", "say(encode(Kind.BAD_INPUT, b'claimed'))\nleave(1)", ("CRASHED: ",), early=True),
    Hostile(
        "early: input never read",
        "say(STARTED, report())\nleave(0)",
        (CLAIMED,),
        early=True,
        input_json=f'"{"x" * 3_000_000}"',
    ),
    Hostile("early: its input closed", "os.close(4)\nsay(STARTED, report())\nleave(0)", (CLAIMED,), early=True),
]  # fmt: skip
QUICK = [*FRAMES, *RESULTS, *CLAIMS, *ENDS, *EARLY]
HONEST = Hostile("nothing hostile", "result = 'honest'", ('OK: "honest"',))
# These take as long as they may.
SLOW = [
    Hostile("never says a word", "time.sleep(60)", ("TIMEOUT: ",), timeout=1),
    Hostile("a report drop by drop until its time is up", "drip(report(b'1' * 5000))", ("TIMEOUT: ",), timeout=1),
    Hostile("a good report, and stays", "say(report())\ntime.sleep(60)", ("CRASHED: ",)),
    Hostile("its last drop is a byte too much", "say(report())\ntime.sleep(0.3)\nsay(b'x')\ntime.sleep(60)", (BROKEN,)),
    Hostile(
        "early: input never read, and stays",
        "time.sleep(60)",
        ("TIMEOUT: ",),
        early=True,
        input_json=f'"{"x" * 3_000_000}"',
        timeout=1,
    ),
]  # fmt: skip
# With seccomp off a child can close its pipe.
CLOSING = [
    Hostile("its pipe closed, then exit 0", "os.close(3)\nleave(0)", (NO_REPORT,)),
    Hostile("a good report, its pipe closed, then exit 0", "say(report())\nos.close(3)\nleave(0)", (CLAIMED,)),
    Hostile(
        "a good report, its pipe closed, and stays",
        "say(report())\nos.close(3)\ntime.sleep(60)",
        ("CRASHED: did not exit",),
    ),
    Hostile("its pipe closed, and stays", "os.close(3)\ntime.sleep(60)", ("TIMEOUT: ",), timeout=1),
]
# It can also leave somebody behind who holds its pipe; he goes when the server has closed it.
_LEFT = """
if os.fork():
    say(report())
    leave(0)
import select
gone = select.poll()
gone.register(3, 0)
"""
FORKING = [
    Hostile("one left behind who waits", _LEFT + "gone.poll()\nleave(0)", (CLAIMED,)),
    Hostile("one left behind who writes once", _LEFT + "time.sleep(0.01)\nsay(log())\ngone.poll()\nleave(0)", (CLAIMED, BROKEN)),
    Hostile("one left behind who writes for ever", _LEFT + "while True: say(bytes(1000))", (CLAIMED, BROKEN)),
    Hostile("one left behind who reports again", _LEFT + "while True: say(report(b'2'))", (CLAIMED, BROKEN)),
]  # fmt: skip
