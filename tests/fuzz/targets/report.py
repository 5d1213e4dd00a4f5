"""Payloads of REPORT, LOG and EVENT frames: read within caps, and what was read can be written and read again."""

from __future__ import annotations

from langserver.core.claims import Failure, LogClaim, Report, SecurityClaim
from langserver.core.outcome import CLAIMABLE, ErrorKind
from langserver.wire.fields import FieldError
from langserver.wire.report import (
    EVENT_ACTIONS,
    EVENT_LAYERS,
    EVENT_TEXT_BYTES,
    HINT_BYTES,
    IMPORT_BYTES,
    LOG_LINE_BYTES,
    MAX_FAILURES,
    MAX_IMPORTS,
    MESSAGE_BYTES,
    STREAMS,
    TRACEBACK_BYTES,
    TYPE_BYTES,
    decode_event,
    decode_log,
    decode_report,
    encode_event,
    encode_log,
    encode_report,
)
from tests.fuzz.source import Source

OUTPUT_CAP = 64


def seeds() -> list[bytes]:
    failure = Failure(ErrorKind.USER_ERROR, "gr\u00fc\u00dfe", "ValueError", "line 1\nline 2", 7, 9, "try this")
    reports = [
        Report(b"null"),
        Report(failures=(failure,)),
        Report(failures=(failure,) * 4, imports=("os", "json"), compile_ns=2**64 - 1, run_ns=1),
        Report(b"1" * (OUTPUT_CAP + 1)),
        Report(failures=(Failure(ErrorKind.TIMEOUT, "forged"),)),
        Report(failures=(Failure(ErrorKind.MEMORY_LIMIT, "m", line=2**31 - 1, column=2**31 - 1),)),
    ]
    found = [b"\0" + encode_report(report) for report in reports]
    found += [payload.replace(b"\0\0\0\x07\0\0\0\x09", b"\xff" * 8) for payload in found]
    found += [payload.replace(b"ValueError", b"\xff\xfe\0\xed\xa0\x80rror") for payload in found]
    found += [b"\1" + encode_log(LogClaim(stream, "a\nb\u20ac")) for stream in STREAMS]
    found += [b"\2" + encode_event(SecurityClaim(layer, "denied", "open")) for layer in EVENT_LAYERS]
    return found


def check(data: bytes) -> None:
    source = Source(data)
    read = source.choice((_check_report, _check_log, _check_event))
    try:
        read(source.rest())
    except FieldError:
        pass


def _check_report(payload: bytes) -> None:
    report = decode_report(payload, OUTPUT_CAP)
    check_report(report, OUTPUT_CAP)
    assert decode_report(encode_report(report), OUTPUT_CAP) == report or len(report.failures) > 1


def _check_log(payload: bytes) -> None:
    claim = decode_log(payload)
    check_text(claim.text, LOG_LINE_BYTES)
    assert "\n" not in claim.text
    assert decode_log(encode_log(claim)) == claim


def _check_event(payload: bytes) -> None:
    claim = decode_event(payload)
    check_text(claim.detail, EVENT_TEXT_BYTES)
    assert claim.action in EVENT_ACTIONS
    assert decode_event(encode_event(claim)) == claim


def check_report(report: Report, output_cap: int) -> None:
    """A report as it may reach the rest of the server."""
    assert len(report.output) <= output_cap
    assert len(report.failures) <= MAX_FAILURES
    assert len(report.imports) <= MAX_IMPORTS
    assert 0 <= report.compile_ns < 2**64
    assert 0 <= report.run_ns < 2**64
    for name in report.imports:
        check_text(name, IMPORT_BYTES)
    for failure in report.failures:
        assert failure.kind in CLAIMABLE
        assert 0 <= failure.line < 2**31
        assert 0 <= failure.column < 2**31
        check_text(failure.message, MESSAGE_BYTES)
        check_text(failure.type, TYPE_BYTES)
        check_text(failure.traceback, TRACEBACK_BYTES)
        check_text(failure.hint, HINT_BYTES)


def check_text(text: str, cap: int) -> None:
    """Text that fits its cap as UTF-8, and a string in C."""
    assert len(text.encode()) <= cap  # raises for a lone surrogate
    assert "\0" not in text
