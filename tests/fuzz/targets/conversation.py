"""What a child says: kept within its caps, in order, the same however it is cut, and final."""

from __future__ import annotations

from typing import Any

from langserver.core.claims import Failure, LogClaim, Report, SecurityClaim
from langserver.core.outcome import CLAIMABLE, ErrorKind
from langserver.wire.channel import LOG_LINE_COST, MAX_EVENTS
from langserver.wire.conversation import Conversation
from langserver.wire.frames import HEAD, Kind, encode
from langserver.wire.report import (
    BAD_INPUT_BYTES,
    EVENT_ACTIONS,
    EVENT_LAYERS,
    EVENT_TEXT_BYTES,
    LOG_LINE_BYTES,
    REPORT_OVERHEAD_BYTES,
    STREAMS,
    encode_event,
    encode_log,
    encode_report,
)
from tests.fuzz import oracle
from tests.fuzz.source import Source, pieces
from tests.fuzz.targets.report import check_report, check_text

OUTPUTS = (100, 1, 5000)
LOGS = (1000, 0, 30, 20_000)
# The frame caps, written down a second time.
SMALL = {Kind.SEALED: 0, Kind.STARTED: 0, Kind.BAD_INPUT: 512, Kind.LOG: 8208, Kind.LOGS_TRUNCATED: 0, Kind.EVENT: 416}

SEALED, STARTED, CUT = encode(Kind.SEALED), encode(Kind.STARTED), encode(Kind.LOGS_TRUNCATED)
LOG = encode(Kind.LOG, encode_log(LogClaim("stdout", "hello")))
EVENT = encode(Kind.EVENT, encode_event(SecurityClaim("audit", "denied", "open")))
REPORT = encode(Kind.REPORT, encode_report(Report(b'{"a":1}', compile_ns=5, run_ns=2**63)))
FAILED = encode(
    Kind.REPORT,
    encode_report(Report(failures=(Failure(ErrorKind.USER_ERROR, "m", "T", "trace\nback", 3, 4, "hint"),))),
)
CHECKED = encode(
    Kind.REPORT, encode_report(Report(failures=(Failure(ErrorKind.SYNTAX_ERROR, "m"),) * 3, imports=("os", "sys")))
)


def caps(output_bytes: int) -> dict[Kind, int]:
    return {**SMALL, Kind.REPORT: output_bytes + (1 << 20)}


def streams() -> list[bytes]:
    """Honest and hostile ones, for seeds."""
    begun = SEALED + STARTED
    return [
        begun + LOG * 3 + EVENT + REPORT,
        begun + LOG + CUT + EVENT + FAILED,
        begun + CHECKED,
        *(
            begun + encode(Kind.REPORT, encode_report(Report(text)))
            for text in (b"NaN", b"[" * 60, b'"\\ud800"', b"1" * 101)
        ),
        SEALED + EVENT + encode(Kind.BAD_INPUT, b"input_json is not JSON"),
        SEALED + encode(Kind.BAD_INPUT, b"\xff\0" * 256),
        begun + REPORT + REPORT,
        begun + REPORT + b"x",
        begun + REPORT + LOG,
        begun + CUT + LOG,
        begun + CUT + CUT,
        begun + EVENT * (MAX_EVENTS + 1) + REPORT,
        begun + encode(Kind.LOG, encode_log(LogClaim("stdout", ""))) * 60,
        begun + encode(Kind.LOG, b"\0" + (300).to_bytes(4, "big") + b"\xff" * 300),
        begun + encode(Kind.REPORT, encode_report(Report(failures=(Failure(ErrorKind.INTERNAL, "forged"),)))),
        begun + HEAD.pack(Kind.REPORT, 2**32 - 1),
        SEALED + SEALED,
        STARTED + REPORT,
        REPORT,
        SEALED + REPORT,
        SEALED + STARTED + STARTED,
        SEALED + encode(Kind.GO),
        SEALED + b"\xff" * 5,
        begun + REPORT[:-1],
    ]


def seeds() -> list[bytes]:
    return [head + stream for stream in streams() for head in (b"\0\0\0\0", b"\2\3\1\7")]


def check(data: bytes) -> None:
    source = Source(data)
    output_bytes, log_bytes, cuts = source.choice(OUTPUTS), source.choice(LOGS), source.take(2)
    stream = source.rest()
    whole, in_pieces = [_heard(way, output_bytes, log_bytes) for way in ([stream], pieces(stream, cuts))]
    assert whole[1:] == in_pieces[1:], "it depends on how it was cut"
    heard, logs = whole[0], whole[1]
    _within_caps(heard, logs, output_bytes, log_bytes)
    _in_order(heard, stream, output_bytes)
    _final(heard)


def _heard(way: list[bytes], output_bytes: int, log_bytes: int) -> tuple[Any, ...]:
    heard, logs = Conversation(output_bytes, log_bytes), []
    for piece in way:
        logs += heard.hear(piece)
    return (heard, logs, *_said(heard))


def _said(heard: Conversation) -> tuple[object, ...]:
    flags = heard.sealed, heard.started, heard.over, heard.logs_truncated
    return (*flags, heard.broken, heard.bad_input, heard.report, list(heard.events))


def _within_caps(heard: Conversation, logs: list[LogClaim], output_bytes: int, log_bytes: int) -> None:
    for claim in logs:
        assert claim.stream in STREAMS
        assert "\n" not in claim.text
        check_text(claim.text, LOG_LINE_BYTES)
    assert sum(len(claim.text.encode()) + LOG_LINE_COST for claim in logs) <= log_bytes
    assert len(heard.events) <= MAX_EVENTS
    for event in heard.events:
        assert event.layer in EVENT_LAYERS
        assert event.action in EVENT_ACTIONS
        check_text(event.detail, EVENT_TEXT_BYTES)
    if heard.bad_input is not None:
        check_text(heard.bad_input, BAD_INPUT_BYTES)
    if heard.report is not None:
        check_report(heard.report, output_bytes + REPORT_OVERHEAD_BYTES)
        assert {failure.kind for failure in heard.report.failures} <= CLAIMABLE


def _in_order(heard: Conversation, stream: bytes, output_bytes: int) -> None:
    frames, left, more = oracle.frames(stream, caps(output_bytes))
    kinds = [kind for kind, _ in frames]
    last_words = kinds.count(Kind.REPORT) + kinds.count(Kind.BAD_INPUT)
    if heard.broken is None:
        assert more
        assert oracle.in_order(kinds)
        assert heard.over == (last_words == 1)
        assert not (heard.over and left)
        assert (heard.report is not None) == (kinds[-1:] == [Kind.REPORT])
    elif oracle.in_order(kinds) and more:  # then it was what a frame holds, or bytes at the end
        assert frames
    if heard.report is not None or heard.bad_input is not None:
        assert last_words >= 1
    assert heard.sealed == (kinds[:1] == [Kind.SEALED])


def _final(heard: Conversation) -> None:
    """After its last word, or a break, nothing changes but that it is broken."""
    if heard.over or heard.broken is not None:
        before = _said(heard)
        was_broken = heard.broken
        assert heard.hear(REPORT) == []
        assert heard.broken is not None
        if was_broken is None:
            heard.broken = None
        assert _said(heard) == before
