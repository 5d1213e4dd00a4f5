"""Reports, log lines and events: an honest one survives the trip, any other bytes end in FieldError."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langserver.core.claims import Failure, LogClaim, Report, SecurityClaim
from langserver.core.outcome import CLAIMABLE, ErrorKind
from langserver.wire.fields import FieldError
from langserver.wire.report import (
    MAX_FAILURES,
    MESSAGE_BYTES,
    REPORT_OVERHEAD_BYTES,
    TRACEBACK_BYTES,
    decode_event,
    decode_log,
    decode_report,
    encode_event,
    encode_log,
    encode_report,
)

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=50)
failures = st.builds(
    Failure,
    kind=st.sampled_from(sorted(CLAIMABLE)),
    message=texts,
    type=texts,
    traceback=texts,
    hint=texts,
    line=st.integers(0, 2**31 - 1),
    column=st.integers(0, 2**31 - 1),
)
reports = st.builds(
    Report,
    output=st.binary(max_size=200),
    failures=st.lists(failures, max_size=4).map(tuple),
    imports=st.lists(texts, max_size=4).map(tuple),
    compile_ns=st.integers(0, 2**63),
    run_ns=st.integers(0, 2**63),
)


@given(reports)
def test_a_report_survives_the_trip(report: Report) -> None:
    assert decode_report(encode_report(report), 1000) == report


@given(st.binary(max_size=400))
def test_any_bytes_are_a_report_or_a_field_error(payload: bytes) -> None:
    try:
        decode_report(payload, 1000)
    except FieldError:
        pass


@given(reports, st.data())
def test_a_changed_byte_never_crashes_the_reader(report: Report, data: st.DataObject) -> None:
    payload = bytearray(encode_report(report))
    at = data.draw(st.integers(0, len(payload) - 1))
    payload[at] ^= data.draw(st.integers(1, 255))
    try:
        decode_report(bytes(payload), 1000)
    except FieldError:
        pass


@pytest.mark.parametrize("kind", sorted(set(ErrorKind) - CLAIMABLE))
def test_a_child_may_not_claim_what_only_the_server_can_know(kind: ErrorKind) -> None:
    with pytest.raises(FieldError, match=f"may not claim {kind.name}"):
        decode_report(encode_report(Report(failures=(Failure(kind, "forged"),))), 10)


def test_a_report_is_read_to_its_last_byte() -> None:
    with pytest.raises(FieldError, match="1 bytes are left over"):
        decode_report(encode_report(Report()) + b"x", 10)


def test_hostile_text_is_replaced_and_nul_removed() -> None:
    payload = encode_report(Report(failures=(Failure(ErrorKind.USER_ERROR, "abc"),))).replace(b"abc", b"\xff\0c")
    (failure,) = decode_report(payload, 10).failures
    assert failure.message == "\ufffdc"


def test_places_are_clamped() -> None:
    report = Report(failures=(Failure(ErrorKind.USER_ERROR, "", line=2**32 - 1, column=2**32 - 1),))
    payload = encode_report(report).replace(struct.pack("!II", 2**31 - 1, 2**31 - 1), b"\xff" * 8)
    assert b"\xff" * 8 in payload
    (failure,) = decode_report(payload, 10).failures
    assert (failure.line, failure.column) == (2**31 - 1, 2**31 - 1)


def test_text_is_within_its_cap_after_its_bytes_were_replaced_too() -> None:
    """Each could become three: the answer to a Validate would be longer than the server sends."""
    hostile = b"\xff" * MESSAGE_BYTES
    payload = encode_report(Report(failures=(Failure(ErrorKind.USER_ERROR, "x" * len(hostile)),)))
    (failure,) = decode_report(payload.replace(b"x" * len(hostile), hostile), 10).failures
    assert failure.message == "\ufffd" * (MESSAGE_BYTES // 3)


def test_texts_that_take_the_room_of_the_output_are_refused() -> None:
    failures = (Failure(ErrorKind.USER_ERROR, "m", traceback="x" * TRACEBACK_BYTES),)
    head, rest = encode_report(Report(failures=failures))[:24], encode_report(Report(failures=failures))[24:]
    count = REPORT_OVERHEAD_BYTES // TRACEBACK_BYTES + 1
    with pytest.raises(FieldError, match="beside the output are too many"):
        decode_report(head[:16] + struct.pack("!HH", count, 0) + head[20:] + rest * count, 10)


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    report = Report(failures=(Failure(ErrorKind.USER_ERROR, "a\ud800b"),))
    assert decode_report(encode_report(report), 10).failures[0].message == "a\ufffdb"


def test_the_longest_report_an_honest_child_can_make_fits_its_frame() -> None:
    worst = Failure(
        ErrorKind.POLICY_VIOLATION, "\u20ac" * 9000, "\u20ac" * 900, "\u20ac" * 90_000, hint="\u20ac" * 9000
    )
    report = Report(failures=(worst,) * (MAX_FAILURES + 5), imports=("\u20ac" * 300,) * 300)
    payload = encode_report(report)
    assert len(payload) <= REPORT_OVERHEAD_BYTES
    assert len(decode_report(payload, 0).failures) == MAX_FAILURES


def test_one_failure_keeps_its_traceback() -> None:
    report = Report(failures=(Failure(ErrorKind.USER_ERROR, "m", traceback="x" * TRACEBACK_BYTES),))
    assert decode_report(encode_report(report), 0).failures[0].traceback == "x" * TRACEBACK_BYTES


def test_logs_and_events_survive_the_trip() -> None:
    log, event = LogClaim("warn", "gr\u00fc\u00dfe"), SecurityClaim("audit", "denied", "open")
    assert decode_log(encode_log(log)) == log
    assert decode_event(encode_event(event)) == event


def test_a_newline_in_a_log_line_is_a_space() -> None:
    assert decode_log(encode_log(LogClaim("stdout", "a\nb"))).text == "a b"


@pytest.mark.parametrize("payload", [b"", b"\x07\0\0\0\0", b"\0\0\0\0\x05ab", b"\0\0\0\0\0x"])
def test_a_malformed_log_is_refused(payload: bytes) -> None:
    with pytest.raises(FieldError):
        decode_log(payload)


@pytest.mark.parametrize("payload", [b"", b"\x09" + b"\0" * 8, b"\0\0\0\0\0", b"\0" * 9 + b"x"])
def test_a_malformed_event_is_refused(payload: bytes) -> None:
    with pytest.raises(FieldError):
        decode_event(payload)
